"""How answers of the kit look in a terminal."""

import base64
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from emulator.domain.model import MessageAttributes
from emulator.tables import Cell, table, terminal_width
from emulator.testing.answers import ClockReading, Event, Fault, MessageHistory, PeekedMessage, QueueInfo
from emulator.testing.sqs import Received


def moment(ms: int) -> str:
    """To the millisecond, UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S.") + f"{ms % 1000:03d}"


def duration(seconds: float) -> str:
    """In the two largest units: `12 h 5 min`, `90 s` stays below two minutes."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    for unit, size, smaller, part in (
        ("d", 86_400, "h", 3_600),
        ("h", 3_600, "min", 60),
        ("min", 60, "s", 1),
    ):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def queue_table(queues: Sequence[QueueInfo]) -> str:
    if not queues:
        return "no queues"
    rows = [(q.name, q.visible, q.in_flight, q.delayed, q.account, q.region) for q in queues]
    return table(
        ("QUEUE", "VISIBLE", "IN FLIGHT", "DELAYED", "ACCOUNT", "REGION"), rows, width=terminal_width()
    )


def message_table(messages: Sequence[PeekedMessage]) -> str:
    if not messages:
        return "no messages"
    rows: list[Sequence[Cell]] = [
        (
            m.message_id,
            m.state,
            None if m.seconds_left is None else duration(m.seconds_left),
            m.receive_count,
            moment(m.sent_ms),
            m.group_id,
            m.body,
        )
        for m in messages
    ]
    heads = ("MESSAGE ID", "STATE", "VISIBLE IN", "RECEIVED", "SENT (UTC)", "GROUP", "BODY")
    return table(heads, rows, width=terminal_width())


def received_table(messages: Sequence[Received]) -> str:
    if not messages:
        return "no messages"
    rows: list[Sequence[Cell]] = [
        (m.message_id, int(m.attributes.get("ApproximateReceiveCount", 1)), m.body) for m in messages
    ]
    return table(("MESSAGE ID", "RECEIVED", "BODY"), rows, width=terminal_width())


def event_table(events: Sequence[Event]) -> str:
    if not events:
        return "no events"
    rows: list[Sequence[Cell]] = [
        (moment(e.at_ms), e.kind, e.queue, e.message_id, _details(e)) for e in events
    ]
    return table(("TIME (UTC)", "EVENT", "QUEUE", "MESSAGE ID", "DETAILS"), rows, width=terminal_width())


def life(history: MessageHistory) -> str:
    facts: list[tuple[str, str | None]] = [
        ("message", history.message_id),
        ("group", history.group_id),
        ("attributes", _attributes(history.attributes) or None),
        ("body", history.body),
    ]
    head = table(("", ""), [fact for fact in facts if fact[1] is not None], width=terminal_width())
    rows: list[Sequence[Cell]] = [(moment(e.at_ms), e.kind, e.queue, _details(e)) for e in history.events]
    events = table(("TIME (UTC)", "EVENT", "QUEUE", "DETAILS"), rows, width=terminal_width())
    return f"{head.lstrip()}\n\n{events}"


def clock(reading: ClockReading) -> str:
    course = "frozen" if reading.frozen else "real time" if reading.real else f"running at {reading.speed:g}x"
    whose = f"account {reading.account}" if reading.account else "the server"
    return f"{moment(reading.now_ms)} UTC, {course} ({whose})"


def fault_table(faults: Sequence[Fault]) -> str:
    if not faults:
        return "no faults"
    rows: list[Sequence[Cell]] = [
        (f.name, f.kind, f.matched, f.acted, " ".join(_members(f.rule)) or None) for f in faults
    ]
    return table(("FAULT", "KIND", "MATCHED", "ACTED", "RULE"), rows, width=terminal_width())


def _members(rule: dict[str, Any]) -> Iterator[str]:
    """`queue=orders every=3`: match and when are told by their members."""
    for name, value in rule.items():
        if name in ("match", "when"):
            yield from _members(value)
        elif name == "attribute":
            yield f"{name}={'='.join(value.values())}"
        elif name not in ("name", "kind"):
            values = value if isinstance(value, list) else [value]
            yield f"{name}={','.join(f'{v:g}' if isinstance(v, float) else str(v) for v in values)}"


def count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")


def _details(event: Event) -> str | None:
    """What is not the same for all events of this kind: `receive 2, hidden for 30 s`."""
    details, parts = event.details, list[str]()
    if details.receive_count is not None:
        parts.append(f"receive {details.receive_count}")
    if details.timeout_s is not None:
        parts.append(f"hidden for {duration(details.timeout_s)}")
    if details.delay_s:
        parts.append(f"delayed by {duration(details.delay_s)}")
    if details.target_queue is not None:
        parts.append(f"to {details.target_queue}")
    if details.new_message_id is not None:
        parts.append(f"as {details.new_message_id}")
    if details.queue_deleted:
        parts.append("the queue was deleted")
    if details.fault is not None:
        parts.append(f"{details.fault} ({details.fault_kind})")
    return ", ".join(parts) or None


def _attributes(attributes: MessageAttributes) -> str:
    """Binary values in base64, as in JSON."""
    texts = {
        name: base64.b64encode(value.binary_value or b"").decode()
        if value.string_value is None
        else value.string_value
        for name, value in attributes.items()
    }
    return ", ".join(f"{name}={text}" for name, text in texts.items())
