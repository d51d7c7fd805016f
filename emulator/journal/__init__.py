"""What happened to each message, in a ring that is bounded in events and in bytes.

Recording appends one record and does nothing else (`journal.py`). Whoever asks pays for the rest: only then
do records become events, and events find the message that they belong to (`chronicle.py`).
"""

from emulator.journal.events import Caller, Details, Event, EventKind, MessageHistory
from emulator.journal.filters import Filter
from emulator.journal.journal import DEFAULT_MAX_BYTES, Journal

__all__ = [
    "DEFAULT_MAX_BYTES",
    "Caller",
    "Details",
    "Event",
    "EventKind",
    "Filter",
    "Journal",
    "MessageHistory",
]
