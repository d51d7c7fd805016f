"""The ASGI door: for any ASGI server, and for tests in the same process."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from emulator.errors import SqsError
from emulator.signals import ClientGone
from emulator.web.bodies import Disconnected, Receive, read_body
from emulator.web.endpoint import Endpoint
from emulator.wire.messages import WireRequest

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OWN_PREFIXES = ("/_emulator", "/metrics", "/_aws/sqs/messages", "/moto-api/")
"""Starts of paths that are not AWS's: our own, LocalStack's developer endpoint, moto's reset."""


class Asgi:
    """Sends what is ours to our own pages and everything else to the AWS endpoint."""

    def __init__(self, endpoint: Endpoint, limit_bytes: int, build_own: Callable[[], App]) -> None:
        self._endpoint = endpoint
        self._limit_bytes = limit_bytes
        self._build_own = build_own
        self._own: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"this application speaks HTTP, not {scope['type']}")
        if scope["path"].startswith(OWN_PREFIXES):
            if self._own is None:
                self._own = self._build_own()
            await self._own(scope, receive, send)
        else:
            await self._serve_aws(scope, receive, send)

    async def _serve_aws(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if "host" not in headers and scope.get("server"):  # HTTP/1.0; queue URLs need one
            host, port = scope["server"]
            headers["host"] = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        body, fault = b"", None
        try:
            body = await read_body(receive, headers.get("content-length"), self._limit_bytes)
        except SqsError as error:
            fault = error
        except Disconnected:
            return
        request = WireRequest(
            method=scope["method"],
            path=scope.get("raw_path", b"").decode("latin-1") or scope["path"],
            query=scope["query_string"].decode("latin-1"),
            headers=headers,
            body=body,
            scheme=scope["scheme"],
        )
        listener = _Listener(receive)
        answer = await self._endpoint.handle(request, ClientGone(listener.start), fault)
        listener.stop()
        if answer.cut:
            return  # a server whose application says nothing closes the connection, if not without a word
        head = [*answer.headers, (b"content-length", str(len(answer.body)).encode())]
        await send({"type": "http.response.start", "status": answer.status, "headers": head})
        await send({"type": "http.response.body", "body": answer.body})


class _Listener:
    """Tells a ClientGone when the caller hangs up. A task only for requests that wait."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._task: asyncio.Task[None] | None = None

    def start(self, client_gone: ClientGone) -> None:
        self._task = asyncio.create_task(self._listen(client_gone))

    async def _listen(self, client_gone: ClientGone) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        client_gone.set()

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
