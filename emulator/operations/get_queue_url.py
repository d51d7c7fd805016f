import msgspec

from emulator.context import Context
from emulator.domain.model import QueueKey
from emulator.domain.queue_names import require_queue_name_given
from emulator.errors import QueueDoesNotExist
from emulator.operations.lookup import queue_url


class GetQueueUrlRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_name: str | None = None
    queue_owner_aws_account_id: str | None = msgspec.field(name="QueueOwnerAWSAccountId", default=None)


class GetQueueUrlResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str


async def get_queue_url(ctx: Context, request: GetQueueUrlRequest) -> GetQueueUrlResponse:
    name = require_queue_name_given(request.queue_name)
    key = QueueKey(request.queue_owner_aws_account_id or ctx.account, ctx.region, name)
    if await ctx.engine.find_queue(key) is None:
        raise QueueDoesNotExist
    return GetQueueUrlResponse(queue_url=queue_url(ctx, key))
