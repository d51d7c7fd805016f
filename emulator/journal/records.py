"""What is written down when something happens, and what can be read from it later.

An operation leaves one `Call` for all messages of its request. It begins with the function here that makes
one `Record` for each message of it, should somebody ask before it leaves the ring.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from emulator.domain.model import (
    Accepted,
    DeadLettered,
    Delivery,
    Draft,
    Moved,
    Outcome,
    QueueKey,
    Receipt,
    VisibilityChange,
)
from emulator.journal.events import NO_DETAILS, Details, EventKind
from emulator.journal.lives import Content, content_bytes


class Record(msgspec.Struct, frozen=True, gc=False):
    """One event, before it has its number and its message."""

    kind: EventKind
    at_ms: int
    request_id: str = ""
    sender_id: str = ""
    account: str = ""
    """Of the caller; empty, as the two above, if nobody called."""
    queue: QueueKey | None = None
    seq: int | None = None
    message_id: str | None = None
    content: Content | None = None
    content_bytes: int = 0
    target: QueueKey | None = None
    details: Details = NO_DETAILS


Call = tuple[Callable[..., Iterator[Record]], int, int, *tuple[object, ...]]
"""The reader, how many events, bytes of their contents, and what the reader is given. A plain tuple: nothing
else is made as fast."""


def sent(
    request_id: str,
    sender_id: str,
    account: str,
    queue: QueueKey,
    drafts: Sequence[Draft],
    accepted: Sequence[Accepted],
) -> Iterator[Record]:
    for draft, one in zip(drafts, accepted, strict=True):
        head = (draft.sent_ms, request_id, sender_id, account, queue, one.seq, one.message_id)
        if one.duplicate:
            yield Record(EventKind.DEDUPLICATED, *head)
            continue
        delay_ms = draft.due_ms - draft.sent_ms
        details = Details(delay_s=delay_ms // 1000) if delay_ms else NO_DETAILS
        yield Record(EventKind.SENT, *head, draft, content_bytes((draft,)), details=details)


def received(
    request_id: str,
    sender_id: str,
    account: str,
    queue: QueueKey,
    deliveries: Sequence[Delivery],
    now_ms: int,
    hide_ms: int,
) -> Iterator[Record]:
    head = (EventKind.RECEIVED, now_ms, request_id, sender_id, account, queue)
    for one in deliveries:
        details = Details(receive_count=one.receive_count, timeout_s=hide_ms // 1000)
        yield Record(*head, one.seq, one.message_id, one, content_bytes((one,)), details=details)


def visibility_changed(
    request_id: str,
    sender_id: str,
    account: str,
    queue: QueueKey,
    changes: Sequence[VisibilityChange],
    outcomes: Sequence[Outcome],
    now_ms: int,
) -> Iterator[Record]:
    head = (EventKind.VISIBILITY_CHANGED, now_ms, request_id, sender_id, account, queue)
    for change, outcome in zip(changes, outcomes, strict=True):
        if outcome is Outcome.DONE:
            receipt, timeout_s = change.receipt, change.timeout_ms // 1000
            details = Details(receive_count=receipt.receive_count, timeout_s=timeout_s)
            yield Record(*head, receipt.seq, details=details)


def deleted(
    request_id: str,
    sender_id: str,
    account: str,
    queue: QueueKey,
    receipts: Sequence[Receipt],
    outcomes: Sequence[Outcome],
    now_ms: int,
) -> Iterator[Record]:
    head = (EventKind.DELETED, now_ms, request_id, sender_id, account, queue)
    for receipt, outcome in zip(receipts, outcomes, strict=True):
        if outcome is Outcome.DONE:
            yield Record(*head, receipt.seq, details=Details(receive_count=receipt.receive_count))


def dead_lettered(
    request_id: str,
    sender_id: str,
    account: str,
    queue: QueueKey,
    dead: Sequence[DeadLettered],
    targets: Sequence[QueueKey | None],
    now_ms: int,
) -> Iterator[Record]:
    head = (EventKind.DEAD_LETTERED, now_ms, request_id, sender_id, account, queue)
    for one, target in zip(dead, targets, strict=True):
        yield Record(*head, message_id=one.message_id, target=target, details=_to(queue, target))


def moved(
    queue: QueueKey, moved: Sequence[Moved], targets: Sequence[QueueKey | None], now_ms: int
) -> Iterator[Record]:
    for one, target in zip(moved, targets, strict=True):
        details = _to(queue, target, one.new_message_id)
        yield Record(
            EventKind.MOVED, now_ms, queue=queue, message_id=one.message_id, target=target, details=details
        )


def one(record: Record) -> Iterator[Record]:
    """Of what happens seldom, the record itself is written down."""
    yield record


def _to(queue: QueueKey, target: QueueKey | None, new_message_id: str | None = None) -> Details:
    if target is None:  # the queue was deleted meanwhile
        return Details(new_message_id=new_message_id)
    return Details(
        target_queue=target.name,
        target_account=None if target.account == queue.account else target.account,
        target_region=None if target.region == queue.region else target.region,
        new_message_id=new_message_id,
    )
