"""Golden responses of every operation with output, from the worked examples of the specification (1.7)."""

from typing import Any, NamedTuple

from tests.wire.golden_requests import BASE, TASK_HANDLE


class Response(NamedTuple):
    operation: str
    fields: dict[str, Any]
    """Of the typed response, by their Python names; structs as dicts."""
    json_body: dict[str, Any]
    result_xml: str
    legacy_result: dict[str, Any] | None = None
    """In the legacy JSON rendering of Query, without members that are null; None: nowhere recorded."""


RESPONSES = [
    Response(
        "CancelMessageMoveTask",
        {"approximate_number_of_messages_moved": 42},
        {"ApproximateNumberOfMessagesMoved": 42},
        (
            "<CancelMessageMoveTaskResult><ApproximateNumberOfMessagesMoved>42</ApproximateNumberOfMessagesMoved>"
            "</CancelMessageMoveTaskResult>"
        ),
    ),
    Response(
        "ChangeMessageVisibilityBatch",
        {
            "successful": [{"id": "a"}],
            "failed": [
                {
                    "id": "b",
                    "sender_fault": True,
                    "code": "ReceiptHandleIsInvalid",
                    "message": 'The input receipt handle "bad" is not a valid receipt handle.',
                }
            ],
        },
        {
            "Successful": [{"Id": "a"}],
            "Failed": [
                {
                    "Id": "b",
                    "SenderFault": True,
                    "Code": "ReceiptHandleIsInvalid",
                    "Message": 'The input receipt handle "bad" is not a valid receipt handle.',
                }
            ],
        },
        (
            "<ChangeMessageVisibilityBatchResult><ChangeMessageVisibilityBatchResultEntry><Id>a</Id>"
            "</ChangeMessageVisibilityBatchResultEntry>"
            "<BatchResultErrorEntry><Id>b</Id>"
            "<Code>ReceiptHandleIsInvalid</Code>"
            '<Message>The input receipt handle "bad" is not a valid receipt handle.</Message>'
            "<SenderFault>true</SenderFault>"
            "</BatchResultErrorEntry>"
            "</ChangeMessageVisibilityBatchResult>"
        ),
    ),
    Response(
        "CreateQueue",
        {"queue_url": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
        (f"<CreateQueueResult><QueueUrl>{BASE}/orders</QueueUrl></CreateQueueResult>"),
        {"QueueUrl": f"{BASE}/orders"},
    ),
    Response(
        "DeleteMessageBatch",
        {"successful": [{"id": "a"}, {"id": "b"}]},
        {"Successful": [{"Id": "a"}, {"Id": "b"}]},
        (
            "<DeleteMessageBatchResult><DeleteMessageBatchResultEntry><Id>a</Id>"
            "</DeleteMessageBatchResultEntry>"
            "<DeleteMessageBatchResultEntry><Id>b</Id>"
            "</DeleteMessageBatchResultEntry>"
            "</DeleteMessageBatchResult>"
        ),
    ),
    Response(
        "GetQueueAttributes",
        {"attributes": {"QueueArn": "arn:aws:sqs:us-east-1:000000000000:orders", "VisibilityTimeout": "45"}},
        {"Attributes": {"QueueArn": "arn:aws:sqs:us-east-1:000000000000:orders", "VisibilityTimeout": "45"}},
        (
            "<GetQueueAttributesResult><Attribute><Name>QueueArn</Name>"
            "<Value>arn:aws:sqs:us-east-1:000000000000:orders</Value>"
            "</Attribute>"
            "<Attribute><Name>VisibilityTimeout</Name>"
            "<Value>45</Value>"
            "</Attribute>"
            "</GetQueueAttributesResult>"
        ),
        {
            "Attributes": [
                {"Name": "QueueArn", "Value": "arn:aws:sqs:us-east-1:000000000000:orders"},
                {"Name": "VisibilityTimeout", "Value": "45"},
            ]
        },
    ),
    Response(
        "GetQueueUrl",
        {"queue_url": f"{BASE}/orders"},
        {"QueueUrl": f"{BASE}/orders"},
        (f"<GetQueueUrlResult><QueueUrl>{BASE}/orders</QueueUrl></GetQueueUrlResult>"),
        {"QueueUrl": f"{BASE}/orders"},
    ),
    Response(
        "ListDeadLetterSourceQueues",
        {"queue_urls": [f"{BASE}/orders"], "next_token": "dG9rZW4="},
        {"queueUrls": [f"{BASE}/orders"], "NextToken": "dG9rZW4="},
        (
            f"<ListDeadLetterSourceQueuesResult><QueueUrl>{BASE}/orders</QueueUrl>"
            "<NextToken>dG9rZW4=</NextToken>"
            "</ListDeadLetterSourceQueuesResult>"
        ),
    ),
    Response(
        "ListMessageMoveTasks",
        {
            "results": [
                {
                    "task_handle": TASK_HANDLE,
                    "status": "RUNNING",
                    "source_arn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq",
                    "destination_arn": "arn:aws:sqs:us-east-1:000000000000:orders",
                    "max_number_of_messages_per_second": 50,
                    "approximate_number_of_messages_moved": 100,
                    "approximate_number_of_messages_to_move": 250,
                    "started_timestamp": 1767225600000,
                }
            ]
        },
        {
            "Results": [
                {
                    "TaskHandle": TASK_HANDLE,
                    "Status": "RUNNING",
                    "SourceArn": "arn:aws:sqs:us-east-1:000000000000:orders-dlq",
                    "DestinationArn": "arn:aws:sqs:us-east-1:000000000000:orders",
                    "MaxNumberOfMessagesPerSecond": 50,
                    "ApproximateNumberOfMessagesMoved": 100,
                    "ApproximateNumberOfMessagesToMove": 250,
                    "StartedTimestamp": 1767225600000,
                }
            ]
        },
        (
            f"<ListMessageMoveTasksResult><ListMessageMoveTasksResultEntry><TaskHandle>{TASK_HANDLE}</TaskHandle>"
            "<Status>RUNNING</Status>"
            "<SourceArn>arn:aws:sqs:us-east-1:000000000000:orders-dlq</SourceArn>"
            "<DestinationArn>arn:aws:sqs:us-east-1:000000000000:orders</DestinationArn>"
            "<MaxNumberOfMessagesPerSecond>50</MaxNumberOfMessagesPerSecond>"
            "<ApproximateNumberOfMessagesMoved>100</ApproximateNumberOfMessagesMoved>"
            "<ApproximateNumberOfMessagesToMove>250</ApproximateNumberOfMessagesToMove>"
            "<StartedTimestamp>1767225600000</StartedTimestamp>"
            "</ListMessageMoveTasksResultEntry>"
            "</ListMessageMoveTasksResult>"
        ),
    ),
    Response(
        "ListQueues",
        {"queue_urls": [f"{BASE}/orders", f"{BASE}/orders-dlq"]},
        {"QueueUrls": [f"{BASE}/orders", f"{BASE}/orders-dlq"]},
        (
            f"<ListQueuesResult><QueueUrl>{BASE}/orders</QueueUrl>"
            f"<QueueUrl>{BASE}/orders-dlq</QueueUrl>"
            "</ListQueuesResult>"
        ),
        {"queueUrls": [f"{BASE}/orders", f"{BASE}/orders-dlq"]},
    ),
    Response(
        "ListQueueTags",
        {"tags": {"team": "core", "env": ""}},
        {"Tags": {"team": "core", "env": ""}},
        (
            "<ListQueueTagsResult><Tag><Key>team</Key>"
            "<Value>core</Value>"
            "</Tag>"
            "<Tag><Key>env</Key>"
            "<Value></Value>"
            "</Tag>"
            "</ListQueueTagsResult>"
        ),
        {"Tags": [{"Key": "team", "Value": "core"}, {"Key": "env", "Value": ""}]},
    ),
    Response(
        "ReceiveMessage",
        {
            "messages": [
                {
                    "message_id": "11111111-1111-4111-8111-111111111111",
                    "receipt_handle": "AQEBr1==",
                    "md5_of_body": "5d41402abc4b2a76b9719d911017c592",
                    "body": "hello",
                    "attributes": {"ApproximateReceiveCount": "1"},
                    "md5_of_message_attributes": "da1b33cc3cbfe8b1630921e78e6b9880",
                    "message_attributes": {"color": {"string_value": "blue", "data_type": "String"}},
                }
            ]
        },
        {
            "Messages": [
                {
                    "MessageId": "11111111-1111-4111-8111-111111111111",
                    "ReceiptHandle": "AQEBr1==",
                    "MD5OfBody": "5d41402abc4b2a76b9719d911017c592",
                    "Body": "hello",
                    "Attributes": {"ApproximateReceiveCount": "1"},
                    "MD5OfMessageAttributes": "da1b33cc3cbfe8b1630921e78e6b9880",
                    "MessageAttributes": {"color": {"StringValue": "blue", "DataType": "String"}},
                }
            ]
        },
        (
            "<ReceiveMessageResult><Message><MessageId>11111111-1111-4111-8111-111111111111</MessageId>"
            "<ReceiptHandle>AQEBr1==</ReceiptHandle>"
            "<MD5OfBody>5d41402abc4b2a76b9719d911017c592</MD5OfBody>"
            "<MD5OfMessageAttributes>da1b33cc3cbfe8b1630921e78e6b9880</MD5OfMessageAttributes>"
            "<Body>hello</Body>"
            "<Attribute><Name>ApproximateReceiveCount</Name>"
            "<Value>1</Value>"
            "</Attribute>"
            "<MessageAttribute><Name>color</Name>"
            "<Value><StringValue>blue</StringValue>"
            "<DataType>String</DataType>"
            "</Value>"
            "</MessageAttribute>"
            "</Message>"
            "</ReceiveMessageResult>"
        ),
        {
            "messages": [
                {
                    "MessageId": "11111111-1111-4111-8111-111111111111",
                    "ReceiptHandle": "AQEBr1==",
                    "MD5OfBody": "5d41402abc4b2a76b9719d911017c592",
                    "Body": "hello",
                    "Attributes": [{"Name": "ApproximateReceiveCount", "Value": "1"}],
                    "MD5OfMessageAttributes": "da1b33cc3cbfe8b1630921e78e6b9880",
                    "MessageAttributes": [
                        {"Name": "color", "Value": {"StringValue": "blue", "DataType": "String"}}
                    ],
                }
            ]
        },
    ),
    Response(
        "SendMessage",
        {
            "message_id": "11111111-1111-4111-8111-111111111111",
            "md5_of_message_body": "5d41402abc4b2a76b9719d911017c592",
            "md5_of_message_attributes": "529f8b419e1726e0a7dd48f13e20c8ca",
            "md5_of_message_system_attributes": "d6619b3d47b81d3fc72c0db005a70eda",
        },
        {
            "MessageId": "11111111-1111-4111-8111-111111111111",
            "MD5OfMessageBody": "5d41402abc4b2a76b9719d911017c592",
            "MD5OfMessageAttributes": "529f8b419e1726e0a7dd48f13e20c8ca",
            "MD5OfMessageSystemAttributes": "d6619b3d47b81d3fc72c0db005a70eda",
        },
        (
            "<SendMessageResult><MessageId>11111111-1111-4111-8111-111111111111</MessageId>"
            "<MD5OfMessageBody>5d41402abc4b2a76b9719d911017c592</MD5OfMessageBody>"
            "<MD5OfMessageAttributes>529f8b419e1726e0a7dd48f13e20c8ca</MD5OfMessageAttributes>"
            "<MD5OfMessageSystemAttributes>d6619b3d47b81d3fc72c0db005a70eda</MD5OfMessageSystemAttributes>"
            "</SendMessageResult>"
        ),
        {
            "MessageId": "11111111-1111-4111-8111-111111111111",
            "MD5OfMessageBody": "5d41402abc4b2a76b9719d911017c592",
            "MD5OfMessageAttributes": "529f8b419e1726e0a7dd48f13e20c8ca",
            "MD5OfMessageSystemAttributes": "d6619b3d47b81d3fc72c0db005a70eda",
        },
    ),
    Response(
        "SendMessageBatch",
        {
            "successful": [
                {
                    "id": "a",
                    "message_id": "11111111-1111-4111-8111-111111111111",
                    "md5_of_message_body": "9dd4e461268c8034f5c8564e155c67a6",
                    "md5_of_message_attributes": "a45daa70926828a2f0a1db3418e6feb4",
                },
                {
                    "id": "b",
                    "message_id": "22222222-2222-4222-8222-222222222222",
                    "md5_of_message_body": "415290769594460e2e485922904f345d",
                },
            ]
        },
        {
            "Successful": [
                {
                    "Id": "a",
                    "MessageId": "11111111-1111-4111-8111-111111111111",
                    "MD5OfMessageBody": "9dd4e461268c8034f5c8564e155c67a6",
                    "MD5OfMessageAttributes": "a45daa70926828a2f0a1db3418e6feb4",
                },
                {
                    "Id": "b",
                    "MessageId": "22222222-2222-4222-8222-222222222222",
                    "MD5OfMessageBody": "415290769594460e2e485922904f345d",
                },
            ]
        },
        (
            "<SendMessageBatchResult><SendMessageBatchResultEntry><Id>a</Id>"
            "<MessageId>11111111-1111-4111-8111-111111111111</MessageId>"
            "<MD5OfMessageBody>9dd4e461268c8034f5c8564e155c67a6</MD5OfMessageBody>"
            "<MD5OfMessageAttributes>a45daa70926828a2f0a1db3418e6feb4</MD5OfMessageAttributes>"
            "</SendMessageBatchResultEntry>"
            "<SendMessageBatchResultEntry><Id>b</Id>"
            "<MessageId>22222222-2222-4222-8222-222222222222</MessageId>"
            "<MD5OfMessageBody>415290769594460e2e485922904f345d</MD5OfMessageBody>"
            "</SendMessageBatchResultEntry>"
            "</SendMessageBatchResult>"
        ),
    ),
    Response(
        "StartMessageMoveTask",
        {"task_handle": TASK_HANDLE},
        {"TaskHandle": TASK_HANDLE},
        (f"<StartMessageMoveTaskResult><TaskHandle>{TASK_HANDLE}</TaskHandle></StartMessageMoveTaskResult>"),
    ),
]
