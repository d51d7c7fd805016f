"""One behaviour suite for every engine: a new engine is one more parameter here.

Tests are plain functions. The `engine` fixture is the engine with its coroutines already run: each method
returns what the coroutine returns.
"""

import asyncio
import itertools
import os
from typing import Any

import pytest

from emulator.engine.local import open_local
from emulator.engine.postgres.engine import open_postgres
from emulator.ids import SeededIds
from tests.engine.factories import NOW_MS, draft, key, order
from tests.support import postgres


class Waiting:
    """An engine whose methods run to their end on one loop. Several calls at once: `engine.together(…)`."""

    def __init__(self, engine: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.engine = engine
        self._loop = loop

    @property
    def handle_key(self) -> bytes:
        return bytes(self.engine.handle_key)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.engine, name)
        return lambda *arguments, **members: self.run(method(*arguments, **members))

    def run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def together(self, *work: Any) -> list[Any]:
        """Awaits all of it at once; what raised stands in its place."""

        async def gather() -> list[Any]:
            return list(await asyncio.gather(*work, return_exceptions=True))

        found: list[Any] = self.run(gather())
        return found

    # What most tests say, in short

    def make(self, name: str = "orders", *, tags: dict[str, str] | None = None, **attributes: str) -> Any:
        """A new queue, FIFO by its name."""
        if name.endswith(".fifo"):
            attributes = {"FifoQueue": "true", **attributes}
        return self.create_queue(key(name), attributes, tags or {}, now_ms=NOW_MS, name_lock_ms=0)[1]

    def send(self, queue: Any, *bodies: str, **members: Any) -> Any:
        return self.append(queue.id, [draft(body, **members) for body in bodies])

    def take(self, queue: Any, **members: Any) -> Any:
        return self.claim(queue, order(**members))


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


_numbers = itertools.count(1)


@pytest.fixture
def schema(database_url):
    """An empty schema of the test's own."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    yield name
    postgres.drop_schema(database_url, name)


@pytest.fixture
def open_node(database_url, schema, loop):
    """Opens one more engine on the database of the test."""
    opened = []

    def open_one(**members):
        engine = loop.run_until_complete(
            open_postgres(database_url, SeededIds(), schema=schema, **{"connections": 8, **members})
        )
        opened.append(engine)
        return Waiting(engine, loop)

    yield open_one
    for engine in opened:
        loop.run_until_complete(engine.close())


@pytest.fixture(params=["sqlite-memory", "sqlite-file", "postgres"])
def engine(request, tmp_path, loop):
    if request.param == "postgres":
        yield request.getfixturevalue("open_node")()
        return
    path = str(tmp_path / "data.db") if request.param == "sqlite-file" else None

    async def opened():
        return open_local(path, SeededIds())

    engine = Waiting(loop.run_until_complete(opened()), loop)
    yield engine
    engine.close()


@pytest.fixture
def queue(engine):
    return engine.make()


@pytest.fixture
def fifo(engine):
    return engine.make("orders.fifo")
