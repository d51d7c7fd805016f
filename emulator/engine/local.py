"""The engine of one process: the state is in its memory, and with a data file also there, kept up to date.

Each method changes the state at once and answers when the change is on disk. What changes together is written
together: requests that arrive while a commit runs share the next one.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeVar

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
from emulator.engine.base import Witness
from emulator.engine.state import alarms, claims, messages, moves, peeking, queues
from emulator.engine.state.changes import Recorder
from emulator.engine.state.state import State
from emulator.errors import QueueDoesNotExist
from emulator.ids import Ids

T = TypeVar("T")


class Store(Protocol):
    """Where the state is kept beside memory."""

    state: State
    """Replaced by what was stored last when a commit fails; its recorder stays the same."""
    handle_key: bytes
    is_durable: bool
    """Whether there is anything for `keep` to do."""

    async def keep(self) -> None:
        """Returns once all changes are stored. Raises ServiceUnavailable, and undoes them, if that fails."""
        ...

    def figures(self) -> EngineFigures: ...

    def replace(self, state: State, handle_key: bytes) -> None:
        """Takes this state in place of the one it has; its recorder is the same."""
        ...

    async def close(self) -> None: ...


class Nowhere:
    """The store of an engine in memory."""

    is_durable = False

    def __init__(self, handle_key: bytes) -> None:
        self.state = State(Recorder())
        self.handle_key = handle_key

    async def keep(self) -> None:
        pass

    def figures(self) -> EngineFigures:
        return EngineFigures()

    def replace(self, state: State, handle_key: bytes) -> None:
        self.state, self.handle_key = state, handle_key

    async def close(self) -> None:
        pass


class LocalEngine:
    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def handle_key(self) -> bytes:
        return self._store.handle_key

    async def close(self) -> None:
        await self._store.close()

    async def create_queue(
        self,
        key: QueueKey,
        attributes: dict[str, str],
        tags: dict[str, str],
        *,
        now_ms: int,
        name_lock_ms: int,
    ) -> tuple[Created, Queue | None]:
        return await self._kept(queues.create(self._store.state, key, attributes, tags, now_ms, name_lock_ms))

    async def find_queue(self, key: QueueKey) -> Queue | None:
        return self._store.state.queues.get(key)

    async def list_queues(
        self, account: str, region: str, *, prefix: str, after: str, limit: int
    ) -> Sequence[str]:
        return await self._kept(self._store.state.names(account, region, prefix, after, limit))

    async def dead_letter_sources(self, arn: str, *, after: str, limit: int) -> Sequence[QueueKey]:
        return await self._kept(queues.dead_letter_sources(self._store.state, arn, after, limit))

    async def update_queue(self, queue_id: int, change: Callable[[Queue], Queue]) -> Queue:
        return await self._kept(queues.update(self._store.state, queue_id, change))

    async def delete_queue(self, queue_id: int, *, now_ms: int) -> None:
        queues.delete(self._store.state, queue_id, now_ms)
        await self._store.keep()

    async def purge(self, queue_id: int, *, now_ms: int, lock_ms: int) -> bool:
        return await self._kept(queues.purge(self._store.state, queue_id, now_ms, lock_ms))

    async def append(self, queue_id: int, drafts: Sequence[Draft]) -> Sequence[Accepted]:
        return await self._kept(messages.append(self._store.state, queue_id, drafts))

    async def claim(self, queue: Queue, order: ClaimOrder) -> Claim:
        return await self._kept(claims.claim(self._store.state, queue, order))

    async def delete(self, queue: Queue, receipts: Sequence[Receipt], *, now_ms: int) -> Sequence[Outcome]:
        return await self._kept(messages.delete(self._store.state, queue, receipts, now_ms))

    async def set_visibility(
        self, queue: Queue, changes: Sequence[VisibilityChange], *, now_ms: int
    ) -> Sequence[Outcome]:
        return await self._kept(messages.set_visibility(self._store.state, queue, changes, now_ms))

    async def start_move_task(self, task: MoveTask, *, now_ms: int) -> Started:
        return await self._kept(moves.start(self._store.state, task, now_ms))

    async def move_tasks(self, source_arn: str, *, limit: int) -> Sequence[MoveTask]:
        return await self._kept(moves.tasks(self._store.state, source_arn)[:limit])

    async def active_move_tasks(self) -> Sequence[MoveTask]:
        return moves.active(self._store.state)

    async def cancel_move_task(self, task_id: str, source_arn: str) -> MoveTask | None:
        return await self._kept(moves.cancel(self._store.state, task_id, source_arn))

    async def move_batch(self, task_id: str, message_ids: Sequence[str], *, now_ms: int) -> MoveStep | None:
        return await self._kept(moves.step(self._store.state, task_id, message_ids, now_ms))

    async def counts(self, queue: Queue, *, now_ms: int) -> Counts:
        return await self._kept(queues.counts(self._store.state, queue, now_ms))

    # For CloudWatch and the console

    def count_empty_receive(self, queue_id: int) -> None:
        backlog = self._store.state.backlogs.get(queue_id)
        if backlog is not None:
            backlog.diary.empty_receives += 1

    def totals(self, queue_id: int) -> Tally:
        backlog = self._store.state.backlogs.get(queue_id)
        return Tally() if backlog is None else backlog.diary.totals

    async def gauges(self, queue: Queue, *, now_ms: int) -> Gauges:
        return await self._kept(queues.gauges(self._store.state, queue, now_ms))

    async def history(self, queue: Queue, *, from_ms: int, now_ms: int) -> Sequence[Minute]:
        return await self._kept(queues.history(self._store.state, queue, from_ms, now_ms))

    async def looks(
        self, moments: Sequence[tuple[Queue, int]], *, from_ms: Callable[[int], int] | None = None
    ) -> Sequence[Look | None]:
        state = self._store.state
        found: list[Look | None] = []
        for queue, now_ms in moments:
            try:
                gauges = queues.gauges(state, queue, now_ms)
                minutes = queues.history(state, queue, from_ms(now_ms), now_ms) if from_ms else ()
            except QueueDoesNotExist:
                found.append(None)
            else:
                found.append(Look(gauges, minutes))
        return await self._kept(found)

    async def put_alarm(self, alarm: Alarm) -> None:
        alarms.put(self._store.state, alarm)
        await self._store.keep()

    async def alarms(self, *, account: str | None = None, region: str | None = None) -> Sequence[Alarm]:
        return await self._kept(alarms.find(self._store.state, account, region))

    async def delete_alarms(self, account: str, region: str, names: Collection[str]) -> None:
        alarms.delete(self._store.state, [(account, region, name) for name in names])
        await self._store.keep()

    def figures(self) -> EngineFigures:
        return self._store.figures()

    # For the test kit

    async def discard(self, queue: Queue, seqs: Sequence[int], *, now_ms: int) -> Sequence[Outcome]:
        return await self._kept(messages.discard(self._store.state, queue, seqs, now_ms))

    async def peek(
        self,
        queue: Queue,
        *,
        now_ms: int,
        states: Collection[MessageState] = ALL_STATES,
        after_seq: int = 0,
        limit: int = 100,
    ) -> Sequence[Peeked]:
        return await self._kept(peeking.peek(self._store.state, queue, now_ms, states, after_seq, limit))

    async def touch(self, queue: Queue, *, now_ms: int) -> int | None:
        return await self._kept(queues.touch(self._store.state, queue, now_ms))

    async def all_queues(self, *, account: str | None = None, region: str | None = None) -> Sequence[Queue]:
        return await self._kept(self._store.state.all_queues(account, region))

    async def reset(self, *, account: str | None = None, region: str | None = None) -> Sequence[int]:
        return await self._kept(queues.reset(self._store.state, account, region))

    async def reset_queue(self, queue_id: int) -> None:
        queues.reset_queue(self._store.state, queue_id)
        await self._store.keep()

    async def snapshot(self) -> bytes:
        from emulator.engine.sqlite import snapshots  # SQLite is not needed in memory

        return await self._kept(snapshots.take(self._store.state, self._store.handle_key))

    async def restore(self, snapshot: bytes) -> None:
        from emulator.engine.sqlite import snapshots

        before = self._store.state
        state, handle_key = snapshots.read(snapshot, before.recorder)
        state.count_on_from(before)
        self._store.replace(state, handle_key)
        await self._store.keep()

    def key_of(self, queue_id: int) -> QueueKey | None:
        return self._store.state.keys.get(queue_id)

    def watch(self, witness: Witness | None) -> None:
        self._store.state.recorder.witness = witness

    async def _kept(self, answer: T) -> T:
        """The answer, once everything it rests on is stored."""
        if self._store.is_durable:
            await self._store.keep()
        return answer


def open_local(data: str | None, ids: Ids) -> LocalEngine:
    """Opens the engine on a file, or in memory without one. Raises StartError if the file cannot be used."""
    if data is None:
        return LocalEngine(Nowhere(ids.secret()))
    from emulator.engine.sqlite.store import open_store  # SQLite is not needed in memory

    return LocalEngine(open_store(data, ids))
