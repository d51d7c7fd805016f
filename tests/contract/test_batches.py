"""The three batch operations: what their requests have in common, and SendMessageBatch."""

import re

import pytest

from tests.support.answers import (
    Refusal,
    as_string,
    bodies,
    content,
    entries,
    error_of,
    handles,
    no_such_queue,
    receive,
    send,
)

MAX_BYTES = 1_048_576
PREFIX = "AWS.SimpleQueueService."
BAD_ID = Refusal(
    400,
    f"{PREFIX}InvalidBatchEntryId",
    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
    "It can be at most 80 letters long.",
)
SIMPLE_ENTRIES = {
    "send_message_batch": {"MessageBody": "hello"},
    "delete_message_batch": {"ReceiptHandle": "bad"},
    "change_message_visibility_batch": {"ReceiptHandle": "bad", "VisibilityTimeout": 1},
}
ENTRY_NAMES = {
    "send_message_batch": "SendMessageBatchRequestEntry",
    "delete_message_batch": "DeleteMessageBatchRequestEntry",
    "change_message_visibility_batch": "ChangeMessageVisibilityBatchRequestEntry",
}


@pytest.fixture(params=SIMPLE_ENTRIES)
def operation(request):
    return request.param


@pytest.fixture
def batch(sqs, queue, operation):
    """Calls a batch operation with entries that have these ids and nothing remarkable else."""

    def call(*ids):
        given = [{"Id": entry_id, **SIMPLE_ENTRIES[operation]} for entry_id in ids]
        return getattr(sqs, operation)(QueueUrl=queue, Entries=given)

    return call


@pytest.fixture
def refused_batch(batch):
    return lambda *ids: error_of(lambda: batch(*ids))


def ids_of(answer):
    return [entry["Id"] for entry in (*answer.get("Successful", ()), *answer.get("Failed", ()))]


def failure(entry_id, code, message):
    return {"Id": entry_id, "SenderFault": True, "Code": code, "Message": message}


def test_a_batch_needs_an_entry(refused_batch, operation):
    message = f"There should be at least one {ENTRY_NAMES[operation]} in the request."
    assert refused_batch() == Refusal(400, f"{PREFIX}EmptyBatchRequest", message)


def test_a_batch_may_have_ten_entries(batch):
    ids = [str(number) for number in range(10)]
    assert ids_of(batch(*ids)) == ids


@pytest.mark.parametrize("count", [11, 12])
def test_a_batch_of_more_than_ten_entries_is_refused(refused_batch, count):
    message = f"Maximum number of entries per request are 10. You have sent {count}."
    refusal = refused_batch(*(str(number) for number in range(count)))
    assert refusal == Refusal(400, f"{PREFIX}TooManyEntriesInBatchRequest", message)


@pytest.mark.parametrize("entry_id", ["a", "x" * 80, "Aa0-_"])
def test_an_entry_id_may_be(batch, entry_id):
    assert ids_of(batch(entry_id)) == [entry_id]


@pytest.mark.parametrize("entry_id", ["", "x" * 81, "a:b", "a b", "a.b", "ä"])
def test_an_entry_id_may_not_be(refused_batch, entry_id):
    assert refused_batch("fine", entry_id) == BAD_ID


def test_ids_may_not_be_repeated(refused_batch):
    refusal = refused_batch("a", "b", "b", "a")
    assert refusal == Refusal(400, f"{PREFIX}BatchEntryIdsNotDistinct", "Id b repeated.")


def test_ids_differ_by_case(batch):
    assert ids_of(batch("a", "A")) == ["a", "A"]


def test_too_many_entries_count_before_bad_ids_and_these_before_repeated_ones(refused_batch):
    assert refused_batch(*["a:"] * 11).code == f"{PREFIX}TooManyEntriesInBatchRequest"
    assert refused_batch("a", "a", "b:") == BAD_ID


def test_the_queue_is_looked_for_before_the_entries(sqs, queue, operation, protocol):
    refusal = error_of(getattr(sqs, operation), QueueUrl=f"{queue}-not", Entries=[])
    assert refusal == no_such_queue(protocol)


# SendMessageBatch


def send_batch(sqs, queue, *given):
    return content(sqs.send_message_batch(QueueUrl=queue, Entries=list(given)))


