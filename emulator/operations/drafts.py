"""From what a caller sends to a draft: the rules of SendMessage and SendMessageBatch."""

from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain import fifo
from emulator.domain.digests import content_deduplication_id
from emulator.domain.message_attributes import require_message_attributes, require_system_attributes
from emulator.domain.message_content import message_bytes, require_body
from emulator.domain.model import Draft, MessageAttributes, Queue
from emulator.domain.ranges import require_delay_s, require_no_delay
from emulator.errors import MissingParameter
from emulator.wire.shapes import query_map


class Sent(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The members that SendMessage and an entry of SendMessageBatch have in common."""

    message_body: str | None = None
    delay_seconds: int | None = None
    message_attributes: Annotated[MessageAttributes | None, query_map("MessageAttribute")] = None
    message_system_attributes: Annotated[MessageAttributes | None, query_map("MessageSystemAttribute")] = None
    message_deduplication_id: str | None = None
    message_group_id: str | None = None


def draft_of(ctx: Context, queue: Queue, sent: Sent, now_ms: int, *, size_bytes: int | None = None) -> Draft:
    """Checks everything but the size, which the callers word differently, and may have measured already."""
    if queue.is_fifo and sent.message_body and sent.message_group_id is None:
        raise MissingParameter("MessageGroupId")  # what is missing goes before what is wrong (spec 2, head)
    body = require_body(sent.message_body)
    delay_s = queue.delay_s if sent.delay_seconds is None else _delay_s(queue, sent.delay_seconds)
    attributes = require_message_attributes(sent.message_attributes)
    trace_header = require_system_attributes(sent.message_system_attributes) or ctx.trace_header
    group_id, deduplication_id, key = _ids(queue, sent, body)
    return Draft(
        message_id=ctx.ids.uuid(),
        body=body,
        sent_ms=now_ms,
        due_ms=now_ms + delay_s * 1000,
        sender_id=ctx.sender_id,
        size_bytes=message_bytes(body, attributes) if size_bytes is None else size_bytes,
        attributes=attributes,
        trace_header=trace_header,
        group_id=group_id,
        deduplication_id=deduplication_id,
        deduplication_key=key,
    )


def _delay_s(queue: Queue, delay_s: int) -> int:
    if queue.is_fifo:
        require_no_delay(delay_s)  # 0 is taken, and means the queue's delay (recorded, E1 row 28 and R5)
        return queue.delay_s
    return require_delay_s(delay_s)


def _ids(queue: Queue, sent: Sent, body: str) -> tuple[str | None, str | None, str | None]:
    """Group id, deduplication id and what deduplication compares."""
    group_id, deduplication_id = sent.message_group_id, sent.message_deduplication_id
    if group_id is not None:
        fifo.require_group_id(group_id)
    if not queue.is_fifo:
        if deduplication_id is not None:
            raise fifo.not_for_this_queue_type(deduplication_id, "MessageDeduplicationId")
        return group_id, None, None
    if deduplication_id is not None:
        fifo.require_deduplication_id(deduplication_id)
    elif queue.attributes.get("ContentBasedDeduplication") == "true":
        deduplication_id = content_deduplication_id(body)
    else:
        raise fifo.no_deduplication_id()
    key = fifo.deduplication_key(queue.deduplication_scope, group_id or "", deduplication_id)
    return group_id, deduplication_id, key
