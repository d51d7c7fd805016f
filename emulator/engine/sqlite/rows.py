"""From rows to the state, and from changes of the state to rows."""

from collections.abc import Iterable
from typing import Any

import msgspec

from emulator.domain.activity import Minute
from emulator.domain.alarms import Alarm
from emulator.domain.model import MessageAttributes, MoveStatus, MoveTask, Queue, QueueKey
from emulator.engine.sqlite.database import Database
from emulator.engine.state.changes import Attempt, Changes, Recorder, Seen
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.message import DELAYED, IN_FLIGHT, Message
from emulator.engine.state.state import State

_attributes = msgspec.json.Decoder(MessageAttributes)
_texts = msgspec.json.Decoder(dict[str, str])
_received = msgspec.json.Decoder(tuple[tuple[int, int], ...])
_minute = msgspec.json.Decoder(Minute)
_alarm = msgspec.json.Decoder(Alarm)
_encoder = msgspec.json.Encoder()


def read_state(database: Database, recorder: Recorder) -> State:
    """`recorder`: what records the changes to come."""
    next_seq, last_queue_id = database.one("meta", "next_seq"), database.one("last_queue_id")
    state = State(
        recorder,
        next_seq=next_seq[0] if next_seq else 1,
        next_queue_id=last_queue_id[0] + 1 if last_queue_id else 1,
    )
    for row in database.run("all_queues"):
        state.add(_queue_of(row), grouped=bool(row[10]))
    for account, region, name, deleted_ms in database.run("all_deleted_names"):
        state.deleted_ms[QueueKey(account, region, name)] = deleted_ms
    for row in database.run("all_messages"):
        state.backlogs[row[0]].enlist(_message_of(row))
    for queue_id, key, message_id, seq, until_ms in database.run("all_seen"):
        _fifo(state, queue_id).deduplication.restore(key, Seen(message_id, seq, until_ms))
    for queue_id, attempt_id, until_ms, due_ms, received in database.run("all_attempts"):
        _read_attempt(
            _fifo(state, queue_id), attempt_id, Attempt(until_ms, due_ms, _received.decode(received))
        )
    for row in database.run("all_move_tasks"):
        state.move_tasks[row[0]] = _move_task_of(row)
    for queue_id, minute in database.run("all_minutes"):
        state.backlogs[queue_id].diary.restore(_minute.decode(minute))
    for (text,) in database.run("all_alarms"):
        alarm = _alarm.decode(text)
        state.alarms[alarm.account, alarm.region, alarm.name] = alarm
    return state


def write(database: Database, changes: Changes) -> None:
    """To be called in a transaction."""
    if changes.everything_gone:
        for what in (
            "queues",
            "deleted_names",
            "messages",
            "seen",
            "attempts",
            "move_tasks",
            "minutes",
            "alarms",
        ):
            database.run(f"forget_{what}")
    _write_meta(database, changes)
    _write_queues(database, changes)
    database.many("delete_message", [(seq,) for seq in changes.gone])
    database.many("insert_message", [_message_row(message) for message in changes.added.values()])
    database.many(
        "update_message",
        [
            (one.due_ms, one.place, one.first_received_ms, one.received_ms, one.receive_count, one.seq)
            for one in changes.changed.values()
        ],
    )
    _put_or_delete(database, "seen", changes.seen_keys.items(), msgspec.structs.astuple)
    _put_or_delete(database, "attempt", changes.attempts.items(), _attempt_row)
    database.many("delete_minutes_of", [(queue_id,) for queue_id in changes.minutes_gone_of])
    _put_or_delete(database, "minute", changes.minutes.items(), _json_row)
    _put_or_delete(database, "alarm", changes.alarms.items(), _json_row)
    for task_id, task in changes.move_tasks.items():
        if task is None:
            database.run("delete_move_task", task_id)
        else:
            database.run("put_move_task", *_move_task_row(task))


