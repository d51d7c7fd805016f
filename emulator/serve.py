"""Runs one server: takes the port, opens the data, creates declared queues, answers until told to stop."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from emulator.app import Emulator, open_emulator
from emulator.logs import event, setup_logging
from emulator.settings import Settings, StartError
from emulator.web.asgi import App
from emulator.web.uvicorn_protocol import short_path

log = logging.getLogger(__name__)

BACKLOG = 2048
GRACE_S = 1
"""How long a stop waits for requests in hand. The whole stop must fit into two seconds."""


def serve(settings: Settings, *, announce: Callable[[str], None]) -> None:
    """Returns after SIGTERM or Ctrl-C. `announce` gets the line that says where the server listens."""
    setup_logging(settings.log_level, settings.log_format)
    with ExitStack() as stack:
        # Before anything else: a port in use must not cost a look at the data. They listen when all is ready.
        listener = stack.enter_context(bind(settings.host, settings.port))
        admin_listener = None
        if settings.admin_port is not None:
            if not settings.admin:
                raise StartError("--admin-port and --no-admin: there is nothing that the port would be for")
            admin_listener = stack.enter_context(bind(settings.host, settings.admin_port, "--admin-port"))
        runner = stack.enter_context(asyncio.Runner(loop_factory=loop_factory()))
        runner.run(_run(settings, listener, admin_listener, announce))


def bind(host: str, port: int, flag: str = "--port") -> socket.socket:
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
        raise _cannot_listen(host, port, error, flag) from error
    return listener


def listen(listener: socket.socket, host: str, flag: str) -> None:
    """Two servers can bind a port as long as neither listens; then the later one fails here."""
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        raise _cannot_listen(host, listener.getsockname()[1], error, flag) from error


def _cannot_listen(host: str, port: int, error: OSError, flag: str) -> StartError:
    return StartError(f"cannot listen on {host}, port {port}: {error.strerror} (see --host and {flag})")


def start_line(listener: socket.socket, admin_listener: socket.socket | None = None) -> str:
    url = url_of(listener)
    line = (
        f"sqs-emulator listens on {url} - "
        f'boto3: boto3.client("sqs", endpoint_url="{url}") - '
        f"aws CLI: aws sqs list-queues --endpoint-url {url}"
    )
    return line if admin_listener is None else f"{line} - test kit: {url_of(admin_listener)}"


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _run(
    settings: Settings,
    listener: socket.socket,
    admin_listener: socket.socket | None,
    announce: Callable[[str], None],
) -> None:
    emulator = await open_emulator(settings)
    try:
        await emulator.declare_queues()
        server = Server(emulator, lambda: announce(start_line(listener, admin_listener)), admin_listener)
        await server.serve(sockets=[listener])
    finally:
        await emulator.close()


class Server(uvicorn.Server):
    def __init__(
        self,
        emulator: Emulator,
        on_ready: Callable[[], None],
        admin_listener: socket.socket | None = None,
    ) -> None:
        short = short_path(emulator.endpoint, emulator.settings.max_body_bytes)
        super().__init__(_config(emulator.asgi, short))
        self._admin_listener = admin_listener
        self._emulator = emulator
        self._on_ready = on_ready
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        settings = self._emulator.settings
        for listener in sockets or ():
            listen(listener, settings.host, "--port")
        await super().startup(sockets)
        if self._admin_listener is not None:
            listen(self._admin_listener, settings.host, "--admin-port")
            await self._answer_admin(self._admin_listener)
        self._on_ready()

    async def _answer_admin(self, listener: socket.socket) -> None:
        """The kit's own port shares connections, tasks and stop with the other."""
        aws_port = self.servers[0].sockets[0].getsockname()[1]
        config = _config(self._emulator.admin(aws_port=aws_port), "httptools")
        config.load()
        connect = partial(HttpToolsProtocol, config, self.server_state, {})
        self.servers.append(await self._loop.create_server(connect, sock=listener))

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
        self._emulator.stop_waiting()
        # A request that GRACE_S cuts off, say a stalled upload, would leave a traceback here.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)
        if self.server_state.tasks:
            event(log, logging.WARNING, "requests cut off", count=len(self.server_state.tasks))


def _config(app: App, http: Any) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=http,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_S,
    )
    config.access_log = False  # set here: given above, uvicorn would cut off that logger of the whole process
    return config


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on Windows
        return None
    return uvloop.new_event_loop
