"""The data file: read as a whole when it is opened, then kept up to date by group commits.

While a commit is on its way to the disk, on a thread of its own, the event loop goes on; what changes in the
meantime is written by the next one. An answer leaves only after the commit that holds its changes.
"""

import asyncio
import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from emulator.domain.activity import EngineFigures
from emulator.engine.sqlite import rows
from emulator.engine.sqlite.database import Database, explain, open_file
from emulator.engine.state.changes import Changes
from emulator.engine.state.state import State
from emulator.errors import ServiceUnavailable
from emulator.ids import Ids
from emulator.settings import StartError

log = logging.getLogger(__name__)


_COMMIT_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000_000)


class SqliteStore:
    is_durable = True

    def __init__(self, database: Database, ids: Ids) -> None:
        self._database = database
        self._ids = ids
        self._changes = Changes()
        self._waiting: list[asyncio.Future[None]] = []
        self._writer: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite-commit")
        self._commit_sizes = dict.fromkeys(_COMMIT_SIZES, 0)
        self._commit_requests = 0
        self.handle_key = database.handle_key(ids)
        self.state = rows.read_state(database, self._changes)

    async def keep(self) -> None:
        """Returns once all changes are stored. Raises ServiceUnavailable, and undoes them, if that fails."""
        if self._writer is None:
            if not self._changes.any:
                return
            # Starts after the requests that were read together with this one, so they share its commit.
            self._writer = asyncio.get_running_loop().create_task(self._write_all())
        stored = asyncio.get_running_loop().create_future()
        self._waiting.append(stored)
        await stored

    def figures(self) -> EngineFigures:
        return EngineFigures(
            commits=sum(self._commit_sizes.values()),
            commit_requests=self._commit_requests,
            commit_sizes=dict(self._commit_sizes),
            size_bytes=self._database.size_bytes(),
        )

    def replace(self, state: State, handle_key: bytes) -> None:
        """As one more change: until it is stored, the file has what was there before."""
        self._changes.all_gone()
        state.tell_all(self._changes)
        self._changes.handle_key = handle_key
        self.state, self.handle_key = state, handle_key

    async def close(self) -> None:
        for backlog in self.state.backlogs.values():
            backlog.diary.interrupt(backlog.gauges(backlog.diary.begins_ms))
        with suppress(ServiceUnavailable):  # the messages are stored already
            await self.keep()
        if self._writer is not None:
            await self._writer
        self._thread.shutdown()
        self._database.close()

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            try:
                if self._changes.any:
                    self._database.control("BEGIN IMMEDIATE")
                    rows.write(self._database, self._changes)
                    self._changes.clear()
                    await loop.run_in_executor(self._thread, self._database.control, "COMMIT")
                    self._count_commit(len(waiting))
            except sqlite3.Error as error:
                self._undo(error, waiting + self._waiting)
            for stored in waiting:
                if not stored.done():
                    stored.set_result(None)
        self._writer = None

    def _count_commit(self, requests: int) -> None:
        self._commit_requests += requests
        self._commit_sizes[next(size for size in _COMMIT_SIZES if requests <= size)] += 1

    def _undo(self, error: sqlite3.Error, waiting: list[asyncio.Future[None]]) -> None:
        """Fails these requests and goes back to what was stored last: what they changed and saw is void."""
        log.error("a transaction failed: %s", error)
        try:
            self._database.control("ROLLBACK")
        except sqlite3.Error:  # SQLite has rolled back by itself
            log.debug("nothing to roll back")
        self._changes.clear()
        self.handle_key = self._database.handle_key(self._ids)
        self.state = rows.read_state(self._database, self._changes)
        self._waiting = []
        for stored in waiting:
            if not stored.done():
                failure = ServiceUnavailable()
                failure.__cause__ = error
                stored.set_exception(failure)


def open_store(data: str, ids: Ids) -> SqliteStore:
    """Raises StartError if the file cannot be used."""
    database = open_file(Path(data))
    try:
        return SqliteStore(database, ids)
    except sqlite3.Error as error:
        database.close()
        raise StartError(explain(error, Path(data))) from error
