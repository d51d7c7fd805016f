from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain import limits
from emulator.domain.attributes import first_difference, new_attributes, wants_fifo
from emulator.domain.model import Created, QueueKey
from emulator.domain.queue_names import require_queue_name
from emulator.domain.tags import require_new_tags
from emulator.errors import QueueDeletedRecently, QueueNameExists
from emulator.operations.lookup import queue_url
from emulator.operations.redrive_target import require_usable_target
from emulator.wire.shapes import query_map


class CreateQueueRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_name: str | None = None
    attributes: Annotated[dict[str, str] | None, query_map("Attribute")] = None
    tags: Annotated[dict[str, str] | None, query_map("Tag", "Key", "Value")] = msgspec.field(
        name="tags", default=None
    )


class CreateQueueResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str


async def create_queue(ctx: Context, request: CreateQueueRequest) -> CreateQueueResponse:
    given = request.attributes or {}
    name = require_queue_name(request.queue_name, fifo=wants_fifo(given))
    key = QueueKey(ctx.account, ctx.region, name)
    attributes = new_attributes(wants_fifo(given), given)
    tags = require_new_tags(name, request.tags)
    await require_usable_target(ctx, key, given)
    created, queue = await ctx.engine.create_queue(
        key,
        attributes,
        tags,
        now_ms=ctx.clock.now_ms(),
        name_lock_ms=limits.QUEUE_NAME_LOCK_MS if ctx.settings.cooldowns else 0,
    )
    if created is Created.DELETED_RECENTLY or queue is None:
        raise QueueDeletedRecently
    if created is Created.EXISTING and (different := first_difference(queue, given)):
        raise QueueNameExists(
            f"A queue already exists with the same name and a different value for attribute {different}"
        )
    return CreateQueueResponse(queue_url=queue_url(ctx, key))
