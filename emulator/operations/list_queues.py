from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.model import QueueKey
from emulator.operations.lookup import queue_url
from emulator.operations.paging import Page
from emulator.wire.shapes import query_list


class ListQueuesRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_name_prefix: str | None = None
    next_token: str | None = None
    max_results: int | None = None


class ListQueuesResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    queue_urls: Annotated[list[str] | None, query_list("QueueUrl")] = None
    next_token: str | None = None


async def list_queues(ctx: Context, request: ListQueuesRequest) -> ListQueuesResponse:
    prefix = request.queue_name_prefix or ""
    page = Page(prefix, request.max_results, request.next_token)
    names, next_token = page.cut(await _names(ctx, prefix, page))
    urls = [queue_url(ctx, QueueKey(ctx.account, ctx.region, name)) for name in names]
    return ListQueuesResponse(queue_urls=urls or None, next_token=next_token)


async def _names(ctx: Context, prefix: str, page: Page) -> list[str]:
    if ctx.faults is not None:
        from emulator.faults import reading  # only if there are rules

        return await reading.list_queues(ctx, prefix=prefix, after=page.after, limit=page.limit)
    found = await ctx.engine.list_queues(
        ctx.account, ctx.region, prefix=prefix, after=page.after, limit=page.limit
    )
    return list(found)
