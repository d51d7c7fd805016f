import msgspec

from emulator.context import Context
from emulator.domain.model import Queue
from emulator.domain.policy import without_permission
from emulator.operations.lookup import find_queue


class RemovePermissionRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    label: str | None = None


async def remove_permission(ctx: Context, request: RemovePermissionRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)
    now_ms = ctx.clock.now_ms()

    def change(queue: Queue) -> Queue:
        attributes = dict(queue.attributes)
        policy = without_permission(attributes.pop("Policy", None), request.label)
        if policy is not None:
            attributes["Policy"] = policy
        return msgspec.structs.replace(queue, attributes=attributes, modified_ms=now_ms)

    await ctx.engine.update_queue(queue.id, change)
