"""A kept AWS request and its answer, as a page shows them."""

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from emulator.errors import SqsError
from emulator.traffic import HIDDEN, MAX_BODY_BYTES, Exchange, without_secrets
from emulator.web.console.actions import USER_AGENT
from emulator.web.console.asked import JSON, QUERY, fields_of, opened, protocol_of, queue_name
from emulator.web.console.json_tree import printable
from emulator.wire.messages import WireRequest

MAX_NAMED_MESSAGES = 10
_TOKENS = re.compile(r"<[^>]*>|[^<]+")
_PRODUCT = re.compile(r"([A-Za-z][\w.+ -]*?)/(\d[\w.]*)")
_MESSAGE_ID = re.compile(r'(?:"MessageId"\s*:\s*"|<MessageId>)([0-9a-fA-F-]{36})["<]')
_TAG_ENDS = ("/>", "?>")


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """A body, laid out for reading."""

    kind: str
    """`json`, `xml`, `form`, `text` or `none`."""
    size_bytes: int
    """Of what was kept."""
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    """Of a form."""
    raw: str = ""
    """As it came; empty if that is no text, or is `text` itself."""
    is_cut: bool = False


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    protocol: str
    line: str
    """Method and path of the request."""
    headers: tuple[tuple[str, str], ...]
    content: Content
    answer_line: str
    answer_headers: tuple[tuple[str, str], ...]
    answer: Content
    message_ids: tuple[str, ...]
    """Those that the answer names."""


class Row(msgspec.Struct, frozen=True):
    """What a list shows of one."""

    exchange: Exchange
    queue: str
    caller: str
    protocol: str

    @property
    def outcome(self) -> str:
        """`ok`, `error` (the caller's), `failure` (the server's) or `cut`."""
        return outcome_of(self.exchange.status)

    @property
    def took(self) -> str:
        return time_text(self.exchange.duration_ms / 1000)


def outcome_of(status: int) -> str:
    if status == 0:
        return "cut"
    if status < 400:
        return "ok"
    return "error" if status < 500 else "failure"


def time_text(seconds: float) -> str:
    """Three digits: `87 µs`, `1.25 ms`, `20 s`."""
    if seconds == float("inf"):
        return "longer"
    unit, size = next(
        ((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3)) if seconds >= size), ("µs", 1e-6)
    )
    scaled = seconds / size
    digits = 2 if scaled < 10 else 1 if scaled < 100 else 0
    text = f"{scaled:.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + f" {unit}"


def row_of(exchange: Exchange) -> Row:
    request = opened(exchange.request)
    return Row(exchange, queue_name(request), caller_of(request.headers), protocol_of(request))


def shown(exchange: Exchange) -> Shown:
    request = hidden(opened(exchange.request))
    target = request.path + (f"?{request.query}" if request.query else "")
    return Shown(
        protocol=protocol_of(request),
        line=printable(f"{request.method} {target}"),
        headers=_headers(request.headers.items()),
        content=_content_of_request(request),
        answer_line=status_text(exchange.status),
        answer_headers=_answer_headers(exchange),
        answer=_content(exchange.answer, exchange.content_type),
        message_ids=named_messages(exchange.answer),
    )


def hidden(request: WireRequest) -> WireRequest:
    """Without anything that lets another act in the caller's name."""
    request = without_secrets(request)
    authorization = request.headers.get("authorization", "")
    if not authorization or "Credential=" in authorization:
        return request
    return msgspec.structs.replace(request, headers={**request.headers, "authorization": HIDDEN})


def status_text(status: int) -> str:
    if status == 0:
        return "no answer: a planned fault cut the connection"
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def caller_of(headers: Mapping[str, str]) -> str:
    """The program that asked, in short: `Boto3 1.42.1`. Empty: it did not say, or the door did not listen."""
    agent = headers.get("user-agent", "")
    if agent == USER_AGENT:
        return "this console"
    found = _PRODUCT.match(agent)
    return f"{found[1]} {found[2]}" if found else printable(agent[:40])


def named_messages(answer: bytes) -> tuple[str, ...]:
    found = _MESSAGE_ID.findall(answer.decode("utf-8", "replace"))
    return tuple(dict.fromkeys(found))[:MAX_NAMED_MESSAGES]


def _headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((printable(name), printable(value)) for name, value in headers)


def _answer_headers(exchange: Exchange) -> tuple[tuple[str, str], ...]:
    if exchange.status == 0:
        return ()
    usual = [("x-amzn-requestid", exchange.request_id), ("content-type", exchange.content_type)]
    more = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in exchange.more_headers]
    return _headers(pair for pair in [*usual, *more] if pair[1])


def _content_of_request(request: WireRequest) -> Content:
    if protocol_of(request) != QUERY:
        kind = request.headers.get("content-type", "") if protocol_of(request) != JSON else "json"
        return _content(request.body, kind or "cbor")
    try:
        fields = fields_of(request)
    except SqsError:
        return _content(request.body, "text")
    return Content(
        kind="form",
        size_bytes=len(request.body),
        fields=tuple((printable(name), printable(value)) for name, value in fields.items()),
        raw=_decoded(request.body),
        is_cut=_is_cut(request.body),
    )


def _content(body: bytes, content_type: str) -> Content:
    size, is_cut = len(body), _is_cut(body)
    if not body:
        return Content(kind="none", size_bytes=0)
    if "cbor" in content_type:
        return Content(kind="json", size_bytes=size, text=_cbor_as_json(body), is_cut=is_cut)
    raw = _decoded(body)
    if "json" in content_type:
        text = json_laid_out(raw)
        return Content(kind="json", size_bytes=size, text=text, raw=raw, is_cut=is_cut)
    if raw.startswith("<"):
        return Content(kind="xml", size_bytes=size, text=xml_laid_out(raw), raw=raw, is_cut=is_cut)
    return Content(kind="text", size_bytes=size, text=raw, is_cut=is_cut)


def _is_cut(body: bytes) -> bool:
    """Longer bodies are cut to exactly so much."""
    return len(body) == MAX_BODY_BYTES


def _decoded(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def json_laid_out(text: str) -> str:
    """What is no JSON, or was cut, stays as it is."""
    try:
        return printable(json.dumps(json.loads(text), indent=2, ensure_ascii=False))
    except (ValueError, RecursionError):
        return text


def _cbor_as_json(body: bytes) -> str:
    import cbor2  # only if there is such a request

    try:
        value = cbor2.loads(body)
        return printable(json.dumps(value, indent=2, ensure_ascii=False, default=_of_cbor))
    except (cbor2.CBORDecodeError, ValueError, TypeError, RecursionError):
        return f"{len(body)} bytes that are no CBOR"


def _of_cbor(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def xml_laid_out(text: str) -> str:
    """One element a line. Our answers escape what was sent to us, so that tags are tags."""
    lines: list[str] = []
    depth = 0
    tokens = _TOKENS.findall(text)
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if not token.strip():
            continue
        if token.startswith("</"):
            depth = max(0, depth - 1)
        line = "  " * depth + token
        if token.startswith("<") and not token.startswith("</") and not token.endswith(_TAG_ENDS):
            inner, taken = _leaf(tokens, position)
            line, position = line + inner, position + taken
            depth += not taken
        lines.append(line)
    return "\n".join(lines)


def _leaf(tokens: list[str], position: int) -> tuple[str, int]:
    """Text and end tag of an element without others in it, and how many tokens they are."""
    following = tokens[position : position + 2]
    if following and following[0].startswith("</"):
        return following[0], 1
    if len(following) == 2 and following[1].startswith("</"):
        return "".join(following), 2
    return "", 0
