"""What all errors have in common, missing members, and queues that do not exist."""

import re

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.support.answers import (
    Refusal,
    bodies,
    error_of,
    handles,
    invalid,
    missing,
    no_such_queue,
    receive,
    send,
)

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
HANDLE = {"ReceiptHandle": "garbage"}
QUEUE_OPERATIONS = {
    "add_permission": {"Label": "x", "AWSAccountIds": ["111122223333"], "Actions": ["SendMessage"]},
    "change_message_visibility": {**HANDLE, "VisibilityTimeout": -1},
    "change_message_visibility_batch": {"Entries": []},
    "delete_message": HANDLE,
    "delete_message_batch": {"Entries": []},
    "delete_queue": {},
    "get_queue_attributes": {"AttributeNames": ["Foobar"]},
    "list_dead_letter_source_queues": {"MaxResults": 1001},
    "list_queue_tags": {},
    "purge_queue": {},
    "receive_message": {"MaxNumberOfMessages": 11},
    "remove_permission": {"Label": "x"},
    "send_message": {"MessageBody": ""},
    "send_message_batch": {"Entries": []},
    "set_queue_attributes": {"Attributes": {"Foobar": "1"}},
    "tag_queue": {"Tags": {}},
    "untag_queue": {"TagKeys": []},
}


def failing_call(sqs, queue, **members):
    with pytest.raises(ClientError) as caught:
        sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=11, **members)
    return caught.value


def test_answers_and_errors_have_a_request_id_of_their_own(sqs, queue):
    answers = [sqs.receive_message(QueueUrl=queue), sqs.receive_message(QueueUrl=queue)]
    answers += [failing_call(sqs, queue).response, failing_call(sqs, queue).response]
    ids = [answer["ResponseMetadata"]["RequestId"] for answer in answers]
    assert len(set(ids)) == 4
    assert all(re.fullmatch(UUID, one) for one in ids)


def test_the_request_id_is_in_the_headers_too(sqs, queue):
    for answer in (sqs.receive_message(QueueUrl=queue), failing_call(sqs, queue).response):
        metadata = answer["ResponseMetadata"]
        assert metadata["HTTPHeaders"]["x-amzn-requestid"] == metadata["RequestId"]


def test_errors_are_the_fault_of_the_sender(sqs, queue):
    assert failing_call(sqs, queue).response["Error"]["Type"] == "Sender"


def test_codes_are_those_of_the_query_protocol_in_both(sqs, queue):
    assert failing_call(sqs, queue).response["Error"]["Code"] == "InvalidParameterValue"


def test_errors_name_their_shape_in_json_only(sqs, queue, protocol):
    shape = {"json": "InvalidParameterValueException", "query": None}[protocol]
    assert failing_call(sqs, queue).response["Error"].get("QueryErrorCode") == shape


@pytest.mark.parametrize("operation", QUEUE_OPERATIONS)
def test_a_queue_that_does_not_exist_is_noticed_before_any_other_fault(sqs, queue, protocol, operation):
    call, members = getattr(sqs, operation), QUEUE_OPERATIONS[operation]
    assert error_of(call, QueueUrl=f"{queue}-not", **members) == no_such_queue(protocol)


@pytest.mark.parametrize("operation", QUEUE_OPERATIONS)
def test_a_deleted_queue_does_not_exist(sqs, queue, protocol, operation):
    sqs.delete_queue(QueueUrl=queue)
    refusal = error_of(getattr(sqs, operation), QueueUrl=queue, **QUEUE_OPERATIONS[operation])
    assert refusal == no_such_queue(protocol)


def test_characters_of_a_bad_value_that_xml_cannot_carry_are_escaped(sqs, queue):
    refusal = error_of(sqs.get_queue_attributes, QueueUrl=queue, AttributeNames=["a\x00<&>"])
    assert refusal == Refusal(400, "InvalidAttributeName", "Unknown Attribute a\\u0000<&>.")


