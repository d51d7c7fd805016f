import pytest

from emulator.domain.ranges import (
    require_changed_visibility,
    require_delay_s,
    require_entry_visibility,
    require_max_messages,
    require_max_results,
    require_no_delay,
    require_receive_visibility,
    require_wait_s,
)
from emulator.errors import InvalidParameterValue, MissingParameter
from tests.domain.factories import refused

RANGES = [
    (require_receive_visibility, 0, 43200, "VisibilityTimeout", "Must be >= 0 and <= 43200, if provided."),
    (require_changed_visibility, 0, 43200, "VisibilityTimeout", "Must be between 0 and 43200."),
    (
        require_entry_visibility,
        0,
        43200,
        "VisibilityTimeout",
        "VisibilityTimeout must be an integer between 0 and 43200.",
    ),
    (require_wait_s, 0, 20, "WaitTimeSeconds", "Must be >= 0 and <= 20, if provided."),
    (require_max_messages, 1, 10, "MaxNumberOfMessages", "Must be between 1 and 10, if provided."),
    (require_delay_s, 0, 900, "DelaySeconds", "DelaySeconds must be >= 0 and <= 900."),
]


@pytest.mark.parametrize(("require", "low", "high"), [row[:3] for row in RANGES])
def test_both_ends_of_a_range_are_accepted(require, low, high):
    assert require(low) == low
    assert require(high) == high


@pytest.mark.parametrize(("require", "low", "high", "parameter", "reason"), RANGES)
def test_beyond_a_range_the_text_names_value_and_parameter(require, low, high, parameter, reason):
    for value in (low - 1, high + 1):
        with refused(
            InvalidParameterValue, f"Value {value} for parameter {parameter} is invalid. Reason: {reason}"
        ):
            require(value)


def test_a_change_of_visibility_needs_a_timeout():
    with refused(MissingParameter, "The request must contain the parameter VisibilityTimeout."):
        require_changed_visibility(None)


def test_a_missing_timeout_of_a_batch_entry_is_named_by_its_position():
    with refused(
        MissingParameter,
        "The request must contain the parameter "
        "ChangeMessageVisibilityBatchRequestEntry.3.VisibilityTimeout.",
    ):
        require_entry_visibility(None, 3)


@pytest.mark.parametrize(("count", "taken"), [(None, None), (0, None), (1, 1), (1000, 1000)])
def test_max_results_may_be_absent_and_zero_is_absent(count, taken):
    assert require_max_results(count) == taken


@pytest.mark.parametrize("count", [-1, 1001])
def test_max_results_has_a_text_without_the_value(count):
    with refused(
        InvalidParameterValue,
        "Value for parameter MaxResults is invalid. "
        "Reason: MaxResults must be an integer between 1 and 1000.",
    ):
        require_max_results(count)


def test_a_fifo_message_may_have_a_delay_of_zero_only():
    require_no_delay(0)
    with refused(
        InvalidParameterValue,
        "Value 2 for parameter DelaySeconds is invalid. "
        "Reason: The request include parameter that is not valid for this queue type.",
    ):
        require_no_delay(2)
