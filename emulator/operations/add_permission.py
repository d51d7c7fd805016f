from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.model import Queue
from emulator.domain.policy import with_permission
from emulator.operations.lookup import find_queue
from emulator.wire.shapes import query_list


class AddPermissionRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    label: str | None = None
    aws_account_ids: Annotated[list[str] | None, query_list("AWSAccountId")] = msgspec.field(
        name="AWSAccountIds", default=None
    )
    actions: Annotated[list[str] | None, query_list("ActionName")] = None


async def add_permission(ctx: Context, request: AddPermissionRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)
    now_ms = ctx.clock.now_ms()

    def change(queue: Queue) -> Queue:
        policy = with_permission(
            queue.attributes.get("Policy"),
            queue.arn,
            request.label,
            request.aws_account_ids,
            request.actions,
        )
        attributes = {**queue.attributes, "Policy": policy}
        return msgspec.structs.replace(queue, attributes=attributes, modified_ms=now_ms)

    await ctx.engine.update_queue(queue.id, change)
