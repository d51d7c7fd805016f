"""One node: its connections, what it remembers, and transactions whose news it passes on."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import Any, Final, TypeVar

import asyncpg

from emulator.engine.base import Witness
from emulator.engine.postgres import queues
from emulator.engine.postgres.database import Database, Unsettled
from emulator.engine.postgres.faults import LOST, REFUSED
from emulator.engine.postgres.lanes import Lanes, Run
from emulator.engine.postgres.memory import Memory
from emulator.engine.postgres.notices import Notices, pause
from emulator.engine.postgres.settling import settle as settle_queue
from emulator.engine.postgres.work import Work
from emulator.errors import ServiceUnavailable, SqsError

log = logging.getLogger(__name__)
T = TypeVar("T")

HOUSEKEEPING_S: Final = 30.0
CLOSE_S: Final = 0.4
"""How long a node that stops waits for the database. The whole stop must fit into two seconds."""


class Node:
    def __init__(self, database: Database, notices: Notices, handle_key: bytes) -> None:
        self.database = database
        self.notices = notices
        self.memory: Memory = database.memory
        self.lanes = Lanes()
        self.handle_key = handle_key
        self.id = ""
        """Known to nobody else; from `start` on."""
        self.witness: Witness | None = None
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._barrier: asyncio.Future[None] | None = None
        self._housekeeping: asyncio.Task[None] | None = None
        database.settle = self._settle
        notices.on_hearing = self._hears
        notices.on_changed = self._changed
        notices.on_gone = self.memory.gone

    async def start(self) -> None:
        await self.notices.start()
        self.id = await self._transact(lambda work: work.value("new_node"))
        await self._measure()
        self._housekeeping = asyncio.get_running_loop().create_task(self._keep_house())

    async def close(self) -> None:
        if self._housekeeping is not None:
            self._housekeeping.cancel()
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._idle.wait()
                await self._flush()
        except (ServiceUnavailable, TimeoutError):
            log.warning("the database does not answer: some empty receives were not counted")
        await self.notices.close()
        await self.database.close()

    async def do(
        self,
        work: Callable[[Work], Awaitable[T]],
        *,
        shared: Collection[int] = (),
        exclusive: Collection[int] = (),
        requests: int = 1,
        flush: bool = False,
    ) -> T:
        """A transaction in a task of its own: it goes on if the caller goes away.

        `flush`: the empty receives of its queues are stored with it.
        """
        return await self._in_task(
            self._transact(work, shared=shared, exclusive=exclusive, requests=requests, flush=flush)
        )

    async def do_alone(self, work: Callable[[Work], Awaitable[T]]) -> T:
        """As `do`, after all that this node has begun, and before all that comes in later."""
        while self._barrier is not None:
            await self._barrier
        barrier = self._barrier = asyncio.get_running_loop().create_future()
        try:
            await self._idle.wait()
            return await asyncio.ensure_future(self._transact(work, is_long=True))
        finally:
            self._barrier = None
            barrier.set_result(None)

    async def together(self, kind: str, queue_id: int, request: Any, run: Run, messages: int) -> Any:
        """A request that shares its transaction with others of its kind and queue: see Lane.ask."""
        await self._enter()
        try:
            return await self.lanes.ask(kind, queue_id, request, run, messages)
        finally:
            self._leave()

    async def run(
        self,
        work: Callable[[Work, Sequence[Any]], Awaitable[Sequence[Any]]],
        requests: Sequence[Any],
        shared: Collection[int],
    ) -> Sequence[Any]:
        """Answers of requests that came together, or exceptions in place of them."""
        try:
            return await self._transact(
                lambda doing: work(doing, requests), shared=shared, requests=len(requests)
            )
        except (SqsError, *LOST, *REFUSED):
            raise
        except asyncpg.PostgresError:
            if len(requests) == 1:
                raise
        # One of them cannot be stored: it must not take the others with it.
        found = await asyncio.gather(
            *(self.run(work, [one], shared) for one in requests), return_exceptions=True
        )
        return [one if isinstance(one, BaseException) else one[0] for one in found]

    async def _transact(
        self,
        work: Callable[[Work], Awaitable[T]],
        *,
        shared: Collection[int] = (),
        exclusive: Collection[int] = (),
        settling: int | None = None,
        requests: int = 1,
        flush: bool = False,
        is_long: bool = False,
    ) -> T:
        empty: Counter[int] = Counter()

        async def flushing(doing: Work) -> T:
            empty.update(self._take_empty_receives([*shared, *exclusive]))
            for queue_id, count in empty.items():
                doing.change(queue_id).tally.empty_receives += count
            try:
                return await work(doing)
            except BaseException:  # also if time is to be settled first: then they go with that
                self._put_back(empty)
                raise

        try:
            answer, done = await self.database.transact(
                flushing if flush else work,
                shared=shared,
                exclusive=exclusive,
                settling=settling,
                requests=requests,
                is_long=is_long,
            )
        except BaseException:
            self._put_back(empty)
            raise
        for queue_id, change in done.changes.items():
            change.tally.empty_receives = 0  # counted when they happened
            self.memory.count(queue_id, change.tally)
        done.news.tell(self.witness)
        if done.notices:
            self.notices.tell(done.notices)
        return answer

    def _take_empty_receives(self, queue_ids: Collection[int]) -> dict[int, int]:
        """Those that are to be stored, by queue id."""
        found = {}
        for queue_id in queue_ids:
            known = self.memory.known(queue_id)
            if known is not None and known.empty_receives:
                found[queue_id], known.empty_receives = known.empty_receives, 0
        return found

    def _put_back(self, empty: Counter[int]) -> None:
        for queue_id, count in empty.items():
            self.memory.of(queue_id).empty_receives += count
        empty.clear()

    async def _settle(self, unsettled: Unsettled) -> None:
        queue, now_ms = unsettled.queue, unsettled.now_ms

        async def settle(work: Work) -> None:
            await settle_queue(work, queue, now_ms, looks_back=unsettled.looks_back)

        await self._transact(
            settle, shared=[queue.id], settling=queue.id, requests=0, flush=True, is_long=True
        )

    async def _flush(self) -> None:
        async def nothing(work: Work) -> None:
            for queue_id in list(work.changes):
                if await work.one("is_there", queue_id) is None:
                    del work.changes[queue_id]

        for queue_id in self.memory.with_empty_receives():
            await self._transact(nothing, shared=[queue_id], flush=True, requests=0)

    async def _keep_house(self) -> None:
        while True:
            await pause(HOUSEKEEPING_S)
            try:
                await self._flush()
                await self._transact(queues.remove_orphans, requests=0, is_long=True)
                await self._measure()
            except (ServiceUnavailable, asyncpg.PostgresError):
                log.debug("housekeeping has to wait")

    async def _measure(self) -> None:
        async def measure(work: Work) -> int:
            row = await work.one("size_bytes")
            return row[0] if row else 0

        self.database.size_bytes = await self._transact(measure, requests=1)

    # What other nodes tell

    def _hears(self, hears: bool) -> None:
        self.memory.may_cache = hears
        self.memory.forget_cached()

    def _changed(self, queue_id: int | None) -> asyncio.Future[None] | None:
        if queue_id is not None:
            self.memory.changed(queue_id)
            return None
        self.memory.forget_cached()
        return asyncio.ensure_future(self._read_key())

    async def _read_key(self) -> None:
        async def read(work: Work) -> bytes:
            row = await work.one("handle_key")
            return bytes(row[0]) if row else self.handle_key

        try:
            self.handle_key = await self._transact(read)
        except ServiceUnavailable:
            log.warning("the key of receipt handles was not read again")

    # Who is in

    async def _in_task(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            await self._enter()
        except BaseException:
            work.close()
            raise
        task = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._leave()
        if not task.cancelled():
            task.exception()  # the caller may be gone, and so nobody else would look at it

    async def _enter(self) -> None:
        while self._barrier is not None:
            await self._barrier
        self._running += 1
        self._idle.clear()

    def _leave(self) -> None:
        self._running -= 1
        if not self._running:
            self._idle.set()
