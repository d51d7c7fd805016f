from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.batches import require_batch
from emulator.domain.model import Outcome, VisibilityChange
from emulator.domain.ranges import require_entry_visibility
from emulator.errors import MissingParameter
from emulator.operations.batch_results import BatchResultErrorEntry, results, sort_out
from emulator.operations.change_message_visibility import visibility_error
from emulator.operations.lookup import find_queue, require_receipt
from emulator.wire.shapes import query_list

ENTRY_NAME = "ChangeMessageVisibilityBatchRequestEntry"


class ChangeMessageVisibilityBatchRequestEntry(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    id: str | None = None
    receipt_handle: str | None = None
    visibility_timeout: int | None = None


class ChangeMessageVisibilityBatchRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str | None = None
    entries: Annotated[list[ChangeMessageVisibilityBatchRequestEntry] | None, query_list(ENTRY_NAME)] = None


class ChangeMessageVisibilityBatchResultEntry(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    id: str


class ChangeMessageVisibilityBatchResponse(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    successful: Annotated[
        list[ChangeMessageVisibilityBatchResultEntry] | None,
        query_list("ChangeMessageVisibilityBatchResultEntry"),
    ] = None
    failed: Annotated[list[BatchResultErrorEntry] | None, query_list("BatchResultErrorEntry")] = None


async def change_message_visibility_batch(
    ctx: Context, request: ChangeMessageVisibilityBatchRequest
) -> ChangeMessageVisibilityBatchResponse:
    queue = await find_queue(ctx, request.queue_url)
    entries = require_batch(request.entries, ENTRY_NAME)

    def change(entry: ChangeMessageVisibilityBatchRequestEntry, number: int) -> VisibilityChange:
        if entry.receipt_handle is None:
            raise MissingParameter(f"{ENTRY_NAME}.{number}.ReceiptHandle")
        timeout_s = require_entry_visibility(entry.visibility_timeout, number)
        return VisibilityChange(require_receipt(ctx, queue, entry.receipt_handle), timeout_s * 1000)

    asked, failures = sort_out(entries, change)
    changes, now_ms = list(asked.values()), ctx.clock.now_ms()
    outcomes = await ctx.engine.set_visibility(queue, changes, now_ms=now_ms)
    if ctx.journal is not None:
        ctx.journal.visibility_changed(ctx, queue, changes, outcomes, now_ms=now_ms)
    handles = {entry.id: entry.receipt_handle for entry in entries}
    for (entry_id, one), outcome in zip(asked.items(), outcomes, strict=True):
        if outcome is not Outcome.DONE:
            failures[entry_id] = visibility_error(outcome, handles[entry_id] or "", one.timeout_ms // 1000)
    ctx.signals.notify(queue.id, len(changes))
    ids, failed = results(entries, failures)
    successful = [ChangeMessageVisibilityBatchResultEntry(id=one) for one in ids]
    return ChangeMessageVisibilityBatchResponse(successful=successful or None, failed=failed or None)
