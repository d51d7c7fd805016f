"""Storing, deleting and hiding messages."""

from collections.abc import Sequence

from emulator.domain.limits import MAX_VISIBILITY_S
from emulator.domain.model import Accepted, Draft, Outcome, Queue, Receipt, VisibilityChange
from emulator.engine.state.backlog import Backlog
from emulator.engine.state.diary import MANY, turn
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.message import Message, message_of
from emulator.engine.state.standard import StandardBacklog
from emulator.engine.state.state import State


def append(state: State, queue_id: int, drafts: Sequence[Draft]) -> list[Accepted]:
    backlog = state.backlog(queue_id)
    diary = backlog.diary
    if drafts and drafts[0].sent_ms >= diary.ends_ms:
        turn(backlog, state.queue(queue_id), drafts[0].sent_ms)
    if isinstance(backlog, FifoBacklog):
        return [_append_once(state, backlog, draft) for draft in drafts]
    accepted = []
    for draft in drafts:
        if draft.size_bytes:
            diary.sizes_bytes.append(draft.size_bytes)
        seq = state.seqs.draw()
        backlog.add(message_of(draft, queue_id, seq))
        accepted.append(Accepted(draft.message_id, seq))
        if draft.group_id is not None and isinstance(backlog, StandardBacklog):
            backlog.tenants.sent(draft.group_id, draft.sent_ms)
    if len(diary.sizes_bytes) > MANY:
        diary.sum_up()
    return accepted


def _append_once(state: State, backlog: FifoBacklog, draft: Draft) -> Accepted:
    original = backlog.deduplication.original_of(draft)
    if original is not None:
        backlog.diary.deduplicated += 1
        return original
    backlog.diary.sizes_bytes.append(draft.size_bytes)
    seq = state.seqs.draw()
    backlog.add(message_of(draft, backlog.queue_id, seq))
    backlog.deduplication.remember(draft, seq)
    return Accepted(draft.message_id, seq)


def delete(state: State, queue: Queue, receipts: Sequence[Receipt], now_ms: int) -> list[Outcome]:
    backlog = state.backlog(queue.id)
    expire(backlog, queue, now_ms)
    outcomes = [_delete(backlog, receipt) for receipt in receipts]
    backlog.diary.deleted += len(outcomes) - outcomes.count(Outcome.EXPIRED)
    return outcomes


def _delete(backlog: Backlog, receipt: Receipt) -> Outcome:
    message = backlog.messages.get(receipt.seq)
    if message is None:
        return Outcome.GONE
    if isinstance(backlog, FifoBacklog) and _is_stale(message, receipt):
        return Outcome.EXPIRED
    backlog.remove(message)
    return Outcome.DONE


def _is_stale(message: Message, receipt: Receipt) -> bool:
    """FIFO: only the receipt of the latest receive counts, and only while its timeout runs."""
    return not message.hidden or message.receive_count != receipt.receive_count


def set_visibility(
    state: State, queue: Queue, changes: Sequence[VisibilityChange], now_ms: int
) -> list[Outcome]:
    backlog = state.backlog(queue.id)
    expire(backlog, queue, now_ms)
    return [_change(backlog, change, now_ms) for change in changes]


def _change(backlog: Backlog, change: VisibilityChange, now_ms: int) -> Outcome:
    message = backlog.messages.get(change.receipt.seq)
    if message is None or message.received_ms is None:
        return Outcome.GONE
    if isinstance(backlog, FifoBacklog) and _is_stale(message, change.receipt):
        return Outcome.EXPIRED
    due_ms = now_ms + change.timeout_ms
    if due_ms - message.received_ms > MAX_VISIBILITY_S * 1000:
        return Outcome.BEYOND_LIMIT
    backlog.set_visibility(message, due_ms, hide=change.timeout_ms > 0)
    if isinstance(backlog, FifoBacklog):
        backlog.attempts.spoil(message)
    return Outcome.DONE


def expire(backlog: Backlog, queue: Queue, now_ms: int) -> None:
    """What time alone has changed: messages too old are gone, hidden ones are visible."""
    if now_ms >= backlog.diary.ends_ms:
        turn(backlog, queue, now_ms)
    backlog.expire(queue, now_ms)
    backlog.reveal(now_ms)


def discard(state: State, queue: Queue, seqs: Sequence[int], now_ms: int) -> list[Outcome]:
    backlog = state.backlog(queue.id)
    expire(backlog, queue, now_ms)
    outcomes = []
    for seq in seqs:
        message = backlog.messages.get(seq)
        outcomes.append(Outcome.GONE if message is None else Outcome.DONE)
        if message is not None:
            backlog.remove(message)
    return outcomes
