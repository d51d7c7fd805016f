"""What AWS JSON 1.0 takes and what it refuses, with the texts of spec 1.2."""

from contextlib import suppress

import pytest

from emulator.errors import InvalidAction, InvalidMessageContents, MalformedInput, SqsError
from emulator.operations.list_queues import ListQueuesRequest
from emulator.operations.receive_message import ReceiveMessageRequest
from emulator.operations.send_message import SendMessageRequest
from emulator.operations.send_message_batch import SendMessageBatchRequest
from emulator.operations.set_queue_attributes import SetQueueAttributesRequest
from emulator.wire import json10
from tests.wire.wire_requests import json_call, wire_request


def read(body: str | bytes, request_type: type = SendMessageRequest):
    return json_call("SendMessage", body.encode() if isinstance(body, str) else body).arguments(request_type)


STRUCTURE = "Start of structure or map found where not expected."
LIST = "Start of list found where not expected"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('{"DelaySeconds":"5"}', "STRING_VALUE can not be converted to an Integer"),
        ('{"DelaySeconds":true}', "TRUE_VALUE can not be converted to an Integer"),
        ('{"DelaySeconds":5.5}', "NUMBER_VALUE can not be converted to an Integer"),
        ('{"DelaySeconds":{}}', STRUCTURE),
        ('{"DelaySeconds":[]}', LIST),
        ('{"MessageBody":5}', "NUMBER_VALUE can not be converted to a String"),
        ('{"MessageBody":5.5}', "NUMBER_VALUE can not be converted to a String"),
        ('{"MessageBody":true}', "TRUE_VALUE can not be converted to a String"),
        ('{"MessageBody":{}}', STRUCTURE),
        ('{"MessageBody":["x"]}', LIST),
        ('{"MessageAttributes":"x"}', "Unrecognized collection type class java.lang.String"),
        ('{"MessageAttributes":5}', "Unrecognized collection type class java.lang.Integer"),
        ('{"MessageAttributes":[]}', LIST),
        ('{"MessageAttributes":{"a":{"StringValue":5}}}', "NUMBER_VALUE can not be converted to a String"),
        ('{"MessageAttributes":{"a":[]}}', LIST),
        ('{"MessageAttributes":{"a":{"StringListValues":{}}}}', STRUCTURE),
    ],
)
def test_a_wrong_json_type_is_malformed_in_aws_s_words(body: str, text: str):
    with pytest.raises(MalformedInput) as raised:
        read(body)
    assert raised.value.message == text


@pytest.mark.parametrize("member", ["DelaySeconds", "MessageBody", "MessageAttributes"])
def test_false_is_malformed_everywhere(member: str):
    with pytest.raises(MalformedInput):
        read(f'{{"{member}":false}}')


def test_a_wrong_type_inside_a_list_is_malformed():
    with pytest.raises(MalformedInput):
        read('{"Entries":[5]}', SendMessageBatchRequest)
    with pytest.raises(MalformedInput) as raised:
        read('{"AttributeNames":"All"}', ReceiveMessageRequest)
    assert raised.value.message == "Unrecognized collection type class java.lang.String"
    with pytest.raises(MalformedInput) as raised:
        read('{"AttributeNames":{}}', ReceiveMessageRequest)
    assert raised.value.message == STRUCTURE


def test_an_attribute_value_must_be_a_string():
    with pytest.raises(MalformedInput) as raised:
        read('{"Attributes":{"DelaySeconds":5}}', SetQueueAttributesRequest)
    assert raised.value.message == "NUMBER_VALUE can not be converted to a String"


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        '"text"',
        "5",
        "null",
        "true",
        "{",
        "}",
        '{"MessageBody"}',
        '{"MessageBody":}',
        '{"MessageBody":"x"',
        '{"MessageBody":"x"}}',
        '{"MessageBody":"x",}',
        "{'MessageBody':'x'}",
        '{"DelaySeconds":NaN}',
        '{"DelaySeconds":1e999}',
        '{"DelaySeconds":01}',
        '{"MessageBody":"a\nb"}',
        '{"MessageBody":"\\x"}',
        "Action=SendMessage&MessageBody=x",
        "<xml/>",
        " ",
        "\ufeff{}",
    ],
)
def test_what_is_no_json_object_is_malformed(body: str):
    with pytest.raises(MalformedInput):
        read(body)


@pytest.mark.parametrize(
    "body", [b'{"MessageBody":"\xff"}', b"\x00", b"\xff\xfe{\x00}\x00", b'{"MessageBody":"\xed\xa0\x80"}']
)
def test_what_is_no_utf_8_is_malformed(body: bytes):
    with pytest.raises(MalformedInput):
        read(body)


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00", "\\ud800x", "\\udc00\\ud800", "a\\uD83D"])
def test_a_lone_surrogate_is_an_invalid_character(text: str):
    with pytest.raises(InvalidMessageContents):
        read(f'{{"MessageBody":"{text}"}}')


