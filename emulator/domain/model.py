"""What the emulator keeps and passes around: queues, messages, and what happened to them.

Frozen values only. Times are integer milliseconds since the epoch.
"""

import enum
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, NamedTuple

import msgspec

from emulator.domain import limits


class QueueKey(NamedTuple):
    account: str
    region: str
    name: str


class Queue(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A queue without its messages. `attributes`: what was set, by AWS's names, without defaults.

    What follows from the attributes is worked out once: each call asks for some of it.
    """

    id: int
    key: QueueKey
    created_ms: int
    modified_ms: int
    attributes: dict[str, str]
    tags: dict[str, str]
    purged_ms: int | None = None
    deduplication_scope: str | None = None
    """The scope of its creation. Changing the attribute later changes no comparison (recorded R5)."""

    @property
    def name(self) -> str:
        return self.key.name

    @cached_property
    def is_fifo(self) -> bool:
        return "FifoQueue" in self.attributes

    @cached_property
    def arn(self) -> str:
        return arn_of(self.key)

    @cached_property
    def is_high_throughput(self) -> bool:
        return self.attributes.get("FifoThroughputLimit") == "perMessageGroupId"

    def number(self, attribute: str, default: int) -> int:
        value = self.attributes.get(attribute)
        return default if value is None else int(value)

    @cached_property
    def visibility_timeout_s(self) -> int:
        return self.number("VisibilityTimeout", 30)

    @cached_property
    def delay_s(self) -> int:
        return self.number("DelaySeconds", 0)

    @cached_property
    def wait_s(self) -> int:
        return self.number("ReceiveMessageWaitTimeSeconds", 0)

    @cached_property
    def retention_ms(self) -> int:
        return self.number("MessageRetentionPeriod", 345_600) * 1000

    @cached_property
    def maximum_message_bytes(self) -> int:
        return self.number("MaximumMessageSize", limits.MAX_BATCH_BYTES)


class MessageAttributeValue(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    """One message attribute, as on the wire; `query` is the name of a list in the Query protocol."""

    string_value: str | None = None
    binary_value: bytes | None = None
    string_list_values: Annotated[list[str] | None, msgspec.Meta(extra={"query": "StringListValue"})] = None
    binary_list_values: Annotated[list[bytes] | None, msgspec.Meta(extra={"query": "BinaryListValue"})] = None
    data_type: str | None = None


MessageAttributes = dict[str, MessageAttributeValue]


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A validated message that is not stored yet."""

    message_id: str
    body: str
    sent_ms: int
    due_ms: int
    sender_id: str
    size_bytes: int = 0
    """Of body and attributes; 0 for a copy that planned misbehaviour makes, which nobody sent."""
    attributes: MessageAttributes | None = None
    trace_header: str | None = None
    group_id: str | None = None
    deduplication_id: str | None = None
    deduplication_key: str | None = None
    """What is compared: the id, or group and id with scope messageGroup. None on standard queues."""
    dead_letter_source_arn: str | None = None
    """Only of copies that planned misbehaviour makes of dead letters."""


class Accepted(msgspec.Struct, frozen=True):
    """The answer to one draft. For a duplicate it names the original."""

    message_id: str
    seq: int
    duplicate: bool = False
    is_due: bool = True
    """A receiver that waits may have it now or later. An engine may say of a FIFO message that it is behind
    others, whose end will be told."""


class Receipt(msgspec.Struct, frozen=True):
    """What a receipt handle says: this receive (by its count) of this message in this queue."""

    queue_id: int
    seq: int
    receive_count: int


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One message handed to a receiver. `receive_count` includes this receive."""

    seq: int
    message_id: str
    body: str
    attributes: MessageAttributes | None
    sender_id: str
    sent_ms: int
    first_received_ms: int
    receive_count: int
    trace_header: str | None = None
    group_id: str | None = None
    deduplication_id: str | None = None
    dead_letter_source_arn: str | None = None


class Redrive(msgspec.Struct, frozen=True):
    """Where a queue's messages go once they were received `max_receive_count` times."""

    dead_letter_queue_id: int
    max_receive_count: int


class ClaimOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What one ReceiveMessage asks of the engine."""

    limit: int
    hide_ms: int
    now_ms: int
    redrive: Redrive | None = None
    attempt_id: str | None = None
    """FIFO: a repeat of the same ReceiveRequestAttemptId gets the same messages."""
    in_flight_limit: int = limits.MAX_IN_FLIGHT
    passes_over: Callable[[int], bool] | None = None
    """Standard queues: visible messages for whose seq it says True are left where they are."""


class DeadLettered(msgspec.Struct, frozen=True):
    message_id: str
    queue_id: int
    """The dead-letter queue that has it now."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    deliveries: tuple[Delivery, ...] = ()
    dead_lettered: tuple[DeadLettered, ...] = ()
    next_due_ms: int | None = None
    """When looking again makes sense although nobody wakes us; only with an empty claim."""
    over_limit: bool = False
    """The in-flight limit kept messages back."""
    not_retryable: bool = False
    """The messages of this attempt id were deleted, or their visibility changed."""


class MessageState(enum.StrEnum):
    """Where a message is for someone who looks on."""

    VISIBLE = "visible"
    IN_FLIGHT = "in-flight"
    DELAYED = "delayed"
    LOCKED = "locked"
    """FIFO: visible by itself, but an earlier message of its group is in flight or delayed."""


ALL_STATES = frozenset(MessageState)


class Peeked(msgspec.Struct, frozen=True):
    """A message as it is, without a receive; `delivery.first_received_ms` is 0 if there was none yet."""

    delivery: Delivery
    state: MessageState
    due_ms: int | None = None
    """In flight and delayed: when it becomes visible."""


class VisibilityChange(msgspec.Struct, frozen=True):
    receipt: Receipt
    timeout_ms: int


class Outcome(enum.Enum):
    """What became of one receipt in delete and set_visibility."""

    DONE = "done"
    GONE = "gone"
    """The message is deleted, expired or moved."""
    EXPIRED = "expired"
    """FIFO: the visibility timeout of that receive has ended."""
    BEYOND_LIMIT = "beyond limit"
    """Twelve hours since the receive would be exceeded."""


class MoveStatus(enum.StrEnum):
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    CANCELLING = "CANCELLING"
    CANCELLED = "CANCELLED"
    FAILED = "FAILED"


class Started(enum.Enum):
    """What StartMessageMoveTask came to."""

    STARTED = "started"
    ALREADY_RUNNING = "already running"
    TOO_MANY = "too many"


class MoveTask(msgspec.Struct, frozen=True, kw_only=True):
    """A DLQ redrive, running or ended."""

    task_id: str
    source_arn: str
    destination_arn: str | None
    """None: each message goes back to the queue it came from."""
    max_per_second: int | None
    status: MoveStatus = MoveStatus.RUNNING
    moved: int = 0
    to_move: int = 0
    """How many messages the source had at the start."""
    failure_reason: str | None = None
    started_ms: int


class Moved(msgspec.Struct, frozen=True):
    """One message that a move task moved: a new one in its target."""

    message_id: str
    new_message_id: str
    source_queue_id: int
    target_queue_id: int


class MoveStep(msgspec.Struct, frozen=True):
    """What one step of a move task did."""

    task: MoveTask
    received: dict[int, int] = {}
    """How many messages each queue got, by queue id."""
    moved: tuple[Moved, ...] = ()


class Counts(msgspec.Struct, frozen=True):
    visible: int
    in_flight: int
    delayed: int


class Created(enum.Enum):
    """What CreateQueue found."""

    NEW = "new"
    EXISTING = "existing"
    DELETED_RECENTLY = "deleted recently"


PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "us-iso-": "aws-iso", "us-isob-": "aws-iso-b"}


def arn_of(key: QueueKey) -> str:
    partition = next((name for start, name in PARTITIONS.items() if key.region.startswith(start)), "aws")
    return f"arn:{partition}:sqs:{key.region}:{key.account}:{key.name}"


def key_of_arn(arn: str) -> QueueKey | None:
    """The queue an ARN names, or None if the text is no ARN of an SQS queue."""
    parts = arn.split(":")
    if len(parts) != 6 or parts[0] != "arn" or parts[2] != "sqs" or not all(parts):
        return None
    return QueueKey(parts[4], parts[3], parts[5])
