"""Sends whose messages can be received only later."""

from collections.abc import Sequence

import msgspec

from emulator.context import Context
from emulator.domain.model import Draft, Queue
from emulator.faults.acting import occasion, strike
from emulator.faults.faults import Faults
from emulator.faults.rules import DelayedSend


def delayed(ctx: Context, queue: Queue, drafts: Sequence[Draft], action: str) -> list[Draft]:
    """The drafts as they are to be stored, in order."""
    faults = ctx.faults
    if faults is None or queue.is_fifo:
        return list(drafts)
    return [_delayed(ctx, faults, queue, draft, action) for draft in drafts]


def _delayed(ctx: Context, faults: Faults, queue: Queue, draft: Draft, action: str) -> Draft:
    here = occasion(ctx, action, queue, [draft])
    rule = strike(ctx, faults, DelayedSend, here, queue, message_id=draft.message_id)
    if rule is None:
        return draft
    return msgspec.structs.replace(draft, due_ms=draft.due_ms + round(rule.delay_s * 1000))
