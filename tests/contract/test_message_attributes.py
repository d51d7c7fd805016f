"""Message attributes: what may be sent, what comes back, and the MD5 of both."""

import pytest

from tests.support.answers import Refusal, as_binary, as_string, error_of, invalid, only, receive, send

THREE = {"Help.Me": as_string("Me"), "Hello": as_string("There"), "General": as_string("Kenobi")}
RESERVED = invalid(
    "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. "
    "These strings are reserved for internal use."
)
MD5S = [
    ({"k": as_string("x")}, "a45daa70926828a2f0a1db3418e6feb4"),
    ({"Foo": as_string("Bar")}, "ae7155c6026991b6d54b11589678bf9c"),
    ({"MyAttribute": as_string("foobar")}, "adb59cd4678ea5a855436b949cd07ab6"),
    ({"color": as_string("blue")}, "da1b33cc3cbfe8b1630921e78e6b9880"),
    (
        {"color": as_string("blue"), "count": as_string("3", "Number"), "blob": as_binary(b"\x01\x02\x03")},
        "d838729972a4b70e2d2acd9d59ac847c",
    ),
    (
        {"attr1": as_binary(b"traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01")},
        "8cbe4db156db8a94db8b801b7addb984",
    ),
    ({"timestamp": as_string("1493147359900", "Number")}, "235c5c510d26fb653d073faed50ae77c"),
    ({"timestamp": as_string("1493147359900", "Number.java.lang.Long")}, "2e2e4876d8e0bd6b8c2c8f556831c349"),
    ({"b": as_binary(b"\x00\x01", "Binary.gif")}, "0d13df055fbf2cc33b13842f50f96d1b"),
    (
        {name: as_string(value) for name, value in zip("bBa_", "2134", strict=True)},
        "70453067c36b10ff95b8d5f6facabb75",
    ),
]


def received(sqs, queue, *names):
    return only(sqs.receive_message(QueueUrl=queue, MessageAttributeNames=list(names), VisibilityTimeout=0))


def refusal_to_send(sqs, queue, attributes):
    return error_of(sqs.send_message, QueueUrl=queue, MessageBody="hello", MessageAttributes=attributes)


@pytest.mark.parametrize(("attributes", "md5"), MD5S)
def test_attributes_come_back_unchanged_and_with_their_md5(sqs, queue, attributes, md5):
    sent = sqs.send_message(QueueUrl=queue, MessageBody="hello", MessageAttributes=attributes)
    assert sent["MD5OfMessageAttributes"] == md5
    for _ in range(2):
        message = received(sqs, queue, "All")
        assert message["MessageAttributes"] == attributes
        assert message["MD5OfMessageAttributes"] == md5


def test_without_attributes_there_is_no_md5(sqs, queue):
    assert "MD5OfMessageAttributes" not in sqs.send_message(QueueUrl=queue, MessageBody="hello")
    assert not {"MessageAttributes", "MD5OfMessageAttributes"} & received(sqs, queue, "All").keys()


def test_no_attributes_are_an_empty_map_too(sqs, queue):
    assert "MD5OfMessageAttributes" not in sqs.send_message(
        QueueUrl=queue, MessageBody="hello", MessageAttributes={}
    )


# Selection on receive


@pytest.mark.parametrize(
    ("names", "selected", "md5"),
    [
        (["All"], {"Help.Me", "Hello", "General"}, "4c360f3fdafd970e05fae2f149d997f5"),
        (["*"], {"Help.Me", "Hello", "General"}, "4c360f3fdafd970e05fae2f149d997f5"),
        ([".*"], {"Help.Me", "Hello", "General"}, "4c360f3fdafd970e05fae2f149d997f5"),
        (["Hello", "General"], {"Hello", "General"}, "fca026605781cb4126a1e9044df24232"),
        (["Foo", "Hello"], {"Hello"}, "a311262e065454b75da111d535b8dacd"),
        (["Hel.*"], {"Hello", "Help.Me"}, "83fee93c1bcd8b9a5a923ffacdc636c7"),
        (["Help.*", "Hello"], {"Hello", "Help.Me"}, "83fee93c1bcd8b9a5a923ffacdc636c7"),
        (["General", "All"], {"Help.Me", "Hello", "General"}, "4c360f3fdafd970e05fae2f149d997f5"),
    ],
)
def test_names_select_what_is_returned_and_the_md5_is_that_of_the_selection(sqs, queue, names, selected, md5):
    send(sqs, queue, "hello", MessageAttributes=THREE)
    message = received(sqs, queue, *names)
    assert message["MessageAttributes"] == {name: THREE[name] for name in selected}
    assert message["MD5OfMessageAttributes"] == md5


