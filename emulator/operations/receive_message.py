from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.digests import md5_of_attributes, md5_of_text
from emulator.domain.fifo import require_attempt_id
from emulator.domain.handles import handle_of
from emulator.domain.message_attributes import select_message_attributes
from emulator.domain.model import Claim, ClaimOrder, Delivery, MessageAttributes, Queue, Receipt
from emulator.domain.ranges import require_max_messages, require_receive_visibility, require_wait_s
from emulator.domain.system_attributes import requested_system_attributes, system_attributes_of
from emulator.domain.texts import invalid_value
from emulator.errors import OverLimit
from emulator.operations.lookup import find_queue, redrive_of
from emulator.signals import Arrival
from emulator.wire.shapes import query_list, query_map


class ReceiveMessageRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    attribute_names: Annotated[list[str] | None, query_list("AttributeName")] = None
    # AWS's Query protocol has one name for both lists; Celery's client sends this one (spec 4 row 52).
    message_system_attribute_names: Annotated[list[str] | None, query_list("MessageSystemAttributeName")] = (
        None
    )
    message_attribute_names: Annotated[list[str] | None, query_list("MessageAttributeName")] = None
    max_number_of_messages: int | None = None
    visibility_timeout: int | None = None
    wait_time_seconds: int | None = None
    receive_request_attempt_id: str | None = None


class Message(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    message_id: str
    receipt_handle: str
    md5_of_body: str = msgspec.field(name="MD5OfBody")
    body: str
    attributes: Annotated[dict[str, str] | None, query_map("Attribute")] = None
    md5_of_message_attributes: str | None = msgspec.field(name="MD5OfMessageAttributes", default=None)
    message_attributes: Annotated[MessageAttributes | None, query_map("MessageAttribute")] = None


class ReceiveMessageResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    messages: Annotated[list[Message] | None, query_list("Message")] = None


async def receive_message(ctx: Context, request: ReceiveMessageRequest) -> ReceiveMessageResponse:
    queue = await find_queue(ctx, request.queue_url)
    limit = _given(request.max_number_of_messages, 1, require_max_messages)
    wait_s = _given(request.wait_time_seconds, queue.wait_s, require_wait_s)
    if request.visibility_timeout is not None:
        require_receive_visibility(request.visibility_timeout)
    if queue.is_fifo and request.receive_request_attempt_id is not None:
        require_attempt_id(request.receive_request_attempt_id)
    requested = requested_system_attributes(
        request.attribute_names or (), request.message_system_attribute_names or ()
    )
    if ctx.throttle is not None:
        ctx.throttle.require(queue, "ReceiveMessage", now_ms=ctx.clock.now_ms())
    queue, claim = await _claim(ctx, queue, request, limit, wait_s)
    if not claim.deliveries:
        ctx.engine.count_empty_receive(queue.id)
    names = request.message_attribute_names or ()
    key = ctx.engine.handle_key
    messages = [_message(key, queue, delivery, requested, names) for delivery in claim.deliveries]
    return ReceiveMessageResponse(messages=messages or None)


def _given(value: int | None, default: int, require: Callable[[int], int]) -> int:
    return default if value is None else require(value)


async def _claim(
    ctx: Context, queue: Queue, request: ReceiveMessageRequest, limit: int, wait_s: int
) -> tuple[Queue, Claim]:
    """Claims at once or, with a wait, as soon as something can be claimed."""
    if wait_s == 0:
        claim = await _claim_once(ctx, queue, request, limit, short_poll=True)
        if claim.over_limit and not queue.is_fifo:
            raise OverLimit(
                "Too many messages have been received without being deleted.\n"
                "Please delete your received messages or let them timeout before receiving more."
            )
        return queue, claim
    give_up_ms = ctx.clock.now_ms() + wait_s * 1000
    with ctx.signals.watch(queue.id) as arrival, ctx.client_gone.watch(arrival.wake):
        while not ctx.client_gone.is_set():  # a caller that hung up must not take a message
            arrival.clear()
            # Found anew each time: it may have been changed or deleted while we waited.
            queue = await find_queue(ctx, request.queue_url)
            claim = await _claim_once(ctx, queue, request, limit, short_poll=False)
            if claim.over_limit:
                ctx.signals.limited.add(queue.id)
            else:
                ctx.signals.limited.discard(queue.id)
            now_ms = ctx.clock.now_ms()
            if claim.deliveries or now_ms >= give_up_ms or ctx.signals.closing:
                return queue, claim
            give_up_ms = min(give_up_ms, now_ms + wait_s * 1000)  # the clock may have been set back
            await _wait(ctx, arrival, claim, give_up_ms)
    return queue, Claim()


async def _claim_once(
    ctx: Context, queue: Queue, request: ReceiveMessageRequest, limit: int, *, short_poll: bool
) -> Claim:
    timeout_s = request.visibility_timeout
    order = ClaimOrder(
        limit=limit,
        hide_ms=(queue.visibility_timeout_s if timeout_s is None else timeout_s) * 1000,
        now_ms=ctx.clock.now_ms(),
        redrive=await redrive_of(ctx, queue),
        attempt_id=request.receive_request_attempt_id if queue.is_fifo else None,
        in_flight_limit=ctx.settings.in_flight_limit,
    )
    if ctx.faults is None:
        claim = await ctx.engine.claim(queue, order)
    else:
        from emulator.faults import receiving  # only if there are rules

        claim = await receiving.claim(ctx, queue, order, short_poll=short_poll)
    if claim.not_retryable:
        raise invalid_value(
            order.attempt_id,
            "ReceiveRequestAttemptId",
            "The receiveRequestAttemptId is not valid anymore since the receive call is not retryable.",
        )
    for dead in claim.dead_lettered:
        ctx.signals.notify(dead.queue_id)
    if ctx.journal is not None:
        if claim.dead_lettered:
            ctx.journal.dead_lettered(ctx, queue, claim.dead_lettered, now_ms=order.now_ms)
        if claim.deliveries:
            ctx.journal.received(ctx, queue, claim.deliveries, now_ms=order.now_ms, hide_ms=order.hide_ms)
    return claim


async def _wait(ctx: Context, arrival: Arrival, claim: Claim, give_up_ms: int) -> None:
    """Until a signal, the end of the wait, or, for the first in line, the next message that becomes due."""
    wake_ms = give_up_ms
    if claim.next_due_ms is not None and arrival.is_first:
        wake_ms = min(give_up_ms, claim.next_due_ms)
    timer = ctx.clock.call_at(wake_ms, arrival.wake)
    try:
        await arrival.wait()
    finally:
        timer.cancel()


def _message(
    key: bytes, queue: Queue, delivery: Delivery, requested: frozenset[str], names: Sequence[str]
) -> Message:
    attributes = select_message_attributes(delivery.attributes, names)
    return Message(
        message_id=delivery.message_id,
        receipt_handle=handle_of(key, Receipt(queue.id, delivery.seq, delivery.receive_count)),
        md5_of_body=md5_of_text(delivery.body),
        body=delivery.body,
        attributes=system_attributes_of(delivery, requested, is_fifo=queue.is_fifo) or None,
        md5_of_message_attributes=md5_of_attributes(attributes),
        message_attributes=attributes or None,
    )
