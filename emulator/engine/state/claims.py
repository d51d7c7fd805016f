"""Handing out messages."""

from collections.abc import Sequence

import msgspec

from emulator.domain.model import Claim, ClaimOrder, Queue
from emulator.engine.state.backlog import DeadLetters
from emulator.engine.state.changes import Attempt
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.message import Message, delivery_of
from emulator.engine.state.messages import expire
from emulator.engine.state.state import State

TIDY_EVERY = 1_000
"""Claims of a queue from one look at entries out of date to the next."""


def claim(state: State, queue: Queue, order: ClaimOrder) -> Claim:
    backlog = state.backlog(queue.id)
    expire(backlog, queue, order.now_ms)
    if order.attempt_id is not None and isinstance(backlog, FifoBacklog):
        attempt = backlog.attempts.find(order.attempt_id, order.now_ms)
        if attempt is not None:
            return _repeat(backlog, order, attempt)
    room = order.in_flight_limit - backlog.in_flight
    if room < order.limit:
        if room <= 0:
            return Claim(over_limit=True, next_due_ms=backlog.next_due_ms())
        order = msgspec.structs.replace(order, limit=room)
    dead_letters = _dead_letters(state, queue, order)
    taken = backlog.take(order, dead_letters)
    if order.attempt_id is not None and taken and isinstance(backlog, FifoBacklog):
        backlog.attempts.remember(order, taken)
    backlog.diary.received += len(taken)
    backlog.claims += 1
    if backlog.claims % TIDY_EVERY == 0:
        backlog.tidy()
    return Claim(
        deliveries=tuple([delivery_of(message) for message in taken]),
        dead_lettered=() if dead_letters is None else tuple(dead_letters.moved),
        next_due_ms=None if taken else backlog.next_due_ms(),
    )


def _dead_letters(state: State, queue: Queue, order: ClaimOrder) -> DeadLetters | None:
    """None: there is no redrive policy, or its target is gone."""
    redrive = order.redrive
    target = None if redrive is None else state.backlogs.get(redrive.dead_letter_queue_id)
    if redrive is None or target is None:
        return None
    return DeadLetters(redrive, queue.arn, target, order.now_ms)


def _repeat(backlog: FifoBacklog, order: ClaimOrder, attempt: Attempt) -> Claim:
    """The same messages with the same handles, hidden anew."""
    messages = _unchanged(backlog, attempt)
    if messages is None:
        return Claim(not_retryable=True)
    for message in messages:
        backlog.set_visibility(message, order.now_ms + order.hide_ms, hide=order.hide_ms > 0)
    backlog.attempts.remember(order, messages)
    backlog.diary.received += len(messages)
    return Claim(deliveries=tuple(delivery_of(message) for message in messages))


def _unchanged(backlog: FifoBacklog, attempt: Attempt) -> Sequence[Message] | None:
    """The messages of an attempt, if since then none was deleted, received again or hidden differently."""
    messages = []
    for seq, receive_count in attempt.messages:
        message = backlog.messages.get(seq)
        if message is None or message.receive_count != receive_count or message.due_ms != attempt.due_ms:
            return None
        messages.append(message)
    return messages
