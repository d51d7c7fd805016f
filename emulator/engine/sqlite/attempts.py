"""ReceiveRequestAttemptId on FIFO queues: a receive whose answer was lost can be asked again (spec 3.11)."""

from collections.abc import Sequence

import msgspec

from emulator.domain.limits import RECEIVE_ATTEMPT_MS
from emulator.domain.model import Claim, ClaimOrder, Delivery, Queue
from emulator.engine.sqlite import fifo
from emulator.engine.sqlite.database import Database
from emulator.engine.sqlite.rows import delivery_of

_messages = msgspec.json.Decoder(list[tuple[int, int]])


def repeat(database: Database, queue: Queue, order: ClaimOrder) -> Claim | None:
    """The same messages with the same handles, hidden anew; None if this attempt id is not known."""
    database.run("forget_attempts", queue.id, order.now_ms)
    attempt = database.one("find_attempt", queue.id, order.attempt_id)
    if attempt is None:
        return None
    due_ms, messages = attempt
    rows = [
        database.one("in_flight_message", seq, queue.id, receive_count, due_ms)
        for seq, receive_count in _messages.decode(messages)
    ]
    if None in rows:
        return Claim(not_retryable=True)
    for row in rows:
        database.run("set_due", order.now_ms + order.hide_ms, row[0])
    for group_id in {row[9] for row in rows}:
        fifo.refresh_head(database, queue.id, group_id)
    deliveries = [delivery_of(row, order.now_ms) for row in rows]
    remember(database, queue, order, deliveries)
    return Claim(deliveries=tuple(deliveries))


def remember(database: Database, queue: Queue, order: ClaimOrder, deliveries: Sequence[Delivery]) -> None:
    messages = msgspec.json.encode([(one.seq, one.receive_count) for one in deliveries]).decode()
    until_ms, due_ms = order.now_ms + RECEIVE_ATTEMPT_MS, order.now_ms + order.hide_ms
    database.run("remember_attempt", queue.id, order.attempt_id, until_ms, due_ms, messages)
