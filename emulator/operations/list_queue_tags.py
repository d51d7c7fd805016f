from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.operations.lookup import find_queue
from emulator.wire.shapes import query_map


class ListQueueTagsRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None


class ListQueueTagsResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    tags: Annotated[dict[str, str] | None, query_map("Tag", "Key", "Value")] = None


async def list_queue_tags(ctx: Context, request: ListQueueTagsRequest) -> ListQueueTagsResponse:
    queue = await find_queue(ctx, request.queue_url)
    return ListQueueTagsResponse(tags=queue.tags or None)
