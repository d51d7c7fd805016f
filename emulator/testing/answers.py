"""What the kit's API answers, typed. Times are milliseconds since the epoch, by the clock of the account."""

from typing import Any

import msgspec

from emulator.domain.model import MessageAttributes, MessageState


class ClockReading(msgspec.Struct, frozen=True, kw_only=True):
    now_ms: int
    now: str
    """The same moment in ISO 8601, UTC."""
    frozen: bool
    speed: float
    real: bool
    """It shows the system's time, exactly."""
    account: str | None = None
    """Whose own clock it is; None for the server's."""


class QueueInfo(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    account: str
    region: str
    url: str
    fifo: bool
    visible: int
    in_flight: int
    delayed: int
    attributes: dict[str, str] = {}
    tags: dict[str, str] = {}
    created_ms: int = 0

    @property
    def arn(self) -> str:
        return self.attributes["QueueArn"]


class PeekedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message as it stands in its queue."""

    message_id: str
    body: str
    state: MessageState
    due_ms: int | None = None
    """When a hidden message becomes visible."""
    seconds_left: float | None = None
    """Until then, by the clock of the account."""
    receive_count: int
    sent_ms: int
    first_received_ms: int | None = None
    sender_id: str = ""
    attributes: MessageAttributes = {}
    group_id: str | None = None
    deduplication_id: str | None = None
    sequence_number: str | None = None
    dead_letter_source_arn: str | None = None
    trace_header: str | None = None


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    account: str
    sender_id: str


class Details(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What only some kinds of events have."""

    delay_s: int | None = None
    receive_count: int | None = None
    timeout_s: int | None = None
    target_queue: str | None = None
    target_account: str | None = None
    target_region: str | None = None
    new_message_id: str | None = None
    queue_deleted: bool = False
    fault: str | None = None
    fault_kind: str | None = None


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened to a message, or to a whole queue."""

    number: int
    kind: str
    at_ms: int
    account: str
    region: str | None = None
    queue: str | None = None
    message_id: str | None = None
    request_id: str | None = None
    """None: no request did it, but time or a move task."""
    caller: Caller | None = None
    details: Details = Details()


class MessageHistory(msgspec.Struct, frozen=True, kw_only=True):
    """One message through dead-letter queues and moves, as far as the journal goes back."""

    message_id: str
    body: str | None = None
    attributes: MessageAttributes = {}
    group_id: str | None = None
    deduplication_id: str | None = None
    trace_header: str | None = None
    sender_id: str | None = None
    events: list[Event] = []

    @property
    def kinds(self) -> list[str]:
        """What happened, in short: `["sent", "received", "deleted"]`."""
        return [event.kind for event in self.events]


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A planned fault, and how often it met a call (or message) that it is for, and acted."""

    name: str
    kind: str
    rule: dict[str, Any] = {}
    """As it was planned."""
    matched: int = 0
    acted: int = 0
