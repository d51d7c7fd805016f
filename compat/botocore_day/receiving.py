"""Receiving, waiting, hiding and deleting."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

from steps import UUID, between, by_id, equal, holds, matches, members, until

from botocore_day.world import Sqs, refused

ALWAYS_THERE = ["ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount", "SenderId", "SentTimestamp"]
BAD_HANDLE = 'The input receipt handle "bad" is not a valid receipt handle.'


def receive_message(sqs: Sqs) -> None:
    url = sqs.queue()
    sent = sqs.send(url)
    bare = sqs.client.receive_message(QueueUrl=url, VisibilityTimeout=0)
    members(bare, "Messages")
    equal(sorted(bare["Messages"][0]), ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"], "members unasked")
    message = sqs.one(url)
    equal(sorted(message), ["Attributes", "Body", "MD5OfBody", "MessageId", "ReceiptHandle"], "members")
    equal(sorted(message["Attributes"]), ALWAYS_THERE, "system attributes")
    matches(message["MessageId"], UUID, "MessageId")
    equal(message["MessageId"], sent["MessageId"], "MessageId")
    equal(message["Attributes"]["ApproximateReceiveCount"], "2", "ApproximateReceiveCount")
    for name in ("SentTimestamp", "ApproximateFirstReceiveTimestamp"):
        matches(message["Attributes"][name], r"\d{13}", f"{name} in milliseconds")
        between(int(message["Attributes"][name]) / 1000, time.time() - 10, time.time() + 10, name)
    holds(message["ReceiptHandle"] != bare["Messages"][0]["ReceiptHandle"], "each receive has its own handle")
    between(len(message["ReceiptHandle"]), 1, 1024, "length of the handle")
    holds(
        "-" not in message["ReceiptHandle"], "a hyphen in the handle, at which large-payload clients split it"
    )


def receive_ten(sqs: Sqs) -> None:
    url = sqs.queue()
    for n in range(12):
        sqs.send(url, str(n))
    first = sqs.receive(url, MaxNumberOfMessages=10, WaitTimeSeconds=5)
    second = sqs.receive(url, MaxNumberOfMessages=10, WaitTimeSeconds=5)
    equal([len(first), len(second)], [10, 2], "numbers of messages")
    equal({message["Body"] for message in first + second}, {str(n) for n in range(12)}, "bodies")
    only = sqs.queue()
    sqs.send(only)
    asked = {sqs.system_attributes_member: ["SentTimestamp", "SequenceNumber"]}
    equal(list(sqs.one(only, **asked)["Attributes"]), ["SentTimestamp"], "system attributes asked for")


def visibility_timeout(sqs: Sqs) -> None:
    url = sqs.queue(VisibilityTimeout="1")
    sqs.send(url)
    first = sqs.one(url)
    started = time.monotonic()
    equal(sqs.receive(url), [], "messages while hidden")
    again = sqs.one(url, WaitTimeSeconds=5)
    between(time.monotonic() - started, 0.7, 2.5, "seconds until the message came back")
    equal(again["MessageId"], first["MessageId"], "MessageId")
    equal(again["Attributes"]["ApproximateReceiveCount"], "2", "ApproximateReceiveCount")
    when = "ApproximateFirstReceiveTimestamp"
    equal(again["Attributes"][when], first["Attributes"][when], when)
    sqs.client.delete_message(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"])
    time.sleep(1.1)
    equal(sqs.receive(url), [], "messages after a delete by the older handle")


@contextlib.contextmanager
def waiting(sqs: Sqs, url: str) -> Iterator[list[Any]]:
    """A long poll in another thread. After the block the list holds the time of its end and its messages."""
    outcome: list[Any] = []

    def poll() -> None:
        messages = sqs.receive(url, WaitTimeSeconds=10)
        outcome.extend((time.monotonic(), messages))

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    time.sleep(0.4)
    equal(outcome, [], "answers before there was a message")
    yield outcome
    thread.join(5)
    equal(len(outcome), 2, "a long poll that came to its end")


def long_poll_woken_by_a_send(sqs: Sqs) -> None:
    url = sqs.queue()
    with waiting(sqs, url) as outcome:
        sqs.send(url, "wake up")
        sent = time.monotonic()
    ended, messages = outcome
    equal([message["Body"] for message in messages], ["wake up"], "bodies")
    between(ended - sent, -1, 0.8, "seconds from the send to the end of the poll")


def long_poll_woken_by_a_visibility_change(sqs: Sqs) -> None:
    url = sqs.queue()
    sqs.send(url, "set free")
    held = sqs.one(url)
    with waiting(sqs, url) as outcome:
        sqs.client.change_message_visibility(
            QueueUrl=url, ReceiptHandle=held["ReceiptHandle"], VisibilityTimeout=0
        )
        freed = time.monotonic()
    ended, messages = outcome
    equal([message["Body"] for message in messages], ["set free"], "bodies")
    between(ended - freed, -1, 0.8, "seconds from the change to the end of the poll")


def long_poll_that_ends_empty(sqs: Sqs) -> None:
    url = sqs.queue(ReceiveMessageWaitTimeSeconds="1")
    for arguments in ({}, {"WaitTimeSeconds": 1}):
        started = time.monotonic()
        equal(sqs.receive(url, **arguments), [], "messages")
        between(time.monotonic() - started, 0.9, 2, f"seconds waited with {arguments}")
    started = time.monotonic()
    equal(sqs.receive(url, WaitTimeSeconds=0), [], "messages")
    between(time.monotonic() - started, 0, 0.7, "seconds waited when none are asked for")


def change_message_visibility(sqs: Sqs) -> None:
    url = sqs.queue(VisibilityTimeout="1")
    change = sqs.client.change_message_visibility
    sqs.send(url)
    first = sqs.one(url)["ReceiptHandle"]
    members(change(QueueUrl=url, ReceiptHandle=first, VisibilityTimeout=30))
    time.sleep(1.1)
    equal(sqs.receive(url), [], "messages after the first timeout, which was prolonged")
    change(QueueUrl=url, ReceiptHandle=first, VisibilityTimeout=0)
    second = sqs.one(url, VisibilityTimeout=30)["ReceiptHandle"]
    change(QueueUrl=url, ReceiptHandle=first, VisibilityTimeout=0)
    third = sqs.one(url)
    equal(third["Attributes"]["ApproximateReceiveCount"], "3", "ApproximateReceiveCount")
    holds(len({first, second, third["ReceiptHandle"]}) == 3, "each receive has its own handle")
    time.sleep(1.1)
    change(QueueUrl=url, ReceiptHandle=third["ReceiptHandle"], VisibilityTimeout=30)
    equal(sqs.receive(url), [], "messages: a change after the timeout hides the message again")
    far = {"QueueUrl": url, "ReceiptHandle": second, "VisibilityTimeout": 43201}
    text = "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200."
    refused(change, "InvalidParameterValue", 400, text, **far)


def change_message_visibility_batch(sqs: Sqs) -> None:
    url = sqs.queue()
    for body in ("a", "b"):
        sqs.send(url, body)
    handles = {m["Body"]: m["ReceiptHandle"] for m in sqs.receive(url, MaxNumberOfMessages=10)}
    entries = [
        {"Id": "free", "ReceiptHandle": handles["a"], "VisibilityTimeout": 0},
        {"Id": "keep", "ReceiptHandle": handles["b"], "VisibilityTimeout": 60},
        {"Id": "bad", "ReceiptHandle": "bad", "VisibilityTimeout": 0},
        {"Id": "far", "ReceiptHandle": handles["b"], "VisibilityTimeout": 43201},
    ]
    answer = sqs.client.change_message_visibility_batch(QueueUrl=url, Entries=entries)
    members(answer, "Failed", "Successful")
    equal(answer["Successful"], [{"Id": "free"}, {"Id": "keep"}], "successful entries")
    failed = by_id(answer["Failed"])
    expected = {"bad": ("ReceiptHandleIsInvalid", True), "far": ("InvalidParameterValue", True)}
    equal({key: (e["Code"], e["SenderFault"]) for key, e in failed.items()}, expected, "failed entries")
    equal(failed["bad"]["Message"], BAD_HANDLE, "text")
    equal(
        [message["Body"] for message in sqs.receive(url, MaxNumberOfMessages=10)], ["a"], "visible messages"
    )


def delete_message(sqs: Sqs) -> None:
    url = sqs.queue()
    sqs.send(url)
    handle = sqs.one(url)["ReceiptHandle"]
    members(sqs.client.delete_message(QueueUrl=url, ReceiptHandle=handle))
    members(sqs.client.delete_message(QueueUrl=url, ReceiptHandle=handle))
    equal(set(sqs.attributes(url, *COUNTS).values()), {"0"}, "counts")
    reason = "Message does not exist or is not available for visibility timeout change."
    text = f"Value {handle} for parameter ReceiptHandle is invalid. Reason: {reason}"
    late = {"QueueUrl": url, "ReceiptHandle": handle, "VisibilityTimeout": 1}
    refused(sqs.client.change_message_visibility, "InvalidParameterValue", 400, text, **late)


def delete_message_batch(sqs: Sqs) -> None:
    url = sqs.queue()
    for n in range(3):
        sqs.send(url, str(n))
    messages = sqs.receive(url, MaxNumberOfMessages=10)
    entries = [{"Id": f"m{m['Body']}", "ReceiptHandle": m["ReceiptHandle"]} for m in messages]
    entries.insert(1, {"Id": "bad", "ReceiptHandle": "bad"})
    answer = sqs.client.delete_message_batch(QueueUrl=url, Entries=entries)
    members(answer, "Failed", "Successful")
    good = [{"Id": entry["Id"]} for entry in entries if entry["Id"] != "bad"]
    equal(answer["Successful"], good, "successful entries")
    failed = {"Id": "bad", "SenderFault": True, "Code": "ReceiptHandleIsInvalid", "Message": BAD_HANDLE}
    equal(answer["Failed"], [failed], "failed entries")
    equal(set(sqs.attributes(url, *COUNTS).values()), {"0"}, "counts")
    members(sqs.client.delete_message_batch(QueueUrl=url, Entries=entries[:1]), "Successful")


COUNTS = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)


def counts(sqs: Sqs) -> None:
    """Exact at once: AWS takes a moment, but an emulator has no reason to."""
    url = sqs.queue(VisibilityTimeout="1")
    for delay in (0, 0, 0, 600):
        sqs.send(url, DelaySeconds=delay)
    equal(sqs.attributes(url, *COUNTS), dict(zip(COUNTS, ("3", "0", "1"), strict=True)), "after the sends")
    taken = sqs.receive(url, MaxNumberOfMessages=2)
    equal(len(taken), 2, "number of messages")
    equal(sqs.attributes(url, *COUNTS), dict(zip(COUNTS, ("1", "2", "1"), strict=True)), "after a receive")
    sqs.client.delete_message(QueueUrl=url, ReceiptHandle=taken[0]["ReceiptHandle"])
    equal(sqs.attributes(url, *COUNTS), dict(zip(COUNTS, ("1", "1", "1"), strict=True)), "after a delete")
    expected = dict(zip(COUNTS, ("2", "0", "1"), strict=True))
    until(lambda: sqs.attributes(url, *COUNTS) == expected, 3, "counts after the timeout")
