"""Queue attributes: what may be set, what is kept, and what is reported (spec 2.5, 2.9, 2.20, 3.1, 3.13)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from emulator.domain import limits
from emulator.domain.model import Counts, Queue, QueueKey
from emulator.domain.policy import require_policy
from emulator.domain.redrive import (
    canonical_redrive_policy,
    parse_redrive_allow_policy,
    parse_redrive_policy,
)
from emulator.domain.texts import escaped
from emulator.errors import (
    InvalidAttributeName,
    InvalidAttributeValue,
    InvalidParameterValue,
    MissingParameter,
    SqsError,
)

BOOLEAN = ("true", "false")


class QueueAttribute(NamedTuple):
    name: str
    access: Literal["read", "set", "create"]
    default: str | None = None
    """What a queue has that was never given a value; None: nothing, and nothing is reported."""
    allowed: range | tuple[str, ...] | None = None
    """None: a rule of its own, or none at all."""
    fifo_only: bool = False


QUEUE_ATTRIBUTES: dict[str, QueueAttribute] = {
    attribute.name: attribute
    for attribute in (
        QueueAttribute("ApproximateNumberOfMessages", "read"),
        QueueAttribute("ApproximateNumberOfMessagesDelayed", "read"),
        QueueAttribute("ApproximateNumberOfMessagesNotVisible", "read"),
        QueueAttribute("CreatedTimestamp", "read"),
        QueueAttribute("LastModifiedTimestamp", "read"),
        QueueAttribute("QueueArn", "read"),
        QueueAttribute("DelaySeconds", "set", "0", range(limits.MAX_DELAY_S + 1)),
        QueueAttribute("MaximumMessageSize", "set", "1048576", range(1_024, limits.MAX_BATCH_BYTES + 1)),
        QueueAttribute("MessageRetentionPeriod", "set", "345600", range(60, 1_209_600 + 1)),
        QueueAttribute("ReceiveMessageWaitTimeSeconds", "set", "0", range(limits.MAX_WAIT_S + 1)),
        QueueAttribute("VisibilityTimeout", "set", "30", range(limits.MAX_VISIBILITY_S + 1)),
        QueueAttribute("Policy", "set"),
        QueueAttribute("RedrivePolicy", "set"),
        QueueAttribute("RedriveAllowPolicy", "set"),
        QueueAttribute("KmsMasterKeyId", "set"),
        QueueAttribute("KmsDataKeyReusePeriodSeconds", "set", "300", range(60, 86_400 + 1)),
        QueueAttribute("SqsManagedSseEnabled", "set", "true", BOOLEAN),
        QueueAttribute("FifoQueue", "create", None, BOOLEAN, fifo_only=True),
        QueueAttribute("ContentBasedDeduplication", "set", "false", BOOLEAN, fifo_only=True),
        QueueAttribute("DeduplicationScope", "set", "queue", ("queue", "messageGroup"), fifo_only=True),
        QueueAttribute(
            "FifoThroughputLimit", "set", "perQueue", ("perQueue", "perMessageGroupId"), fifo_only=True
        ),
    )
}
COUNTS = frozenset(
    {
        "All",
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesDelayed",
        "ApproximateNumberOfMessagesNotVisible",
    }
)
KMS_ATTRIBUTES = ("KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds")
# An empty text removes these (recorded for Policy, RedrivePolicy and KmsMasterKeyId).
REMOVABLE = frozenset({"Policy", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId"})
HIGH_THROUGHPUT_ATTRIBUTES = frozenset({"DeduplicationScope", "FifoThroughputLimit"})


def wants_fifo(given: Mapping[str, str]) -> bool:
    """Whether CreateQueue asks for a FIFO queue; its name has to agree (see queue_names)."""
    return given.get("FifoQueue", "").lower() == "true"


def new_attributes(name_is_fifo: bool, given: Mapping[str, str]) -> dict[str, str]:
    """CreateQueue. Whether the dead-letter queue exists in the same account and region, redrive.py checks."""
    values = {name: _new_value(name_is_fifo, name, value) for name, value in given.items()}
    return _settled({}, values)


def changed_attributes(queue: Queue, given: Mapping[str, str]) -> dict[str, str]:
    """SetQueueAttributes: all attributes afterwards. One bad value rejects the call (spec 2.20)."""
    if not given:
        raise MissingParameter("Attribute.Name")
    values = {name: _changed_value(queue, name, value) for name, value in given.items()}
    return _settled(queue.attributes, values)


def first_difference(queue: Queue, given: Mapping[str, str]) -> str | None:
    """The attribute that keeps CreateQueue from answering with the queue that is there (recorded, R3)."""
    for name, text in given.items():
        attribute = QUEUE_ATTRIBUTES[name]
        current = queue.attributes.get(name, attribute.default)
        value = _canonical(attribute, text, new_queue=True)
        if value != current and not (name == "Policy" and _same_json(value, current)):
            return name
    return None


def reported_attributes(queue: Queue, counts: Counts | None, names: Sequence[str]) -> dict[str, str]:
    """GetQueueAttributes. A name that does not apply or is not set is left out silently (spec 2.9, U6)."""
    for name in names:
        if name != "All" and name not in QUEUE_ATTRIBUTES:
            raise _unknown(name)
    wanted = QUEUE_ATTRIBUTES if "All" in names else names
    values = {name: _reported_value(queue, counts, QUEUE_ATTRIBUTES[name]) for name in wanted}
    return {name: value for name, value in values.items() if value is not None}


def wants_counts(names: Sequence[str]) -> bool:
    return not COUNTS.isdisjoint(names)


def _new_value(name_is_fifo: bool, name: str, text: str) -> str | None:
    attribute = QUEUE_ATTRIBUTES.get(name)
    if attribute is None or attribute.access == "read":
        raise _unknown(name)
    if attribute.fifo_only and not name_is_fifo:
        if name in HIGH_THROUGHPUT_ATTRIBUTES:
            # Recorded, E1 rows 7 and 8.
            raise InvalidAttributeName(f"You can specify the {name} only when FifoQueue is set to true.")
        raise _unknown(name)  # recorded, E1 rows 5 and 6, FifoQueue=false included
    return _canonical(attribute, text, new_queue=True)


def _changed_value(queue: Queue, name: str, text: str) -> str | None:
    attribute = QUEUE_ATTRIBUTES.get(name)
    if attribute is None or attribute.access == "read" or (attribute.fifo_only and not queue.is_fifo):
        raise _unknown(name)  # recorded, E1 row 14
    value = _canonical(attribute, text, key=queue.key)
    if name == "FifoQueue" and value == "false":
        # Recorded, E1 row 15; "true" is accepted and changes nothing.
        raise InvalidAttributeValue(
            "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported."
        )
    return value


def _settled(current: Mapping[str, str], values: Mapping[str, str | None]) -> dict[str, str]:
    """The current attributes with the new values, None removing one, after the rules that span attributes."""
    after = {name: value for name, value in {**current, **values}.items() if value is not None}
    after = _with_one_encryption(after, values)
    if (
        after.get("FifoThroughputLimit") == "perMessageGroupId"
        and after.get("DeduplicationScope") != "messageGroup"
    ):
        raise InvalidParameterValue(
            "The perMessageGroupId value is allowed only when "
            "the value for DeduplicationScope is messageGroup"
        )
    return after


def _with_one_encryption(after: dict[str, str], values: Mapping[str, str | None]) -> dict[str, str]:
    """KMS and SQS-managed encryption exclude each other; the one set last wins (spec 3.13)."""
    wants_sqs = values.get("SqsManagedSseEnabled") == "true"
    if values.get("KmsMasterKeyId") is not None:
        if wants_sqs:
            # Recorded, E1 row 16.
            raise InvalidAttributeName(
                "You can use one type of server-side encryption (SSE) at one time. "
                "You can either enable KMS SSE or SQS SSE."
            )
        return after | {"SqsManagedSseEnabled": "false"}
    if wants_sqs or "KmsMasterKeyId" in values:
        # Recorded, R1: with the key its period goes. One given now stays, unreported until there is a key.
        gone = [name for name in KMS_ATTRIBUTES if values.get(name) is None]
        return {name: value for name, value in after.items() if name not in gone}
    return after


def _canonical(
    attribute: QueueAttribute, text: str, *, key: QueueKey | None = None, new_queue: bool = False
) -> str | None:
    """The value as it is kept and read back, None for "not set"."""
    name, allowed = attribute.name, attribute.allowed
    if name in REMOVABLE and not text:
        return None
    if isinstance(allowed, range):
        return _canonical_number(name, text, allowed)
    if allowed is not None:
        value = text.lower() if allowed is BOOLEAN else text  # recorded, R1: `True` is accepted
        if value not in allowed:
            raise _invalid(name)
        return value
    if name == "Policy":
        return require_policy(text, new_queue=new_queue)
    if name == "RedrivePolicy":
        return canonical_redrive_policy(parse_redrive_policy(text, key))
    if name == "RedriveAllowPolicy":
        return parse_redrive_allow_policy(text)
    return text


def _canonical_number(name: str, text: str, allowed: range) -> str:
    if not (text.isascii() and text.isdigit() and len(text) <= 20 and int(text) in allowed):
        raise _invalid(name)
    return str(int(text))


def _reported_value(queue: Queue, counts: Counts | None, attribute: QueueAttribute) -> str | None:
    if attribute.access == "read":
        return _READERS[attribute.name](queue, counts)
    if attribute.fifo_only and not queue.is_fifo:
        return None
    if attribute.name in KMS_ATTRIBUTES and "KmsMasterKeyId" not in queue.attributes:
        return None  # recorded, R1
    return queue.attributes.get(attribute.name, attribute.default)


_READERS: dict[str, Callable[[Queue, Counts | None], str | None]] = {
    "ApproximateNumberOfMessages": lambda queue, counts: str(counts.visible) if counts else None,
    "ApproximateNumberOfMessagesDelayed": lambda queue, counts: str(counts.delayed) if counts else None,
    "ApproximateNumberOfMessagesNotVisible": lambda queue, counts: str(counts.in_flight) if counts else None,
    "CreatedTimestamp": lambda queue, counts: str(queue.created_ms // 1000),
    "LastModifiedTimestamp": lambda queue, counts: str(queue.modified_ms // 1000),
    "QueueArn": lambda queue, counts: queue.arn,
}


def _same_json(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and _json_of(one) == _json_of(other)


def _json_of(text: str) -> object:
    return msgspec.json.decode(text, type=object)


def _unknown(name: str) -> SqsError:
    return InvalidAttributeName(f"Unknown Attribute {escaped(name)}.")


def _invalid(name: str) -> SqsError:
    return InvalidAttributeValue(f"Invalid value for the parameter {name}.")
