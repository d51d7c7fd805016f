"""Storing, deleting and hiding messages, to be run in a transaction."""

from collections.abc import Sequence

from emulator.domain.limits import DEDUPLICATION_MS, MAX_VISIBILITY_S
from emulator.domain.model import Accepted, Draft, Outcome, Queue, Receipt, VisibilityChange
from emulator.engine.sqlite import fifo
from emulator.engine.sqlite.database import Database
from emulator.engine.sqlite.rows import attributes_blob
from emulator.engine.sqlite.standing import NEVER, Standing

EXPIRY_SLICE = 500


def append(database: Database, queue_id: int, drafts: Sequence[Draft]) -> list[Accepted]:
    standing = database.standing(queue_id)
    seq = database.take_seqs(len(drafts))
    accepted = []
    for draft in drafts:
        original = _deduplicate(database, queue_id, draft, seq)
        if original is None:
            _insert(database, queue_id, standing, draft, seq)
            original = Accepted(draft.message_id, seq)
        accepted.append(original)
        seq += 1
    return accepted


def _deduplicate(database: Database, queue_id: int, draft: Draft, seq: int) -> Accepted | None:
    """The original that this draft repeats; otherwise None, and the draft is remembered as an original."""
    key = draft.deduplication_key
    if key is None:
        return None
    database.run("forget_deduplication", queue_id, draft.sent_ms)
    row = database.one("find_duplicate", queue_id, key, draft.sent_ms)
    if row is not None:
        return Accepted(row[0], row[1], duplicate=True)
    until_ms = draft.sent_ms + DEDUPLICATION_MS
    database.run("remember_deduplication", queue_id, key, draft.message_id, seq, until_ms)
    return None


def _insert(database: Database, queue_id: int, standing: Standing, draft: Draft, seq: int) -> None:
    sequenced = draft.deduplication_key is not None
    is_delayed = draft.due_ms > draft.sent_ms
    database.run(
        "insert_message",
        seq,
        queue_id,
        draft.message_id,
        draft.body,
        attributes_blob(draft.attributes),
        draft.sender_id,
        draft.trace_header,
        draft.group_id,
        draft.deduplication_id,
        draft.sent_ms,
        draft.due_ms if sequenced or is_delayed else 0,
        seq,
        sequenced,
    )
    standing.add(1)
    standing.got_one_sent_at(draft.sent_ms)
    if sequenced:
        database.run("add_group", queue_id, draft.group_id, seq, draft.due_ms)
        return
    if is_delayed:
        standing.hid(draft.due_ms)
        standing.hide(delayed=1)
    if draft.group_id is not None:
        standing.group_sent(draft.group_id, draft.sent_ms)
        mark_grouped(database, queue_id)


def mark_grouped(database: Database, queue_id: int) -> None:
    """A standard queue with a message of a group is a fair queue from then on."""
    standing = database.standing(queue_id)
    if not standing.grouped:
        standing.grouped = True
        database.run("set_grouped", queue_id)


def delete(database: Database, queue: Queue, receipts: Sequence[Receipt], now_ms: int) -> list[Outcome]:
    remove = fifo.remove if queue.is_fifo else _remove
    if queue.is_fifo:
        expire(database, queue, now_ms)
    outcomes = [remove(database, queue, receipt, now_ms) for receipt in receipts]
    database.standing(queue.id).add(-outcomes.count(Outcome.DONE))
    return outcomes


def _remove(database: Database, queue: Queue, receipt: Receipt, now_ms: int) -> Outcome:
    row = database.one("delete_standard_message", receipt.seq, queue.id)
    if row is None:
        return Outcome.GONE
    if row[0]:
        database.standing(queue.id).hide(in_flight=-1)
    return Outcome.DONE


def set_visibility(
    database: Database, queue: Queue, changes: Sequence[VisibilityChange], now_ms: int
) -> list[Outcome]:
    expire(database, queue, now_ms)
    return [_change(database, queue, change, now_ms) for change in changes]


def _change(database: Database, queue: Queue, change: VisibilityChange, now_ms: int) -> Outcome:
    row = database.one("receipt", change.receipt.seq, queue.id)
    if row is None:
        return Outcome.GONE
    receive_count, due_ms, received_ms, group_id = row
    if queue.is_fifo and (receive_count != change.receipt.receive_count or due_ms <= now_ms):
        return Outcome.EXPIRED
    new_due_ms = now_ms + change.timeout_ms
    if new_due_ms - received_ms > MAX_VISIBILITY_S * 1000:
        return Outcome.BEYOND_LIMIT
    if queue.is_fifo:
        database.run("set_due", new_due_ms, change.receipt.seq)
        # [seq,receive_count], as attempts.remember writes it
        message = f"[{change.receipt.seq},{receive_count}]"
        database.run("spoil_attempts", queue.id, message)
        fifo.refresh_head(database, queue.id, group_id)
    else:
        database.run("set_due", new_due_ms if change.timeout_ms else 0, change.receipt.seq)
        standing = database.standing(queue.id)
        standing.hide(in_flight=bool(change.timeout_ms) - bool(due_ms))
        standing.hid(new_due_ms)
    return Outcome.DONE


def expire(database: Database, queue: Queue, now_ms: int) -> None:
    """Removes what is older than the retention period, in slices, by an index."""
    standing = database.standing(queue.id)
    before_ms = now_ms - queue.retention_ms
    if standing.oldest_sent_ms > before_ms:
        return
    while rows := database.all("expired", queue.id, before_ms, EXPIRY_SLICE):
        for seq, _, due_ms, receive_count in rows:
            database.run("delete_message", seq, queue.id)
            if due_ms:
                standing.hide(in_flight=-bool(receive_count), delayed=-(not receive_count))
        standing.add(-len(rows))
        if queue.is_fifo:
            for group_id in {row[1] for row in rows}:
                fifo.refresh_head(database, queue.id, group_id)
    oldest = database.one("oldest_sent", queue.id)
    standing.oldest_sent_ms = NEVER if oldest is None else oldest[0]
