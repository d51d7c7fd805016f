import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.domain.fifo import (
    deduplication_key,
    no_deduplication_id,
    not_for_this_queue_type,
    require_attempt_id,
    require_deduplication_id,
    require_group_id,
    sequence_number,
)
from emulator.errors import InvalidParameterValue
from tests.domain.factories import refused

IDS = {
    "MessageGroupId": require_group_id,
    "MessageDeduplicationId": require_deduplication_id,
    "ReceiveRequestAttemptId": require_attempt_id,
}
EVERY_CHARACTER = "abcXYZ0189" + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def bad_id(parameter, shown):
    return (
        f"Value {shown} for parameter {parameter} is invalid. Reason: {parameter} can only include "
        "alphanumeric and punctuation characters. 1 to 128 in length."
    )


@pytest.mark.parametrize("seq", [0, 1, 7, 390_624_999_999_999])
def test_a_sequence_number_has_twenty_digits(seq):
    assert len(sequence_number(seq)) == 20
    assert int(sequence_number(seq)) == 188 * 10**17 + 256 * seq


def test_sequence_numbers_have_gaps():
    assert int(sequence_number(8)) - int(sequence_number(7)) > 1


@given(st.integers(0, 10**14))
def test_sequence_numbers_increase_as_texts_too(seq):
    assert sequence_number(seq) < sequence_number(seq + 1)


@pytest.mark.parametrize("parameter", IDS)
@pytest.mark.parametrize("value", ["a", "x" * 128, EVERY_CHARACTER])
def test_an_id_may_have_letters_digits_and_punctuation(parameter, value):
    assert IDS[parameter](value) == value


@pytest.mark.parametrize("parameter", IDS)
@pytest.mark.parametrize("value", ["", "x" * 129, "a b", " ", "ü", "a\t", "a\n", "\x7f"])
def test_other_ids_are_refused(parameter, value):
    with refused(InvalidParameterValue, bad_id(parameter, value)):
        IDS[parameter](value)


@pytest.mark.parametrize(
    ("value", "shown"), [("a\0b", "a\\u0000b"), ("\x1b[0m", "\\u001b[0m"), ("\ud800", "\\ud800")]
)
def test_characters_that_xml_cannot_carry_are_escaped_in_the_text(value, shown):
    with refused(InvalidParameterValue, bad_id("MessageGroupId", shown)):
        require_group_id(value)


@pytest.mark.parametrize("scope", ["queue", None])
def test_a_deduplication_id_counts_for_the_whole_queue(scope):
    assert deduplication_key(scope, "g1", "d") == deduplication_key(scope, "g2", "d") == "d"


def test_with_scope_message_group_the_group_counts_too():
    keys = {
        deduplication_key("messageGroup", group_id, deduplication_id)
        for group_id, deduplication_id in [("g", "d"), ("g2", "d"), ("g", "d2"), ("gd", "d"), ("g", "dd")]
    }
    assert len(keys) == 5


def test_a_missing_deduplication_id_has_a_text_without_full_stop():
    assert no_deduplication_id().message == (
        "The queue should either have ContentBasedDeduplication enabled or "
        "MessageDeduplicationId provided explicitly"
    )


def test_a_deduplication_id_does_not_fit_a_standard_queue():
    assert not_for_this_queue_type("d1", "MessageDeduplicationId").message == (
        "Value d1 for parameter MessageDeduplicationId is invalid. "
        "Reason: The request include parameter that is not valid for this queue type."
    )
