"""What the body of a message is: JSON, an S3 event, an envelope of SNS, base64, or text.

A body is somebody else's text of up to a million bytes. Whatever it is, the view of it is of bounded size.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_plus

import msgspec

from emulator.web.console.formats import size
from emulator.web.console.json_tree import Node, Number, Pairs, member, parse, printable, tree_of

MAX_RAW = 64 * 1024
"""Characters of a body that are shown as they are."""
MAX_FACT = 1_000
"""Characters of one fact."""
MAX_RECORDS = 50
MAX_ATTRIBUTES = 20
MAX_DEPTH = 4
"""Base64 in an envelope in base64 …"""
MIN_BASE64 = 16
HEX_BYTES = 256
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]+={0,2}\s*")
_GZIP = b"\x1f\x8b"
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")


class BodyView(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    """`text`, `json`, `s3`, `sns`, `eventbridge`, `base64` or `binary`."""
    title: str
    """What it is, for people."""
    size_bytes: int
    raw: str
    """As it was sent, MAX_RAW characters at most."""
    is_cut: bool = False
    tree: Node | None = None
    facts: tuple[tuple[str, str], ...] = ()
    records: tuple["S3Record", ...] = ()
    records_left_out: int = 0
    inner: "BodyView | None" = None
    """What the envelope carries, or what was encoded."""


class S3Record(msgspec.Struct, frozen=True, kw_only=True):
    event: str
    bucket: str
    key: str
    """Decoded: S3 writes it as in a URL."""
    size: str
    at: str


def view_of(body: str, *, depth: int = 0) -> BodyView:
    """What a page shows of a body."""
    if depth < MAX_DEPTH:
        text = body.lstrip()
        if text[:1] in ("{", "["):
            try:
                return _json_view(body, parse(body), depth)
            except ValueError:
                pass  # text that begins like JSON
        decoded = decoded_base64(body)
        if decoded is not None:
            return _view("base64", "Base64", body, inner=_bytes_view(decoded, depth + 1))
    return _view("text", "Text", body)


def _view(kind: str, title: str, body: str, **members: Any) -> BodyView:
    return BodyView(
        kind=kind,
        title=title,
        size_bytes=len(body.encode("utf-8", "surrogatepass")),
        raw=printable(body[:MAX_RAW]),
        is_cut=len(body) > MAX_RAW,
        **members,
    )


# JSON, and what is written in it


def _json_view(body: str, value: Any, depth: int) -> BodyView:
    tree = tree_of(value)
    for is_one, view in _KINDS:
        if is_one(value):
            return view(body, value, tree, depth)
    return _view("json", "JSON", body, tree=tree)


def _is_s3_event(value: Any) -> bool:
    return bool(member(value, "Records", 0, "eventSource") == "aws:s3")


def _s3_view(body: str, value: Any, tree: Node, depth: int) -> BodyView:
    records = member(value, "Records")
    shown = tuple(_s3_record(record) for record in records[:MAX_RECORDS])
    left_out = len(records) - len(shown)
    return _view("s3", "S3 event", body, tree=tree, records=shown, records_left_out=left_out)


def _s3_record(record: Any) -> S3Record:
    count = member(record, "s3", "object", "size")
    is_size = isinstance(count, Number) and count.isdigit() and len(count) < 20
    return S3Record(
        event=_text(member(record, "eventName")),
        bucket=_text(member(record, "s3", "bucket", "name")),
        key=printable(unquote_plus(_text(member(record, "s3", "object", "key")))),
        size=size(int(count)) if is_size else "–",
        at=_text(member(record, "eventTime")),
    )


def _is_s3_test(value: Any) -> bool:
    return (member(value, "Event"), member(value, "Service")) == ("s3:TestEvent", "Amazon S3")


def _s3_test_view(body: str, value: Any, tree: Node, depth: int) -> BodyView:
    facts = _facts(value, (("Bucket", "Bucket"), ("Time", "Time"), ("Request id", "RequestId")))
    return _view("s3", "S3 test event", body, tree=tree, facts=facts)


def _is_sns_envelope(value: Any) -> bool:
    return (
        isinstance(member(value, "Type"), str)
        and isinstance(member(value, "TopicArn"), str)
        and isinstance(member(value, "Message"), str)
    )


def _sns_view(body: str, value: Any, tree: Node, depth: int) -> BodyView:
    facts = _facts(
        value,
        (
            ("Type", "Type"),
            ("Topic", "TopicArn"),
            ("Subject", "Subject"),
            ("Published", "Timestamp"),
            ("SNS message id", "MessageId"),
        ),
    )
    attributes = member(value, "MessageAttributes")
    if isinstance(attributes, Pairs):
        facts += tuple(
            (f"Attribute {printable(name[:MAX_FACT])}", _text(member(attribute, "Value")))
            for name, attribute in attributes[:MAX_ATTRIBUTES]
        )
    inner = view_of(member(value, "Message"), depth=depth + 1)
    return _view("sns", "SNS envelope", body, tree=tree, facts=facts, inner=inner)


def _is_eventbridge_event(value: Any) -> bool:
    return all(member(value, name) is not None for name in ("detail-type", "source", "detail"))


def _eventbridge_view(body: str, value: Any, tree: Node, depth: int) -> BodyView:
    facts = _facts(
        value,
        (
            ("Detail type", "detail-type"),
            ("Source", "source"),
            ("Time", "time"),
            ("Account", "account"),
            ("Region", "region"),
        ),
    )
    return _view("eventbridge", "EventBridge event", body, tree=tree, facts=facts)


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[str, Any, Node, int], BodyView]], ...] = (
    (_is_s3_event, _s3_view),
    (_is_s3_test, _s3_test_view),
    (_is_sns_envelope, _sns_view),
    (_is_eventbridge_event, _eventbridge_view),
)
"""What a JSON body can be, the first one that fits."""


def _facts(value: Any, wanted: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (title, _text(found)) for title, name in wanted if (found := member(value, name)) is not None
    )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return printable(value[:MAX_FACT])
    return "–"


# Base64


def decoded_base64(body: str) -> bytes | None:
    """What was encoded; None for what is more likely a word than base64."""
    text = body.strip()
    if len(text) < MIN_BASE64 or not _BASE64.fullmatch(text):
        return None
    packed = "".join(text.split())
    try:
        decoded = base64.b64decode(packed, validate=True)
    except binascii.Error:
        return None
    if _readable(decoded) is not None or decoded.startswith(_GZIP):
        return decoded
    # Any word of letters decodes to something, but few words have all that base64 is made of.
    has_all = all(any(test(one) for one in packed) for test in (str.islower, str.isupper, str.isdigit))
    return decoded if has_all and (packed.endswith("=") or {"+", "/"} & set(packed)) else None


def _readable(content: bytes) -> str | None:
    """As text; None for what is none."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if _UNPRINTABLE.search(text) else text