@pytest.mark.parametrize(
    "names", [[], ["Foo"], ["Help"], ["hello"], ["AWS."], ["..foo"], ["Hello.Me.*"], ["!", ""]]
)
def test_names_that_select_nothing_are_no_error(sqs, queue, names):
    send(sqs, queue, "hello", MessageAttributes=THREE)
    assert not {"MessageAttributes", "MD5OfMessageAttributes"} & received(sqs, queue, *names).keys()


# What may be sent


@pytest.mark.parametrize(
    "name", ["a", "x" * 256, "a-b_c.d", "attr.1øßä", "0", "-", "_", "a..b", "Awsome", "amazonian", "X.AWS.y"]
)
def test_a_name_may_be(sqs, queue, name):
    send(sqs, queue, "hello", MessageAttributes={name: as_string("x")})
    assert received(sqs, queue, name)["MessageAttributes"] == {name: as_string("x")}


@pytest.mark.parametrize("name", ["!", '"', "§", "(", "?", "a b", ".a", "a.", ".", "a,b", "a\tb"])
def test_a_name_may_not_be(sqs, queue, name):
    refusal = refusal_to_send(sqs, queue, {name: as_string("x")})
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")


@pytest.mark.parametrize("name", ["AWS.x", "aWs.", "Amazon.x", "AMAZON."])
def test_a_reserved_name_is_refused(sqs, queue, name):
    assert refusal_to_send(sqs, queue, {name: as_string("x")}) == RESERVED


def test_an_empty_name_is_refused(sqs, queue):
    expected = invalid("The request must contain non-empty message (user) attribute names.")
    assert refusal_to_send(sqs, queue, {"": as_string("x")}) == expected


def test_a_name_of_257_bytes_is_refused(sqs, queue):
    expected = invalid("Message (user) attribute name must be shorter than 256 bytes.")
    assert refusal_to_send(sqs, queue, {"x" * 257: as_string("x")}) == expected


def test_names_differ_by_case(sqs, queue):
    attributes = {"color": as_string("blue"), "Color": as_string("red")}
    send(sqs, queue, "hello", MessageAttributes=attributes)
    assert received(sqs, queue, "All")["MessageAttributes"] == attributes


def test_a_message_has_at_most_ten_attributes(sqs, queue):
    attributes = {f"a{number}": as_string("x") for number in range(10)}
    send(sqs, queue, "hello", MessageAttributes=attributes)
    assert received(sqs, queue, "All")["MessageAttributes"] == attributes
    expected = invalid("Number of message attributes [11] exceeds the allowed maximum [10].")
    assert refusal_to_send(sqs, queue, attributes | {"one-more": as_string("x")}) == expected


@pytest.mark.parametrize(
    "data_type", ["String", "String.", "String.my type!", "Number.int", "Binary.png", "String." + "x" * 249]
)
def test_a_type_may_be(sqs, queue, data_type):
    value = as_binary(b"1", data_type) if data_type.startswith("Binary") else as_string("1", data_type)
    send(sqs, queue, "hello", MessageAttributes={"a": value})
    assert received(sqs, queue, "a")["MessageAttributes"]["a"] == value


