"""The short path: an HTTP protocol for uvicorn that answers AWS requests without a task for each.

It parses with httptools, as uvicorn does, calls `Endpoint.handle` and steps the coroutine. Nearly always it
is done then and its answer is written; what waits (a long poll, a data file) is stepped again by the futures
that it waits for. Where our own pages are asked for, the connection goes over to uvicorn's own protocol and
the ASGI application.
"""

import asyncio
import functools
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, cast

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from emulator.errors import SqsError
from emulator.signals import ClientGone
from emulator.web.asgi import OWN_PREFIXES
from emulator.web.bodies import too_large
from emulator.web.endpoint import Answer, Endpoint
from emulator.web.stepping import Suspended
from emulator.wire.messages import Header, WireRequest

MAX_PIPELINED = 16
KEEP_ALIVE_S = 75
_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_BAD_REQUEST = (
    _STATUS_LINES[400] + b"content-type: text/plain\r\ncontent-length: 21\r\nconnection: close\r\n\r\n"
    b"Invalid HTTP request."
)
_HEADERS_READ = frozenset(
    {
        "accept",
        "access-control-request-headers",
        "authorization",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "origin",
        "user-agent",
        "x-amz-target",
        "x-amzn-trace-id",
    }
)
"""Those that the protocols, the endpoint, this module and the console look at; others are not decoded."""
_UPGRADE_HEADERS = frozenset({b"connection", b"upgrade", b"http2-settings"})
_FRAMING_HEADERS = frozenset({"content-length", "expect"})
_spellings: dict[bytes, str] = {}
"""For names of headers as they came: the one of _HEADERS_READ that is meant, or nothing."""
_MAX_SPELLINGS = 1_000
_MAX_SPELLING_BYTES = 64


def short_path(endpoint: Endpoint, limit_bytes: int) -> "Callable[..., AwsProtocol]":
    """What uvicorn's setting `http` takes."""
    return functools.partial(AwsProtocol, endpoint, limit_bytes)


class _Heads:
    """Status line and uvicorn's own headers (Date), which it makes anew each second, as bytes."""

    def __init__(self) -> None:
        self._made_of: list[Header] = []
        self._heads: dict[int, bytes] = {}

    def of(self, state: ServerState, status: int) -> bytes:
        if state.default_headers is not self._made_of:
            self._made_of = state.default_headers
            self._heads.clear()
        head = self._heads.get(status)
        if head is None:
            head = self._heads[status] = _STATUS_LINES[status] + _lines(self._made_of)
        return head


_heads = _Heads()


