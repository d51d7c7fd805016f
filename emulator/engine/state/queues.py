"""Work on queues."""

import functools
from collections.abc import Callable

import msgspec

from emulator.domain.activity import Gauges, Minute
from emulator.domain.model import Counts, Created, Queue, QueueKey, key_of_arn
from emulator.engine.state import alarms
from emulator.engine.state.diary import turn
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.messages import expire
from emulator.engine.state.state import State, is_of


def create(
    state: State,
    key: QueueKey,
    attributes: dict[str, str],
    tags: dict[str, str],
    now_ms: int,
    name_lock_ms: int,
) -> tuple[Created, Queue | None]:
    existing = state.queues.get(key)
    if existing is not None:
        return Created.EXISTING, existing
    deleted_ms = state.deleted_ms.get(key)
    if deleted_ms is not None and now_ms < deleted_ms + name_lock_ms:
        return Created.DELETED_RECENTLY, None
    if deleted_ms is not None:
        del state.deleted_ms[key]
        state.recorder.deleted_name(key, None)
    queue = Queue(
        id=state.next_queue_id,
        key=key,
        created_ms=now_ms,
        modified_ms=now_ms,
        attributes=attributes,
        tags=tags,
        deduplication_scope=attributes.get("DeduplicationScope"),
    )
    state.next_queue_id += 1
    state.add(queue)
    state.recorder.queue(queue.id, queue)
    return Created.NEW, queue


def update(state: State, queue_id: int, change: Callable[[Queue], Queue]) -> Queue:
    before = state.queue(queue_id)
    queue = change(before)
    backlog = state.backlog(queue_id)
    expire(backlog, before, queue.modified_ms)  # a longer period must not bring back what is gone
    state.queues[queue.key] = queue
    state.recorder.queue(queue_id, queue)
    if isinstance(backlog, FifoBacklog) and queue.delay_s != before.delay_s:
        backlog.reschedule(queue.delay_s * 1000)
    return queue


def delete(state: State, queue_id: int, now_ms: int) -> None:
    queue = state.queue(queue_id)
    state.backlog(queue_id).empty()
    state.remove(queue)
    state.recorder.minutes_gone(queue_id)
    state.deleted_ms[queue.key] = now_ms
    state.recorder.queue(queue_id, None)
    state.recorder.deleted_name(queue.key, now_ms)


def purge(state: State, queue_id: int, now_ms: int, lock_ms: int) -> bool:
    queue = state.queue(queue_id)
    if queue.purged_ms is not None and now_ms < queue.purged_ms + lock_ms:
        return False
    state.backlog(queue_id).empty()
    update(state, queue_id, lambda queue: msgspec.structs.replace(queue, purged_ms=now_ms))
    return True


def reset_queue(state: State, queue_id: int) -> None:
    queue = msgspec.structs.replace(state.queue(queue_id), purged_ms=None)
    backlog = state.backlog(queue_id)
    backlog.empty()
    backlog.diary.forget()
    state.queues[queue.key] = queue
    state.recorder.queue(queue_id, queue)


def reset(state: State, account: str | None, region: str | None) -> list[int]:
    gone = state.all_queues(account, region)
    for queue in gone:
        state.backlog(queue.id).empty()
        state.remove(queue)
        state.recorder.minutes_gone(queue.id)
        state.recorder.queue(queue.id, None)
    for key in [key for key in state.deleted_ms if is_of(key, account, region)]:
        del state.deleted_ms[key]
        state.recorder.deleted_name(key, None)
    for task in list(state.move_tasks.values()):
        source = key_of_arn(task.source_arn)
        if source is not None and is_of(source, account, region):
            del state.move_tasks[task.task_id]
            state.recorder.move_task(task.task_id, None)
    alarms.delete(
        state, [key for key in state.alarms if account in (None, key[0]) and region in (None, key[1])]
    )
    if account is None and region is None:
        state.recorder.all_gone()  # a file forgets everything at once faster than queue by queue
    return [queue.id for queue in gone]


def gauges(state: State, queue: Queue, now_ms: int) -> Gauges:
    backlog = state.backlog(queue.id)
    turn(backlog, queue, now_ms)
    expire(backlog, queue, now_ms)
    return backlog.gauges(now_ms)


def history(state: State, queue: Queue, from_ms: int, now_ms: int) -> list[Minute]:
    found = gauges(state, queue, now_ms)
    return state.backlog(queue.id).diary.since(from_ms, found)


def dead_letter_sources(state: State, arn: str, after: str, limit: int) -> list[QueueKey]:
    sources = [
        queue.key
        for queue in state.queues.values()
        if queue.key.name > after and _dead_letter_arn(queue.attributes.get("RedrivePolicy")) == arn
    ]
    return sorted(sources, key=lambda key: key.name)[:limit]


def touch(state: State, queue: Queue, now_ms: int) -> int | None:
    backlog = state.backlog(queue.id)
    expire(backlog, queue, now_ms)
    return backlog.next_due_ms()


def counts(state: State, queue: Queue, now_ms: int) -> Counts:
    backlog = state.backlog(queue.id)
    expire(backlog, queue, now_ms)
    return Counts(visible=backlog.visible, in_flight=backlog.in_flight, delayed=backlog.delayed)


@functools.lru_cache(maxsize=4096)
def _dead_letter_arn(redrive_policy: str | None) -> str | None:
    if redrive_policy is None:
        return None
    arn: str = msgspec.json.decode(redrive_policy)["deadLetterTargetArn"]
    return arn
