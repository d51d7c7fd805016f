"""The life of a message as its page tells it: one step for each event of the journal."""

from collections.abc import Callable, Sequence

import msgspec

from emulator.domain.model import QueueKey
from emulator.journal import Event, EventKind
from emulator.traffic import Exchange, Traffic
from emulator.web.console.exchanges import Shown, shown
from emulator.web.console.formats import duration

MAX_STEPS = 200
"""The latest ones; a message that goes round and round has thousands."""
MAX_REQUESTS = 40
"""Steps that have their request with them; of further ones, only its id."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    title: str
    detail: str = ""
    at_ms: int
    since_ms: int | None
    """After the step before; None for the first one shown."""
    number: int
    place: QueueKey | None
    """The queue it happened in."""
    target: QueueKey | None = None
    """Where the message went."""
    request_id: str | None
    caller: str = ""
    exchange: Exchange | None = None
    """The request, if it is still kept."""
    shown: Shown | None = None

    @property
    def since(self) -> str:
        """How long after the step before; empty for the first."""
        if self.since_ms is None:
            return ""
        if self.since_ms == 0:
            return "at the same moment"
        text = f"{self.since_ms} ms" if 0 <= self.since_ms < 1000 else duration(abs(self.since_ms) / 1000)
        return f"{text} {'later' if self.since_ms > 0 else 'earlier'}"


class Life(msgspec.Struct, frozen=True):
    steps: list[Step]
    left_out: int
    """Earlier ones, which are not shown."""


def life_of(events: Sequence[Event], traffic: Traffic) -> Life:
    kept = events[-MAX_STEPS:]
    exchanges = _exchanges(traffic, {event.request_id for event in kept if event.request_id is not None})
    steps: list[Step] = []
    for number, event in enumerate(kept):
        exchange = exchanges.get(event.request_id or "")
        is_late = number >= len(kept) - MAX_REQUESTS
        before = kept[number - 1] if number else None
        steps.append(_step(event, before, exchange, shown(exchange) if exchange and is_late else None))
    return Life(steps, len(events) - len(kept))


def _exchanges(traffic: Traffic, request_ids: set[str]) -> dict[str, Exchange]:
    found: dict[str, Exchange] = {}
    if request_ids:
        for exchange in traffic.latest(traffic.last_number):
            if exchange.request_id in request_ids:
                found.setdefault(exchange.request_id, exchange)
    return found


def _step(event: Event, before: Event | None, exchange: Exchange | None, request: Shown | None) -> Step:
    title, detail = _TEXTS[event.kind](event)
    return Step(
        kind=event.kind.value,
        title=title,
        detail=detail,
        at_ms=event.at_ms,
        since_ms=None if before is None else event.at_ms - before.at_ms,
        number=event.number,
        place=_place(event),
        target=_target(event),
        request_id=event.request_id or None,
        caller="" if event.caller is None else event.caller.sender_id,
        exchange=exchange,
        shown=request,
    )


def _place(event: Event) -> QueueKey | None:
    if event.queue is None or event.region is None:
        return None
    return QueueKey(event.account, event.region, event.queue)


def _target(event: Event) -> QueueKey | None:
    if event.details.target_queue is None:
        return None
    account, region, name = event.places[-1]
    return QueueKey(account, region or "", name or "")


def last_place(events: Sequence[Event]) -> QueueKey | None:
    """The queue that the message was in last, as far as events tell."""
    for event in reversed(events):
        place = _target(event) or _place(event)
        if place is not None:
            return place
    return None


# What happened, in words: a title, and what else there is to say


def _sent(event: Event) -> tuple[str, str]:
    delay_s = event.details.delay_s
    return "Sent", "" if not delay_s else f"delayed for {duration(delay_s)}"


def _received(event: Event) -> tuple[str, str]:
    count, timeout_s = event.details.receive_count, event.details.timeout_s
    title = "Received" if count in (None, 1) else f"Received for the {ordinal(count or 0)} time"
    if timeout_s is None:
        return title, ""
    return title, f"hidden for {duration(timeout_s)}" if timeout_s else "and visible at once"


def _visibility_changed(event: Event) -> tuple[str, str]:
    timeout_s = event.details.timeout_s
    if timeout_s == 0:
        return "Made visible again", "its visibility timeout was set to 0"
    return "Visibility timeout changed", f"hidden for {duration(timeout_s or 0)} from then on"


def _purged(event: Event) -> tuple[str, str]:
    if event.details.queue_deleted:
        return "Its queue was deleted", "with all messages"
    return "Purged", "with all messages of its queue"


def _moved(event: Event) -> tuple[str, str]:
    new_id = event.details.new_message_id
    return "Redriven", "by a move task" + (f", which gave it the id {new_id}" if new_id else "")


def _fault(event: Event) -> tuple[str, str]:
    kind, name = event.details.fault_kind or "fault", event.details.fault
    return f"Planned fault: {kind}", "" if name in (None, kind) else f"rule {name}"


_TEXTS: dict[EventKind, Callable[[Event], tuple[str, str]]] = {
    EventKind.SENT: _sent,
    EventKind.DEDUPLICATED: lambda event: ("Sent again", "taken for a duplicate, and not stored"),
    EventKind.RECEIVED: _received,
    EventKind.VISIBILITY_CHANGED: _visibility_changed,
    EventKind.RETURNED: lambda event: ("Visible again", "its visibility timeout ended"),
    EventKind.DEAD_LETTERED: lambda event: ("Dead-lettered", "received too often without being deleted"),
    EventKind.MOVED: _moved,
    EventKind.DELETED: lambda event: ("Deleted", ""),
    EventKind.EXPIRED: lambda event: ("Expired", "its retention period ended"),
    EventKind.PURGED: _purged,
    EventKind.FAULT: _fault,
}


def ordinal(number: int) -> str:
    """`2nd`, `11th`."""
    last = number % 10 if number % 100 not in (11, 12, 13) else 0
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"
