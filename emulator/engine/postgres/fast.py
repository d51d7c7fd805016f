"""The short way of requests on standard queues: a transaction that is one statement.

It does what the longer way does (sending.py, standard.py, receipts.py) when nothing is in the way. If
something is, such as a minute that is over, a message received too often or a queue that somebody has locked,
it does nothing and answers None: then the longer way is taken.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from emulator.domain.activity import MINUTE_MS, Tally
from emulator.domain.model import Accepted, Claim, ClaimOrder, Delivery, Draft, Outcome, Queue
from emulator.engine.postgres.node import Node
from emulator.engine.postgres.receipts import Deletion, deleted
from emulator.engine.postgres.rows import attributes_of
from emulator.engine.postgres.sending import columns_of
from emulator.engine.postgres.work import Change, News, Row, lock_of

_NEVER: Final = 2**62


async def append(
    node: Node, queue_id: int, requests: Sequence[Sequence[Draft]]
) -> list[list[Accepted]] | None:
    known = node.memory.of(queue_id)
    drafts = [draft for request in requests for draft in request]
    if known.is_fifo is not False or not drafts:
        return None
    tenants = [draft for draft in drafts if draft.group_id is not None]
    if max(draft.sent_ms for draft in drafts) >= known.ends_ms or (tenants and not known.grouped):
        return None
    change = Change()
    change.sent([draft.size_bytes for draft in drafts if draft.size_bytes])
    rows = await node.database.at_once(
        "send",
        queue_id,
        *columns_of(drafts),
        lock_of(queue_id),
        len(drafts),
        sum(draft.due_ms > draft.sent_ms for draft in drafts),
        *msgspec.structs.astuple(change.tally)[:4],
        requests=len(requests),
        slot_at=13,
    )
    if not rows:
        return None
    for draft in tenants:
        known.sent(draft.group_id or "", draft.sent_ms)
    node.memory.count(queue_id, change.tally)
    node.notices.tell({queue_id: len(drafts)})
    seqs = iter(sorted(row[0] for row in rows))
    return [[Accepted(draft.message_id, next(seqs)) for draft in request] for request in requests]


async def claim(node: Node, queue: Queue, orders: Sequence[ClaimOrder]) -> list[Claim] | None:
    """Of orders that hide what they take."""
    known = node.memory.of(queue.id)
    if queue.is_fifo or known.grouped or any(order.passes_over is not None for order in orders):
        return None
    now_ms = max(order.now_ms for order in orders)
    counts = [order.redrive.max_receive_count for order in orders if order.redrive is not None]
    rows = await node.database.at_once(
        "take",
        queue.id,
        lock_of(queue.id),
        now_ms,
        now_ms - queue.retention_ms,
        sum(order.limit for order in orders),
        min(counts, default=_NEVER),
        min(order.in_flight_limit for order in orders),
        [order.now_ms + order.hide_ms for order in orders for _ in range(order.limit)],
        [order.now_ms for order in orders for _ in range(order.limit)],
        requests=len(orders),
        slot_at=9,
    )
    if not rows:
        return None
    known.grouped, begins_ms, due_ms, is_settled, fits = rows[0][:5]
    known.ends_ms = begins_ms + MINUTE_MS
    if not is_settled or not fits:
        return None
    taken = [_delivery_of(row) for row in sorted((row for row in rows if row[5] is not None), key=_number)]
    node.memory.count(queue.id, Tally(received=len(taken)))
    claims: list[Claim] = []
    next_due_ms = _NEVER if due_ms is None else due_ms
    for order in orders:
        mine, taken = taken[: order.limit], taken[order.limit :]
        if mine:
            next_due_ms = min(next_due_ms, order.now_ms + order.hide_ms)
            claims.append(Claim(deliveries=tuple(mine)))
        else:
            claims.append(Claim(next_due_ms=None if next_due_ms == _NEVER else next_due_ms))
    return claims


def _number(row: Row) -> int:
    number: int = row[5]
    return number


def _delivery_of(row: Row) -> Delivery:
    return Delivery(
        seq=row[6],
        message_id=row[7],
        body=row[8],
        attributes=attributes_of(row[9]),
        sender_id=row[10],
        sent_ms=row[11],
        first_received_ms=row[12],
        receive_count=row[13],
        trace_header=row[14],
        group_id=row[15],
        deduplication_id=row[16],
        dead_letter_source_arn=row[17],
    )


async def delete(node: Node, queue: Queue, requests: Sequence[Deletion]) -> list[list[Outcome]] | None:
    if queue.is_fifo or max(request.now_ms for request in requests) >= node.memory.of(queue.id).ends_ms:
        return None
    seqs = {receipt.seq for request in requests for receipt in request.receipts}
    count = sum(len(request.receipts) for request in requests)
    rows = await node.database.at_once(
        "remove", queue.id, list(seqs), lock_of(queue.id), count, requests=len(requests), slot_at=3
    )
    if not rows:
        return None
    node.memory.count(queue.id, Tally(deleted=count))
    left = {row[0]: row for row in rows}
    news = News()
    outcomes = [
        [deleted(news, queue, left.pop(receipt.seq, None), request.now_ms) for receipt in request.receipts]
        for request in requests
    ]
    news.tell(node.witness)
    return outcomes
