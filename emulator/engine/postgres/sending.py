"""Storing messages: all that came in together for one queue, in one transaction."""

from collections.abc import Sequence
from typing import Any

import msgspec

from emulator.domain.limits import DEDUPLICATION_MS
from emulator.domain.model import Accepted, Draft
from emulator.engine.postgres import fair, settling
from emulator.engine.postgres.rows import attributes_blob, queue_of
from emulator.engine.postgres.work import Work
from emulator.engine.state.message import DELAYED, VISIBLE
from emulator.errors import QueueDoesNotExist


async def append(work: Work, queue_id: int, requests: Sequence[Sequence[Draft]]) -> list[list[Accepted]]:
    """Raises QueueDoesNotExist for all."""
    drafts = [draft for request in requests for draft in request]
    if drafts:
        await settling.require_minute(work, queue_id, max(draft.sent_ms for draft in drafts))
    if await _is_fifo(work, queue_id):
        accepted = await _append_once(work, queue_id, drafts)
    else:
        accepted = await _append(work, queue_id, drafts)
    taken = iter(accepted)
    return [[next(taken) for _ in request] for request in requests]


async def _is_fifo(work: Work, queue_id: int) -> bool:
    known = work.memory.of(queue_id)
    if known.is_fifo is None:
        row = await work.one("find_queue_by_id", queue_id)
        if row is None:
            raise QueueDoesNotExist
        known.is_fifo = queue_of(row).is_fifo
    return known.is_fifo


def columns_of(drafts: Sequence[Draft]) -> tuple[list[Any], ...]:
    """What append_standard takes of drafts."""
    delayed = [draft.due_ms > draft.sent_ms for draft in drafts]
    return (
        [draft.message_id for draft in drafts],
        [draft.body for draft in drafts],
        [attributes_blob(draft.attributes) for draft in drafts],
        [draft.sender_id for draft in drafts],
        [draft.trace_header for draft in drafts],
        [draft.group_id for draft in drafts],
        [draft.deduplication_id for draft in drafts],
        [draft.sent_ms for draft in drafts],
        [draft.due_ms if late else 0 for draft, late in zip(drafts, delayed, strict=True)],
        [draft.dead_letter_source_arn for draft in drafts],
        [DELAYED if late else VISIBLE for late in delayed],
    )


async def _append(work: Work, queue_id: int, drafts: Sequence[Draft]) -> list[Accepted]:
    rows = await work.all("append_standard", queue_id, *columns_of(drafts))
    if not rows and (drafts or await work.one("is_there", queue_id) is None):
        raise QueueDoesNotExist
    work.notices[queue_id] += len(drafts)
    change = work.change(queue_id)
    change.messages += len(drafts)
    change.delayed += sum(draft.due_ms > draft.sent_ms for draft in drafts)
    change.sent([draft.size_bytes for draft in drafts if draft.size_bytes])
    tenants = [draft for draft in drafts if draft.group_id is not None]
    if tenants:
        await fair.mark_grouped(work, queue_id)
        known = work.memory.of(queue_id)
        for draft in tenants:
            known.sent(draft.group_id or "", draft.sent_ms)
    return [Accepted(draft.message_id, row[0]) for draft, row in zip(drafts, rows, strict=True)]


async def _append_once(work: Work, queue_id: int, drafts: Sequence[Draft]) -> list[Accepted]:
    groups = sorted({draft.group_id or "" for draft in drafts})
    rows = await work.all("take_groups_and_draw", queue_id, groups, len(drafts))
    if not rows and (drafts or await work.one("is_there", queue_id) is None):
        raise QueueDoesNotExist
    if not drafts:
        return []
    accepted = await _deduplicated(work, queue_id, drafts, [row[0] for row in rows])
    new = [(draft, one.seq) for draft, one in zip(drafts, accepted, strict=True) if not one.duplicate]
    firsts = await _insert_sequenced(work, queue_id, new, rows[0][1] or [])
    work.notices[queue_id] += len(firsts)
    change = work.change(queue_id)
    change.messages += len(new)
    change.delayed += sum(draft.due_ms > draft.sent_ms for draft, _ in new)
    change.sent([draft.size_bytes for draft, _ in new])
    change.tally.deduplicated += len(drafts) - len(new)
    return [one if one.seq in firsts else msgspec.structs.replace(one, is_due=False) for one in accepted]


async def _insert_sequenced(
    work: Work, queue_id: int, new: Sequence[tuple[Draft, int]], new_groups: Sequence[str]
) -> set[int]:
    """The numbers of those that are first in their groups: the others are nobody's turn."""
    heads: dict[str, tuple[int, int]] = {}
    for draft, seq in new:
        heads.setdefault(draft.group_id or "", (seq, draft.due_ms))
    made = [group_id for group_id in new_groups if group_id in heads]
    if new:
        columns = columns_of([draft for draft, _ in new])
        *given, _due_ms, sources, hidden = columns
        given[5] = [draft.group_id or "" for draft, _ in new]
        await work.all(
            "insert_sequenced",
            queue_id,
            [seq for _, seq in new],
            *given,
            [draft.due_ms for draft, _ in new],
            sources,
            made,
            [heads[group_id][0] for group_id in made],
            [heads[group_id][1] for group_id in made],
            hidden,
        )
    if len(made) < len(new_groups):  # groups that were made for duplicates only
        await work.all("refresh_groups", queue_id, [one for one in new_groups if one not in heads])
    return {heads[group_id][0] for group_id in made}


async def _deduplicated(
    work: Work, queue_id: int, drafts: Sequence[Draft], seqs: Sequence[int]
) -> list[Accepted]:
    """For each draft its original, which it may be itself. In rounds: a batch may repeat itself."""
    found: dict[int, Accepted] = {}
    seen: dict[str, tuple[str, int, int]] = {}
    while len(found) < len(drafts):
        first: dict[str, int] = {}
        for index, draft in enumerate(drafts):
            if index not in found:
                first.setdefault(draft.deduplication_key or "", index)
        keys = sorted(first)
        originals = [drafts[first[key]] for key in keys]
        rows = await work.all(
            "remember_seen",
            queue_id,
            keys,
            [draft.message_id for draft in originals],
            [seqs[first[key]] for key in keys],
            [draft.sent_ms + DEDUPLICATION_MS for draft in originals],
            DEDUPLICATION_MS,
        )
        new = {row[0] for row in rows}
        for key in new:
            draft, seq = drafts[first[key]], seqs[first[key]]
            seen[key] = (draft.message_id, seq, draft.sent_ms + DEDUPLICATION_MS)
            found[first[key]] = Accepted(draft.message_id, seq)
        if len(new) < len(keys):
            others = [key for key in keys if key not in new]
            seen |= {row[0]: (row[1], row[2], row[3]) for row in await work.all("seen", queue_id, others)}
        for index, draft in enumerate(drafts):
            message_id, seq, until_ms = seen[draft.deduplication_key or ""]
            if index not in found and draft.sent_ms < until_ms:
                found[index] = Accepted(message_id, seq, duplicate=True)
    return [found[index] for index in range(len(drafts))]
