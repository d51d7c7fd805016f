"""Whatever a client sends, it gets an error in AWS's shape, and the next request is served."""

import json
import logging
from typing import Any

import pytest

from tests.http.connections import JSON_TYPE, Answer, ask, ask_json, ask_query
from tests.support.server import TestServer

MIB = 1_048_576
NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
MALFORMED = "MalformedInput"
INVALID = "InvalidParameterValue"
MISSING = "MissingParameter"
CONTENTS = "InvalidMessageContents"
NAME = "InvalidAttributeName"
VALUE = "InvalidAttributeValue"
BATCH = "AWS.SimpleQueueService."
URL = "{queue}"


def batch(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"QueueUrl": URL, "Entries": list(entries)}


def policy(**members: Any) -> dict[str, Any]:
    return {"QueueUrl": URL, "Attributes": {"RedrivePolicy": json.dumps(members)}}


JSON_CASES: list[tuple[str, Any, str]] = [
    ("SendMessage", b"{", MALFORMED),
    ("SendMessage", b"[]", MALFORMED),
    ("SendMessage", b'"x"', MALFORMED),
    ("SendMessage", b"\xff\xfe", MALFORMED),
    ("SendMessage", b"Action=SendMessage&MessageBody=x", MALFORMED),
    ("SendMessage", {"QueueUrl": 5, "MessageBody": "x"}, MALFORMED),
    ("SendMessage", {"QueueUrl": {}, "MessageBody": "x"}, MALFORMED),
    ("SendMessage", {"QueueUrl": URL, "MessageBody": ["x"]}, MALFORMED),
    ("SendMessage", {"QueueUrl": URL, "MessageBody": "x", "DelaySeconds": "5"}, MALFORMED),
    ("SendMessage", {"QueueUrl": URL, "MessageBody": "x", "MessageAttributes": "x"}, MALFORMED),
    ("SendMessage", b'{"QueueUrl":"q","MessageBody":"\\ud800"}', CONTENTS),
    ("SendMessageBatch", {"QueueUrl": URL, "Entries": {}}, MALFORMED),
    ("SendMessageBatch", {"QueueUrl": URL, "Entries": ["x"]}, MALFORMED),
    ("GetQueueAttributes", {"QueueUrl": URL, "AttributeNames": "All"}, MALFORMED),
    ("SetQueueAttributes", {"QueueUrl": URL, "Attributes": {"DelaySeconds": 5}}, MALFORMED),
    ("SetQueueAttributes", {"QueueUrl": URL, "Attributes": []}, MALFORMED),
    ("FooBar", {}, "InvalidAction"),
    ("sendmessage", {}, "InvalidAction"),
    ("", {}, "InvalidAction"),
    ("SendMessage", {}, NO_QUEUE),
    ("SendMessage", b"", NO_QUEUE),
    ("SendMessage", {"QueueUrl": None, "MessageBody": "x"}, NO_QUEUE),
]
"""What only JSON can say."""

