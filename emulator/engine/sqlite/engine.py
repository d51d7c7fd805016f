"""The engine on SQLite: in memory, or in a file that survives kill -9 and power loss."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from emulator.domain.model import (
    Accepted,
    Claim,
    ClaimOrder,
    Counts,
    Created,
    Draft,
    MoveStep,
    MoveTask,
    Outcome,
    Queue,
    QueueKey,
    Receipt,
    Started,
    VisibilityChange,
)
from emulator.engine.sqlite import claims, messages, moves, queues
from emulator.engine.sqlite.database import Database, explain, open_file, open_memory
from emulator.engine.sqlite.rows import queue_of
from emulator.engine.sqlite.runner import FileRunner, MemoryRunner, Runner
from emulator.ids import Ids
from emulator.settings import StartError


class SqliteEngine:
    """Queues (not messages) are also kept in a dictionary: one process owns the database, and every call
    begins with finding a queue."""

    def __init__(self, runner: Runner, handle_key: bytes, found: Sequence[Queue]) -> None:
        self._runner = runner
        self.handle_key = handle_key
        self._queues = {queue.key: queue for queue in found}

    async def close(self) -> None:
        await self._runner.close()

    async def create_queue(
        self,
        key: QueueKey,
        attributes: dict[str, str],
        tags: dict[str, str],
        *,
        now_ms: int,
        name_lock_ms: int,
    ) -> tuple[Created, Queue | None]:
        created, queue = await self._runner.run(queues.create, key, attributes, tags, now_ms, name_lock_ms)
        if queue is not None:
            self._queues[key] = queue
        return created, queue

    async def find_queue(self, key: QueueKey) -> Queue | None:
        return self._queues.get(key)

    async def list_queues(
        self, account: str, region: str, *, prefix: str, after: str, limit: int
    ) -> Sequence[str]:
        return await self._runner.run(queues.list_names, account, region, prefix, after, limit)

    async def dead_letter_sources(self, arn: str, *, after: str, limit: int) -> Sequence[QueueKey]:
        return await self._runner.run(queues.dead_letter_sources, arn, after, limit)

    async def update_queue(self, queue_id: int, change: Callable[[Queue], Queue]) -> Queue:
        queue = await self._runner.run(queues.update, queue_id, change)
        self._queues[queue.key] = queue
        return queue

    async def delete_queue(self, queue_id: int, *, now_ms: int) -> None:
        key = await self._runner.run(queues.delete, queue_id, now_ms)
        self._queues.pop(key, None)

    async def purge(self, queue_id: int, *, now_ms: int, lock_ms: int) -> bool:
        queue = await self._runner.run(queues.purge, queue_id, now_ms, lock_ms)
        if queue is None:
            return False
        self._queues[queue.key] = queue
        return True

    async def append(self, queue_id: int, drafts: Sequence[Draft]) -> Sequence[Accepted]:
        # Only a FIFO queue's message takes several statements that belong together.
        run = self._runner.run if drafts[0].deduplication_key else self._runner.run_unguarded
        return await run(messages.append, queue_id, drafts)

    async def claim(self, queue: Queue, order: ClaimOrder) -> Claim:
        run = self._runner.run if queue.is_fifo or order.redrive else self._runner.run_unguarded
        return await run(claims.claim, queue, order)

    async def delete(self, queue: Queue, receipts: Sequence[Receipt], *, now_ms: int) -> Sequence[Outcome]:
        run = self._runner.run if queue.is_fifo else self._runner.run_unguarded
        return await run(messages.delete, queue, receipts, now_ms)

    async def set_visibility(
        self, queue: Queue, changes: Sequence[VisibilityChange], *, now_ms: int
    ) -> Sequence[Outcome]:
        run = self._runner.run if queue.is_fifo else self._runner.run_unguarded
        return await run(messages.set_visibility, queue, changes, now_ms)

    async def start_move_task(self, task: MoveTask, *, now_ms: int) -> Started:
        return await self._runner.run(moves.start, task, now_ms)

    async def move_tasks(self, source_arn: str, *, limit: int) -> Sequence[MoveTask]:
        return await self._runner.run(moves.tasks, source_arn, limit)

    async def active_move_tasks(self) -> Sequence[MoveTask]:
        return await self._runner.run(moves.active)

    async def cancel_move_task(self, task_id: str, source_arn: str) -> MoveTask | None:
        return await self._runner.run(moves.cancel, task_id, source_arn)

    async def move_batch(self, task_id: str, message_ids: Sequence[str], *, now_ms: int) -> MoveStep:
        return await self._runner.run(moves.step, task_id, message_ids, now_ms)

    async def counts(self, queue: Queue, *, now_ms: int) -> Counts:
        return await self._runner.run(queues.counts, queue, now_ms)


def open_sqlite(data: str | None, ids: Ids) -> SqliteEngine:
    """Opens the engine on a file, or in memory without one. Raises StartError if the file cannot be used."""
    database = open_memory() if data is None else open_file(Path(data))
    try:
        handle_key = database.prepare(ids)
        found = _all_queues(database)
    except sqlite3.Error as error:
        database.close()
        raise StartError(explain(error, Path(data or ":memory:"))) from error
    runner: Runner = MemoryRunner(database) if data is None else FileRunner(database)
    return SqliteEngine(runner, handle_key, found)


def _all_queues(database: Database) -> list[Queue]:
    return [queue_of(row) for row in database.all("all_queues")]
