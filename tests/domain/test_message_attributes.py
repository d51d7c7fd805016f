from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.domain.message_attributes import (
    require_message_attributes,
    require_system_attributes,
    select_message_attributes,
)
from emulator.domain.model import MessageAttributeValue
from emulator.errors import InvalidParameterValue, UnsupportedOperation
from tests.domain.factories import binary, number, refused, string

LISTS = "Message attribute list values in SendMessage operation are not supported."
RESERVED = (
    "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. "
    "These strings are reserved for internal use."
)
STARWARS = {"Help.Me": string("Me"), "Hello": string("There"), "General": string("Kenobi")}


def accepted(attribute, name="a"):
    attributes = require_message_attributes({name: attribute})
    return attributes is not None and list(attributes) == [name] and attributes[name] == attribute


@pytest.mark.parametrize("attributes", [None, {}])
def test_a_message_needs_no_attributes(attributes):
    assert require_message_attributes(attributes) is None


def test_a_message_has_at_most_ten_attributes():
    attributes = {f"a{n}": string() for n in range(10)}
    assert require_message_attributes(attributes) == attributes
    with refused(
        InvalidParameterValue, "Number of message attributes [11] exceeds the allowed maximum [10]."
    ):
        require_message_attributes({**attributes, "one-more": string()})


@pytest.mark.parametrize(
    "name",
    ["a", "A_b-c.9", "attr.1øßä", "double..dot", "n" * 256, "ü" * 128, "aws", "awsome.x", "AmazonBasin"],
)
def test_a_name_may_have_letters_digits_and_some_punctuation(name):
    assert accepted(string(), name)


def test_a_name_must_not_be_empty():
    with refused(InvalidParameterValue, "The request must contain non-empty message (user) attribute names."):
        require_message_attributes({"": string()})


@pytest.mark.parametrize("name", ["n" * 257, "ü" * 129])
def test_a_name_has_at_most_256_bytes(name):
    with refused(InvalidParameterValue, "Message (user) attribute name must be shorter than 256 bytes."):
        require_message_attributes({name: string()})


@pytest.mark.parametrize("name", ["AWS.x", "aWs.attr", "Amazon.x", "AMAZON.attr", "amazon."])
def test_a_name_must_not_begin_like_amazons_own(name):
    with refused(InvalidParameterValue, RESERVED):
        require_message_attributes({name: string()})


@pytest.mark.parametrize(
    "name", [".a", "a.", ".", "a!", 'a"', "a§", "a(", "a?", "a b", "a\n", "a\0", "\ud800"]
)
def test_a_name_must_not_have_other_characters_or_outer_periods(name):
    with refused(InvalidParameterValue):
        require_message_attributes({name: string()})


def test_a_refused_name_is_quoted_without_control_characters():
    with pytest.raises(InvalidParameterValue, match=r"'a\\u0000b' is invalid"):
        require_message_attributes({"a\0b": string()})


@pytest.mark.parametrize(
    "attribute",
    [
        string(),
        string(data_type="String.json"),
        string(data_type="String."),
        string(data_type="String.a label: ü"),
        string(data_type="String." + "x" * 249),
        number("1", "Number.java.lang.Long"),
        binary(data_type="Binary.gif"),
    ],
)
def test_a_type_may_have_a_label(attribute):
    assert accepted(attribute)


@pytest.mark.parametrize("data_type", [None, ""])
def test_a_type_is_required(data_type):
    with refused(
        InvalidParameterValue,
        "The message (user) attribute 'a' must contain a non-empty message attribute type.",
    ):
        require_message_attributes({"a": string(data_type=data_type)})


@pytest.mark.parametrize("data_type", ["string", "Strings", "Int", ".String", "String\0", "String.\x01"])
def test_a_type_is_string_number_or_binary(data_type):
    with refused(
        InvalidParameterValue,
        "The type of message (user) attribute 'a' is invalid. "
        "You must use only the following supported type prefixes: Binary, Number, String.",
    ):
        require_message_attributes({"a": string(data_type=data_type)})


def test_a_type_has_at_most_256_bytes():
    with refused(InvalidParameterValue, "Message (user) attribute type must be shorter than 256 bytes."):
        require_message_attributes({"a": string(data_type="String." + "x" * 250)})


@pytest.mark.parametrize("data_type", ["String", "Number", "Binary"])
def test_a_value_is_required(data_type):
    with refused(
        InvalidParameterValue,
        "The message (user) attribute 'a' must contain a non-empty message attribute value.",
    ):
        require_message_attributes({"a": MessageAttributeValue(data_type=data_type)})


@pytest.mark.parametrize(
    ("attribute", "base_type"),
    [
        (string(""), "String"),
        (string("", "String.json"), "String"),
        (number(""), "Number"),
        (binary(b""), "Binary"),
        (string("x", "Binary"), "Binary"),
        (binary(b"x", "String"), "String"),
        (binary(b"x", "Number"), "Number"),
    ],
)
def test_a_value_of_the_right_kind_must_not_be_empty(attribute, base_type):
    with refused(
        InvalidParameterValue,
        f"Message (user) attribute 'a' must contain a non-empty value of type '{base_type}'.",
    ):
        require_message_attributes({"a": attribute})


@pytest.mark.parametrize("value", ["\0", "a\x08", "\uffff", "\ud800"])
def test_a_string_value_with_control_characters_is_no_invalid_message_content(value):
    with refused(InvalidParameterValue):
        require_message_attributes({"a": string(value)})


