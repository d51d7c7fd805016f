from collections.abc import Sequence

import msgspec

from emulator.context import Context
from emulator.domain.model import Outcome, Queue, Receipt
from emulator.errors import InvalidParameterValue, MissingParameter
from emulator.operations.lookup import find_queue, require_receipt


class DeleteMessageRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    receipt_handle: str | None = None


async def delete_message(ctx: Context, request: DeleteMessageRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)
    if request.receipt_handle is None:
        raise MissingParameter("ReceiptHandle")
    receipt = require_receipt(ctx, queue, request.receipt_handle)
    if ctx.throttle is not None:
        ctx.throttle.require(queue, "DeleteMessage", now_ms=ctx.clock.now_ms())
    (outcome,) = await delete(ctx, queue, [receipt], "DeleteMessage")
    if outcome is Outcome.EXPIRED:
        raise receipt_expired(request.receipt_handle)
    unlock(ctx, queue, 1)


async def delete(ctx: Context, queue: Queue, receipts: Sequence[Receipt], action: str) -> Sequence[Outcome]:
    now_ms = ctx.clock.now_ms()
    if ctx.faults is None:
        outcomes = await ctx.engine.delete(queue, receipts, now_ms=now_ms)
    else:
        from emulator.faults import deleting  # only if there are rules

        outcomes = await deleting.delete(ctx, queue, receipts, action, now_ms=now_ms)
    if ctx.journal is not None:
        ctx.journal.deleted(ctx, queue, receipts, outcomes, now_ms=now_ms)
    return outcomes


def receipt_expired(handle: str) -> InvalidParameterValue:
    """FIFO only (recorded, E1 row 42)."""
    return InvalidParameterValue(
        f"Value {handle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired."
    )


def unlock(ctx: Context, queue: Queue, count: int) -> None:
    """A delete may open a FIFO group, or make room under the in-flight limit, for a receiver that waits."""
    if queue.is_fifo or queue.id in ctx.signals.limited:
        ctx.signals.notify(queue.id, count)