def test_a_pair_of_surrogates_is_one_character():
    assert read('{"MessageBody":"\\ud83d\\ude00"}').message_body == "\U0001f600"


def test_null_means_not_given():
    nothing = SendMessageRequest()
    assert read('{"MessageBody":null,"DelaySeconds":null,"MessageAttributes":null}') == nothing


def test_unknown_members_are_ignored():
    assert read('{"MessageBody":"x","Colour":{"a":[1,2,{"b":null}]},"messagebody":5}').message_body == "x"


def test_an_empty_body_is_an_empty_object():
    assert read(b"", ListQueuesRequest) == ListQueuesRequest()


def test_the_later_of_two_equal_members_counts():
    assert read('{"MessageBody":"a","MessageBody":"b"}').message_body == "b"


@pytest.mark.parametrize(("number", "read_as"), [("5.0", 5), ("0.0", 0), ("-0.0", 0), ("5", 5), ("-3", -3)])
def test_a_whole_number_may_have_a_fraction_of_zero(number: str, read_as: int):
    assert read(f'{{"DelaySeconds":{number}}}').delay_seconds == read_as


@pytest.mark.parametrize("other", ['"VisibilityTimeout":"30"', '"VisibilityTimeout":"null"', '"QueueUrl":5'])
def test_a_fraction_of_zero_does_not_soften_the_rules_for_other_members(other: str):
    with pytest.raises(MalformedInput):
        read(f'{{"MaxNumberOfMessages":5.0,{other}}}', ReceiveMessageRequest)


@pytest.mark.parametrize("number", ["5.5", "1e-3", "1.0e400", "-0.5"])
def test_other_fractions_are_malformed(number: str):
    with pytest.raises(MalformedInput):
        read(f'{{"DelaySeconds":{number}}}')


@pytest.mark.parametrize("digits", [20, 100, 1_000, 5_000])
def test_a_huge_whole_number_is_read_or_refused(digits: int):
    with suppress(SqsError):
        assert read(f'{{"DelaySeconds":{"9" * digits}}}').delay_seconds == int("9" * digits)


@pytest.mark.parametrize("value", ["@@", "A", "AQI", "AQID\\n", "AQ ID", "_-8="])
def test_a_blob_that_is_no_base64_is_malformed(value: str):
    with pytest.raises(MalformedInput):
        read(f'{{"MessageAttributes":{{"a":{{"DataType":"Binary","BinaryValue":"{value}"}}}}}}')


@pytest.mark.parametrize("depth", [100, 10_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("member", ["Unknown", "MessageBody"])
def test_deep_nesting_is_refused_or_ignored(depth: int, opening: str, closing: str, member: str):
    body = f'{{"{member}":{opening * depth}1{closing * depth}}}'
    with suppress(SqsError):
        read(body)


def test_deep_nesting_that_never_ends_is_malformed():
    with pytest.raises(MalformedInput):
        read('{"Unknown":' + "[" * 500_000)


@pytest.mark.parametrize(
    ("headers", "speaks"),
    [
        ({"x_amz_target": "AmazonSQS.SendMessage"}, True),
        ({"x_amz_target": "AmazonSQS.Nothing"}, True),
        ({"content_type": "application/x-amz-json-1.0"}, True),
        ({"content_type": "application/x-amz-json-1.0; charset=utf-8"}, True),
        ({"content_type": "APPLICATION/X-AMZ-JSON-1.0"}, True),
        ({"content_type": "application/json"}, False),
        ({"content_type": "application/x-www-form-urlencoded"}, False),
        ({"x_amz_target": "DynamoDB_20120810.GetItem"}, False),
        ({}, False),
    ],
)
def test_headers_tell_the_protocol(headers: dict[str, str], speaks: bool):
    assert json10.speaks(wire_request(**headers)) is speaks


@pytest.mark.parametrize(
    "target", ["", "AmazonSQS.", "AmazonSNS.Publish", "SendMessage", "amazonsqs.SendMessage"]
)
def test_a_target_that_is_not_ours_is_an_unknown_operation(target: str):
    call = json10.JsonCall(wire_request(content_type="application/x-amz-json-1.0", x_amz_target=target))
    assert call.operation == ""
    error = call.unknown_operation()
    assert isinstance(error, InvalidAction)
    assert error.status == 400
    assert error.json_type == "com.amazon.coral.service#UnknownOperationException"
