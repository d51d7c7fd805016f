import msgspec

from emulator.context import Context
from emulator.operations.lookup import find_queue


class DeleteQueueRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None


async def delete_queue(ctx: Context, request: DeleteQueueRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)
    now_ms = ctx.clock.now_ms()
    await ctx.engine.delete_queue(queue.id, now_ms=now_ms)
    if ctx.journal is not None:
        ctx.journal.purged(ctx, queue, now_ms=now_ms, queue_deleted=True)
    if ctx.faults is not None:
        ctx.faults.past.queue_deleted(queue, now_ms)
    # Long polls on it look again, and end with NonExistentQueue.
    ctx.signals.notify_all(queue.id)
