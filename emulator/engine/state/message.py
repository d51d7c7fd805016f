"""A message as it is kept. Only its backlog changes it."""

from typing import Final

import msgspec

from emulator.domain.model import Delivery, Draft, MessageAttributes

VISIBLE: Final = 0
IN_FLIGHT: Final = 1
DELAYED: Final = 2


class Message(msgspec.Struct, gc=False):
    """Not looked at by the garbage collector: nothing in a message leads back to it."""

    queue_id: int
    seq: int
    """Grows over restarts and is never used again."""
    message_id: str
    body: str
    attributes: MessageAttributes | None
    sender_id: str
    trace_header: str | None
    group_id: str | None
    deduplication_id: str | None
    sent_ms: int
    """Retention counts from here."""
    due_ms: int
    """Hidden until this moment; 0 in a standard queue: visible. In a FIFO queue it stays what it was."""
    place: int
    """Its place in the order of a standard queue: its seq, or later (standard.TO_THE_BACK)."""
    dead_letter_source_arn: str | None = None
    first_received_ms: int | None = None
    received_ms: int | None = None
    receive_count: int = 0
    dead_since_ms: int | None = None
    """Standard: since when it has been in a dead-letter queue, which is where its age counts from."""
    hidden: int = VISIBLE
    """VISIBLE, IN_FLIGHT or DELAYED, as of the last look at the clock."""
    lined_up: bool = False
    """Standard: it has an entry in the line of its queue."""
    attempt_id: str | None = None
    """FIFO: the ReceiveRequestAttemptId of its latest receive."""


def message_of(draft: Draft, queue_id: int, seq: int) -> Message:
    delayed = draft.due_ms > draft.sent_ms
    message = Message(
        queue_id,
        seq,
        draft.message_id,
        draft.body,
        draft.attributes,
        draft.sender_id,
        draft.trace_header,
        draft.group_id,
        draft.deduplication_id,
        draft.sent_ms,
        draft.due_ms if delayed or draft.deduplication_key is not None else 0,
        seq,
        draft.dead_letter_source_arn,
    )
    if delayed:
        message.hidden = DELAYED
    return message


def delivery_of(message: Message) -> Delivery:
    """The message as it is now, its latest receive included."""
    return Delivery(
        seq=message.seq,
        message_id=message.message_id,
        body=message.body,
        attributes=message.attributes,
        sender_id=message.sender_id,
        sent_ms=message.sent_ms,
        first_received_ms=message.first_received_ms or 0,
        receive_count=message.receive_count,
        trace_header=message.trace_header,
        group_id=message.group_id,
        deduplication_id=message.deduplication_id,
        dead_letter_source_arn=message.dead_letter_source_arn,
    )
