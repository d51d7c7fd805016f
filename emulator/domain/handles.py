"""Receipt handles: opaque text that says which receive of which message it stands for.

Shaped like AWS's: 227 bytes in base64, beginning with `AQEB`, without a `-` (recorded R1; spec 4 row 51). The
same receive always has the same handle, which ReceiveRequestAttemptId relies on.
"""

import binascii
import hashlib
import struct

from emulator.domain.model import Receipt

_PREFIX = b"\x01\x01\x01"
_FIELDS = struct.Struct(">QQI")
_PROOF_BYTES = 227 - len(_PREFIX) - _FIELDS.size
_LENGTH = 304


def handle_of(key: bytes, receipt: Receipt) -> str:
    fields = _FIELDS.pack(receipt.queue_id, receipt.seq, receipt.receive_count)
    return binascii.b2a_base64(_PREFIX + fields + _proof(key, fields), newline=False).decode()


def receipt_of(key: bytes, handle: str) -> Receipt | None:
    """None if this handle was not issued with this key."""
    if len(handle) != _LENGTH or not handle.isascii():
        return None
    try:
        raw = binascii.a2b_base64(handle, strict_mode=True)
    except ValueError:
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
    return (hashlib.blake2b(fields, key=key, digest_size=64).digest() * 4)[:_PROOF_BYTES]