CASES: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    # operation, JSON body, form, code
    ("SendMessage", {"QueueUrl": "nowhere"}, {"QueueUrl": "nowhere"}, NO_QUEUE),
    ("SendMessage", {"QueueUrl": URL}, {"QueueUrl": URL}, MISSING),
    ("SendMessage", {"QueueUrl": URL, "MessageBody": ""}, {"QueueUrl": URL, "MessageBody": ""}, MISSING),
    *(
        (
            "SendMessage",
            {"QueueUrl": URL, "MessageBody": body},
            {"QueueUrl": URL, "MessageBody": body},
            CONTENTS,
        )
        for body in ("\x00", "a\x0bb", "\x1f", "\ufffe", "x\uffff")
    ),
    (
        "SendMessage",
        {"QueueUrl": URL, "MessageBody": "x" * (MIB + 1)},
        {"QueueUrl": URL, "MessageBody": "x" * (MIB + 1)},
        INVALID,
    ),
    *(
        (
            "SendMessage",
            {"QueueUrl": URL, "MessageBody": "x", "DelaySeconds": delay},
            {"QueueUrl": URL, "MessageBody": "x", "DelaySeconds": delay},
            INVALID,
        )
        for delay in (-1, 901, 2**31)
    ),
    (
        "SendMessage",
        {"QueueUrl": URL, "MessageBody": "x", "MessageAttributes": {"a": {"StringValue": "x"}}},
        {
            "QueueUrl": URL,
            "MessageBody": "x",
            "MessageAttribute.1.Name": "a",
            "MessageAttribute.1.Value.StringValue": "x",
        },
        INVALID,
    ),
    (
        "SendMessage",
        {
            "QueueUrl": URL,
            "MessageBody": "x",
            "MessageAttributes": {"<a>": {"DataType": "String", "StringValue": "x"}},
        },
        {
            "QueueUrl": URL,
            "MessageBody": "x",
            "MessageAttribute.1.Name": "<a>",
            "MessageAttribute.1.Value.DataType": "String",
            "MessageAttribute.1.Value.StringValue": "x",
        },
        INVALID,
    ),
    *(
        ("CreateQueue", {"QueueName": name}, {"QueueName": name}, INVALID)
        for name in ("", "a b", "<q>", "q" * 81, "ü", "a.fifo", "a/b", "a\x00b", "\r\n", "' OR 1=1", "q\n")
    ),
    ("CreateQueue", {}, {}, INVALID),
    *(
        (
            "CreateQueue",
            {"QueueName": "never", "Attributes": {name: value}},
            {"QueueName": "never", "Attribute.1.Name": name, "Attribute.1.Value": value},
            code,
        )
        for name, value, code in (
            ("Foo", "1", NAME),
            ("", "1", NAME),
            ("<Foo>&", "1", NAME),
            ("\x00", "1", NAME),
            ("delayseconds", "1", NAME),
            ("QueueArn", "x", NAME),
            ("DelaySeconds", "901", VALUE),
            ("DelaySeconds", "-1", VALUE),
            ("DelaySeconds", "five", VALUE),
            ("DelaySeconds", "", VALUE),
            ("DelaySeconds", "9" * 5_000, VALUE),
            ("DelaySeconds", "٥", VALUE),
            ("VisibilityTimeout", "43201", VALUE),
            ("MaximumMessageSize", "1023", VALUE),
            ("MessageRetentionPeriod", "59", VALUE),
        )
    ),
    *(
        (
            "ReceiveMessage",
            {"QueueUrl": URL, member: value},
            {"QueueUrl": URL, member: value},
            INVALID,
        )
        for member, value in (
            ("MaxNumberOfMessages", 0),
            ("MaxNumberOfMessages", 11),
            ("MaxNumberOfMessages", -(10**9)),
            ("WaitTimeSeconds", 21),
            ("WaitTimeSeconds", -1),
            ("VisibilityTimeout", 43_201),
            ("VisibilityTimeout", -1),
        )
    ),
    (
        "ReceiveMessage",
        {"QueueUrl": URL, "AttributeNames": ["<Foo>"]},
        {"QueueUrl": URL, "AttributeName.1": "<Foo>"},
        NAME,
    ),
    (
        "GetQueueAttributes",
        {"QueueUrl": URL, "AttributeNames": ["Foo"]},
        {"QueueUrl": URL, "AttributeName.1": "Foo"},
        NAME,
    ),
    ("DeleteMessage", {"QueueUrl": URL}, {"QueueUrl": URL}, MISSING),
    *(
        (
            "DeleteMessage",
            {"QueueUrl": URL, "ReceiptHandle": handle},
            {"QueueUrl": URL, "ReceiptHandle": handle},
            "ReceiptHandleIsInvalid",
        )
        for handle in ("", "x", "<h>&", "AQEB" + "A" * 300, "\x00", "日本語", "A" * 100_000)
    ),
    (
        "ChangeMessageVisibility",
        {"QueueUrl": URL, "ReceiptHandle": "x"},
        {"QueueUrl": URL, "ReceiptHandle": "x"},
        MISSING,
    ),
    ("SendMessageBatch", batch(), {"QueueUrl": URL}, BATCH + "EmptyBatchRequest"),
    (
        "SendMessageBatch",
        batch({"Id": "a b", "MessageBody": "x"}),
        {
            "QueueUrl": URL,
            "SendMessageBatchRequestEntry.1.Id": "a b",
            "SendMessageBatchRequestEntry.1.MessageBody": "x",
        },
        BATCH + "InvalidBatchEntryId",
    ),
    (
        "DeleteMessageBatch",
        batch({"Id": "a", "ReceiptHandle": "x"}, {"Id": "a", "ReceiptHandle": "y"}),
        {
            "QueueUrl": URL,
            "DeleteMessageBatchRequestEntry.1.Id": "a",
            "DeleteMessageBatchRequestEntry.1.ReceiptHandle": "x",
            "DeleteMessageBatchRequestEntry.2.Id": "a",
            "DeleteMessageBatchRequestEntry.2.ReceiptHandle": "y",
        },
        BATCH + "BatchEntryIdsNotDistinct",
    ),
    (
        "ChangeMessageVisibilityBatch",
        batch(*({"Id": str(number), "ReceiptHandle": "x", "VisibilityTimeout": 1} for number in range(11))),
        {
            "QueueUrl": URL,
            **{f"ChangeMessageVisibilityBatchRequestEntry.{n}.Id": str(n) for n in range(1, 12)},
        },
        BATCH + "TooManyEntriesInBatchRequest",
    ),
    *(
        (
            "SetQueueAttributes",
            {"QueueUrl": URL, "Attributes": {"RedrivePolicy": text}},
            {"QueueUrl": URL, "Attribute.1.Name": "RedrivePolicy", "Attribute.1.Value": text},
            INVALID,
        )
        for text in ("{", "[]", "5", "null", '{"maxReceiveCount":3}', "[" * 100_000, '{"a":' * 50_000, "\x00")
    ),
    ("ListQueues", {"MaxResults": 1_001}, {"MaxResults": 1_001}, INVALID),
    ("ListQueues", {"MaxResults": -1}, {"MaxResults": -1}, INVALID),
    ("ListQueues", {"MaxResults": 5, "NextToken": "@@"}, {"MaxResults": 5, "NextToken": "@@"}, INVALID),
    ("GetQueueUrl", {}, {}, INVALID),
    ("GetQueueUrl", {"QueueName": "<never>\x00"}, {"QueueName": "<never>\x00"}, NO_QUEUE),
    ("TagQueue", {"QueueUrl": URL}, {"QueueUrl": URL}, MISSING),
    (
        "TagQueue",
        {"QueueUrl": URL, "Tags": {"aws:x": "y"}},
        {"QueueUrl": URL, "Tag.1.Key": "aws:x", "Tag.1.Value": "y"},
        INVALID,
    ),
    ("UntagQueue", {"QueueUrl": URL}, {"QueueUrl": URL}, INVALID),
    ("AddPermission", {"QueueUrl": URL}, {"QueueUrl": URL}, MISSING),
    ("RemovePermission", {"QueueUrl": URL, "Label": "<x>"}, {"QueueUrl": URL, "Label": "<x>"}, INVALID),
    *(
        (
            operation,
            {"SourceArn": arn},
            {"SourceArn": arn},
            code,
        )
        for operation in ("StartMessageMoveTask", "ListMessageMoveTasks")
        for arn, code in (("arn:aws:sqs:us-east-1:000000000000:never", "ResourceNotFoundException"),)
    ),
    ("StartMessageMoveTask", {}, {}, MISSING),
    ("CancelMessageMoveTask", {}, {}, MISSING),
    ("ListMessageMoveTasks", {}, {}, MISSING),
]


