"""Handing out messages, to be run in a transaction."""

from collections.abc import Sequence
from typing import Any

from emulator.domain.model import Claim, ClaimOrder, DeadLettered, Delivery, Queue
from emulator.engine.sqlite import attempts, fair, fifo
from emulator.engine.sqlite.database import Database
from emulator.engine.sqlite.messages import add_to_total, expire
from emulator.engine.sqlite.rows import delivery_of
from emulator.errors import QueueDoesNotExist

MAX_REDRIVE_ROUNDS = 100
"""One claim moves so many batches to the dead-letter queue at most; the next claim goes on."""
REVEAL_SLICE = 1_000
TO_THE_BACK = 3
"""A message of a standard queue received so often goes to the back (documented, spec 3.7)."""


def claim(database: Database, queue: Queue, order: ClaimOrder) -> Claim:
    expire(database, queue, order.now_ms)
    standing = database.one("standing", queue.id)
    if standing is None:
        raise QueueDoesNotExist
    if order.attempt_id is not None and (repeated := attempts.repeat(database, queue, order)) is not None:
        return repeated
    total, grouped = standing
    if total >= order.in_flight_limit and _in_flight_reaches(database, queue, order):
        return Claim(over_limit=True, next_due_ms=_next_due(database, queue, order.now_ms))
    dead: list[DeadLettered] = []
    if queue.is_fifo:
        deliveries = _take_groups(database, queue, order, dead)
    else:
        deliveries = _take(database, queue, order, dead, is_fair=bool(grouped))
    if order.attempt_id is not None and deliveries:
        attempts.remember(database, queue, order, deliveries)
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


def _take(
    database: Database, queue: Queue, order: ClaimOrder, dead: list[DeadLettered], *, is_fair: bool
) -> list[Delivery]:
    database.run("reveal", queue.id, order.now_ms, REVEAL_SLICE)
    rows = _visible(database, queue, order, is_fair)
    for _ in range(MAX_REDRIVE_ROUNDS):
        if not _dead_letter(database, queue, order, rows, dead):
            break
        rows = _visible(database, queue, order, is_fair)
    due_ms = order.now_ms + order.hide_ms if order.hide_ms else 0
    for row in rows:
        place = database.take_seqs(1) if row[7] + 1 >= TO_THE_BACK else None
        database.run("hide", due_ms, order.now_ms, order.now_ms, place, row[0])
    return [delivery_of(row, order.now_ms) for row in rows]


def _visible(database: Database, queue: Queue, order: ClaimOrder, is_fair: bool) -> list[Any]:
    if is_fair:
        return fair.visible(database, queue, order)
    return database.all("visible", queue.id, order.limit)


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
            database.run("dead_letter", target, seq, seq, queue.arn, row[0])
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
                room = order.limit - len(deliveries)
                deliveries += _take_run(database, queue, group_id, order, room, dead)
        if len(dead) == moved or len(deliveries) == order.limit:
            break
    return deliveries


def _take_run(
    database: Database,
    queue: Queue,
    group_id: str,
    order: ClaimOrder,
    limit: int,
    dead: list[DeadLettered],
) -> list[Delivery]:
    run = fifo.visible_run(database, queue, group_id, limit, order.now_ms)
    for _ in range(MAX_REDRIVE_ROUNDS):
        if not _dead_letter(database, queue, order, run, dead):
            break
        run = fifo.visible_run(database, queue, group_id, limit, order.now_ms)
    due_ms = order.now_ms + order.hide_ms
    for row in run:
        database.run("hide", due_ms, order.now_ms, order.now_ms, None, row[0])
    if run:
        database.run("set_group_head", run[0][0], due_ms, queue.id, group_id)
    return [delivery_of(row, order.now_ms) for row in run]
