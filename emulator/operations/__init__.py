"""The whole API on one screen."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from emulator.context import Context
from emulator.operations.add_permission import AddPermissionRequest, add_permission
from emulator.operations.cancel_message_move_task import (
    CancelMessageMoveTaskRequest,
    cancel_message_move_task,
)
from emulator.operations.change_message_visibility import (
    ChangeMessageVisibilityRequest,
    change_message_visibility,
)
from emulator.operations.change_message_visibility_batch import (
    ChangeMessageVisibilityBatchRequest,
    change_message_visibility_batch,
)
from emulator.operations.create_queue import CreateQueueRequest, create_queue
from emulator.operations.delete_message import DeleteMessageRequest, delete_message
from emulator.operations.delete_message_batch import DeleteMessageBatchRequest, delete_message_batch
from emulator.operations.delete_queue import DeleteQueueRequest, delete_queue
from emulator.operations.get_queue_attributes import GetQueueAttributesRequest, get_queue_attributes
from emulator.operations.get_queue_url import GetQueueUrlRequest, get_queue_url
from emulator.operations.list_dead_letter_source_queues import (
    ListDeadLetterSourceQueuesRequest,
    list_dead_letter_source_queues,
)
from emulator.operations.list_message_move_tasks import (
    ListMessageMoveTasksRequest,
    list_message_move_tasks,
)
from emulator.operations.list_queue_tags import ListQueueTagsRequest, list_queue_tags
from emulator.operations.list_queues import ListQueuesRequest, list_queues
from emulator.operations.purge_queue import PurgeQueueRequest, purge_queue
from emulator.operations.receive_message import ReceiveMessageRequest, receive_message
from emulator.operations.remove_permission import RemovePermissionRequest, remove_permission
from emulator.operations.send_message import SendMessageRequest, send_message
from emulator.operations.send_message_batch import SendMessageBatchRequest, send_message_batch
from emulator.operations.set_queue_attributes import SetQueueAttributesRequest, set_queue_attributes
from emulator.operations.start_message_move_task import (
    StartMessageMoveTaskRequest,
    start_message_move_task,
)
from emulator.operations.tag_queue import TagQueueRequest, tag_queue
from emulator.operations.untag_queue import UntagQueueRequest, untag_queue


class Operation(NamedTuple):
    request: type[msgspec.Struct]
    run: Callable[[Context, Any], Awaitable[msgspec.Struct | None]]


OPERATIONS: dict[str, Operation] = {
    "AddPermission": Operation(AddPermissionRequest, add_permission),
    "CancelMessageMoveTask": Operation(CancelMessageMoveTaskRequest, cancel_message_move_task),
    "ChangeMessageVisibility": Operation(ChangeMessageVisibilityRequest, change_message_visibility),
    "ChangeMessageVisibilityBatch": Operation(
        ChangeMessageVisibilityBatchRequest, change_message_visibility_batch
    ),
    "CreateQueue": Operation(CreateQueueRequest, create_queue),
    "DeleteMessage": Operation(DeleteMessageRequest, delete_message),
    "DeleteMessageBatch": Operation(DeleteMessageBatchRequest, delete_message_batch),
    "DeleteQueue": Operation(DeleteQueueRequest, delete_queue),
    "GetQueueAttributes": Operation(GetQueueAttributesRequest, get_queue_attributes),
    "GetQueueUrl": Operation(GetQueueUrlRequest, get_queue_url),
    "ListDeadLetterSourceQueues": Operation(
        ListDeadLetterSourceQueuesRequest, list_dead_letter_source_queues
    ),
    "ListMessageMoveTasks": Operation(ListMessageMoveTasksRequest, list_message_move_tasks),
    "ListQueueTags": Operation(ListQueueTagsRequest, list_queue_tags),
    "ListQueues": Operation(ListQueuesRequest, list_queues),
    "PurgeQueue": Operation(PurgeQueueRequest, purge_queue),
    "ReceiveMessage": Operation(ReceiveMessageRequest, receive_message),
    "RemovePermission": Operation(RemovePermissionRequest, remove_permission),
    "SendMessage": Operation(SendMessageRequest, send_message),
    "SendMessageBatch": Operation(SendMessageBatchRequest, send_message_batch),
    "SetQueueAttributes": Operation(SetQueueAttributesRequest, set_queue_attributes),
    "StartMessageMoveTask": Operation(StartMessageMoveTaskRequest, start_message_move_task),
    "TagQueue": Operation(TagQueueRequest, tag_queue),
    "UntagQueue": Operation(UntagQueueRequest, untag_queue),
}
