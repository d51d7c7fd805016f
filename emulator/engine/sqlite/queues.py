"""Work on queues, to be run in a transaction."""

from collections.abc import Callable

import msgspec

from emulator.domain.model import Counts, Created, Queue, QueueKey
from emulator.engine.sqlite.claims import reveal
from emulator.engine.sqlite.database import Database
from emulator.engine.sqlite.messages import expire
from emulator.engine.sqlite.rows import dead_letter_arn, queue_of, texts
from emulator.engine.sqlite.standing import Standing
from emulator.errors import QueueDoesNotExist


def require_queue(database: Database, queue_id: int) -> Queue:
    row = database.one("find_queue_by_id", queue_id)
    if row is None:
        raise QueueDoesNotExist
    return queue_of(row)


def create(
    database: Database,
    key: QueueKey,
    attributes: dict[str, str],
    tags: dict[str, str],
    now_ms: int,
    name_lock_ms: int,
) -> tuple[Created, Queue | None]:
    existing = database.one("find_queue", *key)
    if existing is not None:
        return Created.EXISTING, queue_of(existing)
    deleted = database.one("deleted_at", *key)
    if deleted is not None and now_ms < deleted[0] + name_lock_ms:
        return Created.DELETED_RECENTLY, None
    database.run("forget_deleted", *key)
    database.run(
        "insert_queue",
        *key,
        now_ms,
        now_ms,
        texts(attributes),
        texts(tags),
        dead_letter_arn(attributes),
        attributes.get("DeduplicationScope"),
    )
    queue = queue_of(database.one("find_queue", *key))
    database.standings[queue.id] = Standing(grouped=False)
    database.standings[queue.id].emptied()
    return Created.NEW, queue


def update(database: Database, queue_id: int, change: Callable[[Queue], Queue]) -> Queue:
    before = require_queue(database, queue_id)
    queue = change(before)
    if queue.retention_ms != before.retention_ms:
        expire(database, before, queue.modified_ms)  # a longer period must not bring back what is gone
    database.run(
        "update_queue",
        queue.modified_ms,
        queue.purged_ms,
        texts(queue.attributes),
        texts(queue.tags),
        dead_letter_arn(queue.attributes),
        queue_id,
    )
    if queue.is_fifo and queue.delay_s != before.delay_s:
        database.run("reschedule", queue.delay_s * 1000, queue_id, queue.modified_ms)
        database.run("reschedule_heads", queue_id)
    return queue


def delete(database: Database, queue_id: int, now_ms: int) -> QueueKey:
    queue = require_queue(database, queue_id)
    _empty(database, queue_id)
    database.run("delete_queue", queue_id)
    del database.standings[queue_id]
    database.run("remember_deleted", *queue.key, now_ms)
    return queue.key


def purge(database: Database, queue_id: int, now_ms: int, lock_ms: int) -> Queue | None:
    """The queue as it is now, or None if it was purged less than lock_ms ago."""
    queue = require_queue(database, queue_id)
    if queue.purged_ms is not None and now_ms < queue.purged_ms + lock_ms:
        return None
    _empty(database, queue_id)
    return update(database, queue_id, lambda queue: msgspec.structs.replace(queue, purged_ms=now_ms))


def _empty(database: Database, queue_id: int) -> None:
    for table in ("messages", "groups", "deduplication", "attempts"):
        database.run(f"delete_{table}_of", queue_id)
    database.standing(queue_id).emptied()


def list_names(
    database: Database, account: str, region: str, prefix: str, after: str, limit: int
) -> list[str]:
    return [row[0] for row in database.all("list_queues", account, region, prefix, prefix, after, limit)]


def dead_letter_sources(database: Database, arn: str, after: str, limit: int) -> list[QueueKey]:
    return [QueueKey(*row) for row in database.all("dead_letter_sources", arn, after, limit)]


def counts(database: Database, queue: Queue, now_ms: int) -> Counts:
    expire(database, queue, now_ms)
    if queue.is_fifo:
        in_flight, delayed = database.one("hidden_now", queue.id, now_ms)
    else:
        while reveal(database, queue, now_ms):
            pass
        in_flight, delayed = database.hidden(queue.id)
    return Counts(
        visible=database.total(queue.id) - in_flight - delayed, in_flight=in_flight, delayed=delayed
    )
