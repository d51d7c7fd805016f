"""The ranges of request numbers. AWS words the same rule differently from operation to operation (U3)."""

from emulator.domain import limits
from emulator.domain.fifo import not_for_this_queue_type
from emulator.domain.texts import invalid_value
from emulator.errors import InvalidParameterValue, MissingParameter


def require_receive_visibility(timeout_s: int) -> int:
    """ReceiveMessage (spec 2.16)."""
    return _require_between(
        timeout_s, 0, limits.MAX_VISIBILITY_S, "VisibilityTimeout", "Must be >= 0 and <= 43200, if provided."
    )


def require_changed_visibility(timeout_s: int | None) -> int:
    """ChangeMessageVisibility (spec 2.3)."""
    if timeout_s is None:
        raise MissingParameter("VisibilityTimeout")
    return _require_between(
        timeout_s, 0, limits.MAX_VISIBILITY_S, "VisibilityTimeout", "Must be between 0 and 43200."
    )


def require_entry_visibility(timeout_s: int | None, number: int = 1) -> int:
    """The entry with this number, counted from 1, of a ChangeMessageVisibilityBatch (spec 2.4)."""
    if timeout_s is None:
        raise MissingParameter(f"ChangeMessageVisibilityBatchRequestEntry.{number}.VisibilityTimeout")
    return _require_between(
        timeout_s,
        0,
        limits.MAX_VISIBILITY_S,
        "VisibilityTimeout",
        "VisibilityTimeout must be an integer between 0 and 43200.",
    )


def require_wait_s(wait_s: int) -> int:
    """Recorded, E1 row 38."""
    return _require_between(
        wait_s, 0, limits.MAX_WAIT_S, "WaitTimeSeconds", "Must be >= 0 and <= 20, if provided."
    )


def require_max_messages(count: int) -> int:
    """Recorded, E1 row 37."""
    return _require_between(
        count, 1, limits.MAX_RECEIVE, "MaxNumberOfMessages", "Must be between 1 and 10, if provided."
    )


def require_max_results(count: int | None) -> int | None:
    """ListQueues and ListDeadLetterSourceQueues; 0 means not given (spec 2.13)."""
    if not count:
        return None
    if not 1 <= count <= limits.MAX_LIST_RESULTS:
        raise InvalidParameterValue(
            "Value for parameter MaxResults is invalid. "
            "Reason: MaxResults must be an integer between 1 and 1000."
        )
    return count


def require_delay_s(delay_s: int) -> int:
    """A message on a standard queue (spec 2.18)."""
    return _require_between(
        delay_s, 0, limits.MAX_DELAY_S, "DelaySeconds", "DelaySeconds must be >= 0 and <= 900."
    )


def require_no_delay(delay_s: int) -> None:
    """A message on a FIFO queue: 0 is accepted, and the queue's own delay applies (recorded, E1 row 28)."""
    if delay_s != 0:
        raise not_for_this_queue_type(delay_s, "DelaySeconds")


def _require_between(value: int, low: int, high: int, parameter: str, reason: str) -> int:
    if not low <= value <= high:
        raise invalid_value(value, parameter, reason)
    return value
