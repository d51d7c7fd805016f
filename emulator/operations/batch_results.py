"""How the batch operations sort their entries, and what they answer about those that failed."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from emulator.domain.batches import Entry
from emulator.errors import SqsError


class BatchResultErrorEntry(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    id: str
    sender_fault: bool
    code: str
    message: str


E = TypeVar("E", bound=Entry)
T = TypeVar("T")
Failures = dict[str, SqsError]


def sort_out(entries: Iterable[E], read: Callable[[E, int], T]) -> tuple[dict[str, T], Failures]:
    """What each entry asks for, by its id. An entry that `read` refuses, given its number, fails alone."""
    asked: dict[str, T] = {}
    failures: Failures = {}
    for number, entry in enumerate(entries, 1):
        try:
            asked[entry.id or ""] = read(entry, number)
        except SqsError as error:
            failures[entry.id or ""] = error
    return asked, failures


def results(
    entries: Iterable[Entry], failures: Mapping[str, SqsError]
) -> tuple[list[str], list[BatchResultErrorEntry]]:
    """The ids that succeeded and the entries that failed, in the order of the request."""
    ids = [entry.id or "" for entry in entries]
    if not failures:
        return ids, []
    failed = [_failed_entry(one, failures[one]) for one in ids if one in failures]
    return [one for one in ids if one not in failures], failed


def _failed_entry(entry_id: str, error: SqsError) -> BatchResultErrorEntry:
    """Codes of entries are Query codes in both protocols (spec 2.22)."""
    return BatchResultErrorEntry(
        id=entry_id, sender_fault=error.sender_fault, code=error.query_code, message=error.message
    )
