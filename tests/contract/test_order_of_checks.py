"""Which fault is named when a request has several: types, the queue, missing members, the shape of a batch,
values, and last what the queue is doing and its limits."""

import boto3
import pytest
from botocore.config import Config

from tests.contract.clients import server_with
from tests.contract.fifo import fifo_entries, fifo_members
from tests.support.answers import (
    Refusal,
    entries,
    error_of,
    invalid,
    invalid_value,
    missing,
    no_such_queue,
    receive,
    send,
    unknown_attribute,
)

THROTTLED = "RequestThrottled"
BATCHES = {
    "send_message_batch": {"MessageBody": "x"},
    "delete_message_batch": {"ReceiptHandle": "garbage"},
    "change_message_visibility_batch": {"ReceiptHandle": "garbage", "VisibilityTimeout": -1},
}


@pytest.fixture
def unchecked(protocol, sqs, server):
    """A client that sends what no client should."""
    if protocol == "query":
        return sqs
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "secret"}
    return boto3.client("sqs", endpoint_url=server.url, region_name="us-east-1", config=config, **keys)


def batch_code(name):
    return f"AWS.SimpleQueueService.{name}"


# Types, then the queue, then everything else


@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("receive_message", {"MaxNumberOfMessages": "many"}),
        ("send_message", {"MessageBody": "x", "DelaySeconds": "later"}),
        ("change_message_visibility", {"ReceiptHandle": "x", "VisibilityTimeout": "long"}),
    ],
)
def test_a_wrong_type_is_named_before_a_queue_that_does_not_exist(unchecked, queue, operation, members):
    refusal = error_of(getattr(unchecked, operation), QueueUrl=f"{queue}-not", **members)
    assert refusal[:2] == (400, "MalformedInput")


@pytest.mark.parametrize(
    "operation",
    [
        "send_message",
        "delete_message",
        "change_message_visibility",
        "send_message_batch",
        "delete_message_batch",
        "change_message_visibility_batch",
        "add_permission",
        "remove_permission",
        "set_queue_attributes",
        "tag_queue",
        "untag_queue",
    ],
)
def test_a_queue_that_does_not_exist_is_named_before_missing_members(unchecked, queue, protocol, operation):
    refusal = error_of(getattr(unchecked, operation), QueueUrl=f"{queue}-not")
    assert refusal == no_such_queue(protocol)


@pytest.mark.parametrize("operation", BATCHES)
@pytest.mark.parametrize("ids", [[], ["a b"], ["a", "a"], list("abcdefghijk")])
def test_a_queue_that_does_not_exist_is_named_before_the_shape_of_a_batch(
    sqs, queue, protocol, operation, ids
):
    given = [{"Id": one, **BATCHES[operation]} for one in ids]
    refusal = error_of(getattr(sqs, operation), QueueUrl=f"{queue}-not", Entries=given)
    assert refusal == no_such_queue(protocol)


# Missing members before values


def test_a_missing_body_is_named_before_a_bad_delay(sqs, queue):
    refusal = error_of(sqs.send_message, QueueUrl=queue, MessageBody="", DelaySeconds=901)
    assert refusal == missing("MessageBody")


@pytest.mark.parametrize(
    "members", [{"DelaySeconds": 5}, {"MessageDeduplicationId": "a b"}, {"MessageBody": "\x00"}]
)
def test_a_missing_group_is_named_before_bad_values(sqs, make_queue, members):
    queue = make_queue(fifo=True)
    refusal = error_of(sqs.send_message, QueueUrl=queue, **fifo_members("g", MessageGroupId=None, **members))
    assert refusal == missing("MessageGroupId")


def test_a_missing_body_is_named_before_a_missing_group(sqs, make_queue):
    refusal = error_of(sqs.send_message, QueueUrl=make_queue(fifo=True), MessageBody="")
    assert refusal == missing("MessageBody")


def test_a_missing_handle_is_named_before_a_bad_timeout(unchecked, queue):
    refusal = error_of(unchecked.change_message_visibility, QueueUrl=queue, VisibilityTimeout=-1)
    assert refusal == missing("ReceiptHandle")


def test_a_missing_timeout_is_named_before_a_bad_handle(unchecked, queue):
    refusal = error_of(unchecked.change_message_visibility, QueueUrl=queue, ReceiptHandle="garbage")
    assert refusal == missing("VisibilityTimeout")


def test_a_missing_source_is_named_before_a_bad_rate(unchecked):
    refusal = error_of(unchecked.start_message_move_task, MaxNumberOfMessagesPerSecond=501)
    assert refusal == missing("SourceArn")


# The shape of a batch before its entries


@pytest.mark.parametrize("operation", BATCHES)
def test_too_many_entries_are_named_before_bad_and_repeated_ids(sqs, queue, operation):
    given = [{"Id": "a b", **BATCHES[operation]}] * 11
    refusal = error_of(getattr(sqs, operation), QueueUrl=queue, Entries=given)
    assert refusal.code == batch_code("TooManyEntriesInBatchRequest")


@pytest.mark.parametrize("operation", BATCHES)
def test_a_bad_id_is_named_before_a_repeated_one(sqs, queue, operation):
    given = [{"Id": one, **BATCHES[operation]} for one in ("a", "a", "b c")]
    refusal = error_of(getattr(sqs, operation), QueueUrl=queue, Entries=given)
    assert refusal.code == batch_code("InvalidBatchEntryId")


