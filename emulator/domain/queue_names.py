"""The names of queues (spec 2.5, 2.10)."""

import re

from emulator.errors import InvalidParameterValue

_STANDARD = re.compile("[A-Za-z0-9_-]{1,80}")
_FIFO = re.compile(r"[A-Za-z0-9_-]{1,75}\.fifo")


def require_queue_name(name: str | None, *, fifo: bool) -> str:
    """`fifo` says whether CreateQueue was given FifoQueue=true; the name has to agree with it."""
    if name is None:
        raise _no_queue_name()
    if not name:
        raise InvalidParameterValue("Queue name cannot be empty")
    if fifo and not _FIFO.fullmatch(name):
        raise InvalidParameterValue(
            "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, "
            "must end with .fifo suffix and be 1 to 80 in length"
        )
    if not fifo and not _STANDARD.fullmatch(name):
        raise InvalidParameterValue(
            "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
        )
    return name


def require_queue_name_given(name: str | None) -> str:
    """GetQueueUrl looks any other name up and finds no queue."""
    if not name:
        raise _no_queue_name()
    return name


def _no_queue_name() -> InvalidParameterValue:
    return InvalidParameterValue(
        "Value for parameter QueueName is invalid. Reason: Must specify a queue name."
    )
