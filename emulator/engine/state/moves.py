"""Move tasks: messages leave a dead-letter queue (spec 3.12)."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from emulator.domain.limits import MAX_ACTIVE_MOVE_TASKS, MAX_MOVE_TASKS_LISTED
from emulator.domain.model import Moved, MoveStatus, MoveStep, MoveTask, Queue, Started, key_of_arn
from emulator.engine.state import queues
from emulator.engine.state.backlog import Backlog
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.message import VISIBLE, Message
from emulator.engine.state.messages import expire
from emulator.engine.state.state import State

NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
NO_SOURCE = "CouldNotDetermineMessageSource"
_ACTIVE = (MoveStatus.RUNNING, MoveStatus.CANCELLING)


class _Failed(Exception):
    """The task cannot go on; the text is its FailureReason."""


def start(state: State, task: MoveTask, now_ms: int) -> Started:
    running = active(state)
    if any(other.source_arn == task.source_arn for other in running):
        return Started.ALREADY_RUNNING
    account = task.source_arn.split(":")[4]
    if sum(other.source_arn.split(":")[4] == account for other in running) >= MAX_ACTIVE_MOVE_TASKS:
        return Started.TOO_MANY
    source = _queue(state, task.source_arn)
    to_move = 0 if source is None else queues.counts(state, source, now_ms).visible
    _store(state, msgspec.structs.replace(task, to_move=to_move))
    for old in tasks(state, task.source_arn)[MAX_MOVE_TASKS_LISTED:]:  # the last ten are kept (spec 2.12)
        if old.status not in _ACTIVE:
            del state.move_tasks[old.task_id]
            state.recorder.move_task(old.task_id, None)
    return Started.STARTED


def tasks(state: State, source_arn: str) -> list[MoveTask]:
    """The newest first."""
    return [task for task in reversed(state.move_tasks.values()) if task.source_arn == source_arn]


def active(state: State) -> list[MoveTask]:
    return [task for task in state.move_tasks.values() if task.status in _ACTIVE]


def cancel(state: State, task_id: str, source_arn: str) -> MoveTask | None:
    task = state.move_tasks.get(task_id)
    if task is None or task.source_arn != source_arn or task.status is not MoveStatus.RUNNING:
        return None
    return _store(state, msgspec.structs.replace(task, status=MoveStatus.CANCELLING))


def step(state: State, task_id: str, message_ids: Sequence[str], now_ms: int) -> MoveStep | None:
    task = state.move_tasks.get(task_id)
    if task is None:
        return None
    if task.status is MoveStatus.CANCELLING:
        return MoveStep(_store(state, msgspec.structs.replace(task, status=MoveStatus.CANCELLED)))
    if task.status is not MoveStatus.RUNNING:
        return MoveStep(task)
    moved: list[Moved] = []
    status, reason = MoveStatus.RUNNING, None
    try:
        if not _move_oldest(state, task, message_ids, now_ms, moved):
            status = MoveStatus.COMPLETED
    except _Failed as failure:
        status, reason = MoveStatus.FAILED, str(failure)
    task = msgspec.structs.replace(task, status=status, moved=task.moved + len(moved), failure_reason=reason)
    received = Counter(one.target_queue_id for one in moved)
    return MoveStep(_store(state, task), dict(received), tuple(moved))


def _move_oldest(
    state: State, task: MoveTask, message_ids: Sequence[str], now_ms: int, moved: list[Moved]
) -> bool:
    """Moves one message for each id. False: there were fewer."""
    source = _queue(state, task.source_arn)
    if source is None:
        raise _Failed(NO_QUEUE)
    backlog = state.backlog(source.id)
    expire(backlog, source, now_ms)
    found = backlog.oldest_visible(now_ms, len(message_ids))
    for message, message_id in zip(found, message_ids, strict=False):
        target = state.backlog(_destination(state, task, message).id)
        _move(state, backlog, target, message, message_id, now_ms)
        moved.append(Moved(message.message_id, message_id, source.id, target.queue_id))
    return len(found) == len(message_ids)


def _destination(state: State, task: MoveTask, message: Message) -> Queue:
    arn = task.destination_arn or message.dead_letter_source_arn
    if arn is None:
        raise _Failed(NO_SOURCE)
    target = _queue(state, arn)
    if target is None:
        raise _Failed(NO_QUEUE)
    return target


def _move(
    state: State, source: Backlog, target: Backlog, message: Message, message_id: str, now_ms: int
) -> None:
    """A moved message is a new one: new id, new time, never received, without a source (spec 3.12)."""
    source.remove(message)
    seq = state.seqs.draw()
    target.add(
        msgspec.structs.replace(
            message,
            queue_id=target.queue_id,
            seq=seq,
            place=seq,
            message_id=message_id,
            sent_ms=now_ms,
            due_ms=now_ms if isinstance(target, FifoBacklog) else 0,
            first_received_ms=None,
            received_ms=None,
            receive_count=0,
            dead_since_ms=None,
            dead_letter_source_arn=None,
            attempt_id=None,
            hidden=VISIBLE,
        )
    )


def _queue(state: State, arn: str) -> Queue | None:
    key = key_of_arn(arn)
    return None if key is None else state.queues.get(key)


def _store(state: State, task: MoveTask) -> MoveTask:
    state.move_tasks[task.task_id] = task
    state.recorder.move_task(task.task_id, task)
    return task
