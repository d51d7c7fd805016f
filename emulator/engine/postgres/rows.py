"""From rows to values, and back."""

from typing import Any, Final

import msgspec

from emulator.domain.activity import Minute, Tally
from emulator.domain.alarms import Alarm
from emulator.domain.model import MessageAttributes, MoveStatus, MoveTask, Queue, QueueKey
from emulator.engine.state.message import Message

MESSAGE: Final = (
    "queue_id, seq, message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id, "
    "sent_ms, due_ms, place, dead_letter_source_arn, first_received_ms, received_ms, receive_count, "
    "dead_since_ms, hidden, attempt_id"
)
"""What stands for {message} in sql/, in the order of the fields of Message."""

_attributes = msgspec.json.Decoder(MessageAttributes)
_texts = msgspec.json.Decoder(dict[str, str])
_received = msgspec.json.Decoder(tuple[tuple[int, int], ...])
_minute = msgspec.json.Decoder(Minute)
_alarm = msgspec.json.Decoder(Alarm)
_policy = msgspec.json.Decoder(dict[str, Any])
_encode = msgspec.json.Encoder().encode


def message_of(row: Any) -> Message:
    message = Message(*row[:18])
    if row[4] is not None:
        message.attributes = _attributes.decode(row[4])
    message.attempt_id = row[18]
    return message


def attributes_of(blob: bytes | None) -> MessageAttributes | None:
    return None if blob is None else _attributes.decode(blob)


def attributes_blob(attributes: MessageAttributes | None) -> bytes | None:
    return _encode(attributes) if attributes else None


def queue_of(row: Any) -> Queue:
    return Queue(
        id=row[0],
        key=QueueKey(row[1], row[2], row[3]),
        created_ms=row[4],
        modified_ms=row[5],
        purged_ms=row[6],
        attributes=_texts.decode(row[7]),
        tags=_texts.decode(row[8]),
        deduplication_scope=row[9],
    )


def text_of(values: object) -> str:
    """As JSON."""
    return _encode(values).decode()


def dead_letter_arn(attributes: dict[str, str]) -> str | None:
    policy = attributes.get("RedrivePolicy")
    if policy is None:
        return None
    arn: str = _policy.decode(policy)["deadLetterTargetArn"]
    return arn


def received_of(text: str) -> tuple[tuple[int, int], ...]:
    """(seq, receive_count) of the messages of an attempt."""
    return _received.decode(text)


def minute_of(text: str) -> Minute:
    return _minute.decode(text)


def alarm_of(text: str) -> Alarm:
    return _alarm.decode(text)


def tally_of(row: Any) -> Tally:
    return Tally(*map(int, row))


def move_task_of(row: Any) -> MoveTask:
    return MoveTask(
        task_id=row[0],
        source_arn=row[1],
        destination_arn=row[2],
        max_per_second=row[3],
        status=MoveStatus(row[4]),
        moved=row[5],
        to_move=row[6],
        failure_reason=row[7],
        started_ms=row[8],
    )
