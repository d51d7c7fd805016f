from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.attributes import changed_attributes
from emulator.domain.model import Queue
from emulator.operations.lookup import find_queue
from emulator.operations.redrive_target import require_usable_target
from emulator.wire.shapes import query_map


class SetQueueAttributesRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    attributes: Annotated[dict[str, str] | None, query_map("Attribute")] = None


async def set_queue_attributes(ctx: Context, request: SetQueueAttributesRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)
    given = request.attributes or {}
    changed_attributes(queue, given)  # names and values before the look at a dead-letter queue
    await require_usable_target(ctx, queue.key, given)
    now_ms = ctx.clock.now_ms()

    def change(queue: Queue) -> Queue:
        attributes = changed_attributes(queue, given)
        return msgspec.structs.replace(queue, attributes=attributes, modified_ms=now_ms)

    await ctx.engine.update_queue(queue.id, change)
    if ctx.faults is not None:
        ctx.faults.past.queue_changed(queue, now_ms)
    ctx.signals.notify_all(queue.id)  # a long poll may wait by what was just changed
