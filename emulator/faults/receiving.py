"""Receives that get other messages than those that are next, and messages that come once more."""

import zlib
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from emulator.context import Context
from emulator.domain.model import (
    Claim,
    ClaimOrder,
    Delivery,
    Draft,
    MessageState,
    Peeked,
    Queue,
    Receipt,
    VisibilityChange,
)
from emulator.faults.acting import occasion, strike
from emulator.faults.faults import Faults
from emulator.faults.rules import Duplicate, EarlyExpiry, PartialPoll, Reorder
from emulator.ids import Chance

T = TypeVar("T")
LOOKED_AT = 1_000
"""So many visible messages are looked at; a receive takes ten of them at most."""


async def claim(ctx: Context, queue: Queue, order: ClaimOrder, *, short_poll: bool) -> Claim:
    """`Engine.claim`, with what the rules make of it."""
    faults = ctx.faults
    if faults is None or queue.is_fifo:
        return await ctx.engine.claim(queue, order)
    taken = await _claim_some(ctx, faults, queue, order, short_poll=short_poll)
    if taken.deliveries:
        await _send_again(ctx, faults, queue, order, taken.deliveries)
    return taken


async def _claim_some(
    ctx: Context, faults: Faults, queue: Queue, order: ClaimOrder, *, short_poll: bool
) -> Claim:
    """A call that finds nothing visible is no occasion: nobody could tell the difference."""
    if not faults.has(Reorder) and not (short_poll and faults.has(PartialPoll)):
        return await ctx.engine.claim(queue, order)
    visible = await ctx.engine.peek(
        queue, now_ms=order.now_ms, states={MessageState.VISIBLE}, limit=LOOKED_AT
    )
    here = occasion(ctx, "ReceiveMessage", queue)
    if short_poll and visible and (partial := strike(ctx, faults, PartialPoll, here, queue)) is not None:
        visible = _sampled(faults.chance, partial, visible)
        order = msgspec.structs.replace(order, passes_over=_all_but(visible))
    if len(visible) > 1 and (reorder := strike(ctx, faults, Reorder, here, queue)) is not None:
        return await _claim_in_order(
            ctx, queue, order, _drawn(faults.chance, visible[: reorder.window], order.limit)
        )
    return await ctx.engine.claim(queue, order)


async def _claim_in_order(ctx: Context, queue: Queue, order: ClaimOrder, wanted: list[Peeked]) -> Claim:
    """Those messages, in that order."""
    places = {peeked.delivery.seq: place for place, peeked in enumerate(wanted)}
    chosen = msgspec.structs.replace(order, passes_over=_all_but(wanted))
    taken = await ctx.engine.claim(queue, chosen)
    if not taken.deliveries and not taken.over_limit:
        # Dead-lettered, or taken by others meanwhile. A long poll would wait for a message that is there.
        more = await ctx.engine.claim(queue, order)
        return msgspec.structs.replace(more, dead_lettered=taken.dead_lettered + more.dead_lettered)
    deliveries = sorted(taken.deliveries, key=lambda delivery: places[delivery.seq])
    return msgspec.structs.replace(taken, deliveries=tuple(deliveries))


def _sampled(chance: Chance, rule: PartialPoll, visible: Sequence[Peeked]) -> list[Peeked]:
    """A message is always in the same partition, whatever else the server does: its id decides."""
    partitions = _drawn(chance, range(rule.partitions), rule.sampled)
    return [
        peeked
        for peeked in visible
        if zlib.crc32(peeked.delivery.message_id.encode()) % rule.partitions in partitions
    ]


def _all_but(wanted: Sequence[Peeked]) -> Callable[[int], bool]:
    seqs = {peeked.delivery.seq for peeked in wanted}
    return lambda seq: seq not in seqs


def _drawn(chance: Chance, choices: Sequence[T], count: int) -> list[T]:
    """So many of them, in any order."""
    left = list(choices)
    return [left.pop(chance.randrange(len(left))) for _ in range(min(count, len(left)))]


async def _send_again(
    ctx: Context, faults: Faults, queue: Queue, order: ClaimOrder, deliveries: Sequence[Delivery]
) -> None:
    """Copies of messages that come twice, and shorter timeouts, decided message by message."""
    copies: list[Draft] = []
    changes: list[VisibilityChange] = []
    for delivery in deliveries:
        here, message_id = occasion(ctx, "ReceiveMessage", queue, [delivery]), delivery.message_id
        past = faults.past
        if not past.was_duplicated(queue, message_id):
            duplicate = strike(ctx, faults, Duplicate, here, queue, message_id=message_id)
            if duplicate is not None:
                past.duplicated(queue, message_id)
                copies.append(_copy_of(delivery, order.now_ms, round(duplicate.after_s * 1000)))
        if order.hide_ms:
            early = strike(ctx, faults, EarlyExpiry, here, queue, message_id=message_id)
            if early is not None:
                receipt = Receipt(queue.id, delivery.seq, delivery.receive_count)
                changes.append(VisibilityChange(receipt, int(order.hide_ms * early.fraction)))
    if copies:
        await ctx.engine.append(queue.id, copies)
    if changes:
        await ctx.engine.set_visibility(queue, changes, now_ms=order.now_ms)
    if copies or changes:
        ctx.signals.notify(queue.id, len(copies) + len(changes))


def _copy_of(delivery: Delivery, now_ms: int, after_ms: int) -> Draft:
    """The same message a second time, never received yet. It is as old as the first."""
    return Draft(
        message_id=delivery.message_id,
        body=delivery.body,
        sent_ms=delivery.sent_ms,
        due_ms=now_ms + after_ms if after_ms else delivery.sent_ms,
        sender_id=delivery.sender_id,
        attributes=delivery.attributes,
        trace_header=delivery.trace_header,
        group_id=delivery.group_id,
        dead_letter_source_arn=delivery.dead_letter_source_arn,
    )
