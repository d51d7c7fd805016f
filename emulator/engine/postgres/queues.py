"""Work on queues. Whoever empties or changes one holds its lock alone."""

from collections.abc import Callable

import msgspec

from emulator.domain.activity import MINUTE_MS
from emulator.domain.model import Created, Queue, QueueKey, key_of_arn
from emulator.engine.postgres import settling
from emulator.engine.postgres.rows import dead_letter_arn, move_task_of, queue_of, text_of
from emulator.engine.postgres.work import Work, lock_of
from emulator.engine.state.message import DELAYED
from emulator.engine.state.state import is_of
from emulator.errors import QueueDoesNotExist


async def find(work: Work, key: QueueKey) -> Queue | None:
    row = await work.one("find_queue", *key)
    return None if row is None else queue_of(row)


async def require(work: Work, queue_id: int) -> Queue:
    """Raises QueueDoesNotExist."""
    row = await work.one("find_queue_by_id", queue_id)
    if row is None:
        raise QueueDoesNotExist
    return queue_of(row)


async def create(
    work: Work,
    key: QueueKey,
    attributes: dict[str, str],
    tags: dict[str, str],
    now_ms: int,
    name_lock_ms: int,
) -> tuple[Created, Queue | None]:
    existing = await find(work, key)
    if existing is not None:
        return Created.EXISTING, existing
    deleted = await work.one("deleted_at", *key)
    if deleted is not None and now_ms < deleted[0] + name_lock_ms:
        return Created.DELETED_RECENTLY, None
    await work.all("forget_deleted", *key)
    row = await work.one(
        "insert_queue",
        *key,
        now_ms,
        text_of(attributes),
        text_of(tags),
        attributes.get("DeduplicationScope"),
        dead_letter_arn(attributes),
        now_ms - now_ms % MINUTE_MS,
    )
    queue = await find(work, key)
    return (Created.EXISTING if row is None else Created.NEW), queue


async def update(work: Work, queue_id: int, change: Callable[[Queue], Queue]) -> Queue:
    """Raises QueueDoesNotExist, and what `change` raises."""
    before = await require(work, queue_id)
    queue = change(before)
    # A longer period must not bring back what is gone.
    await settling.settle(work, before, queue.modified_ms)
    await _store(work, queue)
    if queue.is_fifo and queue.delay_s != before.delay_s:
        await _reschedule(work, queue)
    return queue


async def _store(work: Work, queue: Queue) -> None:
    await work.all(
        "update_queue",
        queue.id,
        queue.modified_ms,
        queue.purged_ms,
        text_of(queue.attributes),
        text_of(queue.tags),
        dead_letter_arn(queue.attributes),
    )


async def _reschedule(work: Work, queue: Queue) -> None:
    """A FIFO queue's new delay holds for messages that are delayed already (spec 3.8)."""
    rows = await work.all("delayed_messages", queue.id)
    if rows:
        seqs = [row[0] for row in rows]
        due_ms = [row[1] + queue.delay_s * 1000 for row in rows]
        await work.all("set_due", queue.id, seqs, [DELAYED] * len(rows), due_ms, None)
        await work.all("refresh_groups", queue.id, list({row[2] for row in rows}))


async def delete(work: Work, queue_id: int, now_ms: int) -> QueueKey:
    """Raises QueueDoesNotExist."""
    queue = await require(work, queue_id)
    await _remove(work, queue_id)
    await work.all("remember_deleted", *queue.key, now_ms)
    return queue.key


async def remove_orphans(work: Work) -> None:
    """What messages left behind that were sent at the very moment at which their queue was deleted."""
    for (queue_id,) in await work.all("orphans"):
        await _remove(work, queue_id)


async def _remove(work: Work, queue_id: int) -> None:
    await _empty(work, queue_id)
    await work.all("delete_minutes_of", queue_id)
    await work.all("delete_tallies_of", queue_id)
    await work.all("delete_queue", queue_id)


async def _empty(work: Work, queue_id: int) -> None:
    for what in ("messages", "groups", "seen", "attempts"):
        await work.all(f"delete_{what}_of", queue_id)
    await work.all("empty_tallies_of", queue_id)


async def purge(work: Work, queue_id: int, now_ms: int, lock_ms: int) -> bool:
    """False: purged less than lock_ms ago. Raises QueueDoesNotExist."""
    queue = await require(work, queue_id)
    if queue.purged_ms is not None and now_ms < queue.purged_ms + lock_ms:
        return False
    await _empty(work, queue_id)
    await _store(work, msgspec.structs.replace(queue, purged_ms=now_ms))
    return True


async def reset_queue(work: Work, queue_id: int) -> None:
    """As if it were created in the minute that runs. Raises QueueDoesNotExist."""
    queue = await require(work, queue_id)
    row = await work.one("running_minute", queue_id)
    await _empty(work, queue_id)
    await work.all("delete_minutes_of", queue_id)
    await work.all("delete_tallies_of", queue_id)
    await work.all("set_minute", queue_id, row[0] if row else 0, True)
    await _store(work, msgspec.structs.replace(queue, purged_ms=None))


async def reset(work: Work, account: str | None, region: str | None) -> list[int]:
    gone = [queue_of(row).id for row in await work.all("all_queues", account, region)]
    if account is None and region is None:
        await work.all("forget_everything")
        return gone
    for queue_id in gone:
        await work.all("lock", lock_of(queue_id))
        await _remove(work, queue_id)
    await work.all("forget_deleted_names", account, region)
    await work.all("forget_alarms", account, region)
    tasks = [move_task_of(row) for row in await work.all("all_move_tasks")]
    sources = [(task.task_id, key_of_arn(task.source_arn)) for task in tasks]
    forgotten = [task_id for task_id, key in sources if key is not None and is_of(key, account, region)]
    await work.all("delete_move_tasks", forgotten)
    return gone
