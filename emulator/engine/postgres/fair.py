"""Fair queues: standard queues whose messages carry a MessageGroupId, one for each tenant (spec 3.10)."""

from emulator.domain.limits import NOISY_IN_FLIGHT, QUIET_AFTER_MS
from emulator.engine.postgres.work import Work


async def noisy_tenants(work: Work, queue_id: int, now_ms: int) -> list[str]:
    """Those with more than a tenth of all messages in flight; first the one with the fewest."""
    sent_ms = work.memory.of(queue_id).sent_ms
    return [
        tenant
        for (tenant,) in await work.all("noisy_tenants", queue_id, NOISY_IN_FLIGHT)
        if now_ms < sent_ms.get(tenant, now_ms) + QUIET_AFTER_MS
    ]


async def mark_grouped(work: Work, queue_id: int) -> None:
    """A standard queue with a message of a group is a fair queue from then on."""
    if not work.memory.of(queue_id).grouped:
        await work.all("mark_grouped", queue_id)
        known = work.memory.of(queue_id)

        def remember() -> None:
            known.grouped = True

        work.afterwards.append(remember)