def _id(case: tuple[Any, ...]) -> str:
    return f"{case[0]}-{str(case[1])[:40]}"


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog: pytest.LogCaptureFixture):
    yield
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("case", JSON_CASES, ids=_id)
def test_bad_json_gets_an_error_and_the_server_goes_on(server: TestServer, queue: str, case: tuple[Any, ...]):
    operation, body, code = case
    answer = ask_json(server.url, operation, body if isinstance(body, bytes) else _filled(body, queue))
    assert_json_error(answer, code)
    assert_the_server_goes_on(server, queue)


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_a_bad_request_gets_the_same_error_in_both_protocols(
    server: TestServer, queue: str, case: tuple[Any, ...]
):
    operation, body, form, code = case
    in_json = ask_json(server.url, operation, _filled(body, queue))
    assert_json_error(in_json, code)
    in_query = ask_query(server.url, operation, _filled(form, queue))
    assert_xml_error(in_query, code)
    assert in_query.status == in_json.status
    if code != NO_QUEUE:
        assert in_query.message == in_json.message.replace("\r", "\n")
    assert_the_server_goes_on(server, queue)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("QueueUrl={queue}&MessageBody=%ff", MALFORMED),
        ("QueueUrl={queue}&MessageBody=x&DelaySeconds=five", MALFORMED),
        ("QueueUrl={queue}&MessageBody=x&DelaySeconds=", MALFORMED),
        ("QueueUrl={queue}&MessageBody.=x", MISSING),
        ("QueueUrl={queue}&MessageBody=x&MessageBody.=y&DelaySeconds=901", INVALID),
        ("QueueUrl.=x&MessageBody=x", None),
        ("QueueUrl={queue}&MessageBody=x&DelaySeconds=901&=&.=&..=&...", INVALID),
        ("&".join(f"x{number}=y" for number in range(10_001)), MALFORMED),
    ],
)
def test_a_bad_form_gets_an_error_and_the_server_goes_on(
    server: TestServer, queue: str, text: str, code: str | None
):
    answer = ask_query(server.url, "SendMessage", text.replace("{queue}", queue))
    assert_xml_error(answer, code)
    assert_the_server_goes_on(server, queue)


