"""HTTP reduced to what the protocols need. Nothing here knows a server."""

from collections.abc import Mapping

import msgspec

Header = tuple[bytes, bytes]


class WireRequest(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    """Percent-encoded, as sent."""
    query: str
    """Without the question mark; percent-encoded, as sent."""
    headers: Mapping[str, str]
    """Names in lower case. A header given twice: the last one."""
    body: bytes
    scheme: str = "http"


class WireResponse(msgspec.Struct, frozen=True):
    status: int
    content_type: bytes
    body: bytes
    headers: tuple[Header, ...] = ()
