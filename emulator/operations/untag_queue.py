from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.model import Queue
from emulator.domain.tags import without_tags
from emulator.operations.lookup import find_queue
from emulator.wire.shapes import query_list


class UntagQueueRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    tag_keys: Annotated[list[str] | None, query_list("TagKey")] = None


async def untag_queue(ctx: Context, request: UntagQueueRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)

    def change(queue: Queue) -> Queue:
        return msgspec.structs.replace(queue, tags=without_tags(queue.tags, request.tag_keys))

    await ctx.engine.update_queue(queue.id, change)
