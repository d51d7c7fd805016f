"""The calls that are made against both servers.

Each call has a queue of its own. In arguments, and in the calls made before, some words stand for what is
there: $url $name $arn of the queue, $dead_url $dead_arn of its dead-letter queue, $prefix of both names,
$missing_url $missing_arn of a queue that does not exist, $account, $handle of the last message received,
$token of the last page, $task of the last message move task.
"""

from dataclasses import dataclass, field
from typing import Any

Arguments = dict[str, Any]
Before = tuple[tuple[str, Arguments], ...]


@dataclass(frozen=True)
class Call:
    title: str
    method: str
    arguments: Arguments
    before: Before = ()
    attributes: dict[str, str] = field(default_factory=dict)
    """With what the call's queue is made."""


URL: Arguments = {"QueueUrl": "$url"}
MISSING: Arguments = {"QueueUrl": "$missing_url"}
HANDLE: Arguments = URL | {"ReceiptHandle": "$handle"}
BAD_HANDLE: Arguments = URL | {"ReceiptHandle": "bad"}

SEND: Before = (("send_message", URL | {"MessageBody": "hello"}),)
HOLD: Before = (*SEND, ("receive_message", URL | {"VisibilityTimeout": 60}))
DELETED: Before = (*HOLD, ("delete_message", HANDLE))

