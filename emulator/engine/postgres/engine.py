"""The engine of many nodes: the state is in PostgreSQL, and a node keeps nothing that another one would miss.

Requests that arrive for a queue while a transaction of their kind runs there share the next one (lanes.py).
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from emulator.clock import Adjustment
from emulator.domain.activity import EngineFigures, Gauges, Look, Minute, Tally
from emulator.domain.alarms import Alarm
from emulator.domain.model import (
    ALL_STATES,
    Accepted,
    Claim,
    ClaimOrder,
    Counts,
    Created,
    Draft,
    MessageState,
    MoveStep,
    MoveTask,
    Outcome,
    Peeked,
    Queue,
    QueueKey,
    Receipt,
    Started,
    VisibilityChange,
)
from emulator.engine.base import Listener, Witness
from emulator.engine.postgres import (
    batches,
    claims,
    clocks,
    gauging,
    looking,
    moves,
    opening,
    overview,
    queues,
    receipts,
    settling,
    snapshots,
)
from emulator.engine.postgres.database import Database
from emulator.engine.postgres.faults import LOST, explain
from emulator.engine.postgres.node import Node
from emulator.engine.postgres.notices import CLOCKS, Notices
from emulator.engine.postgres.rows import alarm_of, move_task_of, queue_of, text_of
from emulator.engine.postgres.work import Work, storable
from emulator.errors import QueueDoesNotExist, ServiceUnavailable
from emulator.ids import Ids
from emulator.settings import StartError


class PostgresEngine:
    def __init__(self, node: Node) -> None:
        self._node = node
        self._memory = node.memory

    @property
    def handle_key(self) -> bytes:
        return self._node.handle_key

    async def close(self) -> None:
        await self._node.close()

    async def create_queue(
        self,
        key: QueueKey,
        attributes: dict[str, str],
        tags: dict[str, str],
        *,
        now_ms: int,
        name_lock_ms: int,
    ) -> tuple[Created, Queue | None]:
        created, queue = await self._node.do(
            lambda work: queues.create(work, key, attributes, tags, now_ms, name_lock_ms)
        )
        if queue is not None:
            self._memory.cache(queue, -1)
        return created, queue

    async def find_queue(self, key: QueueKey) -> Queue | None:
        cached = self._memory.cached(key)
        if cached is not None:
            return cached
        age = self._memory.age
        queue = await self._node.do(lambda work: queues.find(work, key))
        if queue is not None:
            self._memory.cache(queue, age)
        return queue

    async def list_queues(
        self, account: str, region: str, *, prefix: str, after: str, limit: int
    ) -> Sequence[str]:
        return await self._node.do(lambda work: looking.names(work, account, region, prefix, after, limit))

    async def dead_letter_sources(self, arn: str, *, after: str, limit: int) -> Sequence[QueueKey]:
        return await self._node.do(lambda work: looking.dead_letter_sources(work, arn, after, limit))

    async def update_queue(self, queue_id: int, change: Callable[[Queue], Queue]) -> Queue:
        queue = await self._node.do(
            lambda work: queues.update(work, queue_id, change), exclusive=[queue_id], flush=True
        )
        await self._changed(queue_id)
        return queue

    async def delete_queue(self, queue_id: int, *, now_ms: int) -> None:
        await self._node.do(lambda work: queues.delete(work, queue_id, now_ms), exclusive=[queue_id])
        self._memory.gone(queue_id)
        await self._node.notices.tell_changed(queue_id, gone=True)

    async def purge(self, queue_id: int, *, now_ms: int, lock_ms: int) -> bool:
        done = await self._node.do(
            lambda work: queues.purge(work, queue_id, now_ms, lock_ms), exclusive=[queue_id]
        )
        await self._changed(queue_id)
        return done

    async def append(self, queue_id: int, drafts: Sequence[Draft]) -> Sequence[Accepted]:
        return await batches.append(self._node, queue_id, drafts)

    async def claim(self, queue: Queue, order: ClaimOrder) -> Claim:
        return await claims.claim(self._node, queue, order)

    async def delete(self, queue: Queue, receipts: Sequence[Receipt], *, now_ms: int) -> Sequence[Outcome]:
        return await batches.delete(self._node, queue, receipts, now_ms)

    async def set_visibility(
        self, queue: Queue, changes: Sequence[VisibilityChange], *, now_ms: int
    ) -> Sequence[Outcome]:
        return await batches.set_visibility(self._node, queue, changes, now_ms)

    async def start_move_task(self, task: MoveTask, *, now_ms: int) -> Started:
        return await self._node.do(lambda work: moves.start(work, task, now_ms, self._node.id))

    async def move_tasks(self, source_arn: str, *, limit: int) -> Sequence[MoveTask]:
        async def read(work: Work) -> list[MoveTask]:
            return [move_task_of(row) for row in await work.all("move_tasks", source_arn, limit)]

        return await self._node.do(read)

    async def active_move_tasks(self) -> Sequence[MoveTask]:
        return await self._node.do(lambda work: moves.adopt(work, self._node.id))

    async def cancel_move_task(self, task_id: str, source_arn: str) -> MoveTask | None:
        return await self._node.do(lambda work: moves.cancel(work, task_id, source_arn))

    async def move_batch(self, task_id: str, message_ids: Sequence[str], *, now_ms: int) -> MoveStep | None:
        return await self._node.do(lambda work: moves.step(work, task_id, message_ids, now_ms, self._node.id))

    async def counts(self, queue: Queue, *, now_ms: int) -> Counts:
        async def read(work: Work) -> Counts:
            await settling.require_settled(work, queue, now_ms)
            return await gauging.counts(work, queue.id)

        return await self._node.do(read, shared=[queue.id])

    # For CloudWatch and the console

    def count_empty_receive(self, queue_id: int) -> None:
        known = self._memory.known(queue_id)
        if known is not None:
            known.empty_receives += 1
            known.totals.empty_receives += 1

    def totals(self, queue_id: int) -> Tally:
        """Of this node."""
        known = self._memory.known(queue_id)
        return Tally() if known is None else known.totals

    async def gauges(self, queue: Queue, *, now_ms: int) -> Gauges:
        async def read(work: Work) -> Gauges:
            await settling.require_settled(work, queue, now_ms, looks_back=True)
            return await gauging.gauges(work, queue, now_ms)

        return await self._node.do(read, shared=[queue.id], flush=True)

    async def history(self, queue: Queue, *, from_ms: int, now_ms: int) -> Sequence[Minute]:
        async def read(work: Work) -> list[Minute]:
            await settling.require_settled(work, queue, now_ms, looks_back=True)
            return await settling.history(work, queue, from_ms, now_ms)

        return await self._node.do(read, shared=[queue.id], flush=True)

    async def looks(
        self, moments: Sequence[tuple[Queue, int]], *, from_ms: Callable[[int], int] | None = None
    ) -> Sequence[Look | None]:
        found = await self._node.do(lambda work: overview.looks(work, moments, from_ms))
        return [
            await self._look(queue, now_ms, from_ms) if look is overview.UNSETTLED else look
            for (queue, now_ms), look in zip(moments, found, strict=True)
        ]

    async def _look(self, queue: Queue, now_ms: int, from_ms: Callable[[int], int] | None) -> Look | None:
        try:
            if from_ms is None:
                return Look(await self.gauges(queue, now_ms=now_ms))
            minutes = await self.history(queue, from_ms=from_ms(now_ms), now_ms=now_ms)
        except QueueDoesNotExist:
            return None
        return Look(minutes[-1].gauges, minutes)

    async def put_alarm(self, alarm: Alarm) -> None:
        arguments = (alarm.account, alarm.region, alarm.name, text_of(alarm))
        await self._node.do(lambda work: work.all("put_alarm", *arguments))

    async def alarms(self, *, account: str | None = None, region: str | None = None) -> Sequence[Alarm]:
        async def read(work: Work) -> list[Alarm]:
            return [alarm_of(row[0]) for row in await work.all("alarms", account, region)]

        return await self._node.do(read)

    async def delete_alarms(self, account: str, region: str, names: Collection[str]) -> None:
        await self._node.do(
            lambda work: work.all("delete_alarms", account, region, [storable(name) for name in names])
        )

    def figures(self) -> EngineFigures:
        return self._node.database.figures()

    # For the test kit

    async def discard(self, queue: Queue, seqs: Sequence[int], *, now_ms: int) -> Sequence[Outcome]:
        return await self._node.do(
            lambda work: receipts.discard(work, queue, seqs, now_ms), shared=[queue.id]
        )

    async def peek(
        self,
        queue: Queue,
        *,
        now_ms: int,
        states: Collection[MessageState] = ALL_STATES,
        after_seq: int = 0,
        limit: int = 100,
    ) -> Sequence[Peeked]:
        return await self._node.do(lambda work: looking.peek(work, queue, now_ms, states, after_seq, limit))

    async def touch(self, queue: Queue, *, now_ms: int) -> int | None:
        async def look(work: Work) -> int | None:
            await settling.require_settled(work, queue, now_ms)
            row = await work.one("next_due", queue.id)
            return None if row is None else row[0]

        return await self._node.do(look, shared=[queue.id])

    async def all_queues(self, *, account: str | None = None, region: str | None = None) -> Sequence[Queue]:
        async def read(work: Work) -> list[Queue]:
            return [queue_of(row) for row in await work.all("all_queues", account, region)]

        return await self._node.do(read)

    async def reset(self, *, account: str | None = None, region: str | None = None) -> Sequence[int]:
        gone = await self._node.do_alone(lambda work: queues.reset(work, account, region))
        for queue_id in gone:
            self._memory.gone(queue_id)
        await self._changed(None)
        return gone

    async def reset_queue(self, queue_id: int) -> None:
        await self._node.do(lambda work: queues.reset_queue(work, queue_id), exclusive=[queue_id])
        known = self._memory.known(queue_id)
        if known is not None:
            known.totals, known.empty_receives = Tally(), 0
        await self._changed(queue_id)

    async def snapshot(self) -> bytes:
        from emulator.engine.sqlite import snapshots as files

        state, handle_key = await self._node.do(snapshots.read)
        return files.take(state, handle_key)

    async def restore(self, snapshot: bytes) -> None:
        from emulator.engine.sqlite import snapshots as files
        from emulator.engine.state.changes import Recorder

        state, handle_key = files.read(snapshot, Recorder())
        await self._node.do_alone(lambda work: snapshots.write(work, state, handle_key))
        self._node.handle_key = handle_key
        self._memory.forget_everything()
        for queue in state.queues.values():
            self._memory.cache(queue, -1)
        await self._changed(None)

    def key_of(self, queue_id: int) -> QueueKey | None:
        return self._memory.key_of(queue_id)

    def watch(self, witness: Witness | None) -> None:
        self._node.witness = witness

    # For nodes

    def listen(self, listener: Listener) -> None:
        self._node.notices.listener = listener

    async def check(self) -> None:
        await self._node.do(lambda work: work.all("check", self._node.id.encode()))

    async def database_now_ns(self) -> int:
        async def read(work: Work) -> int:
            return int(await work.value("database_now_ns"))

        return await self._node.do(read)

    async def adjustments(self) -> Mapping[str | None, Adjustment]:
        return await self._node.do(clocks.adjustments)

    async def adjust(
        self, account: str | None, change: Callable[[Adjustment | None], Adjustment | None]
    ) -> None:
        await self._node.do(lambda work: clocks.adjust(work, account, change))
        await self._node.notices.tell_word(CLOCKS)

    async def forget_adjustments(self, account: str | None) -> None:
        await self._node.do(lambda work: work.all("forget_clocks", account))
        await self._node.notices.tell_word(CLOCKS)

    async def _changed(self, queue_id: int | None) -> None:
        """Has this node and the others read the queue anew; None stands for all."""
        if queue_id is None:
            self._memory.forget_cached()
        else:
            self._memory.changed(queue_id)
        await self._node.notices.tell_changed(queue_id)


async def open_postgres(
    url: str,
    ids: Ids,
    *,
    schema: str = "sqs_emulator",
    connections: int = 16,
    patience_s: float = 5.0,
    statement_s: float = 15.0,
) -> PostgresEngine:
    """Opens the engine on a database; its tables are made if they are not there.

    `connections`: of the pool, one more listens. `patience_s`: how long a request waits for one of them, and
    `statement_s` for the answer to a statement. Raises StartError if the database cannot be used.
    """
    pool = await opening.open_pool(url, schema, connections=connections, statement_s=statement_s)
    try:
        handle_key = await opening.prepare(pool, schema, ids)
        database = Database(pool, patience_s=patience_s)
        notices = Notices(lambda: opening.connect(url, schema), schema)
        engine = PostgresEngine(Node(database, notices, handle_key))
        await engine._node.start()
        for queue in await engine.all_queues():
            engine._memory.cache(queue, -1)
    except (*LOST, ServiceUnavailable) as error:
        pool.terminate()
        raise StartError(f"PostgreSQL cannot be used: {explain(error.__cause__ or error)}") from error
    except BaseException:
        pool.terminate()
        raise
    return engine
