"""Creates the queues that the config file declares, through the same operations that callers use.

With a data file the queues may be there already. Then what the file declares is set; attributes and tags
that it does not name stay as they are.
"""

from collections.abc import Awaitable, Sequence

import msgspec

from emulator.context import Context
from emulator.domain.model import QueueKey, arn_of
from emulator.errors import QueueNameExists, SqsError
from emulator.operations.create_queue import CreateQueueRequest, create_queue
from emulator.operations.set_queue_attributes import SetQueueAttributesRequest, set_queue_attributes
from emulator.operations.tag_queue import TagQueueRequest, tag_queue
from emulator.settings import QueueDeclaration, StartError

LATER = "RedrivePolicy"
"""Names another queue, which may be declared further down: set once all of them exist."""
FIXED = "FifoQueue"
"""Cannot be set after creation, and cannot differ, as it follows from the name."""


async def create_declared_queues(ctx: Context, declarations: Sequence[QueueDeclaration]) -> None:
    """Raises a StartError with one line for each queue that could not be made as declared."""
    # A queue deleted just before a restart must not keep the server from starting for a minute.
    ctx = msgspec.structs.replace(ctx, settings=msgspec.structs.replace(ctx.settings, cooldowns=False))
    mistakes = [await _mistake(_create(ctx, queue), queue) for queue in declarations]
    if not any(mistakes):
        mistakes = [await _mistake(_set_redrive(ctx, queue), queue) for queue in declarations]
    if any(mistakes):
        raise StartError("\n".join(mistake for mistake in mistakes if mistake))


async def _create(ctx: Context, queue: QueueDeclaration) -> None:
    attributes = {name: value for name, value in queue.attributes.items() if name != LATER}
    try:
        await create_queue(
            ctx, CreateQueueRequest(queue_name=queue.name, attributes=attributes, tags=queue.tags)
        )
    except QueueNameExists:
        changeable = {name: value for name, value in attributes.items() if name != FIXED}
        await set_queue_attributes(
            ctx, SetQueueAttributesRequest(queue_url=queue.name, attributes=changeable)
        )
    if queue.tags:
        # CreateQueue leaves the tags of a queue that exists alone.
        await tag_queue(ctx, TagQueueRequest(queue_url=queue.name, tags=queue.tags))


async def _set_redrive(ctx: Context, queue: QueueDeclaration) -> None:
    policy = queue.attributes.get(LATER)
    if queue.redrive is not None:
        target = arn_of(QueueKey(ctx.account, ctx.region, queue.redrive.to))
        terms = {"deadLetterTargetArn": target, "maxReceiveCount": queue.redrive.max_receive_count}
        policy = msgspec.json.encode(terms).decode()
    if policy is not None:
        await set_queue_attributes(
            ctx, SetQueueAttributesRequest(queue_url=queue.name, attributes={LATER: policy})
        )


async def _mistake(work: Awaitable[None], queue: QueueDeclaration) -> str | None:
    try:
        await work
    except SqsError as error:
        return f"{queue.where(_culprit(queue, error.message))}: {error.message}"
    return None


def _culprit(queue: QueueDeclaration, message: str) -> str:
    """The key an operation complains about: it names the attribute, if it is one."""
    # The longest first, as Policy is part of RedrivePolicy.
    for name in sorted(queue.attributes, key=len, reverse=True):
        if name in message:
            return f"attributes.{name}"
    if LATER in message or "redrive" in message.lower():
        return "redrive"
    return "tags" if "tag" in message.lower() and queue.tags else "name"
