"""How work reaches the database: at once in memory, or on a thread that commits for many at a time.

Work is a plain function of the database and its arguments. Both runners promise the same: it happens as a
whole or not at all, and when `run` returns, it is stored.
"""

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from emulator.engine.sqlite.database import Database
from emulator.errors import ServiceUnavailable, SqsError

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Database, P], T]

MAX_GROUP = 256
"""So many jobs share a transaction on a file at most."""
MAX_PIECES = 1_000
"""So many pieces of work share a transaction in memory."""
log = logging.getLogger(__name__)


class Runner(Protocol):
    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T: ...

    async def run_unguarded(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T: ...

    async def close(self) -> None: ...


class MemoryRunner:
    """Runs work where it is called: nothing here takes longer than a look at memory.

    Nothing has to reach a disk, so a transaction stays open over many pieces of work; SQLite then saves
    pages for a rollback less often. A savepoint undoes a piece that fails.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pieces = 0
        database.control("BEGIN")

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        database = self._database
        self._next_piece()
        database.control("SAVEPOINT work")
        try:
            return work(database, *args, **kwargs)
        except BaseException:
            database.control("ROLLBACK TO work")
            database.undone()
            raise
        finally:
            database.control("RELEASE work")

    async def run_unguarded(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """For work that checks before it writes, and whose statements each leave a sound state: no savepoint.

        A statement fails only where memory ends, and is undone by SQLite itself.
        """
        self._next_piece()
        return work(self._database, *args, **kwargs)

    def _next_piece(self) -> None:
        self._pieces += 1
        if self._pieces == MAX_PIECES:
            self._pieces = 0
            self._database.control("COMMIT")
            self._database.control("BEGIN")

    async def close(self) -> None:
        self._database.close()


class _Job:
    __slots__ = ("error", "future", "loop", "result", "work")

    def __init__(self, work: Callable[[Database], Any]) -> None:
        self.work = work
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None

    def finish(self) -> None:
        self.loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class FileRunner:
    """One writer thread. Jobs that wait together share one transaction and one fsync (group commit)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="sqlite-writer", daemon=True)
        self._thread.start()

    async def run(self, work: Work[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        job = _Job(lambda database: work(database, *args, **kwargs))
        self._jobs.put(job)
        # Shielded: work that is under way is finished, even if its caller no longer waits.
        result: T = await asyncio.shield(job.future)
        return result

    run_unguarded = run

    async def close(self) -> None:
        self._jobs.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _serve(self) -> None:
        going_on = True
        while going_on:
            waiting: list[_Job | None] = [self._jobs.get()]
            while len(waiting) < MAX_GROUP and not self._jobs.empty():
                waiting.append(self._jobs.get())
            group = [job for job in waiting if job is not None]
            going_on = len(group) == len(waiting)
            if group:
                self._run_group(group)
        self._database.close()

    def _run_group(self, group: list[_Job]) -> None:
        try:
            self._database.control("BEGIN IMMEDIATE")
            for job in group:
                self._run_job(job)
            self._database.control("COMMIT")
        except BaseException as error:  # a failing commit fails exactly the jobs in it
            log.error("a transaction failed: %s", error)
            self._roll_back("ROLLBACK")
            for job in group:
                job.error = _as_answer(error)
        for job in group:
            job.finish()

    def _run_job(self, job: _Job) -> None:
        self._database.control("SAVEPOINT job")
        try:
            job.result = job.work(self._database)
        except sqlite3.Error:
            raise  # the disk is full, say: nothing of this group can be promised
        except BaseException as error:
            self._roll_back("ROLLBACK TO job")
            job.error = error
        self._database.control("RELEASE job")

    def _roll_back(self, statement: str) -> None:
        try:
            self._database.control(statement)
        except sqlite3.Error:  # SQLite has rolled back by itself
            log.debug("nothing to roll back")
        self._database.undone()


def _as_answer(error: BaseException) -> BaseException:
    if isinstance(error, SqsError):
        return error
    answer = ServiceUnavailable()
    answer.__cause__ = error
    return answer
