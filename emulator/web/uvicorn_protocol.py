"""The short path: an HTTP protocol for uvicorn that answers AWS requests without a task for each.

It parses with httptools, as uvicorn does, calls `Endpoint.handle` and steps the coroutine once. Nearly always
it is done then and its answer is written; only what suspends (a long poll, a data file) becomes a task. Where
our own pages are asked for, the connection goes over to uvicorn's own protocol and the ASGI application.
"""

import asyncio
import functools
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from http import HTTPStatus
from typing import Any, cast

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from emulator.errors import SqsError
from emulator.signals import ClientGone
from emulator.web.asgi import OWN_PREFIX
from emulator.web.bodies import too_large
from emulator.web.endpoint import Answer, Endpoint
from emulator.wire.messages import WireRequest

MAX_PIPELINED = 16
KEEP_ALIVE_S = 75
_OWN_PREFIX = OWN_PREFIX.encode()
_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_BAD_REQUEST = (
    _STATUS_LINES[400] + b"content-type: text/plain\r\ncontent-length: 21\r\nconnection: close\r\n\r\n"
    b"Invalid HTTP request."
)
_HEADERS_READ = tuple(
    (name.encode(), name)
    for name in (
        "accept",
        "access-control-request-headers",
        "authorization",
        "content-encoding",
        "content-type",
        "host",
        "origin",
        "x-amz-target",
        "x-amzn-trace-id",
    )
)
"""Those that the protocols and the endpoint look at; the others are not decoded."""
_UPGRADE_HEADERS = (b"connection", b"upgrade", b"http2-settings")


def short_path(endpoint: Endpoint, limit_bytes: int) -> "Callable[..., AwsProtocol]":
    """What uvicorn's setting `http` takes."""
    return functools.partial(AwsProtocol, endpoint, limit_bytes)


class _DefaultHead:
    """uvicorn's own headers (Date), which it makes anew each second, as bytes."""

    def __init__(self) -> None:
        self._made_of: list[tuple[bytes, bytes]] = []
        self._head = b""

    def of(self, state: ServerState) -> bytes:
        if state.default_headers is not self._made_of:
            self._made_of = state.default_headers
            self._head = b"".join(b"%s: %s\r\n" % header for header in self._made_of)
        return self._head


_default_head = _DefaultHead()


class _Request:
    """One request as it comes in."""

    __slots__ = ("body", "by_name", "fault", "headers", "keep_alive", "method", "size", "url")

    def __init__(self) -> None:
        self.url = b""
        self.method = b""
        self.headers: list[tuple[bytes, bytes]] = []
        self.by_name: dict[bytes, bytes] = {}
        self.body: list[bytes] = []
        self.size = 0
        self.keep_alive = True
        self.fault: SqsError | None = None


