"""The shape of a batch request: what SendMessageBatch and its two siblings share (spec 2.22)."""

import re
from collections.abc import Sequence
from typing import Protocol, TypeVar

from emulator.domain import limits
from emulator.domain.texts import escaped
from emulator.errors import (
    BatchEntryIdsNotDistinct,
    EmptyBatchRequest,
    InvalidBatchEntryId,
    MissingParameter,
    TooManyEntriesInBatchRequest,
)

_ID = re.compile("[A-Za-z0-9_-]{1,80}")


class Entry(Protocol):
    @property
    def id(self) -> str | None: ...


E = TypeVar("E", bound=Entry)


def require_batch(entries: Sequence[E] | None, entry_name: str) -> Sequence[E]:
    """`entry_name` is the Query spelling, which the texts use in both protocols."""
    if not entries:
        raise EmptyBatchRequest(f"There should be at least one {entry_name} in the request.")
    if len(entries) > limits.MAX_BATCH_ENTRIES:
        raise TooManyEntriesInBatchRequest(
            f"Maximum number of entries per request are {limits.MAX_BATCH_ENTRIES}. "
            f"You have sent {len(entries)}."
        )
    for number, entry in enumerate(entries, 1):
        if entry.id is None:
            raise MissingParameter(f"{entry_name}.{number}.Id")
    ids = [entry.id or "" for entry in entries]
    if not all(map(_ID.fullmatch, ids)):
        raise InvalidBatchEntryId
    if len(set(ids)) < len(ids):
        raise BatchEntryIdsNotDistinct(f"Id {escaped(_first_repeated(ids))} repeated.")
    return entries


def _first_repeated(ids: Sequence[str]) -> str:
    """The one found twice first when scanning in order."""
    return next(entry_id for index, entry_id in enumerate(ids) if entry_id in ids[:index])
