"""Deleting and hiding messages by their receipts, and discarding them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from emulator.domain.limits import MAX_VISIBILITY_S
from emulator.domain.model import Outcome, Queue, Receipt, VisibilityChange
from emulator.engine.postgres import attempts, settling
from emulator.engine.postgres.fifo import is_hidden
from emulator.engine.postgres.rows import message_of
from emulator.engine.postgres.work import News, Work
from emulator.engine.state.message import DELAYED, IN_FLIGHT, VISIBLE, Message
from emulator.errors import QueueDoesNotExist


class Deletion(msgspec.Struct, frozen=True, gc=False):
    receipts: Sequence[Receipt]
    now_ms: int


class Hiding(msgspec.Struct, frozen=True, gc=False):
    changes: Sequence[VisibilityChange]
    now_ms: int


async def delete(work: Work, queue: Queue, requests: Sequence[Deletion]) -> list[list[Outcome]]:
    """Raises QueueDoesNotExist for all."""
    await settling.require_minute(work, queue.id, max(request.now_ms for request in requests))
    outcomes = await (_delete_by_latest if queue.is_fifo else _delete_by_any)(work, queue, requests)
    tally = work.change(queue.id).tally
    tally.deleted += sum(one is not Outcome.EXPIRED for some in outcomes for one in some)
    return outcomes


async def _delete_by_any(work: Work, queue: Queue, requests: Sequence[Deletion]) -> list[list[Outcome]]:
    """Standard: any receipt of a message deletes it."""
    seqs = sorted({receipt.seq for request in requests for receipt in request.receipts})
    rows = await work.all("delete_messages", queue.id, seqs)
    if not rows:
        await _require_queue(work, queue.id)
    left = {row[0]: row for row in rows}
    change = work.change(queue.id)
    change.messages -= len(rows)
    for row in rows:
        change.hide(row[2], -1)
    return [
        [
            deleted(work.news, queue, left.pop(receipt.seq, None), request.now_ms)
            for receipt in request.receipts
        ]
        for request in requests
    ]


def deleted(news: News, queue: Queue, row: Any, now_ms: int) -> Outcome:
    """What became of a receipt, by the row that was deleted by it."""
    if row is None:
        return Outcome.GONE
    seq, message_id, hidden, due_ms, sent_ms, _ = row
    expired_ms = sent_ms + queue.retention_ms
    if hidden == IN_FLIGHT and due_ms <= min(now_ms, expired_ms):  # nobody had looked in between
        news.returned(queue.id, message_id, seq, due_ms)
    if expired_ms > now_ms:
        return Outcome.DONE
    news.expired(queue.id, message_id, seq, max(expired_ms, queue.modified_ms))
    return Outcome.GONE


async def _delete_by_latest(work: Work, queue: Queue, requests: Sequence[Deletion]) -> list[list[Outcome]]:
    """FIFO: only the receipt of the latest receive counts, and only while its timeout runs."""
    messages = await _locked(work, queue, [one.seq for request in requests for one in request.receipts])
    gone: list[Message] = []
    outcomes = []
    for request in requests:
        found = []
        for receipt in request.receipts:
            message = messages.get(receipt.seq)
            if message is None or message.sent_ms + queue.retention_ms <= request.now_ms:
                found.append(Outcome.GONE)
            elif _is_stale(message, receipt, request.now_ms):
                found.append(Outcome.EXPIRED)
            else:
                gone.append(messages.pop(receipt.seq))
                found.append(Outcome.DONE)
        outcomes.append(found)
    await _remove(work, queue, gone, max(request.now_ms for request in requests))
    return outcomes


def _is_stale(message: Message, receipt: Receipt, now_ms: int) -> bool:
    return not is_hidden(message, now_ms) or message.receive_count != receipt.receive_count


async def _locked(work: Work, queue: Queue, seqs: Sequence[int]) -> dict[int, Message]:
    """Messages, and in a FIFO queue their groups. Raises QueueDoesNotExist."""
    if queue.is_fifo:
        found = await attempts.locked(work, queue.id, seqs)
    else:
        rows = await work.all("receipts", queue.id, seqs)
        found = {message.seq: message for message in map(message_of, rows)}
    if not found:
        await _require_queue(work, queue.id)
    return found


async def _remove(work: Work, queue: Queue, gone: Sequence[Message], now_ms: int) -> None:
    """Messages that are locked."""
    if not gone:
        return
    await work.all("delete_messages", queue.id, [message.seq for message in gone])
    change = work.change(queue.id)
    change.messages -= len(gone)
    for message in gone:
        change.hide(message.hidden, -1)
    if queue.is_fifo:
        await _refresh(work, queue, gone, now_ms)


async def _refresh(work: Work, queue: Queue, touched: Sequence[Message], now_ms: int) -> None:
    """The groups of these messages: whoever waits for one that is open now is to be woken."""
    groups = {message.group_id or "" for message in touched}
    rows = await work.all("refresh_groups", queue.id, list(groups))
    work.notices[queue.id] += sum(row[0] <= now_ms for row in rows)


async def set_visibility(work: Work, queue: Queue, requests: Sequence[Hiding]) -> list[list[Outcome]]:
    """Raises QueueDoesNotExist for all."""
    now_ms = max(request.now_ms for request in requests)
    await settling.require_minute(work, queue.id, now_ms)
    seqs = [change.receipt.seq for request in requests for change in request.changes]
    messages = await _locked(work, queue, seqs)
    before = {seq: (message.hidden, message.due_ms) for seq, message in messages.items()}
    changed: dict[int, Message] = {}
    outcomes = [
        [_change(work, queue, messages, changed, change, request.now_ms) for change in request.changes]
        for request in requests
    ]
    if not changed:
        return outcomes
    new = list(changed.values())
    await work.all(
        "set_due",
        queue.id,
        list(changed),
        [message.hidden for message in new],
        [message.due_ms for message in new],
        None,
    )
    counts = work.change(queue.id)
    for message in new:
        counts.hide(before[message.seq][0], -1)
        counts.hide(message.hidden, 1)
    if queue.is_fifo:
        await attempts.spoil(work, queue.id, new)
        await _refresh(work, queue, new, now_ms)
    else:
        work.notices[queue.id] += len(new)
    return outcomes


def _change(
    work: Work,
    queue: Queue,
    messages: dict[int, Message],
    changed: dict[int, Message],
    change: VisibilityChange,
    now_ms: int,
) -> Outcome:
    message = messages.get(change.receipt.seq)
    if message is None or message.received_ms is None:
        return Outcome.GONE
    if message.sent_ms + queue.retention_ms <= now_ms:
        return Outcome.GONE
    if queue.is_fifo and _is_stale(message, change.receipt, now_ms):
        return Outcome.EXPIRED
    due_ms = now_ms + change.timeout_ms
    if due_ms - message.received_ms > MAX_VISIBILITY_S * 1000:
        return Outcome.BEYOND_LIMIT
    if message.hidden == IN_FLIGHT and message.due_ms <= now_ms:  # nobody had looked in between
        work.news.returned(queue.id, message.message_id, message.seq, message.due_ms)
    hide = change.timeout_ms > 0
    message.hidden = VISIBLE if not hide else IN_FLIGHT if message.receive_count else DELAYED
    message.due_ms = due_ms if hide or queue.is_fifo else 0
    changed[message.seq] = message
    return Outcome.DONE


async def discard(work: Work, queue: Queue, seqs: Sequence[int], now_ms: int) -> list[Outcome]:
    """Removes messages, whatever their state. Raises QueueDoesNotExist."""
    await settling.require_settled(work, queue, now_ms)
    messages = await _locked(work, queue, seqs)
    gone: list[Message] = []
    outcomes = []
    for seq in seqs:
        message = messages.pop(seq, None)
        outcomes.append(Outcome.GONE if message is None else Outcome.DONE)
        if message is not None:
            gone.append(message)
    await _remove(work, queue, gone, now_ms)
    return outcomes


async def _require_queue(work: Work, queue_id: int) -> None:
    if await work.one("is_there", queue_id) is None:
        raise QueueDoesNotExist
