"""Move tasks, to be run in a transaction: messages leave a dead-letter queue (spec 3.12)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from emulator.domain.limits import MAX_ACTIVE_MOVE_TASKS
from emulator.domain.model import MoveStatus, MoveStep, MoveTask, Queue, Started, key_of_arn
from emulator.engine.sqlite import fifo, queues
from emulator.engine.sqlite.claims import reveal
from emulator.engine.sqlite.database import Database
from emulator.engine.sqlite.messages import expire, mark_grouped
from emulator.engine.sqlite.rows import queue_of

NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
NO_SOURCE = "CouldNotDetermineMessageSource"


class _Failed(Exception):
    """The task cannot go on; the text is its FailureReason."""


def start(database: Database, task: MoveTask, now_ms: int) -> Started:
    if database.one("active_move_task_of", task.source_arn) is not None:
        return Started.ALREADY_RUNNING
    account = task.source_arn.split(":")[4]
    if database.one("active_move_tasks_of_account", account)[0] >= MAX_ACTIVE_MOVE_TASKS:
        return Started.TOO_MANY
    source = _queue(database, task.source_arn)
    to_move = 0 if source is None else queues.counts(database, source, now_ms).visible
    database.run(
        "insert_move_task",
        task.task_id,
        task.source_arn,
        task.destination_arn,
        task.max_per_second,
        task.status,
        to_move,
        task.started_ms,
    )
    database.run("forget_old_move_tasks", task.source_arn, task.source_arn)
    return Started.STARTED


def tasks(database: Database, source_arn: str, limit: int) -> list[MoveTask]:
    return [_task_of(row) for row in database.all("move_tasks", source_arn, limit)]


def active(database: Database) -> list[MoveTask]:
    return [_task_of(row) for row in database.all("active_move_tasks")]


def cancel(database: Database, task_id: str, source_arn: str) -> MoveTask | None:
    row = database.one("move_task", task_id)
    task = None if row is None else _task_of(row)
    if task is None or task.source_arn != source_arn or task.status is not MoveStatus.RUNNING:
        return None
    return _store(database, msgspec.structs.replace(task, status=MoveStatus.CANCELLING))


def step(database: Database, task_id: str, message_ids: Sequence[str], now_ms: int) -> MoveStep:
    task = _task_of(database.one("move_task", task_id))
    if task.status is MoveStatus.CANCELLING:
        return MoveStep(_store(database, msgspec.structs.replace(task, status=MoveStatus.CANCELLED)))
    if task.status is not MoveStatus.RUNNING:
        return MoveStep(task)
    source = _queue(database, task.source_arn)
    received: Counter[int] = Counter()
    status, reason = MoveStatus.RUNNING, None
    try:
        if source is None:
            raise _Failed(NO_QUEUE)
        expire(database, source, now_ms)
        rows = _oldest_visible(database, source, len(message_ids), now_ms)
        for row, message_id in zip(rows, message_ids, strict=False):
            target = _destination(database, task, row)
            _move(database, source, target, row, message_id, now_ms)
            received[target.id] += 1
        if len(rows) < len(message_ids):
            status = MoveStatus.COMPLETED
    except _Failed as failure:
        status, reason = MoveStatus.FAILED, str(failure)
    moved = task.moved + received.total()
    task = msgspec.structs.replace(task, status=status, moved=moved, failure_reason=reason)
    return MoveStep(_store(database, task), dict(received))


def _oldest_visible(database: Database, source: Queue, count: int, now_ms: int) -> list[Any]:
    if not source.is_fifo:
        reveal(database, source, now_ms)
        return database.all("visible", source.id, count)
    rows: list[Any] = []
    for (group_id,) in database.all("open_groups", source.id, now_ms, count):
        rows += fifo.visible_run(database, source, group_id, count - len(rows), now_ms)
        if len(rows) == count:
            break
    return rows


def _destination(database: Database, task: MoveTask, row: Any) -> Queue:
    arn = task.destination_arn or row[11]
    if arn is None:
        raise _Failed(NO_SOURCE)
    target = _queue(database, arn)
    if target is None:
        raise _Failed(NO_QUEUE)
    return target


def _move(database: Database, source: Queue, target: Queue, row: Any, message_id: str, now_ms: int) -> None:
    seq, group_id = database.take_seqs(1), row[9]
    due_ms = now_ms if target.is_fifo else 0
    database.run("move_message", target.id, seq, seq, message_id, now_ms, due_ms, row[0])
    database.standing(source.id).add(-1)
    database.standing(target.id).add(1)
    database.standing(target.id).got_one_sent_at(now_ms)
    if group_id is not None and not source.is_fifo:
        mark_grouped(database, target.id)
    if source.is_fifo:
        fifo.refresh_head(database, source.id, group_id)
        database.run("add_group", target.id, group_id, seq, now_ms)


def _queue(database: Database, arn: str) -> Queue | None:
    key = key_of_arn(arn)
    row = None if key is None else database.one("find_queue", *key)
    return None if row is None else queue_of(row)


def _store(database: Database, task: MoveTask) -> MoveTask:
    database.run("update_move_task", task.status, task.moved, task.failure_reason, task.task_id)
    return task


def _task_of(row: Any) -> MoveTask:
    """From move_task."""
    return MoveTask(
        task_id=row[0],
        source_arn=row[1],
        destination_arn=row[2],
        max_per_second=row[3],
        status=MoveStatus(row[4]),
        moved=row[5],
        to_move=row[6],
        failure_reason=row[7],
        started_ms=row[8],
    )
