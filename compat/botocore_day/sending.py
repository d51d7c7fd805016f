"""Sending: bodies, attributes, delays and batches."""

import time
from typing import Any

from steps import UUID, between, by_id, equal, holds, matches, md5, md5_of_attributes, members

from botocore_day.world import Sqs

COLOR = {"DataType": "String", "StringValue": "blue"}
MIXED: dict[str, dict[str, Any]] = {
    "color": COLOR,
    "count": {"DataType": "Number", "StringValue": "3"},
    "blob": {"DataType": "Binary", "BinaryValue": b"\x01\x02\x03"},
}
# Digests published by AWS's users, so that a mistake in our own function cannot agree with one in the server.
MD5_OF_MIXED = "d838729972a4b70e2d2acd9d59ac847c"
TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
MD5_OF_TRACE = "5ae4d5d7636402d80f4eb6d213245a88"

BODIES = (
    "hello",
    "Grüße 😀 \u202e\ufffd\U0010ffff",
    '<a b="c">&amp; ]]> &#13; \'</a>',
    "\r\n\t  spaces around and lines \r and \n  ",
    '{"json": "\\u0041 \\" \\\\"}',
    "a=b&c=d%20+e;f",
    " ",
)


def send_message(sqs: Sqs) -> None:
    url = sqs.queue()
    answer = sqs.client.send_message(QueueUrl=url, MessageBody="Grüße 😀")
    members(answer, "MD5OfMessageBody", "MessageId")
    equal(answer["MD5OfMessageBody"], "0a04968a90b7dd01f77c7f2f348a2f7e", "MD5OfMessageBody")
    matches(answer["MessageId"], UUID, "MessageId")
    message = sqs.one(url)
    equal((message["MessageId"], message["Body"]), (answer["MessageId"], "Grüße 😀"), "message")
    equal(message["MD5OfBody"], answer["MD5OfMessageBody"], "MD5OfBody")


def message_bodies(sqs: Sqs) -> None:
    """Each body comes back byte for byte, up to a MiB of it."""
    url = sqs.queue()
    for body in (*BODIES, "x" * 1_048_576):
        equal(sqs.send(url, body)["MD5OfMessageBody"], md5(body), "MD5OfMessageBody")
        message = sqs.one(url)
        holds(message["Body"] == body, f"body {body[:60]!r} came back as {message['Body'][:60]!r}")
        equal(message["MD5OfBody"], md5(body), "MD5OfBody")


def message_attributes(sqs: Sqs) -> None:
    url = sqs.queue()
    answer = sqs.client.send_message(QueueUrl=url, MessageBody="x", MessageAttributes=MIXED)
    members(answer, "MD5OfMessageAttributes", "MD5OfMessageBody", "MessageId")
    equal(answer["MD5OfMessageAttributes"], MD5_OF_MIXED, "MD5OfMessageAttributes")
    message = sqs.one(url)
    equal(message["MessageAttributes"], MIXED, "attributes")
    equal(message["MD5OfMessageAttributes"], MD5_OF_MIXED, "MD5OfMessageAttributes")
    custom = {
        "big": {"DataType": "Number.java.lang.Long", "StringValue": "1493147359900"},
        "picture": {"DataType": "Binary.gif", "BinaryValue": bytes(range(256))},
        "größe": {"DataType": "String.größe", "StringValue": "<&>\r\n\t😀"},
    }
    equal(
        sqs.send(url, MessageAttributes=custom)["MD5OfMessageAttributes"], md5_of_attributes(custom), "digest"
    )
    equal(sqs.one(url)["MessageAttributes"], custom, "attributes of custom types")


def message_attribute_filters(sqs: Sqs) -> None:
    url = sqs.queue()
    pairs = {"Help.Me": "Me", "Hello": "There", "General": "Kenobi"}
    named = {name: {"DataType": "String", "StringValue": value} for name, value in pairs.items()}
    sqs.send(url, MessageAttributes=named)
    rows: tuple[tuple[list[str], list[str], str | None], ...] = (
        ([], [], None),
        (["All"], list(named), "4c360f3fdafd970e05fae2f149d997f5"),
        ([".*"], list(named), "4c360f3fdafd970e05fae2f149d997f5"),
        (["Foo", "Help"], [], None),
        (["Hello", "General"], ["Hello", "General"], "fca026605781cb4126a1e9044df24232"),
        (["Foo", "Hello"], ["Hello"], "a311262e065454b75da111d535b8dacd"),
        (["Hel.*"], ["Hello", "Help.Me"], "83fee93c1bcd8b9a5a923ffacdc636c7"),
        (["AWS.", "..foo"], [], None),
    )
    for wanted, returned, digest in rows:
        message = sqs.one(url, MessageAttributeNames=wanted, VisibilityTimeout=0)
        expected = {name: named[name] for name in returned} or None
        equal(message.get("MessageAttributes"), expected, f"attributes for {wanted}")
        equal(message.get("MD5OfMessageAttributes"), digest, f"digest for {wanted}")


