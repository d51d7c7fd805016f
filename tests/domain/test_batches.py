from typing import NamedTuple

import pytest

from emulator.domain.batches import require_batch
from emulator.errors import (
    BatchEntryIdsNotDistinct,
    EmptyBatchRequest,
    InvalidBatchEntryId,
    MissingParameter,
    TooManyEntriesInBatchRequest,
)
from tests.domain.factories import refused

ENTRY_NAMES = [
    "SendMessageBatchRequestEntry",
    "DeleteMessageBatchRequestEntry",
    "ChangeMessageVisibilityBatchRequestEntry",
]
BAD_ID = (
    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
    "It can be at most 80 letters long."
)


class Entry(NamedTuple):
    id: str | None


def entries(*ids):
    return [Entry(entry_id) for entry_id in ids]


def numbered(count):
    return entries(*(str(number) for number in range(count)))


@pytest.mark.parametrize("given", [entries("a"), entries("A-z_09", "x" * 80), numbered(10)])
def test_one_to_ten_entries_with_distinct_ids_are_accepted(given):
    assert require_batch(given, ENTRY_NAMES[0]) == given


@pytest.mark.parametrize("given", [None, []])
@pytest.mark.parametrize("entry_name", ENTRY_NAMES)
def test_a_batch_needs_an_entry(given, entry_name):
    with refused(EmptyBatchRequest, f"There should be at least one {entry_name} in the request."):
        require_batch(given, entry_name)


def test_a_batch_has_at_most_ten_entries():
    with refused(
        TooManyEntriesInBatchRequest, "Maximum number of entries per request are 10. You have sent 11."
    ):
        require_batch(numbered(11), ENTRY_NAMES[0])


@pytest.mark.parametrize("entry_name", ENTRY_NAMES)
def test_a_missing_id_is_named_by_the_position_of_its_entry(entry_name):
    with refused(MissingParameter, f"The request must contain the parameter {entry_name}.2.Id."):
        require_batch(entries("a", None), entry_name)


@pytest.mark.parametrize("entry_id", ["", "x" * 81, "a:b", "a b", "a.b", "ü", "a\n"])
def test_an_id_has_letters_digits_hyphens_and_underscores(entry_id):
    with refused(InvalidBatchEntryId, BAD_ID):
        require_batch(entries("a", entry_id), ENTRY_NAMES[0])


@pytest.mark.parametrize(("ids", "repeated"), [("aa", "a"), ("abcb", "b"), ("abba", "b")])
def test_the_id_found_twice_first_is_named(ids, repeated):
    with refused(BatchEntryIdsNotDistinct, f"Id {repeated} repeated."):
        require_batch(entries(*ids), ENTRY_NAMES[0])


@pytest.mark.parametrize(
    ("ids", "error"),
    [
        (["a", "a", ":", None, *"bcdefgh"], TooManyEntriesInBatchRequest),
        (["a", "a", ":", None], MissingParameter),
        (["a", "a", ":"], InvalidBatchEntryId),
    ],
)
def test_of_several_faults_the_documented_first_one_is_reported(ids, error):
    with refused(error):
        require_batch(entries(*ids), ENTRY_NAMES[0])
