from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.model import Queue
from emulator.domain.tags import require_tags
from emulator.operations.lookup import find_queue
from emulator.wire.shapes import query_map


class TagQueueRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    tags: Annotated[dict[str, str] | None, query_map("Tag", "Key", "Value")] = None


async def tag_queue(ctx: Context, request: TagQueueRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)

    def change(queue: Queue) -> Queue:
        return msgspec.structs.replace(queue, tags=require_tags(queue.name, queue.tags, request.tags))

    await ctx.engine.update_queue(queue.id, change)
