"""Messages of a queue as its page lists them: a page at a time, by state and text, without a receive."""

from collections.abc import Collection, Sequence

import msgspec

from emulator.domain.model import ALL_STATES, Delivery, MessageState, Peeked, Queue
from emulator.engine.base import Engine

PAGE = 50
MAX_LOOKED_AT = 100_000
"""Messages that one search looks at; further ones are behind `next_seq`."""
_CHUNK = 10_000
PREVIEW = 240
"""Characters of a body in a list."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    states: Collection[MessageState] = ALL_STATES
    text: str = ""
    """Stands in the body, in any case of its letters; or is the id of the message or of its group."""
    after_seq: int = 0


class Found(msgspec.Struct, frozen=True):
    messages: list[Peeked]
    next_seq: int | None
    """`after_seq` of the next page; None: this was the last."""


async def messages(engine: Engine, queue: Queue, wanted: Wanted, *, now_ms: int) -> Found:
    found: list[Peeked] = []
    after_seq, looked_at = wanted.after_seq, 0
    limit = _CHUNK if wanted.text else PAGE + 1
    text = wanted.text.lower()
    while True:
        chunk = await engine.peek(
            queue, now_ms=now_ms, states=wanted.states, after_seq=after_seq, limit=limit
        )
        for peeked in chunk:
            if len(found) == PAGE or looked_at == MAX_LOOKED_AT:
                return Found(found, after_seq)
            after_seq, looked_at = peeked.delivery.seq, looked_at + 1
            if not text or _has(peeked.delivery, text):
                found.append(peeked)
        if len(chunk) < limit:
            return Found(found, None)


async def message(engine: Engine, queue: Queue, seq: int, *, now_ms: int) -> Peeked | None:
    found = await engine.peek(queue, now_ms=now_ms, after_seq=seq - 1, limit=1)
    return found[0] if found and found[0].delivery.seq == seq else None


def _has(message: Delivery, text: str) -> bool:
    return (
        text in message.body.lower()
        or text == message.message_id
        or (message.group_id is not None and text == message.group_id.lower())
    )


def preview(body: str) -> str:
    """One line of a body."""
    line = " ".join(body[: PREVIEW * 2].split())
    return line if len(line) <= PREVIEW and len(body) <= PREVIEW * 2 else f"{line[:PREVIEW]}…"


class Group(msgspec.Struct):
    """One group of a FIFO queue."""

    group_id: str
    head: Peeked
    """Its first message: the next one to be received, or what keeps the others back."""
    count: int = 0
    in_flight: int = 0
    locked_until_ms: int | None = None
    """When the last of its messages that are in flight or delayed becomes visible; None: it is open."""

    @property
    def is_locked(self) -> bool:
        return self.locked_until_ms is not None


MAX_GROUPS = 100


class Groups(msgspec.Struct, frozen=True):
    shown: Sequence[Group]
    count: int
    locked: int
    is_cut: bool
    """Not all messages were looked at."""


async def groups(engine: Engine, queue: Queue, *, now_ms: int) -> Groups:
    """In the order of their heads; of the first messages of the queue, if there are very many."""
    found: dict[str, Group] = {}
    looked_at = await engine.peek(queue, now_ms=now_ms, limit=_CHUNK + 1)
    for peeked in looked_at[:_CHUNK]:
        group_id = peeked.delivery.group_id or ""
        group = found.get(group_id)
        if group is None:
            group = found[group_id] = Group(group_id, peeked)
        group.count += 1
        group.in_flight += peeked.state is MessageState.IN_FLIGHT
        if peeked.due_ms is not None:
            group.locked_until_ms = max(group.locked_until_ms or 0, peeked.due_ms)
    return Groups(
        shown=list(found.values())[:MAX_GROUPS],
        count=len(found),
        locked=sum(group.is_locked for group in found.values()),
        is_cut=len(looked_at) > _CHUNK,
    )
