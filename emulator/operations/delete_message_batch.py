from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.batches import require_batch
from emulator.domain.model import Outcome, Receipt
from emulator.errors import MissingParameter, SqsError
from emulator.operations.batch_results import BatchResultErrorEntry, failed_entry
from emulator.operations.delete_message import receipt_expired, unlock
from emulator.operations.lookup import find_queue, require_receipt
from emulator.wire.shapes import query_list

ENTRY_NAME = "DeleteMessageBatchRequestEntry"


class DeleteMessageBatchRequestEntry(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    id: str | None = None
    receipt_handle: str | None = None


class DeleteMessageBatchRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    entries: Annotated[list[DeleteMessageBatchRequestEntry] | None, query_list(ENTRY_NAME)] = None


class DeleteMessageBatchResultEntry(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    id: str


class DeleteMessageBatchResponse(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    successful: Annotated[
        list[DeleteMessageBatchResultEntry] | None, query_list("DeleteMessageBatchResultEntry")
    ] = None
    failed: Annotated[list[BatchResultErrorEntry] | None, query_list("BatchResultErrorEntry")] = None


async def delete_message_batch(
    ctx: Context, request: DeleteMessageBatchRequest
) -> DeleteMessageBatchResponse:
    queue = await find_queue(ctx, request.queue_url)
    entries = require_batch(request.entries, ENTRY_NAME)
    ctx.throttle.require(queue, "DeleteMessage", now_ms=ctx.clock.now_ms())
    failures: dict[str, SqsError] = {}
    receipts: dict[str, Receipt] = {}
    for entry in entries:
        try:
            if entry.receipt_handle is None:
                raise MissingParameter("ReceiptHandle")
            receipts[entry.id or ""] = require_receipt(ctx, queue, entry.receipt_handle)
        except SqsError as error:
            failures[entry.id or ""] = error
    outcomes = await ctx.engine.delete(queue, list(receipts.values()), now_ms=ctx.clock.now_ms())
    handles = {entry.id: entry.receipt_handle for entry in entries}
    for entry_id, outcome in zip(receipts, outcomes, strict=True):
        if outcome is Outcome.EXPIRED:
            failures[entry_id] = receipt_expired(handles[entry_id] or "")
    unlock(ctx, queue, len(receipts))
    ids = [entry.id or "" for entry in entries]
    successful = [DeleteMessageBatchResultEntry(id=one) for one in ids if one not in failures]
    failed = [failed_entry(one, failures[one]) for one in ids if one in failures]
    return DeleteMessageBatchResponse(successful=successful or None, failed=failed or None)
