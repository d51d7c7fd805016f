"""Where moto departs from AWS, so that our answer rightly differs. The only differences that are allowed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Departure:
    reason: str
    """What moto does that AWS does not."""
    known_from: str
    """How we know what AWS does."""
    differences: tuple[str, ...]
    """Each of the calls has all of these differences and no other: one more or one less fails the run."""
    calls: tuple[str, ...]


RECORDED = "answers recorded from AWS"
REFERENCE = "AWS's API Reference"
MODEL = "the service's model, from which AWS makes its SDKs"
NO_RECORDING = "no recording at hand: what another emulator, written after AWS, does"

DEPARTURES = (
    Departure(
        "gives the Query code as the JSON type of errors that are not in the model",
        RECORDED,
        ("type: ours InvalidParameterValueException, moto InvalidParameterValue",),
        (
            "CreateQueue with a bad name",
            "SendMessage, too long",
            "SendMessage, too late",
            "ReceiveMessage, eleven",
            "ReceiveMessage, too long a wait",
            "ChangeMessageVisibility, too far",
            "AddPermission, label in use",
            "AddPermission, unknown action",
            "RemovePermission, unknown label",
            "FIFO, CreateQueue without the suffix",
            "FIFO, SendMessage without deduplication",
            "FIFO, SendMessage with a delay",
            "FIFO, SendMessage, space in the group",
        ),
    ),
    Departure(
        "sends an empty list of failed entries; AWS leaves empty members out",
        RECORDED,
        ("Failed: ours absent, moto empty",),
        (
            "SendMessageBatch",
            "SendMessageBatch with attributes",
            "DeleteMessageBatch",
            "ChangeMessageVisibilityBatch",
            "FIFO, SendMessageBatch",
        ),
    ),
    Departure(
        "sends an empty map of tags; AWS leaves empty members out",
        RECORDED,
        ("Tags: ours absent, moto empty",),
        ("ListQueueTags, none",),
    ),
    Departure(
        "sends an empty list of source queues; AWS leaves empty members out",
        RECORDED,
        ("queueUrls: ours absent, moto empty",),
        ("ListDeadLetterSourceQueues, none",),
    ),
    Departure(
        "gives timestamps of queues with a fraction; AWS gives whole seconds",
        f"{MODEL}, and {RECORDED}",
        (
            "Attributes.CreatedTimestamp: ours digits, moto text",
            "Attributes.LastModifiedTimestamp: ours digits, moto text",
        ),
        (
            "GetQueueAttributes, all",
            "GetQueueAttributes, all with policies",
            "AddPermission, the policy",
            "FIFO, GetQueueAttributes",
        ),
    ),
    Departure(
        "ignores unknown attributes of queues",
        RECORDED,
        ("ours 400 InvalidAttributeName InvalidAttributeName, moto 200",),
        ("CreateQueue with an unknown attribute", "SetQueueAttributes, unknown"),
    ),
    Departure(
        "does not check the range of a queue's attributes",
        RECORDED,
        ("ours 400 InvalidAttributeValue InvalidAttributeValue, moto 200",),
        ("CreateQueue with a value out of range",),
    ),
    Departure(
        "breaks on a value that is no number",
        RECORDED,
        ("ours 400 InvalidAttributeValue InvalidAttributeValue, moto 500 500 500",),
        ("SetQueueAttributes, no number",),
    ),
    Departure(
        "lets the name of a deleted queue be used again at once; AWS keeps it closed for 60 seconds",
        REFERENCE,
        ("ours 400 AWS.SimpleQueueService.QueueDeletedRecently QueueDeletedRecently, moto 200",),
        ("CreateQueue just deleted",),
    ),
    Departure(
        "refuses a bad token with an error that is not SQS's",
        NO_RECORDING,
        (
            "code: ours InvalidParameterValue, moto InvalidToken",
            "fault: ours Sender, moto None",
            "type: ours InvalidParameterValueException, moto InvalidToken",
        ),
        ("ListQueues, bad token",),
    ),
    Departure(
        "says that the queue itself is missing when its dead-letter queue is; AWS refuses the value",
        NO_RECORDING,
        (
            "code: ours InvalidParameterValue, moto AWS.SimpleQueueService.NonExistentQueue",
            "type: ours InvalidParameterValueException, moto QueueDoesNotExist",
        ),
        ("SetQueueAttributes, redrive to a missing queue",),
    ),
    Departure(
        "has no digest of system attributes",
        RECORDED,
        ("MD5OfMessageSystemAttributes: ours text, moto absent",),
        ("SendMessage with attributes",),
    ),
    Departure(
        "has no digest of system attributes in batches either",
        RECORDED,
        ("Successful[].MD5OfMessageSystemAttributes: ours text, moto absent",),
        ("SendMessageBatch with attributes",),
    ),
    Departure(
        "accepts an empty body",
        RECORDED,
        ("ours 400 MissingParameter MissingRequiredParameterException, moto 200",),
        ("SendMessage without a body",),
    ),
    Departure(
        "accepts characters that XML forbids",
        RECORDED,
        ("ours 400 InvalidMessageContents InvalidMessageContents, moto 200",),
        ("SendMessage, forbidden character",),
    ),
    Departure(
        "accepts an empty value of an attribute",
        RECORDED,
        ("ours 400 InvalidParameterValue InvalidParameterValueException, moto 200",),
        ("SendMessage with an empty attribute",),
    ),
    Departure(
        "refuses a bad handle with status 400; the service's model and its answers have 404",
        f"{MODEL}, and {RECORDED}",
        ("status: ours 404, moto 400",),
        ("DeleteMessage, bad handle", "ChangeMessageVisibility, bad handle"),
    ),
    Departure(
        "takes the handle of a deleted message for garbage",
        RECORDED,
        (
            "code: ours InvalidParameterValue, moto ReceiptHandleIsInvalid",
            "type: ours InvalidParameterValueException, moto ReceiptHandleIsInvalid",
        ),
        ("ChangeMessageVisibility, deleted",),
    ),
    Departure(
        "does not count the entries to delete before it compares them",
        RECORDED,
        (
            "code: ours AWS.SimpleQueueService.TooManyEntriesInBatchRequest, "
            "moto AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
            "type: ours TooManyEntriesInBatchRequest, moto BatchEntryIdsNotDistinct",
        ),
        ("DeleteMessageBatch, eleven",),
    ),
    Departure(
        "accepts a batch of visibility changes without entries",
        REFERENCE,
        ("ours 400 AWS.SimpleQueueService.EmptyBatchRequest EmptyBatchRequest, moto 200",),
        ("ChangeMessageVisibilityBatch, none",),
    ),
    Departure(
        "accepts any number of visibility changes in a batch",
        REFERENCE,
        (
            "ours 400 AWS.SimpleQueueService.TooManyEntriesInBatchRequest TooManyEntriesInBatchRequest, "
            "moto 200",
        ),
        ("ChangeMessageVisibilityBatch, eleven",),
    ),
    Departure(
        "has no message move tasks",
        REFERENCE,
        ("ours 200, moto 500 500 500",),
        ("StartMessageMoveTask", "ListMessageMoveTasks, none"),
    ),
    Departure(
        "has no message move tasks that could be listed",
        REFERENCE,
        ("ours 200, moto start_message_move_task 500 500 500",),
        ("ListMessageMoveTasks",),
    ),
    Departure(
        "has no message move tasks that could be cancelled",
        REFERENCE,
        ("ours 200, moto start_message_move_task 500 500 500",),
        ("CancelMessageMoveTask",),
    ),
    Departure(
        "has no message move tasks, and so no refusals of them",
        RECORDED,
        ("ours 400 InvalidParameterValue InvalidParameterValueException, moto 500 500 500",),
        ("StartMessageMoveTask, no dead-letter queue", "CancelMessageMoveTask, bad handle"),
    ),
    Departure(
        "has no message move tasks, and so does not miss their queues",
        RECORDED,
        ("ours 404 ResourceNotFoundException ResourceNotFoundException, moto 500 500 500",),
        (
            "StartMessageMoveTask, missing source",
            "StartMessageMoveTask, missing destination",
            "ListMessageMoveTasks, missing source",
        ),
    ),
    Departure(
        "makes a standard queue with a name that is kept for FIFO queues",
        f"{REFERENCE}, and {RECORDED}",
        ("ours 400 InvalidParameterValue InvalidParameterValueException, moto 200",),
        ("FIFO, CreateQueue without FifoQueue",),
    ),
    Departure(
        "does not answer a send with the sequence number",
        RECORDED,
        ("SequenceNumber: ours digits, moto absent",),
        ("FIFO, SendMessage",),
    ),
    Departure(
        "does not answer a batch with sequence numbers",
        RECORDED,
        ("Successful[].SequenceNumber: ours digits, moto absent",),
        ("FIFO, SendMessageBatch",),
    ),
    Departure(
        "does not deliver the sequence number",
        RECORDED,
        ("Messages[].Attributes.SequenceNumber: ours digits, moto absent",),
        ("FIFO, ReceiveMessage",),
    ),
    Departure(
        "refuses a batch without groups with the code for single messages; AWS has another for batches",
        RECORDED,
        (
            "code: ours InvalidParameterValue, moto MissingParameter",
            "type: ours InvalidParameterValueException, moto MissingRequiredParameterException",
        ),
        ("FIFO, SendMessageBatch without a group",),
    ),
)