def test_a_failing_request_changes_nothing(sqs, queue):
    send(sqs, queue, "hello")
    failing_call(sqs, queue)
    assert bodies(receive(sqs, queue)) == ["hello"]


# Missing members: no client's own check stands before the server's


@pytest.fixture
def unchecked(protocol, sqs, server):
    """A client that sends requests without members that are required."""
    if protocol == "query":
        return sqs
    return boto3.client(
        "sqs",
        endpoint_url=server.url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="secret",
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1}),
    )


@pytest.mark.parametrize(
    ("operation", "members", "parameter"),
    [
        ("send_message", {}, "MessageBody"),
        ("delete_message", {}, "ReceiptHandle"),
        ("change_message_visibility", {"VisibilityTimeout": 1}, "ReceiptHandle"),
        ("change_message_visibility", HANDLE, "VisibilityTimeout"),
        ("set_queue_attributes", {}, "Attribute.Name"),
        ("add_permission", {"AWSAccountIds": ["111122223333"], "Actions": ["SendMessage"]}, "Label"),
        ("add_permission", {"Label": "x", "AWSAccountIds": ["111122223333"]}, "ActionName"),
        ("remove_permission", {}, "Label"),
        ("tag_queue", {}, "Tags"),
    ],
)
def test_a_missing_member_is_named_as_in_the_query_protocol(unchecked, queue, operation, members, parameter):
    assert error_of(getattr(unchecked, operation), QueueUrl=queue, **members) == missing(parameter)


@pytest.mark.parametrize("operation", ["create_queue", "get_queue_url"])
def test_a_missing_queue_name_is_a_bad_value(unchecked, operation):
    expected = invalid("Value for parameter QueueName is invalid. Reason: Must specify a queue name.")
    assert error_of(getattr(unchecked, operation)) == expected


@pytest.mark.parametrize(
    "operation", ["send_message_batch", "delete_message_batch", "change_message_visibility_batch"]
)
def test_a_batch_without_entries_is_empty(unchecked, queue, operation):
    refusal = error_of(getattr(unchecked, operation), QueueUrl=queue)
    assert refusal.code in {"AWS.SimpleQueueService.EmptyBatchRequest", "MissingParameter"}


@pytest.mark.parametrize(
    ("operation", "name", "members"),
    [
        ("send_message_batch", "SendMessageBatchRequestEntry", {"MessageBody": "x"}),
        ("delete_message_batch", "DeleteMessageBatchRequestEntry", HANDLE),
        ("change_message_visibility_batch", "ChangeMessageVisibilityBatchRequestEntry", HANDLE),
    ],
)
def test_an_entry_without_an_id_is_named_by_its_number(unchecked, queue, operation, name, members):
    given = [{"Id": "a", **members}, members]
    assert error_of(getattr(unchecked, operation), QueueUrl=queue, Entries=given) == missing(f"{name}.2.Id")


def test_an_entry_to_delete_without_a_handle_fails(unchecked, queue):
    send(unchecked, queue, "hello")
    (handle,) = handles(receive(unchecked, queue))
    given = [{"Id": "a", "ReceiptHandle": handle}, {"Id": "b"}]
    answer = unchecked.delete_message_batch(QueueUrl=queue, Entries=given)
    assert [entry["Id"] for entry in answer["Successful"]] == ["a"]
    message = "The request must contain the parameter ReceiptHandle."
    failed = {"Id": "b", "SenderFault": True, "Code": "MissingParameter", "Message": message}
    assert answer["Failed"] == [failed]


def test_a_message_attribute_without_a_type_is_refused(unchecked, queue):
    attributes = {"a": {"StringValue": "x"}}
    refusal = error_of(unchecked.send_message, QueueUrl=queue, MessageBody="x", MessageAttributes=attributes)
    expected = "The message (user) attribute 'a' must contain a non-empty message attribute type."
    assert refusal == invalid(expected)
