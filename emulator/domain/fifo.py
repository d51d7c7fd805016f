"""Message groups, deduplication and sequence numbers (spec 2.18, 3.11)."""

import re

from emulator.domain.texts import invalid_value
from emulator.errors import InvalidParameterValue

# All of ASCII's letters, digits and punctuation, and nothing else (spec 2.18).
_ID = re.compile("[!-~]{1,128}")


def sequence_number(seq: int) -> str:
    """Twenty digits that begin with 188 and are never consecutive, as the real ones (spec 3.11)."""
    return f"188{seq * 256:017}"


def require_group_id(group_id: str) -> str:
    return _require_id("MessageGroupId", group_id)


def require_deduplication_id(deduplication_id: str) -> str:
    return _require_id("MessageDeduplicationId", deduplication_id)


def require_attempt_id(attempt_id: str) -> str:
    """ReceiveRequestAttemptId; its text follows the recorded ones (spec 3.11)."""
    return _require_id("ReceiveRequestAttemptId", attempt_id)


def deduplication_key(scope: str | None, group_id: str, deduplication_id: str) -> str:
    """What is compared. Ids have no blanks, so a blank keeps group and id apart."""
    return f"{group_id} {deduplication_id}" if scope == "messageGroup" else deduplication_id


def no_deduplication_id() -> InvalidParameterValue:
    """Recorded without a full stop (E1 rows 26 and 35)."""
    return InvalidParameterValue(
        "The queue should either have ContentBasedDeduplication enabled or "
        "MessageDeduplicationId provided explicitly"
    )


def not_for_this_queue_type(value: object, parameter: str) -> InvalidParameterValue:
    """DelaySeconds on FIFO (recorded, E1 row 28, sic), MessageDeduplicationId on standard queues."""
    return invalid_value(
        value, parameter, "The request include parameter that is not valid for this queue type."
    )


def _require_id(parameter: str, value: str) -> str:
    """Recorded, E1 rows 24 and 25; an empty value leaves two blanks in the text."""
    if not _ID.fullmatch(value):
        raise invalid_value(
            value,
            parameter,
            f"{parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.",
        )
    return value
