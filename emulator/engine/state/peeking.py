"""Looking at the messages of a queue without touching them."""

from collections.abc import Collection, Iterator

from emulator.domain.model import MessageState, Peeked, Queue
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.message import IN_FLIGHT, Message, delivery_of
from emulator.engine.state.state import State


def peek(
    state: State, queue: Queue, now_ms: int, states: Collection[MessageState], after_seq: int, limit: int
) -> list[Peeked]:
    """Looks at all messages up to the last one that it answers with: those before decide which are locked."""
    found: list[Peeked] = []
    for message, where in _with_states(state, queue, now_ms):
        if len(found) >= limit:
            break
        if message.seq > after_seq and where in states:
            due_ms = message.due_ms if where in (MessageState.IN_FLIGHT, MessageState.DELAYED) else None
            found.append(Peeked(delivery_of(message), where, due_ms))
    return found


def _with_states(state: State, queue: Queue, now_ms: int) -> Iterator[tuple[Message, MessageState]]:
    """In order of seq. What time alone has changed counts as changed, but is left to others to change."""
    backlog = state.backlog(queue.id)
    before_ms = now_ms - queue.retention_ms
    is_fifo = isinstance(backlog, FifoBacklog)
    held: set[str | None] = set()
    for message in backlog.messages.values():
        if message.sent_ms <= before_ms:
            continue
        if message.hidden and message.due_ms > now_ms:
            held.add(message.group_id)
            yield message, MessageState.IN_FLIGHT if message.hidden == IN_FLIGHT else MessageState.DELAYED
        elif is_fifo and message.group_id in held:
            yield message, MessageState.LOCKED
        else:
            yield message, MessageState.VISIBLE