def message_system_attributes(sqs: Sqs) -> None:
    url = sqs.queue()
    trace = {"AWSTraceHeader": {"DataType": "String", "StringValue": TRACE}}
    answer = sqs.client.send_message(QueueUrl=url, MessageBody="x", MessageSystemAttributes=trace)
    members(answer, "MD5OfMessageBody", "MD5OfMessageSystemAttributes", "MessageId")
    equal(answer["MD5OfMessageSystemAttributes"], MD5_OF_TRACE, "MD5OfMessageSystemAttributes")
    message = sqs.one(url)
    equal(message["Attributes"]["AWSTraceHeader"], TRACE, "AWSTraceHeader")
    holds("MD5OfMessageAttributes" not in message, "a digest of message attributes although there are none")


def message_group_on_a_standard_queue(sqs: Sqs) -> None:
    url = sqs.queue()
    members(
        sqs.client.send_message(QueueUrl=url, MessageBody="x", MessageGroupId="tenant-1"),
        "MD5OfMessageBody",
        "MessageId",
    )
    equal(sqs.one(url)["Attributes"]["MessageGroupId"], "tenant-1", "MessageGroupId")


def delays(sqs: Sqs) -> None:
    url = sqs.queue(DelaySeconds="60")
    sqs.send(url, "by the queue")
    started = time.monotonic()
    sqs.send(url, "in a second", DelaySeconds=1)
    equal(sqs.receive(url), [], "messages before the delay")
    equal(sqs.attributes(url, "ApproximateNumberOfMessagesDelayed").popitem()[1], "2", "number delayed")
    sqs.send(url, "at once", DelaySeconds=0)
    equal(sqs.one(url)["Body"], "at once", "body")
    equal(sqs.one(url, WaitTimeSeconds=5)["Body"], "in a second", "body")
    between(time.monotonic() - started, 0.8, 2.5, "seconds until the delayed message came")


def send_message_batch(sqs: Sqs) -> None:
    url = sqs.queue()
    entries: list[dict[str, Any]] = [{"Id": f"id_{n}", "MessageBody": f"body {n}"} for n in range(9)]
    trace = {"AWSTraceHeader": {"DataType": "String", "StringValue": TRACE}}
    entries.append(
        {"Id": "last-1", "MessageBody": "<&>", "MessageAttributes": MIXED, "MessageSystemAttributes": trace}
    )
    answer = sqs.client.send_message_batch(QueueUrl=url, Entries=entries)
    members(answer, "Successful")
    equal(
        [entry["Id"] for entry in answer["Successful"]],
        [entry["Id"] for entry in entries],
        "order of entries",
    )
    results = by_id(answer["Successful"])
    for entry in entries:
        equal(results[entry["Id"]]["MD5OfMessageBody"], md5(entry["MessageBody"]), "MD5OfMessageBody")
    members(results["id_0"], "Id", "MD5OfMessageBody", "MessageId")
    equal(results["last-1"]["MD5OfMessageAttributes"], MD5_OF_MIXED, "MD5OfMessageAttributes")
    equal(results["last-1"]["MD5OfMessageSystemAttributes"], MD5_OF_TRACE, "MD5OfMessageSystemAttributes")
    got = {message["MessageId"]: message["Body"] for message in sqs.receive(url, MaxNumberOfMessages=10)}
    equal(got, {results[entry["Id"]]["MessageId"]: entry["MessageBody"] for entry in entries}, "messages")


def send_message_batch_in_part(sqs: Sqs) -> None:
    """Entries fail one by one, with the codes of the Query protocol whichever protocol is spoken."""
    url = sqs.queue(MaximumMessageSize="1024")
    entries = [
        {"Id": "good", "MessageBody": "x" * 1024},
        {"Id": "long", "MessageBody": "x" * 1025},
        {"Id": "char", "MessageBody": "a\x01b"},
        {"Id": "empty", "MessageBody": ""},
        {"Id": "late", "MessageBody": "x", "DelaySeconds": 901},
    ]
    answer = sqs.client.send_message_batch(QueueUrl=url, Entries=entries)
    members(answer, "Failed", "Successful")
    equal([entry["Id"] for entry in answer["Successful"]], ["good"], "successful ids")
    failed = by_id(answer["Failed"])
    codes = {
        "long": "InvalidParameterValue",
        "char": "InvalidMessageContents",
        "empty": "MissingParameter",
        "late": "InvalidParameterValue",
    }
    equal({key: entry["Code"] for key, entry in failed.items()}, codes, "codes")
    equal({entry["SenderFault"] for entry in failed.values()}, {True}, "SenderFault")
    text = "One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes."
    equal(failed["long"]["Message"], text, "text")
    equal(len(sqs.receive(url, MaxNumberOfMessages=10)), 1, "number of messages")