@pytest.mark.parametrize(
    "action", ["FooBar", "<script>", "a&b", "\x00", "日本語", "x" * 10_000, "sendmessage", " "]
)
def test_an_unknown_action_is_quoted_safely(server: TestServer, queue: str, action: str):
    answer = ask_query(server.url, "ListQueues", {"Action": action})
    assert_xml_error(answer, "InvalidAction")
    assert_the_server_goes_on(server, queue)


@pytest.mark.parametrize("number", [2**63, 10**40, -(10**40), int("9" * 4_000)])
def test_a_number_beyond_all_bounds_gets_an_error(server: TestServer, queue: str, number: int):
    """AWS's code for it is not known, and may differ between the protocols."""
    fields = {"QueueUrl": queue, "MessageBody": "x", "DelaySeconds": number}
    in_json = ask_json(server.url, "SendMessage", fields)
    assert in_json.code in (INVALID, MALFORMED)
    assert_json_error(in_json, in_json.code)
    in_query = ask_query(server.url, "SendMessage", fields)
    assert in_query.code in (INVALID, MALFORMED)
    assert_xml_error(in_query, in_query.code)
    assert_the_server_goes_on(server, queue)


def test_a_body_that_is_no_utf_8_is_malformed(server: TestServer, queue: str):
    assert_xml_error(ask(server.url, "POST", "/", b"Action=ListQueues&x=\xff"), MALFORMED)
    assert_the_server_goes_on(server, queue)


def assert_json_error(answer: Answer, code: str) -> None:
    assert answer.code == code
    assert 400 <= answer.status < 500
    assert answer.headers["content-type"] == JSON_TYPE
    assert answer.headers["x-amzn-query-error"] == f"{code};Sender"
    assert sorted(answer.json) == ["__type", "message"]
    assert answer.json["__type"].partition("#")[0] in ("com.amazonaws.sqs", "com.amazon.coral.service")
    assert answer.json["message"]


def assert_xml_error(answer: Answer, code: str | None) -> None:
    assert answer.headers["content-type"] == "text/xml"
    assert [node.tag for node in answer.xml] == ["Error", "RequestId"]
    if code is not None:
        assert answer.code == code
    assert 400 <= answer.status < 500
    assert answer.message


def assert_the_server_goes_on(server: TestServer, queue: str) -> None:
    assert ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "ok"}).status == 200
    assert ask_query(server.url, "ReceiveMessage", {"QueueUrl": queue}).status == 200


def _filled(value: Any, queue: str) -> Any:
    if isinstance(value, dict):
        return {name: _filled(one, queue) for name, one in value.items()}
    return queue if value == URL else value
