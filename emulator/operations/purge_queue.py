import msgspec

from emulator.context import Context
from emulator.domain import limits
from emulator.errors import PurgeQueueInProgress
from emulator.operations.lookup import find_queue


class PurgeQueueRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None


async def purge_queue(ctx: Context, request: PurgeQueueRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)
    lock_ms = limits.PURGE_LOCK_MS if ctx.settings.cooldowns else 0
    now_ms = ctx.clock.now_ms()
    if not await ctx.engine.purge(queue.id, now_ms=now_ms, lock_ms=lock_ms):
        raise PurgeQueueInProgress(
            f"Only one PurgeQueue operation on {queue.name} is allowed every 60 seconds."
        )
    if ctx.journal is not None:
        ctx.journal.purged(ctx, queue, now_ms=now_ms)
