"""Keeps web pages out. A page in the developer's browser can reach this port; it must neither read nor act.

A request that a browser says comes from another origin is refused. A page whose own host name was made to
point here (DNS rebinding) is of the same origin, so names that anybody could own are refused as well.
"""

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

_PRIVATE_NAME = re.compile(
    r"[^.]+|(.+\.)?(localhost|local|localdomain|internal|intranet|lan|svc|test|home\.arpa)", re.IGNORECASE
)
"""One label, as in a compose network, or an ending that nobody can register."""
_LOCALSTACK_NAME = re.compile(r"(.+\.)?localhost\.localstack\.cloud", re.IGNORECASE)
"""It points at 127.0.0.1, for everybody: suites that move over use it."""


def refusal(headers: Mapping[str, str], base_url: str | None) -> str | None:
    """Why a request is refused, or None. `base_url` is the setting: its host is one of ours."""
    host = headers.get("host", "")
    origin = headers.get("origin")
    if origin is not None and urlsplit_host(origin) != host.lower():
        return f"pages of other origins ({origin}) are not served"
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return "pages of other origins are not served"
    if not _is_ours(host, base_url):
        return f"the host name {host} may belong to anybody; the setting base_url makes it one of ours"
    return None


def urlsplit_host(url: str) -> str | None:
    """Host and port of an origin, None for `null` and what is no URL."""
    try:
        return urlsplit(url).netloc.lower() or None
    except ValueError:
        return None


def _is_ours(host: str, base_url: str | None) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        own_name = urlsplit(base_url or "").hostname
    except ValueError:
        return False
    if not name or name == own_name or _PRIVATE_NAME.fullmatch(name) or _LOCALSTACK_NAME.fullmatch(name):
        return True
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
