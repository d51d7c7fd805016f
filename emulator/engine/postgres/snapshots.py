"""Everything in the database as a state, which has a format for snapshots, and back."""

from collections.abc import Sequence
from typing import Any

import msgspec

from emulator.domain.activity import MINUTE_MS
from emulator.domain.model import MoveTask, QueueKey
from emulator.engine.postgres.rows import (
    alarm_of,
    attributes_blob,
    dead_letter_arn,
    message_of,
    minute_of,
    move_task_of,
    queue_of,
    received_of,
    text_of,
)
from emulator.engine.postgres.work import Work
from emulator.engine.state.changes import Attempt, Changes, Recorder, Seen
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.message import VISIBLE, Message
from emulator.engine.state.state import State


async def read(work: Work) -> tuple[State, bytes]:
    """All that is there at one moment, and the handle key."""
    await work.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    numbers = await work.one("numbers")
    key = await work.one("handle_key")
    assert numbers is not None
    assert key is not None
    state = State(Recorder(), next_seq=numbers[0], next_queue_id=numbers[1])
    grouped = {row[0] for row in await work.all("all_grouped")}
    for row in await work.all("all_queues", None, None):
        state.add(queue_of(row), grouped=row[0] in grouped)
    for account, region, name, deleted_ms in await work.all("all_deleted_names"):
        state.deleted_ms[QueueKey(account, region, name)] = deleted_ms
    for row in await work.all("all_messages"):
        message = message_of(row)
        state.backlogs[message.queue_id].enlist(message)
    for queue_id, seen_key, message_id, seq, until_ms in await work.all("all_seen"):
        _fifo(state, queue_id).deduplication.restore(seen_key, Seen(message_id, seq, until_ms))
    for queue_id, attempt_id, until_ms, due_ms, received in await work.all("all_attempts"):
        attempt = Attempt(until_ms, due_ms, received_of(received))
        _fifo(state, queue_id).attempts.restore(attempt_id, attempt)
    for row in await work.all("all_move_tasks"):
        state.move_tasks[row[0]] = move_task_of(row)
    for queue_id, text in await work.all("all_minutes"):
        state.backlogs[queue_id].diary.restore(minute_of(text))
    for (text,) in await work.all("alarms", None, None):
        alarm = alarm_of(text)
        state.alarms[alarm.account, alarm.region, alarm.name] = alarm
    return state, key[0]


def _fifo(state: State, queue_id: int) -> FifoBacklog:
    backlog = state.backlogs[queue_id]
    assert isinstance(backlog, FifoBacklog)
    return backlog


async def write(work: Work, state: State, handle_key: bytes) -> None:
    """In place of everything. Later numbers are new to what was there and to the state."""
    await work.all("forget_everything")
    numbers = await work.one("numbers")
    assert numbers is not None
    await work.all("skip_numbers", max(state.seqs.next, numbers[0]), max(state.next_queue_id, numbers[1]))
    await work.all("set_handle_key", handle_key)
    changes = Changes()
    state.tell_all(changes)
    await _write_queues(work, state, changes)
    await _write_messages(work, state)
    await _write_memory(work, changes)
    tasks = [msgspec.structs.astuple(task) for task in changes.move_tasks.values() if task]
    await _copy(work, "move_task", MoveTask.__struct_fields__, tasks)
    minutes = [(queue_id, start_ms, text_of(one)) for (queue_id, start_ms), one in changes.minutes.items()]
    await _copy(work, "minute", ("queue_id", "start_ms", "minute"), minutes)
    alarms = [(*key, text_of(alarm)) for key, alarm in changes.alarms.items()]
    await _copy(work, "alarm", ("account", "region", "name", "alarm"), alarms)


async def _write_memory(work: Work, changes: Changes) -> None:
    """What deduplication and attempts remember."""
    seen = [
        (*of, one.message_id, one.seq, one.until_ms)
        for of, one in changes.seen_keys.items()
        if one is not None
    ]
    await _copy(
        work, "deduplication", ("queue_id", "deduplication_key", "message_id", "seq", "until_ms"), seen
    )
    attempts = [
        (*of, one.until_ms, one.due_ms, text_of(one.messages))
        for of, one in changes.attempts.items()
        if one is not None
    ]
    await _copy(
        work, "receive_attempt", ("queue_id", "attempt_id", "until_ms", "due_ms", "messages"), attempts
    )


async def _write_queues(work: Work, state: State, changes: Changes) -> None:
    last_ms = dict(sorted(changes.minutes))
    rows = [
        (
            queue.id,
            *queue.key,
            queue.created_ms,
            queue.modified_ms,
            queue.purged_ms,
            text_of(queue.attributes),
            text_of(queue.tags),
            queue.deduplication_scope,
            queue.id in changes.grouped_queues,
            dead_letter_arn(queue.attributes),
            last_ms.get(queue.id, queue.created_ms - queue.created_ms % MINUTE_MS),
            queue.id not in last_ms,
        )
        for queue in state.queues.values()
    ]
    await _copy(work, "queue", _QUEUE_COLUMNS, rows)
    deleted = [(*key, deleted_ms) for key, deleted_ms in changes.deleted_names.items()]
    await _copy(work, "deleted_queue", ("account", "region", "name", "deleted_ms"), deleted)


async def _write_messages(work: Work, state: State) -> None:
    columns = (*_MESSAGE_COLUMNS, "hidden", "attempt_id", "sequenced")
    for queue_id, backlog in state.backlogs.items():
        is_fifo = isinstance(backlog, FifoBacklog)
        rows = [_message_row(message, is_fifo) for message in backlog.messages.values()]
        await _copy(work, "message", columns, rows)
        if is_fifo:
            heads: dict[str, Message] = {}
            for message in backlog.messages.values():
                heads.setdefault(message.group_id or "", message)
            groups = [(queue_id, group_id, one.seq, one.due_ms) for group_id, one in heads.items()]
            await _copy(work, "message_group", ("queue_id", "group_id", "head_seq", "opens_ms"), groups)
        counts = work.change(queue_id)
        counts.messages = len(backlog.messages)
        counts.in_flight, counts.delayed = backlog.in_flight, backlog.delayed


_QUEUE_COLUMNS = (
    "id",
    "account",
    "region",
    "name",
    "created_ms",
    "modified_ms",
    "purged_ms",
    "attributes",
    "tags",
    "deduplication_scope",
    "grouped",
    "dead_letter_arn",
    "begins_ms",
    "opened",
)
_MESSAGE_COLUMNS = Message.__struct_fields__[:17]


def _message_row(message: Message, is_fifo: bool) -> tuple[Any, ...]:
    values = [getattr(message, name) for name in _MESSAGE_COLUMNS]
    values[4] = attributes_blob(message.attributes)
    if is_fifo:
        values[7] = message.group_id or ""
    elif message.hidden == VISIBLE:
        values[10] = 0
    return (*values, message.hidden, message.attempt_id, is_fifo)


async def _copy(work: Work, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        await work.connection.copy_records_to_table(table, records=rows, columns=list(columns))
