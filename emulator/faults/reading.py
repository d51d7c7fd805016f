"""Lists and attributes that are told as they were a moment ago."""

from collections.abc import Sequence

from emulator.context import Context
from emulator.domain.attributes import reported_attributes, wants_counts
from emulator.domain.model import Queue, QueueKey
from emulator.faults.acting import occasion, strike
from emulator.faults.faults import Faults, Occasion
from emulator.faults.rules import StaleAttributes, StaleList


async def list_queues(ctx: Context, *, prefix: str, after: str, limit: int) -> list[str]:
    """`Engine.list_queues`. Each queue that was created or deleted lately is decided on by itself."""
    faults = ctx.faults
    if faults is None:
        return list(
            await ctx.engine.list_queues(ctx.account, ctx.region, prefix=prefix, after=after, limit=limit)
        )
    names: list[str] = []
    while True:
        found = await ctx.engine.list_queues(ctx.account, ctx.region, prefix=prefix, after=after, limit=limit)
        last = found[-1] if len(found) >= limit else None
        for name in sorted({*found, *_deleted(ctx, faults, prefix, after, last)}):
            if await _is_listed(ctx, faults, QueueKey(ctx.account, ctx.region, name)):
                names.append(name)  # noqa: PERF401
        if last is None or len(names) >= limit:
            return names[:limit]
        after = last


def _deleted(ctx: Context, faults: Faults, prefix: str, after: str, last: str | None) -> list[str]:
    """Names of this part of the list."""
    return [
        key.name
        for key in faults.past.deleted
        if (key.account, key.region) == (ctx.account, ctx.region)
        and key.name.startswith(prefix)
        and key.name > after
        and (last is None or key.name < last)
    ]


async def _is_listed(ctx: Context, faults: Faults, key: QueueKey) -> bool:
    queue = await ctx.engine.find_queue(key)
    now_ms = ctx.clock.now_ms()
    deleted = faults.past.deleted.get(key)
    if queue is not None:
        since_ms, is_fifo = queue.created_ms, queue.is_fifo
    elif deleted is not None:
        since_ms, is_fifo = deleted
    else:
        return False  # gone since the list was made
    here = Occasion("ListQueues", ctx.account, now_ms, key.name, is_fifo)
    rule = strike(
        ctx, faults, StaleList, here, queue, applies=lambda rule: 0 <= now_ms - since_ms < rule.lag_s * 1000
    )
    return (queue is not None) == (rule is None)


async def attributes(ctx: Context, queue: Queue, names: Sequence[str]) -> dict[str, str]:
    """What GetQueueAttributes answers."""
    now_ms = ctx.clock.now_ms()
    counts = await ctx.engine.counts(queue, now_ms=now_ms) if wants_counts(names) else None
    now = reported_attributes(queue, counts, names)
    faults = ctx.faults
    if faults is None:
        return now
    past = faults.past

    def then(rule: StaleAttributes) -> dict[str, str]:
        then_ms = now_ms - round(rule.lag_s * 1000)
        old = past.queue_at(queue, then_ms, now_ms)
        return reported_attributes(
            old, counts and (past.counts_since(queue, then_ms, now_ms) or counts), names
        )

    here = occasion(ctx, "GetQueueAttributes", queue)
    rule = strike(ctx, faults, StaleAttributes, here, queue, applies=lambda rule: then(rule) != now)
    answer = now if rule is None else then(rule)
    if counts is not None:
        past.counted(queue, counts, now_ms)
    return answer
