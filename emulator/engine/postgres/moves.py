"""Move tasks: messages leave a dead-letter queue (spec 3.12)."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from emulator.domain.limits import MAX_ACTIVE_MOVE_TASKS, MAX_MOVE_TASKS_LISTED
from emulator.domain.model import Moved, MoveStatus, MoveStep, MoveTask, Queue, Started, key_of_arn
from emulator.engine.postgres import fair, fifo, gauging, queues, settling
from emulator.engine.postgres.rows import message_of, move_task_of
from emulator.engine.postgres.work import TASKS_LOCK, Work, lock_of
from emulator.engine.state.message import Message
from emulator.engine.state.moves import NO_QUEUE, NO_SOURCE

LEASE_S: Final = 6
"""After so many seconds without a step or a renewal another node may take a task over."""


class _Failed(Exception):
    """The task cannot go on; the text is its FailureReason."""


async def start(work: Work, task: MoveTask, now_ms: int, node: str) -> Started:
    await work.all("lock", TASKS_LOCK)  # one at a time, on all nodes
    running = [move_task_of(row) for row in await work.all("active_move_tasks")]
    if any(other.source_arn == task.source_arn for other in running):
        return Started.ALREADY_RUNNING
    account = task.source_arn.split(":")[4]
    if sum(other.source_arn.split(":")[4] == account for other in running) >= MAX_ACTIVE_MOVE_TASKS:
        return Started.TOO_MANY
    source = await find_by_arn(work, task.source_arn)
    to_move = 0
    if source is not None:
        await settling.require_settled(work, source, now_ms)
        to_move = (await gauging.counts(work, source.id)).visible
    await work.all(
        "insert_move_task",
        task.task_id,
        task.source_arn,
        task.destination_arn,
        task.max_per_second,
        task.status,
        to_move,
        task.started_ms,
        node,
        LEASE_S,
    )
    await work.all("forget_old_move_tasks", task.source_arn, MAX_MOVE_TASKS_LISTED)
    return Started.STARTED


async def cancel(work: Work, task_id: str, source_arn: str) -> MoveTask | None:
    task = await _task(work, task_id)
    if task is None or task.source_arn != source_arn or task.status is not MoveStatus.RUNNING:
        return None
    return await _store(work, msgspec.structs.replace(task, status=MoveStatus.CANCELLING))


async def adopt(work: Work, node: str) -> list[MoveTask]:
    """Active tasks that this node drives from now on, for LEASE_S; the oldest first."""
    rows = await work.all("adopt_move_tasks", node, LEASE_S)
    return [move_task_of(row) for row in sorted(rows, key=lambda row: row["number"])]


async def step(
    work: Work, task_id: str, message_ids: Sequence[str], now_ms: int, node: str
) -> MoveStep | None:
    task = await _task(work, task_id)
    if task is None:
        return None
    if task.status is MoveStatus.CANCELLING:
        return MoveStep(await _store(work, msgspec.structs.replace(task, status=MoveStatus.CANCELLED)))
    if task.status is not MoveStatus.RUNNING:
        return MoveStep(task)
    if await work.one("lease_move_task", task_id, node, LEASE_S) is None:
        return None
    moved: list[Moved] = []
    status, reason = MoveStatus.RUNNING, None
    try:
        if not await _move_oldest(work, task, message_ids, now_ms, moved):
            status = MoveStatus.COMPLETED
    except _Failed as failure:
        status, reason = MoveStatus.FAILED, str(failure)
    task = msgspec.structs.replace(task, status=status, moved=task.moved + len(moved), failure_reason=reason)
    received = Counter(one.target_queue_id for one in moved)
    work.notices.update(received)
    return MoveStep(await _store(work, task), dict(received), tuple(moved))


async def _move_oldest(
    work: Work, task: MoveTask, message_ids: Sequence[str], now_ms: int, moved: list[Moved]
) -> bool:
    """Moves one message for each id. False: there were fewer."""
    source = await find_by_arn(work, task.source_arn)
    if source is None:
        raise _Failed(NO_QUEUE)
    await settling.require_settled(work, source, now_ms)
    if source.is_fifo:
        found = await _oldest_of_groups(work, source, now_ms, len(message_ids))
    else:
        rows = await work.all("visible", source.id, 0, len(message_ids))
        found = [message_of(row) for row in rows]
    pairs = list(zip(found, message_ids, strict=False))
    known: dict[str, Queue] = {}
    while pairs:  # messages that go to the same queue together
        target = await _destination(work, task, pairs[0][0], known)
        count = 1
        while count < len(pairs) and await _leads_to(work, task, pairs[count][0], known, target):
            count += 1
        await _move(work, source, target, pairs[:count], now_ms)
        moved += [
            Moved(message.message_id, message_id, source.id, target.id)
            for message, message_id in pairs[:count]
        ]
        pairs = pairs[count:]
    return len(found) == len(message_ids)


async def _oldest_of_groups(work: Work, source: Queue, now_ms: int, limit: int) -> list[Message]:
    """Group by group, as a claim would take them."""
    groups = [row[0] for row in await work.all("open_groups", source.id, now_ms, limit, [])]
    found: list[Message] = []
    closed: set[str] = set()
    for row in await work.all("runs", source.id, groups, limit, 0):
        message = message_of(row)
        group_id = message.group_id or ""
        if fifo.is_hidden(message, now_ms):
            closed.add(group_id)
        if group_id not in closed and len(found) < limit:
            found.append(message)
    return found


async def _leads_to(
    work: Work, task: MoveTask, message: Message, known: dict[str, Queue], target: Queue
) -> bool:
    try:
        return (await _destination(work, task, message, known)).id == target.id
    except _Failed:
        return False  # it fails when it is its turn


async def _destination(work: Work, task: MoveTask, message: Message, known: dict[str, Queue]) -> Queue:
    arn = task.destination_arn or message.dead_letter_source_arn
    if arn is None:
        raise _Failed(NO_SOURCE)
    target = known.get(arn)
    if target is None:
        target = await find_by_arn(work, arn)
        if target is None:
            raise _Failed(NO_QUEUE)
        known[arn] = target
    return target


async def _move(
    work: Work, source: Queue, target: Queue, pairs: Sequence[tuple[Message, str]], now_ms: int
) -> None:
    groups = {message.group_id or "" for message, _ in pairs}
    new_groups = await fifo.take_groups(work, target.id, groups) if target.is_fifo else []
    await work.all(
        "move_messages",
        source.id,
        [message.seq for message, _ in pairs],
        target.id,
        await work.draw(len(pairs)),
        [message_id for _, message_id in pairs],
        now_ms,
        target.is_fifo,
    )
    if source.is_fifo:
        await work.all("refresh_groups", source.id, list(groups))
    if new_groups:
        await work.all("refresh_groups", target.id, new_groups)
    if not target.is_fifo and any(message.group_id is not None for message, _ in pairs):
        await fair.mark_grouped(work, target.id)
    work.change(source.id).messages -= len(pairs)
    work.change(target.id).messages += len(pairs)


async def find_by_arn(work: Work, arn: str) -> Queue | None:
    """From here on nobody changes or deletes it until the transaction ends."""
    key = key_of_arn(arn)
    queue = None if key is None else await queues.find(work, key)
    if queue is None:
        return None
    await work.all("lock_shared", lock_of(queue.id))
    return await queues.find(work, queue.key)


async def _task(work: Work, task_id: str) -> MoveTask | None:
    row = await work.one("move_task", task_id)
    return None if row is None else move_task_of(row)


async def _store(work: Work, task: MoveTask) -> MoveTask:
    await work.all("update_move_task", task.task_id, task.status, task.moved, task.failure_reason)
    return task