def test_each_message_of_a_batch_is_answered_with_its_id_and_md5(sqs, queue):
    attributes = {"k": as_string("x")}
    given = [
        {"Id": "a", "MessageBody": "x", "MessageAttributes": attributes},
        {"Id": "b", "MessageBody": "y"},
    ]
    answer = send_batch(sqs, queue, *given)
    ids = [entry.pop("MessageId") for entry in answer["Successful"]]
    assert len(set(ids)) == 2
    assert all(re.fullmatch("[0-9a-f-]{36}", one) for one in ids)
    assert answer["Successful"] == [
        {
            "Id": "a",
            "MD5OfMessageBody": "9dd4e461268c8034f5c8564e155c67a6",
            "MD5OfMessageAttributes": "a45daa70926828a2f0a1db3418e6feb4",
        },
        {"Id": "b", "MD5OfMessageBody": "415290769594460e2e485922904f345d"},
    ]


def test_a_batch_without_failures_has_no_failed_member(sqs, queue):
    assert send_batch(sqs, queue, *entries("x")).keys() == {"Successful"}


def test_a_batch_without_successes_has_no_successful_member(sqs, queue):
    assert send_batch(sqs, queue, *entries("\x00")).keys() == {"Failed"}


def test_the_messages_of_a_batch_are_received_in_its_order_with_their_ids(sqs, queue):
    answer = send_batch(sqs, queue, *entries(*"abcdefghij"))
    received = receive(sqs, queue)
    assert bodies(received) == list("abcdefghij")
    sent_ids = [entry["MessageId"] for entry in answer["Successful"]]
    assert [message["MessageId"] for message in received["Messages"]] == sent_ids


def test_an_entry_over_the_limit_of_the_queue_fails_alone(sqs, make_queue):
    queue = make_queue(MaximumMessageSize=1024)
    answer = send_batch(sqs, queue, *entries("x" * 1024, "x" * 1025, "x"))
    reason = "Message must be shorter than 1024 bytes."
    message = f"One or more parameters cannot be validated. Reason: {reason}"
    assert answer["Failed"] == [failure("1", "InvalidParameterValue", message)]
    assert bodies(receive(sqs, queue)) == ["x" * 1024, "x"]


def test_what_is_not_kept_of_an_entry_does_not_count_for_the_limit_of_the_queue(sqs, make_queue):
    queue = make_queue(MaximumMessageSize=1024)
    unused = {**as_string("v"), "BinaryValue": b"x" * 1024}
    kept, too_large = entries("kept", "x" * 1025)
    answer = send_batch(sqs, queue, {**kept, "MessageAttributes": {"a": unused}}, too_large)
    assert [failed["Id"] for failed in answer["Failed"]] == [too_large["Id"]]
    assert bodies(receive(sqs, queue)) == ["kept"]


def test_an_entry_with_forbidden_characters_fails_alone(sqs, queue):
    answer = send_batch(sqs, queue, *entries("a", "\x01", "b"))
    (failed,) = answer["Failed"]
    assert (failed["Id"], failed["Code"], failed["SenderFault"]) == ("1", "InvalidMessageContents", True)
    assert bodies(receive(sqs, queue)) == ["a", "b"]


def test_an_entry_without_a_body_fails_alone_and_is_named_by_its_number(sqs, queue):
    answer = send_batch(sqs, queue, *entries("a", ""))
    parameter = "SendMessageBatchRequestEntry.2.MessageBody"
    message = f"The request must contain the parameter {parameter}."
    assert answer["Failed"] == [failure("1", "MissingParameter", message)]
    assert bodies(receive(sqs, queue)) == ["a"]


@pytest.mark.parametrize("delay_s", [-1, 901])
def test_an_entry_with_a_bad_delay_fails_alone(sqs, queue, delay_s):
    answer = send_batch(sqs, queue, *entries("a"), {"Id": "b", "MessageBody": "b", "DelaySeconds": delay_s})
    reason = "DelaySeconds must be >= 0 and <= 900."
    message = f"Value {delay_s} for parameter DelaySeconds is invalid. Reason: {reason}"
    assert answer["Failed"] == [failure("b", "InvalidParameterValue", message)]


def test_an_entry_with_a_deduplication_id_fails_alone_on_a_standard_queue(sqs, queue):
    answer = send_batch(
        sqs, queue, *entries("a"), {"Id": "b", "MessageBody": "b", "MessageDeduplicationId": "d"}
    )
    message = "The request include parameter that is not valid for this queue type"
    assert answer["Failed"] == [failure("b", "InvalidParameterValue", message)]


