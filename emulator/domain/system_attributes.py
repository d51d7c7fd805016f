"""Message system attributes on receive (spec 2.16, 3.4)."""

from collections.abc import Sequence

from emulator.domain.fifo import sequence_number
from emulator.domain.model import Delivery
from emulator.domain.texts import escaped
from emulator.errors import InvalidAttributeName

SYSTEM_ATTRIBUTES = frozenset(
    {
        "SenderId",
        "SentTimestamp",
        "ApproximateReceiveCount",
        "ApproximateFirstReceiveTimestamp",
        "SequenceNumber",
        "MessageDeduplicationId",
        "MessageGroupId",
        "AWSTraceHeader",
        "DeadLetterQueueSourceArn",
    }
)
NOTHING: frozenset[str] = frozenset()


def requested_system_attributes(
    attribute_names: Sequence[str], message_system_attribute_names: Sequence[str]
) -> frozenset[str]:
    """The old and the new list together (spec 2.16); Query has one wire name for both."""
    if not attribute_names and not message_system_attribute_names:
        return NOTHING
    requested = frozenset((*attribute_names, *message_system_attribute_names))
    if requested <= SYSTEM_ATTRIBUTES:
        return requested
    for name in (*message_system_attribute_names, *attribute_names):
        if name != "All" and name not in SYSTEM_ATTRIBUTES:
            raise InvalidAttributeName(f"Unknown Attribute {escaped(name)}.")
    return SYSTEM_ATTRIBUTES


def system_attributes_of(delivery: Delivery, requested: frozenset[str], *, is_fifo: bool) -> dict[str, str]:
    """What was requested and the message has; the rest is left out without an error (recorded, R1)."""
    if not requested:
        return {}
    values = {
        "SenderId": delivery.sender_id,
        "SentTimestamp": str(delivery.sent_ms),
        "ApproximateReceiveCount": str(delivery.receive_count),
        "ApproximateFirstReceiveTimestamp": str(delivery.first_received_ms),
        "SequenceNumber": sequence_number(delivery.seq) if is_fifo else None,
        "MessageDeduplicationId": delivery.deduplication_id if is_fifo else None,
        "MessageGroupId": delivery.group_id,
        "AWSTraceHeader": delivery.trace_header,
        "DeadLetterQueueSourceArn": delivery.dead_letter_source_arn,
    }
    return {name: value for name, value in values.items() if value is not None and name in requested}
