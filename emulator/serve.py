"""Runs one server: takes the port, opens the data, creates declared queues, answers until told to stop."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, cast

import uvicorn

from emulator.app import Emulator, open_emulator
from emulator.declared_queues import create_declared_queues
from emulator.logs import event, setup_logging
from emulator.settings import Settings, StartError
from emulator.web.uvicorn_protocol import short_path

log = logging.getLogger(__name__)

GRACE_S = 1
"""How long a stop waits for requests in hand. The whole stop must fit into two seconds."""


def serve(settings: Settings, *, announce: Callable[[str], None]) -> None:
    """Returns after SIGTERM or Ctrl-C. `announce` gets the line that says where the server listens."""
    setup_logging(settings.log_level, settings.log_format)
    # Before anything else: a port in use must not cost a look at the data. It listens only when all is ready.
    with (
        bind(settings.host, settings.port) as listener,
        asyncio.Runner(loop_factory=_loop_factory()) as runner,
    ):
        runner.run(_run(settings, listener, announce))


def bind(host: str, port: int) -> socket.socket:
    listener = None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # localhost may name an IPv6 address first; 127.0.0.1 is what everybody tries.
        family, kind, protocol, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        if listener is not None:
            listener.close()
        raise _cannot_listen(host, port, error) from error
    return listener


def _cannot_listen(host: str, port: int, error: OSError) -> StartError:
    return StartError(f"cannot listen on {host}, port {port}: {error.strerror} (see --host and --port)")


def start_line(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(host, host)
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return (
        f"sqs-emulator listens on {url} - "
        f'boto3: boto3.client("sqs", endpoint_url="{url}") - '
        f"aws CLI: aws sqs list-queues --endpoint-url {url}"
    )


async def _run(settings: Settings, listener: socket.socket, announce: Callable[[str], None]) -> None:
    emulator = await open_emulator(settings)
    try:
        context = emulator.context(settings.account, settings.region)
        await create_declared_queues(context, settings.queues)
        server = _Server(emulator, lambda: announce(start_line(listener)))
        await server.serve(sockets=[listener])
    finally:
        await emulator.close()


class _Server(uvicorn.Server):
    def __init__(self, emulator: Emulator, on_ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                emulator.asgi,
                http=cast(Any, short_path(emulator.endpoint, emulator.settings.max_body_bytes)),
                ws="none",
                lifespan="off",
                interface="asgi3",
                access_log=False,
                log_config=None,
                proxy_headers=False,
                server_header=False,
                backlog=2048,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=GRACE_S,
            )
        )
        self._emulator = emulator
        self._on_ready = on_ready
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        settings = self._emulator.settings
        try:
            await super().startup(sockets)
        except OSError as error:
            # Two servers can bind a port as long as neither listens; then the later one fails here.
            raise _cannot_listen(settings.host, settings.port, error) from error
        self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # uvicorn would raise the signal again once it is done; a stop that was asked for is exit code 0.
        self.force_exit = self.should_exit
        self.should_exit = True
        self._loop.call_soon_threadsafe(self._stop.set)

    async def main_loop(self) -> None:
        # uvicorn looks ten times a second whether to stop. Told of it, we wake for the Date header only.
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), 1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._emulator.signals.close()
        # A request that GRACE_S cuts off, say a stalled upload, would leave a traceback here.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)
        if self.server_state.tasks:
            event(log, logging.WARNING, "requests cut off", count=len(self.server_state.tasks))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on Windows
        return None
    return uvloop.new_event_loop
