from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.operations.lookup import find_queue, queue_url
from emulator.operations.paging import Page
from emulator.wire.shapes import query_list


class ListDeadLetterSourceQueuesRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    next_token: str | None = None
    max_results: int | None = None


class ListDeadLetterSourceQueuesResponse(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    queue_urls: Annotated[list[str] | None, query_list("QueueUrl")] = msgspec.field(
        name="queueUrls", default=None
    )
    next_token: str | None = None


async def list_dead_letter_source_queues(
    ctx: Context, request: ListDeadLetterSourceQueuesRequest
) -> ListDeadLetterSourceQueuesResponse:
    queue = await find_queue(ctx, request.queue_url)
    page = Page(queue.arn, request.max_results, request.next_token)
    found = await ctx.engine.dead_letter_sources(queue.arn, after=page.after, limit=page.limit)
    keys = {key.name: key for key in found}
    names, next_token = page.cut(list(keys))
    urls = [queue_url(ctx, keys[name]) for name in names]
    return ListDeadLetterSourceQueuesResponse(queue_urls=urls or None, next_token=next_token)