class _Request(WireRequest, frozen=True, kw_only=True):
    """One request as it came in."""

    unread: list[Header]
    """The headers that are not among _HEADERS_READ."""
    keep_alive: bool
    fault: SqsError | None


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
        self._waiting: deque[_Request] = deque()
        self._client_gone = ClientGone()
        self._busy = False  # a request is in hand
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
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._ignore_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._refuse_connection()

    # What the parser calls

    def on_message_begin(self) -> None:
        self._url = b""
        self._fields = {"host": self._default_host}
        self._unread: list[Header] = []
        self._body: list[bytes] = []
        self._size = 0
        self._settled = False  # nothing is left to do for this message

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, spelling: bytes, value: bytes) -> None:
        try:
            name = _spellings[spelling]
        except KeyError:
            name = _name_of(spelling)
        if name:
            self._fields[name] = value.decode("latin-1")
        else:
            self._unread.append((spelling, value))

    def on_headers_complete(self) -> None:
        if self._parser.should_upgrade():
            self._settled = True  # parsed anew without the offer: see _ignore_upgrade
            return
        self._headers = headers = self._fields
        self._fields = {}  # what still comes are trailers
        declared, expected = headers.get("content-length"), headers.get("expect")
        if declared is not None and int(declared) > self._limit_bytes and not self._is_own():
            self._refuse()
        elif expected is not None and expected.lower() == "100-continue" and not self._busy:
            self._transport.write(_CONTINUE)

    def on_body(self, body: bytes) -> None:
        if not self._settled:
            self._body.append(body)
            self._size += len(body)
            if self._size > self._limit_bytes and not self._is_own():
                self._refuse()

    def on_message_complete(self) -> None:
        if not self._settled:
            body = self._body
            self._accept(self._request(body[0] if len(body) == 1 else b"".join(body)))

    def _is_own(self) -> bool:
        """A call of the test kit, which has limits of its own."""
        return self._url.decode("latin-1").startswith(OWN_PREFIXES)

    # From requests to answers

    def _refuse(self) -> None:
        """Answers now; what still comes of the body is dropped."""
        self._settled = True
        self._body.clear()
        self._accept(self._request(b"", too_large(self._limit_bytes)))

    def _request(self, body: bytes, fault: SqsError | None = None) -> _Request:
        path, query = ("/", "") if self._url == b"/" else _path_and_query(self._url)
        return _Request(
            method=self._parser.get_method().decode(),
            path=path,
            query=query,
            headers=self._headers,
            body=body,
            unread=self._unread,
            keep_alive=fault is not None or self._parser.should_keep_alive(),
            fault=fault,
        )

    def _accept(self, request: _Request) -> None:
        if self._successor is not None:
            self._hand_over(request)
        elif self._busy or self._waiting or not self._writable:
            self._waiting.append(request)
            if len(self._waiting) >= MAX_PIPELINED:
                self._transport.pause_reading()
        else:
            self._serve(request)

    def _serve_waiting(self) -> None:
        while self._waiting and not self._busy and self._writable and not self._closing:
            self._serve(self._waiting.popleft())
            self._transport.resume_reading()

    def _serve(self, request: _Request) -> None:
        if self._successor is not None or request.path.startswith(OWN_PREFIXES):
            self._hand_over(request)
            return
        self._busy = True
        work = self._endpoint.handle(request, self._client_gone, request.fault)
        try:
            future = work.send(None)
        except StopIteration as done:
            self._finish(request, done.value)
        else:
            then = functools.partial(self._finish_later, request)
            Suspended(work, future, then, among=cast("set[Any]", self._state.tasks))

    def _finish_later(self, request: _Request, answer: Answer) -> None:
        self._finish(request, answer)
        self._last_used_s = self._loop.time()
        self._serve_waiting()

    def _finish(self, request: _Request, answer: Answer) -> None:
        self._busy = False
        self._state.total_requests += 1
        if self._closing and self._transport.is_closing():
            return
        if answer.cut:
            self._closing = True  # nothing of what was pipelined behind it is answered either
            self._waiting.clear()
            self._transport.abort()
            return
        keep_alive = request.keep_alive and not self._closing
        self._transport.write(self._encode(request, answer, keep_alive))
        if not keep_alive:
            self._transport.close()

    def _encode(self, request: _Request, answer: Answer, keep_alive: bool) -> bytes:
        head = _heads.of(self._state, answer.status)
        body = answer.body
        if keep_alive and not answer.more_headers and request.method != "HEAD":
            return b"%bx-amzn-requestid: %b\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n%b" % (
                head,
                answer.request_id.encode(),
                answer.content_type,
                len(body),
                body,
            )
        close = b"" if keep_alive else b"connection: close\r\n"
        length = b"content-length: %d\r\n\r\n" % len(body)
        return b"".join(
            (head, _lines(answer.headers), close, length, b"" if request.method == "HEAD" else body)
        )

    # Ends and exceptions

    def shutdown(self) -> None:
        """Called by uvicorn when the server stops: an idle connection closes, a busy one after its answer."""
        self._closing = True
        if not self._busy:
            self._transport.close()

    def _close_if_idle(self) -> None:
        idle_s = self._loop.time() - self._last_used_s
        if not self._busy and idle_s >= KEEP_ALIVE_S:
            self._transport.close()
            return
        wait_s = KEEP_ALIVE_S if self._busy else KEEP_ALIVE_S - idle_s
        self._idle_timer = self._loop.call_later(wait_s, self._close_if_idle)

    def _refuse_connection(self) -> None:
        self._transport.write(_BAD_REQUEST)
        self._transport.close()

    def _ignore_upgrade(self, rest: bytes) -> None:
        """We speak HTTP/1.1 only. Java's client offers h2c with its first request, and the body follows."""
        method = self._parser.get_method()
        if method == b"CONNECT":  # we are no proxy
            self._refuse_connection()
            return
        unread = [header for header in self._unread if header[0].lower() not in _UPGRADE_HEADERS]
        self._parser = httptools.HttpRequestParser(self)
        self.data_received(self._head(method, self._url, self._fields, unread) + rest)

    def _hand_over(self, request: _Request) -> None:
        """From here on the connection is uvicorn's own; this request is given to it anew."""
        if self._successor is None:
            if self._idle_timer is not None:
                self._idle_timer.cancel()
            self._state.connections.discard(cast(HttpToolsProtocol, self))
            self._successor = HttpToolsProtocol(self._config, self._state, self._app_state, self._loop)
            self._successor.connection_made(self._transport)
            self._transport.set_protocol(self._successor)
        url = f"{request.path}?{request.query}" if request.query else request.path
        headers = {name: value for name, value in request.headers.items() if name not in _FRAMING_HEADERS}
        if request.body:
            headers["content-length"] = str(len(request.body))
        unread = [header for header in request.unread if header[0].lower() != b"transfer-encoding"]
        head = self._head(request.method.encode(), url.encode("latin-1"), headers, unread)
        self._successor.data_received(head + request.body)

    def _head(self, method: bytes, url: bytes, headers: Mapping[str, str], unread: Iterable[Header]) -> bytes:
        sent = [
            (name.encode(), value.encode("latin-1"))
            for name, value in headers.items()
            if value is not self._default_host
        ]
        return b"%b %b HTTP/1.1\r\n%b%b\r\n" % (method, url, _lines(sent), _lines(unread))


def _name_of(spelling: bytes) -> str:
    """One of _HEADERS_READ, or nothing. Remembered, as a look at a dictionary costs less than lower()."""
    name = spelling.lower().decode("latin-1")
    if name not in _HEADERS_READ:
        name = ""
    if len(spelling) <= _MAX_SPELLING_BYTES:
        if len(_spellings) == _MAX_SPELLINGS:
            _spellings.clear()
        _spellings[spelling] = name
    return name


def _path_and_query(url: bytes) -> tuple[str, str]:
    """Also of a URL sent whole, as through a proxy. Raises HttpParserError for one that has no path."""
    if not url.startswith(b"/"):
        parsed = httptools.parse_url(url)
        return (parsed.path or b"/").decode("latin-1"), (parsed.query or b"").decode("latin-1")
    path, _, query = url.decode("latin-1").partition("?")
    return path, query


def _lines(headers: Iterable[Header]) -> bytes:
    return b"".join(b"%b: %b\r\n" % header for header in headers)