class AwsProtocol(asyncio.Protocol):
    def __init__(
        self,
        endpoint: Endpoint,
        limit_bytes: int,
        *,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._limit_bytes = limit_bytes
        self._config = config
        self._state = server_state
        self._app_state = app_state
        self._loop = _loop or asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport
        self._default_host = ""
        self._incoming = _Request()
        self._waiting: deque[_Request] = deque()
        self._client_gone: ClientGone | None = None  # of the request in hand
        self._writable = True
        self._closing = False
        self._last_used_s = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._successor: asyncio.Protocol | None = None

    # What the transport calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._state.connections.add(cast(HttpToolsProtocol, self))
        host, port = (transport.get_extra_info("sockname") or ("localhost", 0))[:2]
        self._default_host = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._last_used_s = self._loop.time()
        self._idle_timer = self._loop.call_later(KEEP_ALIVE_S, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        self._state.connections.discard(cast(HttpToolsProtocol, self))
        self._closing = True
        self._waiting.clear()
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._client_gone is not None:
            self._client_gone.set()

    def eof_received(self) -> None:
        pass

    def pause_writing(self) -> None:
        self._writable = False

    def resume_writing(self) -> None:
        self._writable = True
        self._serve_waiting()

    def data_received(self, data: bytes) -> None:
        self._last_used_s = self._loop.time()
        try:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                self._ignore_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._transport.write(_BAD_REQUEST)
            self._transport.close()

    # What the parser calls

    def on_message_begin(self) -> None:
        self._incoming = _Request()

    def on_url(self, url: bytes) -> None:
        self._incoming.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._incoming.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        request = self._incoming
        request.method = self._parser.get_method()
        if self._parser.should_upgrade():
            return  # parsed anew without the offer: see _ignore_upgrade
        request.by_name = by_name = dict(request.headers)
        declared = by_name.get(b"content-length", b"")
        expects = by_name.get(b"expect", b"").lower()
        if declared.isdigit() and int(declared) > self._limit_bytes:
            self._refuse(request)
        elif expects == b"100-continue" and self._client_gone is None:
            self._transport.write(_CONTINUE)

    def on_body(self, body: bytes) -> None:
        request = self._incoming
        if request.fault is None:
            request.size += len(body)
            request.body.append(body)
            if request.size > self._limit_bytes:
                self._refuse(request)

    def on_message_complete(self) -> None:
        request = self._incoming
        if request.fault is not None or self._parser.should_upgrade():
            return  # answered already, or parsed anew
        request.keep_alive = self._parser.should_keep_alive()
        if not request.url.startswith(b"/"):
            request.url = _path_of(request.url)
        self._accept(request)

    # From requests to answers

    def _refuse(self, request: _Request) -> None:
        """Answers now; what still comes of the body is dropped."""
        request.fault = too_large(self._limit_bytes)
        request.body.clear()
        self._accept(request)

    def _accept(self, request: _Request) -> None:
        if self._successor is not None:
            self._hand_over(request)
        elif self._client_gone is not None or self._waiting or not self._writable:
            self._waiting.append(request)
            if len(self._waiting) >= MAX_PIPELINED:
                self._transport.pause_reading()
        else:
            self._serve(request)

    def _serve_waiting(self) -> None:
        while self._waiting and self._client_gone is None and self._writable and not self._closing:
            self._serve(self._waiting.popleft())
            self._transport.resume_reading()

    def _serve(self, request: _Request) -> None:
        if self._successor is not None or request.url.startswith(_OWN_PREFIX):
            self._hand_over(request)
            return
        self._client_gone = ClientGone()
        work = self._endpoint.handle(self._wire_request(request), self._client_gone, request.fault)
        try:
            yielded = work.send(None)
        except StopIteration as done:
            self._finish(request, done.value)
            return
        task = self._loop.create_task(self._finish_later(request, work, yielded))
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    async def _finish_later(self, request: _Request, work: Coroutine[Any, Any, Answer], yielded: Any) -> None:
        answer = await _resume(work, yielded)
        self._finish(request, answer)
        self._serve_waiting()

    def _finish(self, request: _Request, answer: Answer) -> None:
        self._client_gone = None
        self._state.total_requests += 1
        if self._closing and self._transport.is_closing():
            return
        keep_alive = request.keep_alive and not self._closing
        self._transport.write(self._encode(request, answer, keep_alive))
        self._last_used_s = self._loop.time()
        if not keep_alive:
            self._transport.close()

    def _encode(self, request: _Request, answer: Answer, keep_alive: bool) -> bytes:
        parts = [_STATUS_LINES[answer.status], _default_head.of(self._state)]
        for name, value in answer.headers:
            parts += (name, b": ", value, b"\r\n")
        if not keep_alive:
            parts.append(b"connection: close\r\n")
        parts += (b"content-length: ", b"%d" % len(answer.body), b"\r\n\r\n")
        if request.method != b"HEAD":
            parts.append(answer.body)
        return b"".join(parts)

    def _wire_request(self, request: _Request) -> WireRequest:
        path, _, query = request.url.partition(b"?")
        by_name = request.by_name
        headers = {"host": self._default_host}
        for name, spelled in _HEADERS_READ:
            value = by_name.get(name)
            if value is not None:
                headers[spelled] = value.decode("latin-1")
        return WireRequest(
            method=request.method.decode("latin-1"),
            path=path.decode("latin-1"),
            query=query.decode("latin-1"),
            headers=headers,
            body=request.body[0] if len(request.body) == 1 else b"".join(request.body),
        )

    # Ends and exceptions

    def shutdown(self) -> None:
        """Called by uvicorn when the server stops: an idle connection closes, a busy one after its answer."""
        self._closing = True
        if self._client_gone is None:
            self._transport.close()

    def _close_if_idle(self) -> None:
        idle_s = self._loop.time() - self._last_used_s
        if self._client_gone is None and idle_s >= KEEP_ALIVE_S:
            self._transport.close()
            return
        wait_s = KEEP_ALIVE_S if self._client_gone is not None else KEEP_ALIVE_S - idle_s
        self._idle_timer = self._loop.call_later(wait_s, self._close_if_idle)

    def _ignore_upgrade(self, rest: bytes) -> None:
        """We speak HTTP/1.1 only. Java's client offers h2c with its first request, and the body follows."""
        request = self._incoming
        if request.method == b"CONNECT":
            raise httptools.HttpParserError("this is no proxy")
        request.headers = [header for header in request.headers if header[0] not in _UPGRADE_HEADERS]
        self._parser = httptools.HttpRequestParser(self)
        self.data_received(_head(request) + rest)

    def _hand_over(self, request: _Request) -> None:
        """From here on the connection is uvicorn's own; this request is given to it anew."""
        if self._successor is None:
            if self._idle_timer is not None:
                self._idle_timer.cancel()
            self._state.connections.discard(cast(HttpToolsProtocol, self))
            self._successor = HttpToolsProtocol(self._config, self._state, self._app_state, self._loop)
            self._successor.connection_made(self._transport)
            self._transport.set_protocol(self._successor)
        unframed = [header for header in request.headers if header[0] != b"transfer-encoding"]
        request.headers = [header for header in unframed if header[0] not in (b"content-length", b"expect")]
        if request.size:
            request.headers.append((b"content-length", b"%d" % request.size))
        self._successor.data_received(_head(request) + b"".join(request.body))


def _path_of(url: bytes) -> bytes:
    """Path and query of a URL sent whole, as through a proxy. Raises HttpParserError for what has none."""
    parsed = httptools.parse_url(url)
    path = parsed.path or b"/"
    return path if parsed.query is None else path + b"?" + parsed.query


def _head(request: _Request) -> bytes:
    lines = [b"%s %s HTTP/1.1" % (request.method, request.url)]
    lines += [b"%s: %s" % header for header in request.headers]
    return b"\r\n".join(lines) + b"\r\n\r\n"


@types.coroutine
def _resume(work: Coroutine[Any, Any, Answer], yielded: Any) -> Generator[Any, Any, Answer]:
    """Goes on with a coroutine that was stepped once and yielded a future, for a task to wait for."""
    go_on: Callable[[Any], Any]
    while True:
        try:
            value = yield yielded
            go_on = work.send
        except BaseException as error:
            go_on, value = work.throw, error
        try:
            yielded = go_on(value)
        except StopIteration as done:
            answer: Answer = done.value
            return answer
