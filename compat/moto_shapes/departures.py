"""Where moto departs from AWS, so that our answer rightly differs. The only differences that are allowed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Departure:
    reason: str
    """What moto does that AWS does not."""
    spec: str
    """The section of the project's notes on Amazon SQS that says what AWS does."""
    differences: tuple[str, ...]
    """Each of the calls has all of these differences and no other: one more or one less fails the run."""
    calls: tuple[str, ...]


DEPARTURES = (
    Departure(
        "gives the Query code as the JSON type of errors that are not in the model",
        "1.5",
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
        "1.2",
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
        "2.14",
        ("Tags: ours absent, moto empty",),
        ("ListQueueTags, none",),
    ),
    Departure(
        "sends an empty list of source queues; AWS leaves empty members out",
        "2.11",
        ("queueUrls: ours absent, moto empty",),
        ("ListDeadLetterSourceQueues, none",),
    ),
    Departure(
        "gives timestamps of queues with a fraction; AWS gives whole seconds",
        "3.1",
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
        "2.5, 2.20",
        ("ours 400 InvalidAttributeName InvalidAttributeName, moto 200",),
        ("CreateQueue with an unknown attribute", "SetQueueAttributes, unknown"),
    ),
    Departure(
        "does not check the range of a queue's attributes",
        "3.1",
        ("ours 400 InvalidAttributeValue InvalidAttributeValue, moto 200",),
        ("CreateQueue with a value out of range",),
    ),
    Departure(
        "breaks on a value that is no number",
        "2.20",
        ("ours 400 InvalidAttributeValue InvalidAttributeValue, moto 500 500 500",),
        ("SetQueueAttributes, no number",),
    ),
    Departure(
        "lets the name of a deleted queue be used again at once; AWS keeps it closed for 60 seconds",
        "2.5",
        ("ours 400 AWS.SimpleQueueService.QueueDeletedRecently QueueDeletedRecently, moto 200",),
        ("CreateQueue just deleted",),
    ),
    Departure(
        "refuses a bad token with an error that is not SQS's",
        "2.13",
        (
            "code: ours InvalidParameterValue, moto InvalidToken",
            "fault: ours Sender, moto None",
            "type: ours InvalidParameterValueException, moto InvalidToken",
        ),
        ("ListQueues, bad token",),
    ),
    Departure(
        "says that the queue itself is missing when its dead-letter queue is; AWS refuses the value",
        "3.9",
        (
            "code: ours InvalidParameterValue, moto AWS.SimpleQueueService.NonExistentQueue",
            "type: ours InvalidParameterValueException, moto QueueDoesNotExist",
        ),
        ("SetQueueAttributes, redrive to a missing queue",),
    ),
    Departure(
        "has no digest of system attributes",
        "3.5",
        ("MD5OfMessageSystemAttributes: ours text, moto absent",),
        ("SendMessage with attributes",),
    ),
    Departure(
        "has no digest of system attributes in batches either",
        "3.5",
        ("Successful[].MD5OfMessageSystemAttributes: ours text, moto absent",),
        ("SendMessageBatch with attributes",),
    ),
    Departure(
        "accepts an empty body",
        "2.18",
        ("ours 400 MissingParameter MissingRequiredParameterException, moto 200",),
        ("SendMessage without a body",),
    ),
    Departure(
        "accepts characters that XML forbids",
        "3.2",
        ("ours 400 InvalidMessageContents InvalidMessageContents, moto 200",),
        ("SendMessage, forbidden character",),
    ),
    Departure(
        "accepts an empty value of an attribute",
        "3.3",
        ("ours 400 InvalidParameterValue InvalidParameterValueException, moto 200",),
        ("SendMessage with an empty attribute",),
    ),
    Departure(
        "refuses a bad handle with status 400; the service's model and its answers have 404",
        "1.4, 2.6",
        ("status: ours 404, moto 400",),
        ("DeleteMessage, bad handle", "ChangeMessageVisibility, bad handle"),
    ),
    Departure(
        "takes the handle of a deleted message for garbage",
        "2.3",
        (
            "code: ours InvalidParameterValue, moto ReceiptHandleIsInvalid",
            "type: ours InvalidParameterValueException, moto ReceiptHandleIsInvalid",
        ),
        ("ChangeMessageVisibility, deleted",),
    ),
    Departure(
        "does not count the entries to delete before it compares them",
        "2.22",
        (
            "code: ours AWS.SimpleQueueService.TooManyEntriesInBatchRequest, "
            "moto AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
            "type: ours TooManyEntriesInBatchRequest, moto BatchEntryIdsNotDistinct",
        ),
        ("DeleteMessageBatch, eleven",),
    ),
    Departure(
        "accepts a batch of visibility changes without entries",
        "2.22",
        ("ours 400 AWS.SimpleQueueService.EmptyBatchRequest EmptyBatchRequest, moto 200",),
        ("ChangeMessageVisibilityBatch, none",),
    ),
    Departure(
        "accepts any number of visibility changes in a batch",
        "2.22",
        (
            "ours 400 AWS.SimpleQueueService.TooManyEntriesInBatchRequest TooManyEntriesInBatchRequest, "
            "moto 200",
        ),
        ("ChangeMessageVisibilityBatch, eleven",),
    ),
    # What follows belongs to calls that are made only with --all.
    Departure(
        "has no message move tasks",
        "2.12, 3.12",
        ("ours 200, moto 500 500 500",),
        ("StartMessageMoveTask", "ListMessageMoveTasks, none"),
    ),
    Departure(
        "has no message move tasks that could be listed",
        "2.12",
        ("ours 200, moto start_message_move_task 500 500 500",),
        ("ListMessageMoveTasks",),
    ),
    Departure(
        "has no message move tasks, and so no refusals of them",
        "2.2, 2.21",
        ("ours 400 InvalidParameterValue InvalidParameterValueException, moto 500 500 500",),
        ("StartMessageMoveTask, no dead-letter queue", "CancelMessageMoveTask, bad handle"),
    ),
    Departure(
        "has no message move tasks, and so does not miss their queues",
        "2.12, 2.21",
        ("ours 404 ResourceNotFoundException ResourceNotFoundException, moto 500 500 500",),
        (
            "StartMessageMoveTask, missing source",
            "StartMessageMoveTask, missing destination",
            "ListMessageMoveTasks, missing source",
        ),
    ),
    Departure(
        "makes a standard queue with a name that is kept for FIFO queues",
        "2.5",
        ("ours 400 InvalidParameterValue InvalidParameterValueException, moto 200",),
        ("FIFO, CreateQueue without FifoQueue",),
    ),
    Departure(
        "does not answer a send with the sequence number",
        "2.18",
        ("SequenceNumber: ours digits, moto absent",),
        ("FIFO, SendMessage",),
    ),
    Departure(
        "does not answer a batch with sequence numbers",
        "2.19",
        ("Successful[].SequenceNumber: ours digits, moto absent",),
        ("FIFO, SendMessageBatch",),
    ),
    Departure(
        "does not deliver the sequence number",
        "3.4",
        ("Messages[].Attributes.SequenceNumber: ours digits, moto absent",),
        ("FIFO, ReceiveMessage",),
    ),
    Departure(
        "refuses a batch without groups with the code for single messages; AWS has another for batches",
        "2.19",
        (
            "code: ours InvalidParameterValue, moto MissingParameter",
            "type: ours InvalidParameterValueException, moto MissingRequiredParameterException",
        ),
        ("FIFO, SendMessageBatch without a group",),
    ),
)
