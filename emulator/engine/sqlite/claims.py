"""Handing out messages, to be run in a transaction."""

from collections.abc import Sequence
from typing import Any

from emulator.domain.model import Claim, ClaimOrder, DeadLettered, Delivery, Queue
from emulator.engine.sqlite import fifo
from emulator.engine.sqlite.database import Database
from emulator.engine.sqlite.messages import add_to_total, expire
from emulator.engine.sqlite.rows import delivery_of
from emulator.errors import QueueDoesNotExist

MAX_REDRIVE_ROUNDS = 100
"""One claim moves so many batches to the dead-letter queue at most; the next claim goes on."""


def claim(database: Database, queue: Queue, order: ClaimOrder) -> Claim:
    expire(database, queue, order.now_ms)
    row = database.one("total", queue.id)
    if row is None:
        raise QueueDoesNotExist
    if row[0] >= order.in_flight_limit and _in_flight_reaches(database, queue, order):
        return Claim(over_limit=True, next_due_ms=_next_due(database, queue, order.now_ms))
    dead: list[DeadLettered] = []
    take = _take_groups if queue.is_fifo else _take
    deliveries = take(database, queue, order, dead)
    return Claim(
        deliveries=tuple(deliveries),
        dead_lettered=tuple(dead),
        next_due_ms=None if deliveries else _next_due(database, queue, order.now_ms),
    )


def _in_flight_reaches(database: Database, queue: Queue, order: ClaimOrder) -> bool:
    arguments = (queue.id, order.now_ms, order.in_flight_limit - 1)
    return database.one("in_flight_reaches", *arguments) is not None


def _next_due(database: Database, queue: Queue, now_ms: int) -> int | None:
    row = database.one("next_open_group" if queue.is_fifo else "next_due", queue.id, now_ms)
    return None if row is None else row[0]


def _take(database: Database, queue: Queue, order: ClaimOrder, dead: list[DeadLettered]) -> list[Delivery]:
    rows = database.all("visible", queue.id, order.now_ms, order.limit)
    for _ in range(MAX_REDRIVE_ROUNDS):
        if not _dead_letter(database, queue, order, rows, dead):
            break
        rows = database.all("visible", queue.id, order.now_ms, order.limit)
    return _deliver(database, rows, order)


def _deliver(database: Database, rows: Sequence[Any], order: ClaimOrder) -> list[Delivery]:
    """Hides the messages of these rows and gives them out."""
    now_ms = order.now_ms
    for row in rows:
        database.run("hide", now_ms + order.hide_ms, now_ms, now_ms, row[0])
    return [delivery_of(row, now_ms) for row in rows]


def _dead_letter(
    database: Database, queue: Queue, order: ClaimOrder, rows: Sequence[Any], dead: list[DeadLettered]
) -> bool:
    """Moves those of the rows that were received too often. False: none were, or the target is gone."""
    redrive = order.redrive
    if redrive is None:
        return False
    spent = [row for row in rows if row[7] >= redrive.max_receive_count]
    target = redrive.dead_letter_queue_id
    if not spent or database.run("add_to_total", len(spent), target).rowcount == 0:
        return False
    add_to_total(database, queue.id, -len(spent))
    seq = database.take_seqs(len(spent))
    for row in spent:
        if queue.is_fifo:
            arguments = (target, seq, order.now_ms, queue.arn, order.now_ms, row[0])
            database.run("dead_letter_fifo", *arguments)
            database.run("add_group", target, row[9], seq, order.now_ms)
            fifo.refresh_head(database, queue.id, row[9])
        else:
            database.run("dead_letter", target, seq, order.now_ms, queue.arn, row[0])
        dead.append(DeadLettered(row[1], target))
        seq += 1
    return True


def _take_groups(
    database: Database, queue: Queue, order: ClaimOrder, dead: list[DeadLettered]
) -> list[Delivery]:
    deliveries: list[Delivery] = []
    served: set[str] = set()
    for _ in range(MAX_REDRIVE_ROUNDS):
        moved = len(dead)
        # Groups already served may be open still (VisibilityTimeout 0): look past them.
        rows = database.all("open_groups", queue.id, order.now_ms, order.limit + len(served))
        for (group_id,) in rows:
            if group_id not in served and len(deliveries) < order.limit:
                served.add(group_id)
                deliveries += _take_run(database, queue, group_id, order, order.limit - len(deliveries), dead)
        if len(dead) == moved or len(deliveries) == order.limit:
            break
    return deliveries


def _take_run(
    database: Database, queue: Queue, group_id: str, order: ClaimOrder, limit: int, dead: list[DeadLettered]
) -> list[Delivery]:
    run = fifo.visible_run(database, queue, group_id, limit, order.now_ms)
    for _ in range(MAX_REDRIVE_ROUNDS):
        if not _dead_letter(database, queue, order, run, dead):
            break
        run = fifo.visible_run(database, queue, group_id, limit, order.now_ms)
    deliveries = _deliver(database, run, order)
    if run:
        head_seq, head_visible_ms = run[0][0], order.now_ms + order.hide_ms
        database.run("set_group_head", head_seq, head_visible_ms, queue.id, group_id)
    return deliveries
