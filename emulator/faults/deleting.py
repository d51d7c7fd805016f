"""Deletes that are acknowledged, and yet the message comes back."""

from collections.abc import Sequence

from emulator.context import Context
from emulator.domain.model import Delivery, Outcome, Queue, Receipt, VisibilityChange
from emulator.faults.acting import occasion, strike
from emulator.faults.faults import Faults
from emulator.faults.rules import LostDelete


async def delete(
    ctx: Context, queue: Queue, receipts: Sequence[Receipt], action: str, *, now_ms: int
) -> list[Outcome]:
    """`Engine.delete`. A delete that gets lost is GONE, which callers of standard queues take for done."""
    faults, lost = ctx.faults, set[int]()
    if faults is not None and not queue.is_fifo and faults.has(LostDelete):
        for number, receipt in enumerate(receipts):
            if await _gets_lost(ctx, faults, queue, receipt, action, now_ms):
                lost.add(number)
    real = [receipt for number, receipt in enumerate(receipts) if number not in lost]
    outcomes = iter(await ctx.engine.delete(queue, real, now_ms=now_ms))
    return [Outcome.GONE if number in lost else next(outcomes) for number in range(len(receipts))]


async def _gets_lost(
    ctx: Context, faults: Faults, queue: Queue, receipt: Receipt, action: str, now_ms: int
) -> bool:
    message = await _message(ctx, queue, receipt, now_ms)
    if message is None:
        return False  # deleted before: there is nothing that could come back
    here = occasion(ctx, action, queue, [message])
    rule = strike(ctx, faults, LostDelete, here, queue, message_id=message.message_id)
    if rule is None:
        return False
    if rule.after_s is not None:
        change = VisibilityChange(receipt, round(rule.after_s * 1000))
        await ctx.engine.set_visibility(queue, [change], now_ms=now_ms)
        ctx.signals.notify(queue.id)
    return True


async def _message(ctx: Context, queue: Queue, receipt: Receipt, now_ms: int) -> Delivery | None:
    found = await ctx.engine.peek(queue, now_ms=now_ms, after_seq=receipt.seq - 1, limit=1)
    return found[0].delivery if found and found[0].delivery.seq == receipt.seq else None