def test_an_entry_with_a_bad_attribute_fails_alone(sqs, queue):
    bad = {"Id": "b", "MessageBody": "b", "MessageAttributes": {"k": as_string("")}}
    answer = send_batch(sqs, queue, *entries("a"), bad)
    message = "Message (user) attribute 'k' must contain a non-empty value of type 'String'."
    assert answer["Failed"] == [failure("b", "InvalidParameterValue", message)]


def test_answers_keep_the_order_of_the_entries(sqs, queue):
    answer = send_batch(sqs, queue, *entries("\x01", "a", "\x02", "b"))
    assert [entry["Id"] for entry in answer["Successful"]] == ["1", "3"]
    assert [entry["Id"] for entry in answer["Failed"]] == ["0", "2"]


def test_a_batch_may_have_a_mebibyte_in_all(sqs, queue):
    answer = send_batch(sqs, queue, *entries("x" * (MAX_BYTES // 2), "x" * (MAX_BYTES // 2)))
    assert ids_of(answer) == ["0", "1"]


def test_a_batch_of_more_than_a_mebibyte_is_refused_as_a_whole(sqs, queue):
    given = entries("x" * (MAX_BYTES // 2), "x" * (MAX_BYTES // 2 + 1))
    message = f"Batch requests cannot be longer than 1048576 bytes. You have sent {MAX_BYTES + 1} bytes."
    refusal = error_of(sqs.send_message_batch, QueueUrl=queue, Entries=given)
    assert refusal == Refusal(400, f"{PREFIX}BatchRequestTooLong", message)
    assert bodies(receive(sqs, queue)) == []


def test_attributes_count_for_the_size_of_a_batch(sqs, queue):
    size_bytes = MAX_BYTES - len("kStringx")
    given = entries("x" * size_bytes, MessageAttributes={"k": as_string("x")})
    assert ids_of(send_batch(sqs, queue, *given)) == ["0"]
    given[0]["MessageBody"] += "x"
    refusal = error_of(sqs.send_message_batch, QueueUrl=queue, Entries=given)
    assert refusal.code == f"{PREFIX}BatchRequestTooLong"


def test_a_smaller_limit_of_the_queue_is_not_for_the_batch(sqs, make_queue):
    queue = make_queue(MaximumMessageSize=1024)
    answer = send_batch(sqs, queue, *entries(*["x" * 1024] * 10))
    assert len(answer["Successful"]) == 10


def test_the_total_size_counts_before_single_entries(sqs, make_queue):
    queue = make_queue(MaximumMessageSize=1024)
    given = entries("x" * MAX_BYTES, "")
    given.append({"Id": "more", "MessageBody": "x"})
    refusal = error_of(sqs.send_message_batch, QueueUrl=queue, Entries=given)
    assert refusal.code == f"{PREFIX}BatchRequestTooLong"


def test_system_attributes_of_an_entry_have_their_md5(sqs, queue):
    value = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
    given = entries("x", MessageSystemAttributes={"AWSTraceHeader": as_string(value)})
    (entry,) = send_batch(sqs, queue, *given)["Successful"]
    assert entry["MD5OfMessageSystemAttributes"] == "5ae4d5d7636402d80f4eb6d213245a88"
    assert "MD5OfMessageAttributes" not in entry


def test_delays_and_groups_belong_to_their_entries(sqs, queue, clock):
    later = {"Id": "later", "MessageBody": "later", "DelaySeconds": 5}
    send_batch(sqs, queue, later, {"Id": "now", "MessageBody": "now", "MessageGroupId": "g"})
    (message,) = receive(sqs, queue)["Messages"]
    assert (message["Body"], message["Attributes"]["MessageGroupId"]) == ("now", "g")
    clock.advance(seconds=5)
    assert bodies(receive(sqs, queue)) == ["later"]


# DeleteMessageBatch; ChangeMessageVisibilityBatch is in test_visibility.py


def test_a_batch_of_deletes_takes_what_it_can(sqs, queue):
    send(sqs, queue, "a", "b")
    first, second = handles(receive(sqs, queue))
    given = [("a", first), ("bad", "garbage"), ("b", second), ("again", first)]
    answer = content(
        sqs.delete_message_batch(QueueUrl=queue, Entries=[{"Id": i, "ReceiptHandle": h} for i, h in given])
    )
    assert [entry["Id"] for entry in answer["Successful"]] == ["a", "b", "again"]
    message = 'The input receipt handle "garbage" is not a valid receipt handle.'
    assert answer["Failed"] == [failure("bad", "ReceiptHandleIsInvalid", message)]