def test_a_binary_value_may_have_any_bytes():
    assert accepted(binary(bytes(range(256))))


@pytest.mark.parametrize(
    "lists", [{"string_list_values": ["x"]}, {"binary_list_values": [b"x"]}, {"string_list_values": [""]}]
)
def test_list_values_are_not_supported(lists):
    attribute = MessageAttributeValue(data_type="String", string_value="x", **lists)
    with refused(UnsupportedOperation, LISTS):
        require_message_attributes({"a": attribute})


def test_empty_lists_and_values_of_the_other_kind_are_dropped():
    sent = MessageAttributeValue(
        data_type="String",
        string_value="x",
        binary_value=b"",
        string_list_values=[],
        binary_list_values=[],
    )
    assert require_message_attributes({"a": sent}) == {"a": string("x")}


@pytest.mark.parametrize(
    "value",
    [
        "0", "-0", "+5", "1.5", ".5", "5.", "-12.50", "007", "1e5", "1E-5", "0.000",
        "9" * 38, "-" + "9" * 38, "0" * 50 + "1", "1" + "0" * 126, "1e126", "-1e126",
        "1e-128", "-1e-128", "0." + "0" * 127 + "1", "9" * 19 + "." + "9" * 19, "0e999999999",
    ],
)  # fmt: skip
def test_a_number_is_kept_as_sent(value):
    assert accepted(number(value))


@pytest.mark.parametrize(
    "value",
    [
        "a", " 1", "1 ", "", ".", "-", "--1", "1,5", "0x10", "1e", "e5", "NaN", "Infinity", "1_000", "٣",
        "1\n", "9" * 39, "1." + "1" * 38, "1" + "0" * 126 + ".1", "1.1e126", "2e126", "-2e126", "1e127",
        "9e-129", "-9e-129", "0." + "0" * 128 + "9", "1e999999999", "1e-999999999", "1e99999999999999999999",
    ],
)  # fmt: skip
def test_other_texts_are_no_numbers(value):
    with refused(
        InvalidParameterValue,
        "Can't cast the value of message (user) attribute 'a' to a number."
        if value
        else "Message (user) attribute 'a' must contain a non-empty value of type 'Number'.",
    ):
        require_message_attributes({"a": number(value)})


@given(st.integers(-(10**38) + 1, 10**38 - 1), st.integers(-180, 180))
def test_a_number_is_accepted_exactly_in_the_documented_range(digits, exponent):
    value = Decimal(f"{digits}E{exponent}")
    in_range = value == 0 or Decimal("1e-128") <= abs(value) <= Decimal("1e126")
    for text in (f"{digits}e{exponent}", f"{value:f}"):
        try:
            require_message_attributes({"a": number(text)})
        except InvalidParameterValue:
            assert not in_range
        else:
            assert in_range


@pytest.mark.parametrize("attributes", [None, {}])
def test_a_message_needs_no_system_attributes(attributes):
    assert require_system_attributes(attributes) is None


def test_the_trace_header_is_the_one_system_attribute():
    assert require_system_attributes({"AWSTraceHeader": string("Root=1")}) == "Root=1"
    with refused(InvalidParameterValue, "Message system attribute name 'SenderId' is invalid."):
        require_system_attributes({"AWSTraceHeader": string("Root=1"), "SenderId": string("me")})


@pytest.mark.parametrize("data_type", [None, "Number", "Binary", "String.x"])
def test_the_trace_header_is_a_string(data_type):
    with refused(InvalidParameterValue):
        require_system_attributes({"AWSTraceHeader": string("Root=1", data_type)})


@pytest.mark.parametrize("value", [None, ""])
def test_the_trace_header_is_not_empty(value):
    with refused(
        InvalidParameterValue,
        "Message (system) attribute 'AWSTraceHeader' must contain a non-empty value of type 'String'.",
    ):
        require_system_attributes({"AWSTraceHeader": string(value)})


def test_the_trace_header_has_no_control_characters():
    with refused(InvalidParameterValue):
        require_system_attributes({"AWSTraceHeader": string("\x01")})


def test_the_trace_header_is_no_list():
    attribute = MessageAttributeValue(data_type="String", string_list_values=["x"])
    with refused(UnsupportedOperation, LISTS):
        require_system_attributes({"AWSTraceHeader": attribute})


# Recorded, R2, and spec 3.3.
@pytest.mark.parametrize(
    ("names", "selected"),
    [
        ([], []),
        (["All"], ["Help.Me", "Hello", "General"]),
        (["*"], ["Help.Me", "Hello", "General"]),
        ([".*"], ["Help.Me", "Hello", "General"]),
        (["Foo", "All"], ["Help.Me", "Hello", "General"]),
        (["Foo", "Help"], []),
        (["Hello", "General"], ["Hello", "General"]),
        (["Foo", "Hello"], ["Hello"]),
        (["Hel.*"], ["Help.Me", "Hello"]),
        (["Help.*"], ["Help.Me"]),
        (["Help.*", "General"], ["Help.Me", "General"]),
        (["Hel*"], []),
        (["hello"], []),
        (["AWS.", "..foo", ""], []),
    ],
)
def test_names_select_the_attributes_that_are_returned(names, selected):
    assert list(select_message_attributes(STARWARS, names)) == selected


@pytest.mark.parametrize("attributes", [None, {}])
def test_nothing_is_selected_from_nothing(attributes):
    assert select_message_attributes(attributes, ["All"]) == {}