@pytest.mark.parametrize("operation", BATCHES)
def test_a_repeated_id_is_named_before_the_faults_of_entries(sqs, queue, operation):
    given = [{"Id": "a", **BATCHES[operation], **({"MessageBody": ""} if "send" in operation else {})}] * 2
    refusal = error_of(getattr(sqs, operation), QueueUrl=queue, Entries=given)
    assert refusal == Refusal(400, batch_code("BatchEntryIdsNotDistinct"), "Id a repeated.")


def test_a_repeated_id_is_named_before_the_total_size(sqs, queue):
    given = [{"Id": "a", "MessageBody": "x" * 600_000}] * 2
    refusal = error_of(sqs.send_message_batch, QueueUrl=queue, Entries=given)
    assert refusal.code == batch_code("BatchEntryIdsNotDistinct")


def test_the_total_size_is_named_before_the_faults_of_entries(sqs, make_queue):
    given = fifo_entries("g-1", "g-2", MessageBody="x" * 600_000, MessageGroupId=None)
    refusal = error_of(sqs.send_message_batch, QueueUrl=make_queue(fifo=True), Entries=given)
    assert refusal.code == batch_code("BatchRequestTooLong")


def test_in_a_batch_a_missing_group_is_named_before_a_missing_deduplication_id(sqs, make_queue):
    given = entries("a", "b")
    refusal = error_of(sqs.send_message_batch, QueueUrl=make_queue(fifo=True), Entries=given)
    assert refusal == invalid(missing("MessageGroupId").message)


# Values before state


def test_bad_attributes_are_named_before_a_name_that_was_just_deleted(sqs, queue):
    sqs.delete_queue(QueueUrl=queue)
    name = queue.rsplit("/", 1)[1]
    refusal = error_of(sqs.create_queue, QueueName=name, Attributes={"Foobar": "1"})
    assert refusal == unknown_attribute("Foobar")


def test_a_bad_value_is_named_before_a_different_one(sqs, queue):
    name = queue.rsplit("/", 1)[1]
    attributes = {"DelaySeconds": "5", "VisibilityTimeout": "43201"}
    refusal = error_of(sqs.create_queue, QueueName=name, Attributes=attributes)
    assert refusal == Refusal(
        400, "InvalidAttributeValue", "Invalid value for the parameter VisibilityTimeout."
    )


def test_a_bad_timeout_is_named_before_a_message_that_is_gone(sqs, queue):
    send(sqs, queue, "a")
    handle = receive(sqs, queue)["Messages"][0]["ReceiptHandle"]
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)
    members = {"QueueUrl": queue, "ReceiptHandle": handle, "VisibilityTimeout": 43_201}
    expected = invalid_value(43_201, "VisibilityTimeout", "Must be between 0 and 43200.")
    assert error_of(sqs.change_message_visibility, **members) == expected


def test_a_bad_rate_is_named_before_a_task_that_runs(sqs, with_dead_letters, arn_of):
    dead = with_dead_letters()[1]
    send(sqs, dead, "a", "b")
    members = {"SourceArn": arn_of(dead)}
    sqs.start_message_move_task(**members, MaxNumberOfMessagesPerSecond=1)
    refusal = error_of(sqs.start_message_move_task, **members, MaxNumberOfMessagesPerSecond=0)
    assert "MaxNumberOfMessagesPerSecond" in refusal.message


@pytest.mark.parametrize(
    "members",
    [
        {"MaxNumberOfMessages": 11},
        {"WaitTimeSeconds": 21},
        {"VisibilityTimeout": -1},
        {"MessageSystemAttributeNames": ["Foobar"]},
    ],
)
def test_bad_values_are_named_before_the_limit_of_messages_in_flight(protocol, members):
    with server_with(protocol, in_flight_limit=1) as (_, sqs):
        queue = sqs.create_queue(QueueName="full")["QueueUrl"]
        send(sqs, queue, "a", "b")
        receive(sqs, queue, MaxNumberOfMessages=1)
        refusal = error_of(sqs.receive_message, QueueUrl=queue, **members)
    assert refusal.code in {"InvalidParameterValue", "InvalidAttributeName"}


# Quotas last


@pytest.fixture
def throttled(protocol):
    """A client, and a FIFO queue that takes no more sends, receives or deletes in this second."""
    with server_with(protocol, fifo_quotas=True) as (_, sqs):
        queue = sqs.create_queue(QueueName="busy.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        sqs.send_message(QueueUrl=queue, **fifo_members("g-1"))
        handle = receive(sqs, queue)["Messages"][0]["ReceiptHandle"]
        for _ in range(299):
            sqs.send_message(QueueUrl=queue, **fifo_members("g-1"))
            sqs.receive_message(QueueUrl=queue)
        for _ in range(300):
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)
        yield sqs, queue


def test_faults_of_the_request_are_named_before_quotas(throttled):
    sqs, queue = throttled
    asked = {
        "send_message": fifo_members("g-1", DelaySeconds=5),
        "send_message_batch": {"Entries": fifo_entries("g-1", DelaySeconds=5)},
        "receive_message": {"MaxNumberOfMessages": 11},
        "delete_message_batch": {"Entries": []},
        "delete_message": {"ReceiptHandle": "garbage"},
    }
    found = {
        name: error_of(getattr(sqs, name), QueueUrl=queue, **given).code for name, given in asked.items()
    }
    assert THROTTLED not in found.values()


def test_an_unknown_attribute_is_named_before_quotas(throttled):
    sqs, queue = throttled
    refusal = error_of(sqs.receive_message, QueueUrl=queue, MessageSystemAttributeNames=["Foobar"])
    assert refusal == unknown_attribute("Foobar")
