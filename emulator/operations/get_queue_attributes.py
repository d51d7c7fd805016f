from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.attributes import reported_attributes, wants_counts
from emulator.operations.lookup import find_queue
from emulator.wire.shapes import query_list, query_map


class GetQueueAttributesRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    attribute_names: Annotated[list[str] | None, query_list("AttributeName")] = None


class GetQueueAttributesResponse(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    attributes: Annotated[dict[str, str] | None, query_map("Attribute")] = None


async def get_queue_attributes(
    ctx: Context, request: GetQueueAttributesRequest
) -> GetQueueAttributesResponse:
    queue = await find_queue(ctx, request.queue_url)
    names = request.attribute_names or []
    if ctx.faults is not None:
        from emulator.faults import reading  # only if there are rules

        attributes = await reading.attributes(ctx, queue, names)
    else:
        wanted = wants_counts(names)
        counts = await ctx.engine.counts(queue, now_ms=ctx.clock.now_ms()) if wanted else None
        attributes = reported_attributes(queue, counts, names)
    return GetQueueAttributesResponse(attributes=attributes or None)
