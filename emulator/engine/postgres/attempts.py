"""ReceiveRequestAttemptId on FIFO queues: a receive whose answer was lost can be asked again (spec 3.11)."""

from collections.abc import Sequence

from emulator.domain.limits import RECEIVE_ATTEMPT_MS
from emulator.domain.model import Claim, ClaimOrder, Delivery, Queue
from emulator.engine.postgres.rows import message_of, received_of, text_of
from emulator.engine.postgres.work import Work
from emulator.engine.state.message import IN_FLIGHT, VISIBLE, Message, delivery_of


async def repeat(work: Work, queue: Queue, order: ClaimOrder) -> Claim | None:
    """The same messages with the same handles, hidden anew; None if this attempt id is not known.

    From here on nobody else takes this attempt up until the transaction ends.
    """
    await work.all("lock_attempt", queue.id, order.attempt_id)
    row = await work.one("find_attempt", queue.id, order.attempt_id)
    if row is None or row[0] <= order.now_ms:
        return None
    _, due_ms, text = row
    received = received_of(text)
    messages = await locked(work, queue.id, [seq for seq, _ in received])
    found = [messages.get(seq) for seq, _ in received]
    unchanged = [
        message
        for message, (_, count) in zip(found, received, strict=True)
        if message is not None and message.receive_count == count and message.due_ms == due_ms
    ]
    if len(unchanged) < len(received):
        return Claim(not_retryable=True)
    await _hide_anew(work, queue, order, unchanged)
    deliveries = tuple(delivery_of(message) for message in unchanged)
    await remember(work, queue, order, deliveries)
    return Claim(deliveries=deliveries)


async def locked(work: Work, queue_id: int, seqs: Sequence[int]) -> dict[int, Message]:
    """Messages of a FIFO queue, and their groups, locked."""
    await work.all("lock_groups_of", queue_id, seqs)
    found = [message_of(row) for row in await work.all("receipts", queue_id, seqs)]
    return {message.seq: message for message in found}


async def _hide_anew(work: Work, queue: Queue, order: ClaimOrder, messages: Sequence[Message]) -> None:
    hidden = IN_FLIGHT if order.hide_ms else VISIBLE
    change = work.change(queue.id)
    for message in messages:
        change.hide(message.hidden, -1)
        change.hide(hidden, 1)
    seqs = [message.seq for message in messages]
    due_ms = order.now_ms + order.hide_ms
    await work.all("set_due", queue.id, seqs, [hidden] * len(seqs), [due_ms] * len(seqs), order.attempt_id)
    await work.all("refresh_groups", queue.id, list({message.group_id or "" for message in messages}))
    change.tally.received += len(messages)


async def remember(work: Work, queue: Queue, order: ClaimOrder, deliveries: Sequence[Delivery]) -> None:
    received = text_of([(one.seq, one.receive_count) for one in deliveries])
    until_ms, due_ms = order.now_ms + RECEIVE_ATTEMPT_MS, order.now_ms + order.hide_ms
    await work.all("remember_attempt", queue.id, order.attempt_id, until_ms, due_ms, received)


async def spoil(work: Work, queue_id: int, messages: Sequence[Message]) -> None:
    """The visibility of these was changed, perhaps to what it was: no repeat of their attempts."""
    known = sorted({message.attempt_id for message in messages if message.attempt_id is not None})
    if not known:
        return
    changed = {(message.seq, message.receive_count) for message in messages}
    rows = await work.all("attempts", queue_id, known)
    spoilt = [row[0] for row in rows if not changed.isdisjoint(received_of(row[1]))]
    if spoilt:
        await work.all("spoil_attempts", queue_id, spoilt)
