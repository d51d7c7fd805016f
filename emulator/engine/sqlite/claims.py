"""Handing out messages, to be run in a transaction."""

from collections.abc import Sequence
from typing import Any

import msgspec

from emulator.domain.model import Claim, ClaimOrder, DeadLettered, Delivery, Queue
from emulator.engine.sqlite import attempts, fair, fifo
from emulator.engine.sqlite.database import Database
from emulator.engine.sqlite.messages import expire, mark_grouped
from emulator.engine.sqlite.rows import delivery_of
from emulator.engine.sqlite.standing import NEVER

MAX_REDRIVE_ROUNDS = 100
"""One claim moves so many batches to the dead-letter queue at most; the next claim goes on."""
REVEAL_SLICE = 1_000
TO_THE_BACK = 3
"""A message of a standard queue received so often goes to the back (documented, spec 3.7)."""


def claim(database: Database, queue: Queue, order: ClaimOrder) -> Claim:
    expire(database, queue, order.now_ms)
    if order.attempt_id is not None and (repeated := attempts.repeat(database, queue, order)) is not None:
        return repeated
    room = _room_in_flight(database, queue, order)
    if room <= 0:
        return Claim(over_limit=True, next_due_ms=_next_due(database, queue, order.now_ms))
    if room < order.limit:
        order = msgspec.structs.replace(order, limit=room)
    dead: list[DeadLettered] = []
    if queue.is_fifo:
        deliveries = _take_groups(database, queue, order, dead)
    else:
        deliveries = _take(database, queue, order, dead)
    if order.attempt_id is not None and deliveries:
        attempts.remember(database, queue, order, deliveries)
    return Claim(
        deliveries=tuple(deliveries),
        dead_lettered=tuple(dead),
        next_due_ms=None if deliveries else _next_due(database, queue, order.now_ms),
    )


def _room_in_flight(database: Database, queue: Queue, order: ClaimOrder) -> int:
    """How many more messages may be in flight. Counts only in queues that hold enough for it to matter."""
    if database.total(queue.id) <= order.in_flight_limit - order.limit:
        return order.limit
    if not queue.is_fifo:
        while reveal(database, queue, order.now_ms):
            pass
        return order.in_flight_limit - database.hidden(queue.id)[0]
    standing = database.standing(queue.id)
    if standing.room_in_flight < order.limit:
        in_flight = database.one("in_flight", queue.id, order.now_ms, order.in_flight_limit)[0]
        standing.room_in_flight = order.in_flight_limit - in_flight
    return standing.room_in_flight


def _next_due(database: Database, queue: Queue, now_ms: int) -> int | None:
    row = database.one("next_open_group" if queue.is_fifo else "next_due", queue.id, now_ms)
    return None if row is None else row[0]


def reveal(database: Database, queue: Queue, now_ms: int) -> bool:
    """Standard queues: messages whose time has come become visible, so many at once. True: there are more."""
    standing = database.standing(queue.id)
    if now_ms < standing.hidden_until_ms:
        return False
    rows = database.all("reveal", queue.id, now_ms, REVEAL_SLICE)
    received = sum(1 for (receive_count,) in rows if receive_count)
    standing.hide(in_flight=-received, delayed=received - len(rows))
    if len(rows) == REVEAL_SLICE:
        return True
    row = database.one("next_due", queue.id, now_ms)
    standing.hidden_until_ms = NEVER if row is None else row[0]
    return False


def _take(database: Database, queue: Queue, order: ClaimOrder, dead: list[DeadLettered]) -> list[Delivery]:
    reveal(database, queue, order.now_ms)
    standing = database.standing(queue.id)
    rows = _visible(database, queue, order, standing.grouped)
    for _ in range(MAX_REDRIVE_ROUNDS):
        if not _dead_letter(database, queue, order, rows, dead):
            break
        rows = _visible(database, queue, order, standing.grouped)
    due_ms = order.now_ms + order.hide_ms if order.hide_ms else 0
    if due_ms:
        standing.hid(due_ms)
        standing.hide(in_flight=len(rows))
    for row in rows:
        database.run("hide", due_ms, order.now_ms, order.now_ms, row[0])
        if row[7] + 1 >= TO_THE_BACK:
            database.run("move_to_the_back", database.take_seqs(1), row[0])
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
    if not spent or target not in database.standings:
        return False
    database.standing(queue.id).add(-len(spent))
    database.standing(target).add(len(spent))
    seq = database.take_seqs(len(spent))
    for row in spent:
        if queue.is_fifo:
            arguments = (target, seq, order.now_ms, queue.arn, order.now_ms, row[0])
            database.run("dead_letter_fifo", *arguments)
            database.run("add_group", target, row[9], seq, order.now_ms)
            fifo.refresh_head(database, queue.id, row[9])
        else:
            database.run("dead_letter", target, seq, seq, queue.arn, row[0])
        if row[9] is not None and not queue.is_fifo:
            mark_grouped(database, target)
        database.standing(target).got_one_sent_at(order.now_ms if queue.is_fifo else row[5])
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
    database.standing(queue.id).room_in_flight -= len(run)
    for row in run:
        database.run("hide", due_ms, order.now_ms, order.now_ms, row[0])
    if run:
        database.run("set_group_head", run[0][0], due_ms, queue.id, group_id)
    return [delivery_of(row, order.now_ms) for row in run]
