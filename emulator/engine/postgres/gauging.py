"""How a queue stands, for CloudWatch and the console."""

import msgspec

from emulator.domain.activity import Gauges
from emulator.domain.model import Counts, Queue
from emulator.engine.postgres.fair import noisy_tenants
from emulator.engine.postgres.work import Work


async def counts(work: Work, queue_id: int) -> Counts:
    """Those stored, and what this transaction has changed."""
    row = await work.one("counts", queue_id)
    messages, in_flight, delayed = row or (0, 0, 0)
    change = work.change(queue_id)
    messages += change.messages
    in_flight += change.in_flight
    delayed += change.delayed
    return Counts(visible=messages - in_flight - delayed, in_flight=in_flight, delayed=delayed)


async def gauges(work: Work, queue: Queue, now_ms: int) -> Gauges:
    found = await counts(work, queue.id)
    plain = Gauges(
        visible=found.visible,
        in_flight=found.in_flight,
        delayed=found.delayed,
        oldest_ms=await _oldest_ms(work, queue.id, []),
    )
    if queue.is_fifo:
        row = await work.one("groups_in_flight", queue.id)
        return msgspec.structs.replace(plain, groups_in_flight=row[0] if row else 0)
    standing = await work.one("standing", queue.id)
    if standing is None or not standing[0]:
        return plain
    return await _with_quiet_groups(work, queue, plain, await noisy_tenants(work, queue.id, now_ms))


async def _with_quiet_groups(work: Work, queue: Queue, plain: Gauges, noisy: list[str]) -> Gauges:
    """The figures without the messages of noisy tenants. Looks at all messages, if any tenant is noisy."""
    visible = in_flight = delayed = 0
    oldest_ms = plain.oldest_ms
    if noisy:
        row = await work.one("hidden_of_tenants", queue.id, noisy)
        visible, in_flight, delayed = row or (0, 0, 0)
        oldest_ms = await _oldest_ms(work, queue.id, noisy)
    return msgspec.structs.replace(
        plain,
        noisy_groups=len(noisy),
        quiet_visible=plain.visible - visible,
        quiet_in_flight=plain.in_flight - in_flight,
        quiet_delayed=plain.delayed - delayed,
        quiet_oldest_ms=oldest_ms,
    )


async def _oldest_ms(work: Work, queue_id: int, without: list[str]) -> int | None:
    row = await work.one("oldest", queue_id, without)
    return row[0] if row else None