@pytest.mark.parametrize("data_type", ["string", "Text", "Stringy", "Boolean", ".String", "Integer.String"])
def test_a_type_may_not_be(sqs, queue, data_type):
    assert refusal_to_send(sqs, queue, {"a": as_string("x", data_type)}) == invalid(
        "The type of message (user) attribute 'a' is invalid. "
        "You must use only the following supported type prefixes: Binary, Number, String."
    )


def test_an_empty_type_is_refused(sqs, queue):
    expected = "The message (user) attribute 'a' must contain a non-empty message attribute type."
    assert refusal_to_send(sqs, queue, {"a": as_string("x", "")}) == invalid(expected)


def test_a_type_of_257_bytes_is_refused(sqs, queue):
    refusal = refusal_to_send(sqs, queue, {"a": as_string("x", "String." + "x" * 250)})
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")


@pytest.mark.parametrize(
    ("attribute", "base_type"),
    [
        (as_string(""), "String"),
        (as_string("", "String.custom"), "String"),
        (as_string("", "Number"), "Number"),
        (as_binary(b"x", "String"), "String"),
        (as_string("x", "Binary"), "Binary"),
    ],
)
def test_a_value_must_be_there_and_of_its_kind(sqs, queue, attribute, base_type):
    expected = f"Message (user) attribute 'a' must contain a non-empty value of type '{base_type}'."
    assert refusal_to_send(sqs, queue, {"a": attribute}) == invalid(expected)


def test_an_attribute_without_any_value_is_refused(sqs, queue):
    expected = "The message (user) attribute 'a' must contain a non-empty message attribute value."
    assert refusal_to_send(sqs, queue, {"a": {"DataType": "String"}}) == invalid(expected)


@pytest.mark.parametrize(
    "value", ["0", "-1", "1.5", "+1", "1e10", "007", "9" * 38, "1e126", "1e-128", "-1E-5", "0.10", ".5"]
)
def test_a_number_comes_back_as_it_was_sent(sqs, queue, value):
    send(sqs, queue, "hello", MessageAttributes={"n": as_string(value, "Number")})
    assert received(sqs, queue, "n")["MessageAttributes"]["n"] == as_string(value, "Number")


@pytest.mark.parametrize(
    "value", ["x", "1,5", "0x10", "1e", "--1", "NaN", "Infinity", "9" * 39, "1e127", "1e-129", " "]
)
def test_what_is_no_number_is_refused(sqs, queue, value):
    expected = invalid("Can't cast the value of message (user) attribute 'n' to a number.")
    assert refusal_to_send(sqs, queue, {"n": as_string(value, "Number")}) == expected


@pytest.mark.parametrize("value", ["\x00", "a\x08b", "\uffff"])
def test_forbidden_characters_in_a_value_are_a_bad_parameter(sqs, queue, value):
    refusal = refusal_to_send(sqs, queue, {"a": as_string(value)})
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")


def test_values_with_special_characters_come_back(sqs, queue):
    attributes = {"a": as_string(" \t<&>\r\n😀 "), "b": as_binary(bytes(range(256)))}
    send(sqs, queue, "hello", MessageAttributes=attributes)
    assert received(sqs, queue, "All")["MessageAttributes"] == attributes


@pytest.mark.parametrize("lists", [{"StringListValues": ["x"]}, {"BinaryListValues": [b"x"]}])
def test_lists_are_not_supported(sqs, queue, lists):
    refusal = refusal_to_send(sqs, queue, {"a": {**as_string("x"), **lists}})
    message = "Message attribute list values in SendMessage operation are not supported."
    assert refusal == Refusal(400, "AWS.SimpleQueueService.UnsupportedOperation", message)


def test_empty_lists_are_ignored(sqs, queue):
    lists = {"StringListValues": [], "BinaryListValues": []}
    send(sqs, queue, "hello", MessageAttributes={"a": {**as_string("x"), **lists}})
    assert received(sqs, queue, "a")["MessageAttributes"] == {"a": as_string("x")}


def test_one_bad_attribute_keeps_the_message_out(sqs, queue):
    refusal_to_send(sqs, queue, {"fine": as_string("x"), "bad": as_string("")})
    assert "Messages" not in receive(sqs, queue)