def _bytes_view(content: bytes, depth: int) -> BodyView:
    text = _readable(content)
    if text is not None:
        return view_of(text, depth=depth)
    if content.startswith(_GZIP) and depth < MAX_DEPTH:
        unpacked = _unpacked(content)
        text = None if unpacked is None else _readable(unpacked)
        if text is not None:
            inner = view_of(text, depth=depth + 1)
            return _binary_view("Packed with gzip", content, inner)
    return _binary_view("Binary", content, None)


def _binary_view(title: str, content: bytes, inner: BodyView | None) -> BodyView:
    return BodyView(
        kind="binary",
        title=title,
        size_bytes=len(content),
        raw=hex_dump(content[:HEX_BYTES]),
        is_cut=len(content) > HEX_BYTES,
        inner=inner,
    )


def _unpacked(content: bytes) -> bytes | None:
    """The first MAX_RAW bytes; None if it is no gzip."""
    try:
        unpacked = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(content, MAX_RAW)
    except zlib.error:
        return None
    return unpacked.decode("utf-8", "ignore").encode() if len(unpacked) == MAX_RAW else unpacked


def hex_dump(content: bytes) -> str:
    """Sixteen bytes a line: their place, their values, and those that are ASCII."""
    lines = []
    for start in range(0, len(content), 16):
        row = content[start : start + 16]
        letters = "".join(chr(one) if 32 <= one < 127 else "." for one in row)
        lines.append(f"{start:06x}  {row.hex(' '):<47}  {letters}")
    return "\n".join(lines)
