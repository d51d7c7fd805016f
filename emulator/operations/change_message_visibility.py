import msgspec

from emulator.context import Context
from emulator.domain.model import Outcome, VisibilityChange
from emulator.domain.ranges import require_changed_visibility
from emulator.errors import InvalidParameterValue, MissingParameter, SqsError
from emulator.operations.delete_message import receipt_expired
from emulator.operations.lookup import find_queue, require_receipt


class ChangeMessageVisibilityRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    receipt_handle: str | None = None
    visibility_timeout: int | None = None


async def change_message_visibility(ctx: Context, request: ChangeMessageVisibilityRequest) -> None:
    queue = await find_queue(ctx, request.queue_url)
    if request.receipt_handle is None:
        raise MissingParameter("ReceiptHandle")
    timeout_s = require_changed_visibility(request.visibility_timeout)
    receipt = require_receipt(ctx, queue, request.receipt_handle)
    changes, now_ms = [VisibilityChange(receipt, timeout_s * 1000)], ctx.clock.now_ms()
    outcomes = await ctx.engine.set_visibility(queue, changes, now_ms=now_ms)
    if outcomes[0] is not Outcome.DONE:
        raise visibility_error(outcomes[0], request.receipt_handle, timeout_s)
    if ctx.journal is not None:
        ctx.journal.visibility_changed(ctx, queue, changes, outcomes, now_ms=now_ms)
    ctx.signals.notify(queue.id)


def visibility_error(outcome: Outcome, handle: str, timeout_s: int) -> SqsError:
    if outcome is Outcome.EXPIRED:
        return receipt_expired(handle)
    if outcome is Outcome.BEYOND_LIMIT:
        return InvalidParameterValue(
            f"Value {timeout_s} for parameter VisibilityTimeout is invalid. Reason: "
            "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]"
        )
    return InvalidParameterValue(
        f"Value {handle} for parameter ReceiptHandle is invalid. Reason: "
        "Message does not exist or is not available for visibility timeout change."
    )
