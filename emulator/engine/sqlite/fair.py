"""Fair queues: standard queues whose messages carry a MessageGroupId, one for each tenant (spec 3.10)."""

from typing import Any

import msgspec

from emulator.domain.limits import NOISY_IN_FLIGHT, QUIET_AFTER_MS
from emulator.domain.model import ClaimOrder, Queue
from emulator.engine.sqlite.database import Database


def visible(database: Database, queue: Queue, order: ClaimOrder) -> list[Any]:
    """Messages of quiet tenants first; then those of noisy ones, beginning with the fewest in flight."""
    sent_ms = database.standing(queue.id).group_sent_ms
    noisy = [
        tenant
        for (tenant,) in database.all("noisy_tenants", queue.id, order.now_ms, NOISY_IN_FLIGHT)
        if order.now_ms < sent_ms.get(tenant, order.now_ms) + QUIET_AFTER_MS
    ]
    if not noisy:
        return database.all("visible", queue.id, order.limit)
    names = msgspec.json.encode(noisy).decode()
    rows = database.all("visible_of_quiet", queue.id, names, order.limit)
    for tenant in noisy:
        room = order.limit - len(rows)
        if room > 0:
            rows += database.all("visible_of_tenant", queue.id, tenant, room)
    return rows
