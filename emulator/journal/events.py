"""What the journal tells: events, and the history of a message."""

import enum

import msgspec

from emulator.domain.model import MessageAttributeValue


class EventKind(enum.StrEnum):
    SENT = "sent"
    DEDUPLICATED = "deduplicated"
    """FIFO: sent again within five minutes, and so not stored. The message is the original."""
    RECEIVED = "received"
    VISIBILITY_CHANGED = "visibility-changed"
    RETURNED = "returned"
    """Its visibility timeout ended."""
    DEAD_LETTERED = "dead-lettered"
    MOVED = "moved"
    """By a move task, which gives it a new id."""
    DELETED = "deleted"
    EXPIRED = "expired"
    PURGED = "purged"
    """One event for all messages that the queue had."""
    FAULT = "fault"
    """A planned fault acted."""


class Caller(msgspec.Struct, frozen=True, gc=False):
    account: str
    sender_id: str


class Details(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What only some kinds of events have."""

    delay_s: int | None = None
    """Sent: how long it is delayed, if it is."""
    receive_count: int | None = None
    """Received: the how-manieth receive it is. Deleted, visibility changed: which one the handle is from."""
    timeout_s: int | None = None
    """Received, visibility changed: how long it is hidden from that moment on."""
    target_queue: str | None = None
    """Dead-lettered, moved: where to."""
    target_account: str | None = None
    """Only where it differs from the event's own, as `target_region`."""
    target_region: str | None = None
    new_message_id: str | None = None
    queue_deleted: bool = False
    """Purged: the queue itself was deleted."""
    fault: str | None = None
    """The name of the rule."""
    fault_kind: str | None = None


NO_DETAILS = Details()


class Event(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One thing that happened. Account, region and queue are those of the message."""

    number: int
    """Grows in the order of recording. What time alone does is recorded when somebody looks at the queue,
    with the moment at which it came about."""
    kind: EventKind
    at_ms: int
    """By the clock of the account."""
    account: str
    region: str | None
    queue: str | None
    """None: a fault that met no queue."""
    message_id: str | None
    """None: the event is of a whole queue, or the journal no longer has the receive that would tell."""
    request_id: str | None
    """None: no request did it."""
    caller: Caller | None
    details: Details

    @property
    def places(self) -> tuple[tuple[str, str | None, str | None], ...]:
        """Account, region and name of the queues that it is about: its own, and where the message went."""
        own, to = (self.account, self.region, self.queue), self.details
        if to.target_queue is None:
            return (own,)
        there = (to.target_account or self.account, to.target_region or self.region, to.target_queue)
        return own, there


class MessageHistory(msgspec.Struct, frozen=True, kw_only=True):
    """One message through dead-letter queues and moves, as far as the journal goes back."""

    message_id: str
    body: str | None = None
    """None: all that told it has left the journal."""
    attributes: dict[str, MessageAttributeValue] = {}
    group_id: str | None = None
    deduplication_id: str | None = None
    trace_header: str | None = None
    sender_id: str | None = None
    events: list[Event] = []
