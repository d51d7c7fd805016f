import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.domain.message_content import (
    batch_entry_too_large,
    has_valid_characters,
    message_bytes,
    require_body,
    require_size,
)
from emulator.errors import InvalidMessageContents, InvalidParameterValue, MissingParameter
from tests.domain.factories import binary, number, refused, string


@pytest.mark.parametrize("body", [None, ""])
def test_a_body_is_required(body):
    with refused(MissingParameter, "The request must contain the parameter MessageBody."):
        require_body(body)


@pytest.mark.parametrize(
    "character",
    [
        "\t",
        "\n",
        "\r",
        " ",
        "~",
        "\x7f",
        "\x85",
        "ü",
        "\ud7ff",
        "\ue000",
        "\ufffd",
        "\U00010000",
        "\U0010ffff",
    ],
)
@pytest.mark.parametrize("padding", ["", "x" * 600])
def test_a_body_may_have_every_character_that_xml_allows(character, padding):
    assert require_body(padding + character) == padding + character


@pytest.mark.parametrize(
    "code", [0x00, 0x01, 0x08, 0x0B, 0x0C, 0x0E, 0x13, 0x1F, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF]
)
@pytest.mark.parametrize("padding", ["", "x" * 600, "ü" * 600])
def test_a_body_must_not_have_other_characters(code, padding):
    with refused(
        InvalidMessageContents,
        "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | "
        "#xE000 to #xFFFD | #x10000 to #x10FFFF",
    ):
        require_body(padding + chr(code))


@given(st.text(st.characters(exclude_categories=())))
def test_the_fast_check_of_characters_agrees_with_the_documented_ranges(text):
    documented = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
    assert has_valid_characters(text) == bool(documented.fullmatch(text))


@pytest.mark.parametrize(
    ("body", "attributes", "size_bytes"),
    [
        ("hello", None, 5),
        ("Grüße 😀", None, 12),
        ("hello", {}, 5),
        ("\ud800", None, 3),
        ("x", {"color": string("blue")}, 1 + 5 + 6 + 4),
        ("x", {"é": string("ü")}, 1 + 2 + 6 + 2),
        ("x", {"n": number("12", "Number.java.lang.Long")}, 1 + 1 + 21 + 2),
        ("x", {"blob": binary(b"\xff\xfe\xfd")}, 1 + 4 + 6 + 3),
    ],
)
def test_a_message_is_as_large_as_its_body_and_attributes_in_utf8(body, attributes, size_bytes):
    assert message_bytes(body, attributes) == size_bytes


@pytest.mark.parametrize("maximum_bytes", [1024, 1_048_576])
def test_a_message_may_be_exactly_as_large_as_the_maximum(maximum_bytes):
    require_size(maximum_bytes, maximum_bytes)
    with refused(
        InvalidParameterValue,
        f"One or more parameters are invalid. Reason: Message must be shorter than {maximum_bytes} bytes.",
    ):
        require_size(maximum_bytes + 1, maximum_bytes)


def test_a_too_large_batch_entry_has_a_sentence_of_its_own():
    assert batch_entry_too_large(1024).message == (
        "One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes."
    )
