"""The digests of SQS: MD5 of bodies and attributes (spec 3.5), SHA-256 for content-based deduplication."""

import hashlib
from collections.abc import Mapping
from struct import Struct

from emulator.domain.model import MessageAttributeValue

STRING_KIND = b"\x01"
BINARY_KIND = b"\x02"

_length = Struct(">I").pack


def md5_of_text(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def md5_of_attributes(attributes: Mapping[str, MessageAttributeValue]) -> str | None:
    """None for no attributes: AWS leaves the member out instead of digesting nothing (spec 4, row 4)."""
    if not attributes:
        return None
    parts: list[bytes] = []
    for name in sorted(attributes):  # code points sort as their UTF-8 bytes do
        parts += _parts_of(name.encode(), attributes[name])
    return hashlib.md5(b"".join(parts), usedforsecurity=False).hexdigest()


def content_deduplication_id(body: str) -> str:
    """Attributes have no part in it (spec 3.11)."""
    return hashlib.sha256(body.encode()).hexdigest()


def _parts_of(name: bytes, attribute: MessageAttributeValue) -> tuple[bytes, ...]:
    data_type = (attribute.data_type or "").encode()
    if data_type.startswith(b"Binary"):
        kind, value = BINARY_KIND, attribute.binary_value or b""
    else:
        kind, value = STRING_KIND, (attribute.string_value or "").encode()
    return _length(len(name)), name, _length(len(data_type)), data_type, kind, _length(len(value)), value