def _write_queues(database: Database, changes: Changes) -> None:
    for queue_id in changes.emptied_queues:
        for what in ("messages", "seen", "attempts"):
            database.run(f"delete_{what}_of", queue_id)
    for queue_id, queue in changes.queues.items():
        if queue is None:
            database.run("delete_queue", queue_id)
    for queue in changes.queues.values():
        if queue is not None:
            database.run("put_queue", *_queue_row(queue))
    database.many("set_grouped", [(queue_id,) for queue_id in changes.grouped_queues])
    for key, deleted_ms in changes.deleted_names.items():
        if deleted_ms is None:
            database.run("forget_deleted_name", *key)
        else:
            database.run("put_deleted_name", *key, deleted_ms)


def _write_meta(database: Database, changes: Changes) -> None:
    if changes.next_seq is not None:
        database.run("set_meta", "next_seq", changes.next_seq)
    if changes.next_queue_id is not None:  # before the queues, which raise it
        database.run("forget_last_queue_id")
        database.run("set_last_queue_id", changes.next_queue_id - 1)
    if changes.handle_key is not None:
        database.run("set_meta", "handle_key", changes.handle_key)


def _put_or_delete(database: Database, what: str, values: Iterable[tuple[Any, Any]], row_of: Any) -> None:
    database.many(f"delete_{what}", [key for key, value in values if value is None])
    database.many(f"put_{what}", [(*key, *row_of(value)) for key, value in values if value is not None])


def _queue_of(row: Any) -> Queue:
    return Queue(
        id=row[0],
        key=QueueKey(row[1], row[2], row[3]),
        created_ms=row[4],
        modified_ms=row[5],
        purged_ms=row[6],
        attributes=_texts.decode(row[7]),
        tags=_texts.decode(row[8]),
        deduplication_scope=row[9],
    )


def _queue_row(queue: Queue) -> tuple[Any, ...]:
    return (
        queue.id,
        *queue.key,
        queue.created_ms,
        queue.modified_ms,
        queue.purged_ms,
        _encoder.encode(queue.attributes).decode(),
        _encoder.encode(queue.tags).decode(),
        queue.deduplication_scope,
    )


def _message_of(row: Any) -> Message:
    """Hidden if it has a time to wait for: the first look at the clock shows what has waited enough."""
    message = Message(*row)
    if row[4] is not None:
        message.attributes = _attributes.decode(row[4])
    if message.due_ms:
        message.hidden = IN_FLIGHT if message.receive_count else DELAYED
    return message


def _message_row(message: Message) -> tuple[Any, ...]:
    return (
        message.queue_id,
        message.seq,
        message.message_id,
        message.body,
        _encoder.encode(message.attributes) if message.attributes else None,
        message.sender_id,
        message.trace_header,
        message.group_id,
        message.deduplication_id,
        message.sent_ms,
        message.due_ms,
        message.place,
        message.dead_letter_source_arn,
        message.first_received_ms,
        message.received_ms,
        message.receive_count,
        message.dead_since_ms,
    )


def _json_row(value: Minute | Alarm) -> tuple[str]:
    return (_encoder.encode(value).decode(),)


def _fifo(state: State, queue_id: int) -> FifoBacklog:
    backlog = state.backlogs[queue_id]
    assert isinstance(backlog, FifoBacklog)
    return backlog


def _read_attempt(backlog: FifoBacklog, attempt_id: str, attempt: Attempt) -> None:
    backlog.attempts.restore(attempt_id, attempt)
    for seq, receive_count in attempt.messages:
        message = backlog.messages.get(seq)
        if message is not None and message.receive_count == receive_count:
            message.attempt_id = attempt_id


def _attempt_row(attempt: Attempt) -> tuple[Any, ...]:
    return attempt.until_ms, attempt.due_ms, _encoder.encode(attempt.messages).decode()


def _move_task_of(row: Any) -> MoveTask:
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


def _move_task_row(task: MoveTask) -> tuple[Any, ...]:
    return (
        task.task_id,
        task.source_arn,
        task.destination_arn,
        task.max_per_second,
        task.status,
        task.moved,
        task.to_move,
        task.failure_reason,
        task.started_ms,
    )
