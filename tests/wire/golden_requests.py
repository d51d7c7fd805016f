"""Golden requests of every operation, from the worked examples of the specification (section 1.7)."""

from typing import Any, NamedTuple

BASE = "http://localhost:9324/000000000000"
TASK_HANDLE = (
    "eyJ0YXNrSWQiOiI2YjFmMGQzZS04YTRjLTRkMGUtOWY1OC0yZjBiNmYxYzdhMTEiLCJzb3VyY2VBcm4iOiJhcm46YX"
    "dzOnNxczp1cy1lYXN0LTE6MDAwMDAwMDAwMDAwOm9yZGVycy1kbHEifQ=="
)
REDRIVE_POLICY = '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:orders-dlq","maxReceiveCount":3}'


class Request(NamedTuple):
    operation: str
    fields: dict[str, Any]
    """Of the typed request, by their Python names; structs as dicts."""
    json_body: dict[str, Any]
    form: dict[str, str]
    form_fields: dict[str, Any] | None = None
    """Where the form is read into other fields; what is done with them is the same."""


REQUESTS = [
    Request(
        "AddPermission",
        {
            "queue_url": f"{BASE}/orders",
            "label": "shipping",
            "aws_account_ids": ["111122223333", "444455556666"],
            "actions": ["SendMessage", "ReceiveMessage"],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "Label": "shipping",
            "AWSAccountIds": ["111122223333", "444455556666"],
            "Actions": ["SendMessage", "ReceiveMessage"],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "Label": "shipping",
            "AWSAccountId.1": "111122223333",
            "AWSAccountId.2": "444455556666",
            "ActionName.1": "SendMessage",
            "ActionName.2": "ReceiveMessage",
        },
    ),
    Request(
        "CancelMessageMoveTask",
        {"task_handle": TASK_HANDLE},
        {"TaskHandle": TASK_HANDLE},
        {"TaskHandle": TASK_HANDLE},
    ),
    Request(
        "ChangeMessageVisibility",
        {"queue_url": f"{BASE}/orders", "receipt_handle": "AQEBr1==", "visibility_timeout": 60},
        {"QueueUrl": f"{BASE}/orders", "ReceiptHandle": "AQEBr1==", "VisibilityTimeout": 60},
        {"QueueUrl": f"{BASE}/orders", "ReceiptHandle": "AQEBr1==", "VisibilityTimeout": "60"},
    ),
    Request(
        "ChangeMessageVisibilityBatch",
        {
            "queue_url": f"{BASE}/orders",
            "entries": [
                {"id": "a", "receipt_handle": "AQEBr1==", "visibility_timeout": 60},
                {"id": "b", "receipt_handle": "bad", "visibility_timeout": 0},
            ],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "Entries": [
                {"Id": "a", "ReceiptHandle": "AQEBr1==", "VisibilityTimeout": 60},
                {"Id": "b", "ReceiptHandle": "bad", "VisibilityTimeout": 0},
            ],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "ChangeMessageVisibilityBatchRequestEntry.1.Id": "a",
            "ChangeMessageVisibilityBatchRequestEntry.1.ReceiptHandle": "AQEBr1==",
            "ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout": "60",
            "ChangeMessageVisibilityBatchRequestEntry.2.Id": "b",
            "ChangeMessageVisibilityBatchRequestEntry.2.ReceiptHandle": "bad",
            "ChangeMessageVisibilityBatchRequestEntry.2.VisibilityTimeout": "0",
        },
    ),
    Request(
        "CreateQueue",
        {
            "queue_name": "orders",
            "attributes": {"VisibilityTimeout": "45", "DelaySeconds": "5"},
            "tags": {"team": "core"},
        },
        {
            "QueueName": "orders",
            "Attributes": {"VisibilityTimeout": "45", "DelaySeconds": "5"},
            "tags": {"team": "core"},
        },
        {
            "QueueName": "orders",
            "Attribute.1.Name": "VisibilityTimeout",
            "Attribute.1.Value": "45",
            "Attribute.2.Name": "DelaySeconds",
            "Attribute.2.Value": "5",
            "Tag.1.Key": "team",
            "Tag.1.Value": "core",
        },
    ),
    Request(
        "DeleteMessage",
        {"queue_url": f"{BASE}/orders", "receipt_handle": "AQEBr1=="},
        {"QueueUrl": f"{BASE}/orders", "ReceiptHandle": "AQEBr1=="},
        {"QueueUrl": f"{BASE}/orders", "ReceiptHandle": "AQEBr1=="},
    ),
    Request(
        "DeleteMessageBatch",
        {
            "queue_url": f"{BASE}/orders",
            "entries": [{"id": "a", "receipt_handle": "AQEBr1=="}, {"id": "b", "receipt_handle": "AQEBr2=="}],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "Entries": [{"Id": "a", "ReceiptHandle": "AQEBr1=="}, {"Id": "b", "ReceiptHandle": "AQEBr2=="}],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "DeleteMessageBatchRequestEntry.1.Id": "a",
            "DeleteMessageBatchRequestEntry.1.ReceiptHandle": "AQEBr1==",
            "DeleteMessageBatchRequestEntry.2.Id": "b",
            "DeleteMessageBatchRequestEntry.2.ReceiptHandle": "AQEBr2==",
        },
    ),
    Request(
        "DeleteQueue",
        {"queue_url": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
    ),
    Request(
        "GetQueueAttributes",
        {"queue_url": f"{BASE}/orders", "attribute_names": ["QueueArn", "VisibilityTimeout"]},
        {"QueueUrl": f"{BASE}/orders", "AttributeNames": ["QueueArn", "VisibilityTimeout"]},
        {"QueueUrl": f"{BASE}/orders", "AttributeName.1": "QueueArn", "AttributeName.2": "VisibilityTimeout"},
    ),
    Request(
        "GetQueueUrl",
        {"queue_name": "orders", "queue_owner_aws_account_id": "000000000000"},
        {"QueueName": "orders", "QueueOwnerAWSAccountId": "000000000000"},
        {"QueueName": "orders", "QueueOwnerAWSAccountId": "000000000000"},
    ),
    Request(
        "ListDeadLetterSourceQueues",
        {"queue_url": f"{BASE}/orders-dlq", "max_results": 1},
        {"QueueUrl": f"{BASE}/orders-dlq", "MaxResults": 1},
        {"QueueUrl": f"{BASE}/orders-dlq", "MaxResults": "1"},
    ),
    Request(
        "ListMessageMoveTasks",
        {"source_arn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq", "max_results": 10},
        {"SourceArn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq", "MaxResults": 10},
        {"SourceArn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq", "MaxResults": "10"},
    ),
    Request(
        "ListQueues",
        {"queue_name_prefix": "ord", "max_results": 2},
        {"QueueNamePrefix": "ord", "MaxResults": 2},
        {"QueueNamePrefix": "ord", "MaxResults": "2"},
    ),
    Request(
        "ListQueueTags",
        {"queue_url": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
    ),
    Request(
        "PurgeQueue",
        {"queue_url": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
    ),
    Request(
        "ReceiveMessage",
        {
            "queue_url": f"{BASE}/orders",
            "message_system_attribute_names": ["ApproximateReceiveCount"],
            "message_attribute_names": ["color"],
            "max_number_of_messages": 2,
            "wait_time_seconds": 1,
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "MessageSystemAttributeNames": ["ApproximateReceiveCount"],
            "MessageAttributeNames": ["color"],
            "MaxNumberOfMessages": 2,
            "WaitTimeSeconds": 1,
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "MessageAttributeName.1": "color",
            "MaxNumberOfMessages": "2",
            "WaitTimeSeconds": "1",
            "AttributeName.1": "ApproximateReceiveCount",
        },
        # Query has one wire name for both lists of attribute names (spec 1.3).
        {"attribute_names": ["ApproximateReceiveCount"], "message_system_attribute_names": None},
    ),
    Request(
        "RemovePermission",
        {"queue_url": f"{BASE}/orders", "label": "shipping"},
        {"QueueUrl": f"{BASE}/orders", "Label": "shipping"},
        {"QueueUrl": f"{BASE}/orders", "Label": "shipping"},
    ),
    Request(
        "SendMessage",
        {
            "queue_url": f"{BASE}/orders",
            "message_body": "hello",
            "delay_seconds": 0,
            "message_attributes": {
                "color": {"data_type": "String", "string_value": "blue"},
                "blob": {"data_type": "Binary", "binary_value": b"\x01\x02\x03"},
            },
            "message_system_attributes": {
                "AWSTraceHeader": {"data_type": "String", "string_value": "Root=1"}
            },
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "MessageBody": "hello",
            "DelaySeconds": 0,
            "MessageAttributes": {
                "color": {"DataType": "String", "StringValue": "blue"},
                "blob": {"DataType": "Binary", "BinaryValue": "AQID"},
            },
            "MessageSystemAttributes": {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1"}},
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "MessageBody": "hello",
            "DelaySeconds": "0",
            "MessageAttribute.1.Name": "color",
            "MessageAttribute.1.Value.DataType": "String",
            "MessageAttribute.1.Value.StringValue": "blue",
            "MessageAttribute.2.Name": "blob",
            "MessageAttribute.2.Value.DataType": "Binary",
            "MessageAttribute.2.Value.BinaryValue": "AQID",
            "MessageSystemAttribute.1.Name": "AWSTraceHeader",
            "MessageSystemAttribute.1.Value.DataType": "String",
            "MessageSystemAttribute.1.Value.StringValue": "Root=1",
        },
    ),
    Request(
        "SendMessageBatch",
        {
            "queue_url": f"{BASE}/orders",
            "entries": [
                {
                    "id": "a",
                    "message_body": "x",
                    "message_attributes": {"k": {"data_type": "String", "string_value": "x"}},
                },
                {"id": "b", "message_body": "y", "delay_seconds": 3},
            ],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "Entries": [
                {
                    "Id": "a",
                    "MessageBody": "x",
                    "MessageAttributes": {"k": {"DataType": "String", "StringValue": "x"}},
                },
                {"Id": "b", "MessageBody": "y", "DelaySeconds": 3},
            ],
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "SendMessageBatchRequestEntry.1.Id": "a",
            "SendMessageBatchRequestEntry.1.MessageBody": "x",
            "SendMessageBatchRequestEntry.1.MessageAttribute.1.Name": "k",
            "SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType": "String",
            "SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.StringValue": "x",
            "SendMessageBatchRequestEntry.2.Id": "b",
            "SendMessageBatchRequestEntry.2.MessageBody": "y",
            "SendMessageBatchRequestEntry.2.DelaySeconds": "3",
        },
    ),
    Request(
        "SetQueueAttributes",
        {
            "queue_url": f"{BASE}/orders",
            "attributes": {
                "RedrivePolicy": REDRIVE_POLICY,
                "VisibilityTimeout": "60",
            },
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "Attributes": {
                "RedrivePolicy": REDRIVE_POLICY,
                "VisibilityTimeout": "60",
            },
        },
        {
            "QueueUrl": f"{BASE}/orders",
            "Attribute.1.Name": "RedrivePolicy",
            "Attribute.1.Value": REDRIVE_POLICY,
            "Attribute.2.Name": "VisibilityTimeout",
            "Attribute.2.Value": "60",
        },
    ),
    Request(
        "StartMessageMoveTask",
        {
            "source_arn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq",
            "destination_arn": "arn:aws:sqs:us-east-1:000000000000:orders",
            "max_number_of_messages_per_second": 50,
        },
        {
            "SourceArn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq",
            "DestinationArn": "arn:aws:sqs:us-east-1:000000000000:orders",
            "MaxNumberOfMessagesPerSecond": 50,
        },
        {
            "SourceArn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq",
            "DestinationArn": "arn:aws:sqs:us-east-1:000000000000:orders",
            "MaxNumberOfMessagesPerSecond": "50",
        },
    ),
    Request(
        "TagQueue",
        {"queue_url": f"{BASE}/orders", "tags": {"team": "core", "env": ""}},
        {"QueueUrl": f"{BASE}/orders", "Tags": {"team": "core", "env": ""}},
        {
            "QueueUrl": f"{BASE}/orders",
            "Tag.1.Key": "team",
            "Tag.1.Value": "core",
            "Tag.2.Key": "env",
            "Tag.2.Value": "",
        },
    ),
    Request(
        "UntagQueue",
        {"queue_url": f"{BASE}/orders", "tag_keys": ["team", "env"]},
        {"QueueUrl": f"{BASE}/orders", "TagKeys": ["team", "env"]},
        {"QueueUrl": f"{BASE}/orders", "TagKey.1": "team", "TagKey.2": "env"},
    ),
]
