"""Runs a server in a thread. The process around it stays as it is: no signal handlers, no logging set up."""

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from emulator.app import open_emulator
from emulator.clock import AdjustableClock
from emulator.serve import Server, bind, loop_factory, url_of
from emulator.settings import Settings

PATIENCE_S = 10.0


class ServerThread:
    def __init__(self, settings: Settings, clock: AdjustableClock) -> None:
        self._settings = settings
        self._clock = clock
        self._server: Server | None = None
        self._error: BaseException | None = None
        self._ready = threading.Event()
        # A daemon: a test run that is killed in the middle must not hang on it.
        self._thread = threading.Thread(target=self._work, name="sqs-emulator", daemon=True)
        self._listener = bind(settings.host, settings.port)

    def start(self) -> str:
        """The URL at which it answers. Raises what keeps it from starting."""
        url = url_of(self._listener)
        self._thread.start()
        started = self._ready.wait(PATIENCE_S)
        if self._error is not None:
            raise self._error
        if not started:
            raise TimeoutError(f"the server did not start within {PATIENCE_S:g} s")
        return url

    def stop(self) -> None:
        if self._server is not None:
            self._server.handle_exit(0, None)
        self._thread.join(PATIENCE_S)
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        try:
            with asyncio.Runner(loop_factory=loop_factory()) as runner, self._listener, _kept_logging():
                runner.run(self._serve())
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        emulator = await open_emulator(self._settings, clock=self._clock)
        try:
            await emulator.declare_queues()
            self._server = Server(emulator, self._ready.set)
            await self._server.serve(sockets=[self._listener])
        finally:
            await emulator.close()


@contextmanager
def _kept_logging() -> Iterator[None]:
    """A server that stops silences uvicorn's logger, which belongs to the process that runs the tests."""
    logger = logging.getLogger("uvicorn")
    level = logger.level
    try:
        yield
    finally:
        logger.setLevel(level)
