"""The pool of connections, and transactions on them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Any, TypeVar

import asyncpg

from emulator.domain.activity import EngineFigures
from emulator.domain.model import Queue
from emulator.engine import named_sql
from emulator.engine.postgres.faults import LOST, REFUSED, NotDone, Unknown, explain
from emulator.engine.postgres.memory import Memory
from emulator.engine.postgres.rows import MESSAGE
from emulator.engine.postgres.work import SLOTS, Connection, Row, Work, beginning
from emulator.errors import ServiceUnavailable, SqsError

log = logging.getLogger(__name__)
T = TypeVar("T")

PACKAGE = "emulator.engine.postgres"
FILES = ("sql/queues.sql", "sql/time.sql", "sql/messages.sql", "sql/fast.sql")
TRIES = 5
"""Of a transaction that is known not to have happened."""
CLOSE_S = 0.2
"""How long connections that are in use are waited for at the end."""
LONG_S = 600.0
"""For a statement that may touch a whole queue, or everything."""
_COMMIT_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000_000)
SESSION = {
    "application_name": "sqs-emulator",
    "jit": "off",
    "idle_in_transaction_session_timeout": "20000",
    "lock_timeout": "3000",
    # A node whose machine is gone is to hold no locks, and not to be waited for.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    # Tables here are empty at one moment and full at the next, so statistics mislead the planner. Each
    # statement is written for one index.
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_sort": "off",
    "enable_material": "off",
}


_NOT_DONE = ("57P01", "57P02", "57P03", "25006")
"""Sent by a server that is going down, or has become a standby, in place of doing something."""


class Unsettled(Exception):
    """Time has changed something that has to be written down first, in a transaction of its own."""

    def __init__(self, queue: Queue, now_ms: int, *, looks_back: bool) -> None:
        super().__init__()
        self.queue = queue
        self.now_ms = now_ms
        self.looks_back = looks_back


class Database:
    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]", *, patience_s: float) -> None:
        self._pool = pool
        self.memory = Memory()
        self._patience_s = patience_s
        """How long a request waits for a connection."""
        statements: dict[str, str] = {}
        for file in FILES:
            statements |= named_sql.load(PACKAGE, file)
        self._sql = {
            name: text.replace("{message}", MESSAGE).replace("{add}", statements["add"])
            for name, text in statements.items()
        }
        self._commit_sizes = dict.fromkeys(_COMMIT_SIZES, 0)
        self._commit_requests = 0
        self.size_bytes = 0
        self._failures = 0
        """Transactions since the last one that succeeded."""
        self.settle: Callable[[Unsettled], Awaitable[None]]

    async def transact(
        self,
        work: Callable[[Work], Awaitable[T]],
        *,
        shared: Collection[int] = (),
        exclusive: Collection[int] = (),
        settling: int | None = None,
        requests: int = 1,
        is_long: bool = False,
    ) -> tuple[T, Work]:
        """What `work` answers, once it is stored. `shared`, `exclusive`, `settling`: the locks it needs.

        `is_long`: it may touch everything. Raises ServiceUnavailable; and what `work` raises, which undoes
        the transaction. When that is Unsettled, time is settled, and `work` called anew.
        """
        settled = False
        for tried in range(1, TRIES + 1):
            try:
                return await self._once(
                    work,
                    beginning(shared, exclusive, settling),
                    requests,
                    settled=settled,
                    timeout_s=LONG_S if is_long or exclusive else None,
                )
            except Unsettled as unsettled:
                await self.settle(unsettled)
                settled = True
            except NotDone as error:
                log.info("a transaction is tried again: %s", explain(error.__cause__ or error))
                if tried == TRIES or isinstance(error.__cause__, TimeoutError):
                    self._failed("a transaction failed", error.__cause__ or error)
                    raise ServiceUnavailable from error
            except Unknown as error:
                self._failed("a connection was lost during a commit", error.__cause__ or error)
                raise ServiceUnavailable from error
        raise ServiceUnavailable

    async def at_once(self, name: str, *arguments: Any, requests: int, slot_at: int) -> list[Row]:
        """A transaction of one statement: its rows. The slot of the connection is its argument `slot_at`.

        No rows if the server refuses the values. Raises ServiceUnavailable.
        """
        for _ in range(TRIES):
            connection = await self._acquire()
            given = [*arguments]
            given.insert(slot_at, connection.get_server_pid() % SLOTS)
            try:
                rows: list[Row] = await connection.fetch(self._sql[name], *given)
            except REFUSED as error:
                log.info("a transaction is tried again: %s", explain(error))
                continue
            except LOST as error:
                _terminate(connection)
                if isinstance(error, asyncpg.PostgresError) and error.sqlstate in _NOT_DONE:
                    await self._pool.expire_connections()
                    continue
                self._failed("a connection was lost during a transaction", error)
                raise ServiceUnavailable from error
            except asyncpg.PostgresError as error:
                log.info("a statement is refused: %s", explain(error))
                return []
            finally:
                await self._release(connection)
            self._count(requests)
            return rows
        raise ServiceUnavailable

    def _failed(self, what: str, error: BaseException) -> None:
        """Says so once, until something succeeds: while a database is away all requests fail."""
        if not self._failures:
            log.error("%s: %s", what, explain(error))
        self._failures += 1

    def _count(self, requests: int) -> None:
        if self._failures:
            log.warning("PostgreSQL answers again, after failures: %d", self._failures)
            self._failures = 0
        self._commit_requests += requests
        self._commit_sizes[next(size for size in _COMMIT_SIZES if requests <= size)] += 1

    def figures(self) -> EngineFigures:
        return EngineFigures(
            commits=sum(self._commit_sizes.values()),
            commit_requests=self._commit_requests,
            commit_sizes=dict(self._commit_sizes),
            size_bytes=self.size_bytes,
        )

    async def close(self) -> None:
        try:
            await asyncio.wait_for(self._pool.close(), CLOSE_S)
        except (*LOST, TimeoutError):
            self._pool.terminate()

    async def _once(
        self,
        work: Callable[[Work], Awaitable[T]],
        begin: str,
        requests: int,
        *,
        settled: bool,
        timeout_s: float | None,
    ) -> tuple[T, Work]:
        connection = await self._acquire()
        try:
            doing = Work(connection, self._sql, self.memory)
            doing.settled = settled
            doing.timeout_s = timeout_s
            try:
                await connection.execute(begin)
                answer = await work(doing)
            except BaseException as error:
                await self._undo(connection, error)
                raise
            await self._commit(connection, doing)
        finally:
            await self._release(connection)
        self._count(requests)
        for call in doing.afterwards:
            call()
        return answer, doing

    async def _commit(self, connection: Connection, doing: Work) -> None:
        try:
            await connection.execute(doing.closing())
        except REFUSED as error:
            await self._undo(connection, error)
        except LOST as error:
            _terminate(connection)
            raise Unknown from error

    async def _undo(self, connection: Connection, error: BaseException) -> None:
        """Rolls back. Raises NotDone in place of an error after which it makes sense to try again."""
        if isinstance(error, (SqsError, Unsettled, *REFUSED, asyncpg.PostgresError)) and not isinstance(
            error, LOST
        ):
            try:
                await connection.execute("ROLLBACK")
            except LOST as lost:
                _terminate(connection)
                raise NotDone from lost
            if isinstance(error, REFUSED):
                raise NotDone from error
            return
        _terminate(connection)
        if isinstance(error, LOST):
            if not isinstance(error, TimeoutError):
                await self._pool.expire_connections()  # the others are likely to be of no use either
            raise NotDone from error

    async def _acquire(self) -> Any:
        try:
            return await self._pool.acquire(timeout=self._patience_s)
        except LOST as error:
            self._failed("PostgreSQL cannot be reached", error)
            raise ServiceUnavailable from error

    async def _release(self, connection: Any) -> None:
        try:
            await self._pool.release(connection)
        except LOST as error:
            log.debug("a connection was lost: %s", explain(error))


def _terminate(connection: Connection) -> None:
    with suppress(asyncpg.InterfaceError):  # the pool has noticed already that it is of no use
        connection.terminate()
