"""What the three batch operations answer about entries that failed, and with how they run through them."""

import msgspec

from emulator.errors import SqsError


class BatchResultErrorEntry(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    id: str
    sender_fault: bool
    code: str
    message: str


def failed_entry(entry_id: str, error: SqsError) -> BatchResultErrorEntry:
    """Codes of entries are Query codes in both protocols (spec 2.22)."""
    return BatchResultErrorEntry(
        id=entry_id, sender_fault=error.sender_fault, code=error.query_code, message=error.message
    )
