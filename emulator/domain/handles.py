"""Receipt handles: opaque text that says which receive of which message it stands for.

Shaped like AWS's: 227 bytes in base64, beginning with `AQEB`, without a `-` (recorded R1; spec 4 row 51). The
same receive always has the same handle, which ReceiveRequestAttemptId relies on.
"""

import binascii
import functools
import hashlib
import struct

import msgspec

from emulator.domain.model import Receipt

_PREFIX = b"\x01\x01\x01"
_FIELDS = struct.Struct(">QQI")
_PROOF_BYTES = 227 - len(_PREFIX) - _FIELDS.size
_LENGTH = 304
_MAX_EXPECTED = 1_000
_expected: dict[str, tuple[bytes, Receipt]] = {}
"""The newest handles that did not come back yet, each with its key: what they say needs no proof."""


def handle_of(key: bytes, receipt: Receipt) -> str:
    fields = _FIELDS.pack(receipt.queue_id, receipt.seq, receipt.receive_count)
    handle = binascii.b2a_base64(_PREFIX + fields + _proof(key, fields), newline=False).decode()
    if len(_expected) >= _MAX_EXPECTED:
        _expected.clear()
    _expected[handle] = key, receipt
    return handle


def receipt_of(key: bytes, handle: str) -> Receipt | None:
    """None if this handle was not issued with this key."""
    expected_key, receipt = _expected.pop(handle, (None, None))  # most handles come back once, if at all
    if expected_key == key:
        return receipt
    if len(handle) != _LENGTH or not handle.isascii():
        return None
    try:
        raw = msgspec.convert(handle, bytes)  # as strict as binascii, in half of the time
    except msgspec.ValidationError:
        return None
    fields = raw[len(_PREFIX) : -_PROOF_BYTES]
    if (
        not raw.startswith(_PREFIX)
        or len(fields) != _FIELDS.size
        or raw[-_PROOF_BYTES:] != _proof(key, fields)
    ):
        return None
    return Receipt(*_FIELDS.unpack(fields))


def _proof(key: bytes, fields: bytes) -> bytes:
    """A keyed digest, repeated until it fills the handle."""
    digest = _keyed(key).copy()
    digest.update(fields)
    return (digest.digest() * 4)[:_PROOF_BYTES]


@functools.lru_cache(maxsize=16)
def _keyed(key: bytes) -> hashlib.blake2b:
    """To be copied: taking in the key is half of the work of a digest."""
    return hashlib.blake2b(key=key, digest_size=64)