ATTRIBUTES = {
    "color": {"DataType": "String", "StringValue": "blue"},
    "count": {"DataType": "Number", "StringValue": "3"},
    "blob": {"DataType": "Binary", "BinaryValue": b"\x01\x02\x03"},
}
TRACE = {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793"}}
POLICY = '{"deadLetterTargetArn":"$dead_arn","maxReceiveCount":3}'
REDRIVE: Before = (("set_queue_attributes", URL | {"Attributes": {"RedrivePolicy": POLICY}}),)


def entries(*each: Arguments, **shared: Any) -> Arguments:
    return URL | {"Entries": [shared | entry for entry in each]}


def eleven(**shared: Any) -> Arguments:
    return entries(*({"Id": f"n{n}"} for n in range(11)), **shared)


QUEUES = (
    Call("CreateQueue", "create_queue", {"QueueName": "$name-new", "Attributes": {"DelaySeconds": "1"}}),
    Call("CreateQueue with tags", "create_queue", {"QueueName": "$name-new", "tags": {"team": "core"}}),
    Call("CreateQueue of the same again", "create_queue", {"QueueName": "$name"}),
    Call(
        "CreateQueue with another value",
        "create_queue",
        {"QueueName": "$name", "Attributes": {"DelaySeconds": "2"}},
    ),
    Call(
        "CreateQueue with an unknown attribute",
        "create_queue",
        {"QueueName": "$name-new", "Attributes": {"Foobar": "1"}},
    ),
    Call(
        "CreateQueue with a value out of range",
        "create_queue",
        {"QueueName": "$name-new", "Attributes": {"VisibilityTimeout": "43201"}},
    ),
    Call("CreateQueue with a bad name", "create_queue", {"QueueName": "bad name"}),
    Call("CreateQueue just deleted", "create_queue", {"QueueName": "$name"}, (("delete_queue", URL),)),
    Call("DeleteQueue", "delete_queue", URL),
    Call("DeleteQueue of a missing queue", "delete_queue", MISSING),
    Call("GetQueueUrl", "get_queue_url", {"QueueName": "$name"}),
    Call(
        "GetQueueUrl with the owner",
        "get_queue_url",
        {"QueueName": "$name", "QueueOwnerAWSAccountId": "$account"},
    ),
    Call("GetQueueUrl of a missing queue", "get_queue_url", {"QueueName": "$name-missing"}),
    Call("ListQueues", "list_queues", {"QueueNamePrefix": "$prefix"}),
    Call("ListQueues, first page", "list_queues", {"QueueNamePrefix": "$prefix", "MaxResults": 1}),
    Call(
        "ListQueues, last page",
        "list_queues",
        {"QueueNamePrefix": "$prefix", "MaxResults": 1, "NextToken": "$token"},
        (("list_queues", {"QueueNamePrefix": "$prefix", "MaxResults": 1}),),
    ),
    Call("ListQueues, none", "list_queues", {"QueueNamePrefix": "$name-missing"}),
    Call(
        "ListQueues, bad token",
        "list_queues",
        {"QueueNamePrefix": "$prefix", "MaxResults": 1, "NextToken": "x"},
    ),
    Call("GetQueueAttributes, all", "get_queue_attributes", URL | {"AttributeNames": ["All"]}),
    Call(
        "GetQueueAttributes, all with policies",
        "get_queue_attributes",
        URL | {"AttributeNames": ["All"]},
        REDRIVE,
    ),
    Call(
        "GetQueueAttributes, some", "get_queue_attributes", URL | {"AttributeNames": ["QueueArn", "Policy"]}
    ),
    Call("GetQueueAttributes, none", "get_queue_attributes", URL),
    Call("GetQueueAttributes, unknown", "get_queue_attributes", URL | {"AttributeNames": ["Foobar"]}),
    Call(
        "GetQueueAttributes of a missing queue", "get_queue_attributes", MISSING | {"AttributeNames": ["All"]}
    ),
    Call("SetQueueAttributes", "set_queue_attributes", URL | {"Attributes": {"VisibilityTimeout": "10"}}),
    Call("SetQueueAttributes, redrive", *REDRIVE[0]),
    Call(
        "SetQueueAttributes, redrive to a missing queue",
        "set_queue_attributes",
        URL | {"Attributes": {"RedrivePolicy": POLICY.replace("$dead_arn", "$missing_arn")}},
    ),
    Call("SetQueueAttributes, unknown", "set_queue_attributes", URL | {"Attributes": {"Foobar": "1"}}),
    Call(
        "SetQueueAttributes, no number",
        "set_queue_attributes",
        URL | {"Attributes": {"DelaySeconds": "soon"}},
    ),
    Call("SetQueueAttributes of a missing queue", "set_queue_attributes", MISSING | {"Attributes": {}}),
    Call("TagQueue", "tag_queue", URL | {"Tags": {"team": "core"}}),
    Call("TagQueue of a missing queue", "tag_queue", MISSING | {"Tags": {"team": "core"}}),
    Call("UntagQueue", "untag_queue", URL | {"TagKeys": ["team"]}),
    Call("UntagQueue of a missing queue", "untag_queue", MISSING | {"TagKeys": ["team"]}),
    Call("ListQueueTags", "list_queue_tags", URL, (("tag_queue", URL | {"Tags": {"a": "b", "c": ""}}),)),
    Call("ListQueueTags, none", "list_queue_tags", URL),
    Call("ListQueueTags of a missing queue", "list_queue_tags", MISSING),
    Call("PurgeQueue", "purge_queue", URL),
    Call("PurgeQueue twice", "purge_queue", URL, (("purge_queue", URL),)),
    Call("PurgeQueue of a missing queue", "purge_queue", MISSING),
    Call(
        "ListDeadLetterSourceQueues",
        "list_dead_letter_source_queues",
        {"QueueUrl": "$dead_url"},
        before=REDRIVE,
    ),
    Call("ListDeadLetterSourceQueues, none", "list_dead_letter_source_queues", URL),
    Call("ListDeadLetterSourceQueues of a missing queue", "list_dead_letter_source_queues", MISSING),
)

MESSAGES = (
    Call("SendMessage", *SEND[0]),
    Call(
        "SendMessage with attributes",
        "send_message",
        URL | {"MessageBody": "x", "MessageAttributes": ATTRIBUTES, "MessageSystemAttributes": TRACE},
    ),
    Call("SendMessage without a body", "send_message", URL | {"MessageBody": ""}),
    Call("SendMessage, too long", "send_message", URL | {"MessageBody": "x" * 1_048_577}),
    Call("SendMessage, forbidden character", "send_message", URL | {"MessageBody": "\x01"}),
    Call("SendMessage, too late", "send_message", URL | {"MessageBody": "x", "DelaySeconds": 901}),
    Call(
        "SendMessage with an empty attribute",
        "send_message",
        URL | {"MessageBody": "x", "MessageAttributes": {"a": {"DataType": "String", "StringValue": ""}}},
    ),
    Call("SendMessage to a missing queue", "send_message", MISSING | {"MessageBody": "x"}),
    Call("SendMessageBatch", "send_message_batch", entries({"Id": "a"}, {"Id": "b"}, MessageBody="x")),
    Call(
        "SendMessageBatch with attributes",
        "send_message_batch",
        entries({"Id": "a"}, MessageBody="x", MessageAttributes=ATTRIBUTES, MessageSystemAttributes=TRACE),
    ),
    Call(
        "SendMessageBatch, one too late",
        "send_message_batch",
        entries({"Id": "a"}, {"Id": "b", "DelaySeconds": 901}, MessageBody="x"),
    ),
    Call("SendMessageBatch, none", "send_message_batch", entries()),
    Call("SendMessageBatch, eleven", "send_message_batch", eleven(MessageBody="x")),
    Call(
        "SendMessageBatch, one id twice",
        "send_message_batch",
        entries({"Id": "a"}, {"Id": "a"}, MessageBody="x"),
    ),
    Call("SendMessageBatch, bad id", "send_message_batch", entries({"Id": "a:b"}, MessageBody="x")),
    Call(
        "SendMessageBatch, too long",
        "send_message_batch",
        entries({"Id": "a"}, {"Id": "b"}, MessageBody="x" * 600_000),
    ),
    Call(
        "SendMessageBatch to a missing queue",
        "send_message_batch",
        entries({"Id": "a"}, MessageBody="x") | MISSING,
    ),
    Call("ReceiveMessage", "receive_message", URL, SEND),
    Call(
        "ReceiveMessage with everything",
        "receive_message",
        URL | {"MessageSystemAttributeNames": ["All"], "MessageAttributeNames": ["All"]},
        (
            (
                "send_message",
                URL | {"MessageBody": "x", "MessageAttributes": ATTRIBUTES, "MessageSystemAttributes": TRACE},
            ),
        ),
    ),
    Call("ReceiveMessage, nothing there", "receive_message", URL),
    Call("ReceiveMessage, eleven", "receive_message", URL | {"MaxNumberOfMessages": 11}),
    Call("ReceiveMessage, too long a wait", "receive_message", URL | {"WaitTimeSeconds": 21}),
    Call("ReceiveMessage from a missing queue", "receive_message", MISSING),
    Call("DeleteMessage", "delete_message", HANDLE, HOLD),
    Call("DeleteMessage twice", "delete_message", HANDLE, DELETED),
    Call("DeleteMessage, bad handle", "delete_message", BAD_HANDLE),
    Call("DeleteMessage from a missing queue", "delete_message", BAD_HANDLE | MISSING),
    Call(
        "DeleteMessageBatch", "delete_message_batch", entries({"Id": "a", "ReceiptHandle": "$handle"}), HOLD
    ),
    Call(
        "DeleteMessageBatch, one bad handle",
        "delete_message_batch",
        entries({"Id": "a", "ReceiptHandle": "$handle"}, {"Id": "b", "ReceiptHandle": "bad"}),
        HOLD,
    ),
    Call("DeleteMessageBatch, none", "delete_message_batch", entries()),
    Call("DeleteMessageBatch, eleven", "delete_message_batch", eleven(ReceiptHandle="bad")),
    Call("ChangeMessageVisibility", "change_message_visibility", HANDLE | {"VisibilityTimeout": 5}, HOLD),
    Call(
        "ChangeMessageVisibility, bad handle",
        "change_message_visibility",
        BAD_HANDLE | {"VisibilityTimeout": 5},
    ),
    Call(
        "ChangeMessageVisibility, too far",
        "change_message_visibility",
        HANDLE | {"VisibilityTimeout": 43201},
        HOLD,
    ),
    Call(
        "ChangeMessageVisibility, deleted",
        "change_message_visibility",
        HANDLE | {"VisibilityTimeout": 5},
        DELETED,
    ),
    Call(
        "ChangeMessageVisibilityBatch",
        "change_message_visibility_batch",
        entries({"Id": "a", "ReceiptHandle": "$handle", "VisibilityTimeout": 5}),
        HOLD,
    ),
    Call(
        "ChangeMessageVisibilityBatch, one bad handle",
        "change_message_visibility_batch",
        entries(
            {"Id": "a", "ReceiptHandle": "$handle"}, {"Id": "b", "ReceiptHandle": "bad"}, VisibilityTimeout=5
        ),
        HOLD,
    ),
    Call("ChangeMessageVisibilityBatch, none", "change_message_visibility_batch", entries()),
    Call(
        "ChangeMessageVisibilityBatch, eleven",
        "change_message_visibility_batch",
        eleven(ReceiptHandle="bad", VisibilityTimeout=5),
    ),
)

LABEL: Arguments = URL | {"Label": "shipping"}
PERMISSION: Arguments = LABEL | {"AWSAccountIds": ["111122223333"], "Actions": ["SendMessage"]}
ADDED: Before = (("add_permission", PERMISSION),)
TASK: Before = (
    *REDRIVE,
    ("send_message", {"QueueUrl": "$dead_url", "MessageBody": "x"}),
    ("start_message_move_task", {"SourceArn": "$dead_arn", "DestinationArn": "$arn"}),
)
SLOW_TASK: Before = (
    *REDRIVE,
    (
        "send_message_batch",
        {"QueueUrl": "$dead_url", "Entries": [{"Id": str(n), "MessageBody": "x"} for n in range(10)]},
    ),
    (
        "start_message_move_task",
        {"SourceArn": "$dead_arn", "MaxNumberOfMessagesPerSecond": 1, "DestinationArn": "$arn"},
    ),
)

FIFO = {"FifoQueue": "true"}
CONTENT_FIFO = FIFO | {"ContentBasedDeduplication": "true"}
FIFO_SEND: Arguments = URL | {"MessageBody": "x", "MessageGroupId": "g"}
ALL: Arguments = {"MessageSystemAttributeNames": ["All"]}

PERMISSIONS = (
    Call("AddPermission", *ADDED[0]),
    Call("AddPermission, label in use", *ADDED[0], ADDED),
    Call("AddPermission, unknown action", "add_permission", PERMISSION | {"Actions": ["Fly"]}),
    Call(
        "AddPermission to a missing queue",
        "add_permission",
        PERMISSION | {"QueueUrl": "$missing_url"},
    ),
    Call("AddPermission, the policy", "get_queue_attributes", URL | {"AttributeNames": ["All"]}, ADDED),
    Call("RemovePermission", "remove_permission", LABEL, ADDED),
    Call("RemovePermission, unknown label", "remove_permission", LABEL),
)

MOVE_TASKS = (
    Call("StartMessageMoveTask", *TASK[-1], TASK[:-1]),
    Call("StartMessageMoveTask, no dead-letter queue", "start_message_move_task", {"SourceArn": "$arn"}),
    Call("StartMessageMoveTask, missing source", "start_message_move_task", {"SourceArn": "$missing_arn"}),
    Call(
        "StartMessageMoveTask, missing destination",
        "start_message_move_task",
        {"SourceArn": "$dead_arn", "DestinationArn": "$missing_arn"},
        REDRIVE,
    ),
    Call("ListMessageMoveTasks", "list_message_move_tasks", {"SourceArn": "$dead_arn"}, TASK),
    Call("ListMessageMoveTasks, none", "list_message_move_tasks", {"SourceArn": "$dead_arn"}, REDRIVE),
    Call("ListMessageMoveTasks, missing source", "list_message_move_tasks", {"SourceArn": "$missing_arn"}),
    Call("CancelMessageMoveTask", "cancel_message_move_task", {"TaskHandle": "$task"}, SLOW_TASK),
    Call("CancelMessageMoveTask, bad handle", "cancel_message_move_task", {"TaskHandle": "bad"}),
)

FIFO_QUEUES = (
    Call(
        "FIFO, CreateQueue without the suffix", "create_queue", {"QueueName": "$name-x", "Attributes": FIFO}
    ),
    Call("FIFO, CreateQueue without FifoQueue", "create_queue", {"QueueName": "$name-x.fifo"}),
    Call(
        "FIFO, GetQueueAttributes", "get_queue_attributes", URL | {"AttributeNames": ["All"]}, attributes=FIFO
    ),
    Call("FIFO, SendMessage", "send_message", FIFO_SEND, attributes=CONTENT_FIFO),
    Call(
        "FIFO, SendMessage without a group",
        "send_message",
        URL | {"MessageBody": "x"},
        attributes=CONTENT_FIFO,
    ),
    Call("FIFO, SendMessage without deduplication", "send_message", FIFO_SEND, attributes=FIFO),
    Call(
        "FIFO, SendMessage with a delay",
        "send_message",
        FIFO_SEND | {"DelaySeconds": 2},
        attributes=CONTENT_FIFO,
    ),
    Call(
        "FIFO, SendMessage, space in the group",
        "send_message",
        FIFO_SEND | {"MessageGroupId": "a b"},
        (),
        FIFO,
    ),
    Call(
        "FIFO, SendMessageBatch",
        "send_message_batch",
        entries({"Id": "a"}, MessageBody="x", MessageGroupId="g"),
        attributes=CONTENT_FIFO,
    ),
    Call(
        "FIFO, SendMessageBatch without a group",
        "send_message_batch",
        entries({"Id": "a"}, MessageBody="x"),
        attributes=CONTENT_FIFO,
    ),
    Call("FIFO, ReceiveMessage", "receive_message", URL | ALL, (("send_message", FIFO_SEND),), CONTENT_FIFO),
)

CALLS = (*QUEUES, *MESSAGES, *PERMISSIONS, *MOVE_TASKS, *FIFO_QUEUES)
