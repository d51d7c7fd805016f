"""Calls for what comes next: permissions, message move tasks and FIFO queues. Made only with --all."""

from calls import REDRIVE, URL, Arguments, Before, Call, entries

LABEL: Arguments = URL | {"Label": "shipping"}
PERMISSION: Arguments = LABEL | {"AWSAccountIds": ["111122223333"], "Actions": ["SendMessage"]}
ADDED: Before = (("add_permission", PERMISSION),)
TASK: Before = (
    *REDRIVE,
    ("send_message", {"QueueUrl": "$dead_url", "MessageBody": "x"}),
    ("start_message_move_task", {"SourceArn": "$dead_arn", "DestinationArn": "$arn"}),
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

NEXT = (*PERMISSIONS, *MOVE_TASKS, *FIFO_QUEUES)
