"""Looking at queues and messages without touching them."""

from collections.abc import Collection

from emulator.domain.model import MessageState, Peeked, Queue, QueueKey
from emulator.engine.postgres.rows import message_of
from emulator.engine.postgres.work import Work
from emulator.engine.state.message import delivery_of
from emulator.errors import QueueDoesNotExist


async def names(work: Work, account: str, region: str, prefix: str, after: str, limit: int) -> list[str]:
    return [row[0] for row in await work.all("list_queues", account, region, prefix, after, limit)]


async def dead_letter_sources(work: Work, arn: str, after: str, limit: int) -> list[QueueKey]:
    return [QueueKey(*row) for row in await work.all("dead_letter_sources", arn, after, limit)]


async def peek(
    work: Work,
    queue: Queue,
    now_ms: int,
    states: Collection[MessageState],
    after_seq: int,
    limit: int,
) -> list[Peeked]:
    """What time alone has changed counts as changed, but is left to others to change."""
    if await work.one("is_there", queue.id) is None:
        raise QueueDoesNotExist
    before_ms = now_ms - queue.retention_ms
    rows = await work.all("peek", queue.id, now_ms, before_ms, after_seq, list(states), limit)
    found = []
    for row in rows:
        message, state = message_of(row[:19]), MessageState(row[19])
        is_hidden = state in (MessageState.IN_FLIGHT, MessageState.DELAYED)
        found.append(Peeked(delivery_of(message), state, message.due_ms if is_hidden else None))
    return found
