import msgspec

from emulator.context import Context
from emulator.domain.digests import md5_of_attributes, md5_of_text
from emulator.domain.fifo import sequence_number
from emulator.domain.message_content import require_size
from emulator.operations.drafts import Sent, draft_of
from emulator.operations.lookup import find_queue


class SendMessageRequest(Sent, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None


class SendMessageResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True):
    message_id: str
    md5_of_message_body: str = msgspec.field(name="MD5OfMessageBody")
    md5_of_message_attributes: str | None = msgspec.field(name="MD5OfMessageAttributes", default=None)
    md5_of_message_system_attributes: str | None = msgspec.field(
        name="MD5OfMessageSystemAttributes", default=None
    )
    sequence_number: str | None = None


async def send_message(ctx: Context, request: SendMessageRequest) -> SendMessageResponse:
    queue = await find_queue(ctx, request.queue_url)
    draft = draft_of(ctx, queue, request, ctx.clock.now_ms())
    require_size(draft.size_bytes, queue.maximum_message_bytes)
    if ctx.throttle is not None:
        ctx.throttle.require(queue, "SendMessage", now_ms=draft.sent_ms, groups=[draft.group_id])
    if ctx.faults is not None:
        from emulator.faults import sending  # only if there are rules

        (draft,) = sending.delayed(ctx, queue, [draft], "SendMessage")
    (accepted,) = await ctx.engine.append(queue.id, [draft])
    if ctx.journal is not None:
        ctx.journal.sent(ctx, queue, [draft], [accepted])
    if accepted.is_due:
        ctx.signals.notify(queue.id)
    return SendMessageResponse(
        message_id=accepted.message_id,
        md5_of_message_body=md5_of_text(draft.body),
        md5_of_message_attributes=md5_of_attributes(draft.attributes),
        md5_of_message_system_attributes=md5_of_attributes(request.message_system_attributes),
        sequence_number=sequence_number(accepted.seq) if queue.is_fifo else None,
    )
