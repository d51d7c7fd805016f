"""The check of a RedrivePolicy that needs a look at the dead-letter queue."""

from collections.abc import Mapping

from emulator.context import Context
from emulator.domain.model import QueueKey
from emulator.domain.redrive import parse_redrive_policy, require_redrive_target
from emulator.operations.lookup import find_queue_by_arn


async def require_usable_target(ctx: Context, source: QueueKey, given: Mapping[str, str]) -> None:
    """Raises InvalidParameterValue if the attributes contain a RedrivePolicy whose target does not do."""
    text = given.get("RedrivePolicy")
    if not text:
        return
    policy = parse_redrive_policy(text, source)
    target = await find_queue_by_arn(ctx, policy.dead_letter_target_arn)
    require_redrive_target(text, policy, source, target)
