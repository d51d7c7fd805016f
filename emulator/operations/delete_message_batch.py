from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.batches import require_batch
from emulator.domain.model import Outcome, Receipt
from emulator.errors import MissingParameter
from emulator.operations.batch_results import BatchResultErrorEntry, results, sort_out
from emulator.operations.delete_message import delete, receipt_expired, unlock
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
    if ctx.throttle is not None:
        ctx.throttle.require(queue, "DeleteMessage", now_ms=ctx.clock.now_ms())

    def receipt(entry: DeleteMessageBatchRequestEntry, number: int) -> Receipt:
        if entry.receipt_handle is None:
            raise MissingParameter("ReceiptHandle")
        return require_receipt(ctx, queue, entry.receipt_handle)

    receipts, failures = sort_out(entries, receipt)
    outcomes = await delete(ctx, queue, list(receipts.values()), "DeleteMessageBatch")
    handles = {entry.id: entry.receipt_handle for entry in entries}
    for entry_id, outcome in zip(receipts, outcomes, strict=True):
        if outcome is Outcome.EXPIRED:
            failures[entry_id] = receipt_expired(handles[entry_id] or "")
    unlock(ctx, queue, len(receipts))
    ids, failed = results(entries, failures)
    successful = [DeleteMessageBatchResultEntry(id=one) for one in ids]
    return DeleteMessageBatchResponse(successful=successful or None, failed=failed or None)
