"""The digests of SQS: MD5 of bodies and attributes (spec 3.5), SHA-256 for content-based deduplication."""

import functools
from collections.abc import Mapping
from contextlib import suppress
from hashlib import md5, sha256
from struct import Struct

from emulator.domain.model import MessageAttributeValue

with suppress(ImportError):  # Python can be built without it
    # Begins twice as fast as OpenSSL's, which counts more than that it is slower on long texts.
    from _md5 import md5  # type: ignore[import-not-found,no-redef]

STRING_KIND = b"\x01"
BINARY_KIND = b"\x02"

_length = Struct(">I").pack


def md5_of_text(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def md5_of_attributes(attributes: Mapping[str, MessageAttributeValue] | None) -> str | None:
    """None for no attributes: AWS leaves the member out instead of digesting nothing (spec 4, row 4)."""
    if not attributes:
        return None
    parts: list[bytes] = []
    for name in sorted(attributes):  # code points sort as their UTF-8 bytes do
        parts += _parts_of(name, attributes[name])
    return md5(b"".join(parts), usedforsecurity=False).hexdigest()


def content_deduplication_id(body: str) -> str:
    """Attributes have no part in it (spec 3.11)."""
    return sha256(body.encode()).hexdigest()


def _parts_of(name: str, attribute: MessageAttributeValue) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    data_type = attribute.data_type or ""
    if data_type.startswith("Binary"):
        kind, value = BINARY_KIND, attribute.binary_value or b""
    else:
        kind, value = STRING_KIND, (attribute.string_value or "").encode()
    return _measured(name), _measured(data_type), kind, _length(len(value)), value


@functools.lru_cache(maxsize=1024)
def _measured(text: str) -> bytes:
    """A name or a type with its length before it: the same ones come again and again."""
    encoded = text.encode()
    return _length(len(encoded)) + encoded
