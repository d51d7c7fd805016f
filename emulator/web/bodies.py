"""Request bodies: read up to a limit, and unpacked if they come compressed."""

import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from emulator.errors import MalformedInput, RequestEntityTooLarge

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class Disconnected(Exception):
    """The caller went away before its request was complete."""


async def read_body(receive: Receive, declared_bytes: str | None, limit_bytes: int) -> bytes:
    """Raises RequestEntityTooLarge without reading what is too much, Disconnected, or returns the body."""
    if declared_bytes is not None and declared_bytes.isdecimal() and int(declared_bytes) > limit_bytes:
        raise too_large(limit_bytes)
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit_bytes:
            raise too_large(limit_bytes)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def unpack(body: bytes, encoding: str, limit_bytes: int) -> bytes:
    """Undoes Content-Encoding gzip or deflate; the limit holds for what comes out, too."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity") or not body:
        return body
    if encoding not in ("gzip", "deflate"):
        raise MalformedInput("The Content-Encoding of the request is not supported.")
    unpacked = b""
    while body:  # gzip may consist of several members
        unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
        try:
            unpacked += unpacker.decompress(body, limit_bytes + 1 - len(unpacked))
        except zlib.error as error:
            raise MalformedInput("The request body does not fit its Content-Encoding.") from error
        if len(unpacked) > limit_bytes:
            raise too_large(limit_bytes)
        if not unpacker.eof:
            raise MalformedInput("The request body does not fit its Content-Encoding.")
        body = unpacker.unused_data
    return unpacked


def too_large(limit_bytes: int) -> RequestEntityTooLarge:
    return RequestEntityTooLarge(f"The request body is larger than {limit_bytes} bytes.")
