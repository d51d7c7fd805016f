"""A server in a thread of the test process, with a clock that the test drives."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import uvicorn

from emulator.app import Emulator, open_emulator
from emulator.clock import AdjustableClock
from emulator.engine.postgres.engine import PostgresEngine
from emulator.ids import SeededIds
from emulator.settings import Settings
from emulator.web.uvicorn_protocol import short_path
from tests.support.clocks import frozen_clock

T = TypeVar("T")
PATIENCE_S = 10
DOOR = os.environ.get("SQS_EMULATOR_TEST_DOOR", "short path")
"""Which door the tests go through: the short path, as `sqs-emulator serve` has it, or `asgi`."""


class TestClock:
    """The server's clock, moved from the test's thread."""

    def __init__(self, server: "TestServer", clock: AdjustableClock) -> None:
        self._server = server
        self._clock = clock

    def advance(self, *, seconds: float = 0, ms: int = 0) -> None:
        emulator = self._server.emulator
        self._server.run(emulator.adjust_clock(None, lambda clock: clock.advance(seconds=seconds, ms=ms)))

    def now_ms(self) -> int:
        return self._clock.now_ms()


class TestServer:
    __test__ = False

    def __init__(self, emulator: Emulator, server: uvicorn.Server, loop: asyncio.AbstractEventLoop) -> None:
        self.emulator = emulator
        self._server = server
        self._loop = loop
        port = server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.clock = TestClock(self, emulator.clock)

    def on_loop(self, function: Callable[[], T]) -> T:
        """Calls a function on the server's event loop and returns what it returns."""

        async def call() -> T:
            return function()

        return self.run(call())

    def run(self, work: "Awaitable[T]") -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)  # type: ignore[arg-type]

    def _is_looking(self) -> bool:
        """An engine in memory answers at once, PostgreSQL does not."""
        engine = self.emulator.engine
        return isinstance(engine, PostgresEngine) and bool(engine._node._running)

    def wait_for_waiters(self, queue_url: str, count: int = 1) -> None:
        """Returns once so many long polls stand in line for the queue, and look no more.

        So no test guesses when.
        """

        async def look() -> None:
            account, name = queue_url.rstrip("/").split("/")[-2:]
            for queue in await self.emulator.engine.all_queues():
                if (queue.key.account, queue.key.name) == (account, name):
                    waiting = self.emulator.signals.waiting
                    while waiting(queue.id) != count or self._is_looking():  # noqa: ASYNC110
                        await asyncio.sleep(0.001)
                    return
            raise AssertionError(f"there is no queue {queue_url}")

        self.run(asyncio.wait_for(look(), PATIENCE_S))


@contextmanager
def running_server(settings: Settings | None = None) -> Iterator[TestServer]:
    """A server on a free port, stopped when the block ends."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    outcome: list[TestServer | BaseException] = []

    async def serve() -> None:
        try:
            emulator = await open_emulator(settings or Settings(), clock=frozen_clock(), ids=SeededIds())
            http: Any = (
                "httptools"
                if DOOR == "asgi"
                else short_path(emulator.endpoint, emulator.settings.max_body_bytes)
            )
            config = uvicorn.Config(
                emulator.asgi, port=0, lifespan="off", log_config=None, access_log=False, http=http
            )
            server = uvicorn.Server(config)
            server.config.load()
            server.lifespan = config.lifespan_class(config)
            await server.startup()
            outcome.append(TestServer(emulator, server, loop))
        except BaseException as error:
            outcome.append(error)
            raise
        finally:
            ready.set()
        await server.main_loop()
        emulator.signals.close()
        await server.shutdown()
        await emulator.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    ready.wait(PATIENCE_S)
    running = outcome[0]
    if isinstance(running, BaseException):
        raise running
    try:
        yield running
    finally:
        running._server.should_exit = True
        thread.join(PATIENCE_S)
        loop.close()
