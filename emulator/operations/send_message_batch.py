from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain import limits
from emulator.domain.batches import require_batch
from emulator.domain.digests import md5_of_attributes, md5_of_text
from emulator.domain.fifo import sequence_number
from emulator.domain.message_content import batch_entry_too_large, message_bytes
from emulator.domain.model import Accepted, Draft, Queue
from emulator.errors import BatchRequestTooLong, InvalidParameterValue, MissingParameter
from emulator.operations.batch_results import BatchResultErrorEntry, Failures, results, sort_out
from emulator.operations.drafts import Sent, draft_of
from emulator.operations.lookup import find_queue
from emulator.wire.shapes import query_list

ENTRY_NAME = "SendMessageBatchRequestEntry"
Reader = Callable[["SendMessageBatchRequestEntry", int], Draft]


class SendMessageBatchRequestEntry(Sent, frozen=True, kw_only=True, rename="pascal"):
    id: str | None = None


class SendMessageBatchRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    entries: Annotated[list[SendMessageBatchRequestEntry] | None, query_list(ENTRY_NAME)] = None


class SendMessageBatchResultEntry(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    id: str
    message_id: str
    md5_of_message_body: str = msgspec.field(name="MD5OfMessageBody")
    md5_of_message_attributes: str | None = msgspec.field(name="MD5OfMessageAttributes", default=None)
    md5_of_message_system_attributes: str | None = msgspec.field(
        name="MD5OfMessageSystemAttributes", default=None
    )
    sequence_number: str | None = None


class SendMessageBatchResponse(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    successful: Annotated[
        list[SendMessageBatchResultEntry] | None, query_list("SendMessageBatchResultEntry")
    ] = None
    failed: Annotated[list[BatchResultErrorEntry] | None, query_list("BatchResultErrorEntry")] = None


async def send_message_batch(ctx: Context, request: SendMessageBatchRequest) -> SendMessageBatchResponse:
    queue = await find_queue(ctx, request.queue_url)
    entries = require_batch(request.entries, ENTRY_NAME)
    read = _reader(ctx, queue, _sizes_bytes(entries))
    failures: Failures = {}
    if queue.is_fifo:
        drafts = _fifo_drafts(entries, read)
    else:
        drafts, failures = sort_out(entries, read)
    accepted = await _append(ctx, queue, list(drafts.values()))
    by_id = {entry.id or "": entry for entry in entries}
    successful = [
        _result(queue, by_id[entry_id], draft, one)
        for (entry_id, draft), one in zip(drafts.items(), accepted, strict=True)
    ]
    _, failed = results(entries, failures)
    return SendMessageBatchResponse(successful=successful or None, failed=failed or None)


async def _append(ctx: Context, queue: Queue, drafts: Sequence[Draft]) -> Sequence[Accepted]:
    if not drafts:
        return []
    if ctx.throttle is not None:
        groups = {draft.group_id for draft in drafts}
        ctx.throttle.require(queue, "SendMessage", now_ms=ctx.clock.now_ms(), groups=groups)
    if ctx.faults is not None:
        from emulator.faults import sending  # only if there are rules

        drafts = sending.delayed(ctx, queue, drafts, "SendMessageBatch")
    accepted = await ctx.engine.append(queue.id, drafts)
    if ctx.journal is not None:
        ctx.journal.sent(ctx, queue, drafts, accepted)
    ctx.signals.notify(queue.id, sum(one.is_due for one in accepted))
    return accepted


def _sizes_bytes(entries: Sequence[SendMessageBatchRequestEntry]) -> list[int]:
    """All together are measured against 1 MiB whatever the queue allows (recorded, E1 row 34 and E2)."""
    sizes_bytes = [message_bytes(entry.message_body or "", entry.message_attributes) for entry in entries]
    total = sum(sizes_bytes)
    if total > limits.MAX_BATCH_BYTES:
        raise BatchRequestTooLong(
            f"Batch requests cannot be longer than {limits.MAX_BATCH_BYTES} bytes. "
            f"You have sent {total} bytes."
        )
    return sizes_bytes


def _fifo_drafts(entries: Sequence[SendMessageBatchRequestEntry], read: Reader) -> dict[str, Draft]:
    """FIFO queues: one bad entry fails the whole request (recorded, E1 rows 35 and 36)."""
    for entry in entries:
        if entry.message_group_id is None:
            # Recorded: another code here than in SendMessage, with the same text.
            raise InvalidParameterValue(MissingParameter("MessageGroupId").message)
    return {entry.id or "": read(entry, number) for number, entry in enumerate(entries, 1)}


def _reader(ctx: Context, queue: Queue, sizes_bytes: Sequence[int]) -> Reader:
    """What makes a draft of an entry, given its number, or raises what is wrong with it."""
    now_ms = ctx.clock.now_ms()
    maximum_bytes = queue.maximum_message_bytes

    def read(entry: SendMessageBatchRequestEntry, number: int) -> Draft:
        if entry.message_deduplication_id is not None and not queue.is_fifo:
            # Another text than SendMessage's (spec 2.19).
            raise InvalidParameterValue("The request include parameter that is not valid for this queue type")
        if not entry.message_body:
            raise MissingParameter(f"{ENTRY_NAME}.{number}.MessageBody")
        draft = draft_of(ctx, queue, entry, now_ms, size_bytes=sizes_bytes[number - 1])
        # What is kept of an entry is never larger than what was sent of it.
        if draft.size_bytes > maximum_bytes and message_bytes(draft.body, draft.attributes) > maximum_bytes:
            raise batch_entry_too_large(maximum_bytes)
        return draft

    return read


def _result(
    queue: Queue, entry: SendMessageBatchRequestEntry, draft: Draft, accepted: Accepted
) -> SendMessageBatchResultEntry:
    return SendMessageBatchResultEntry(
        id=entry.id or "",
        message_id=accepted.message_id,
        md5_of_message_body=md5_of_text(draft.body),
        md5_of_message_attributes=md5_of_attributes(draft.attributes),
        md5_of_message_system_attributes=md5_of_attributes(entry.message_system_attributes),
        sequence_number=sequence_number(accepted.seq) if queue.is_fifo else None,
    )
