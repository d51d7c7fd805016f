"""How queues stand, as pages show it: one gathering for the overview and for the page of a queue."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from emulator.domain.activity import Gauges, Look
from emulator.domain.model import Queue, QueueKey
from emulator.web.console.relations import Link, links_of
from emulator.web.console.rendering import live_key, queue_href
from emulator.web.console.sparklines import Sparkline, from_ms, sparklines
from emulator.web.console.warnings import Warned, Watched, warnings_of
from emulator.web.kit.calls import Parts
from emulator.web.kit.places import now_ms

if TYPE_CHECKING:
    from emulator.cloudwatch.alarms import AlarmNow


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One queue as it stands."""

    queue: Queue
    gauges: Gauges
    age_s: float | None
    """Of its oldest message."""
    counted: str
    """Sent, received and deleted since the server started, with commas; nothing if all are 0."""
    sparklines: Sequence[Sparkline]
    running_ms: int
    """When the minute began that runs."""
    link: Link | None
    """Where its spent messages go."""
    sources: list[QueueKey]
    """Whose spent messages it gets."""
    warnings: list[Warned]

    @property
    def key(self) -> QueueKey:
        return self.queue.key

    @property
    def live_key(self) -> str:
        return live_key(self.queue.key)

    @property
    def urgent(self) -> list[Warned]:
        return [warning for warning in self.warnings if warning.level != "info"]

    @property
    def href(self) -> str:
        return queue_href(self.queue.key)


async def standings(parts: Parts, queues: Sequence[Queue], all_queues: Sequence[Queue]) -> list[Standing]:
    """Of `queues`; `all_queues` decide what they have to do with each other."""
    keys = {queue.key for queue in all_queues}
    links = links_of(all_queues, keys)
    link_of = {link.source: link for link in links}
    sources: dict[QueueKey, list[QueueKey]] = {}
    for link in links:
        sources.setdefault(link.target, []).append(link.source)
    alarms = await _in_alarm(parts)
    moments = [(queue, now_ms(parts, queue.key.account)) for queue in queues]
    looks = await parts.engine.looks(moments, from_ms=from_ms)
    return [
        _standing(parts, queue, moment_ms, look, link_of.get(queue.key), sources.get(queue.key, []), alarms)
        for (queue, moment_ms), look in zip(moments, looks, strict=True)
        if look is not None
    ]


def _standing(
    parts: Parts,
    queue: Queue,
    moment_ms: int,
    look: Look,
    link: Link | None,
    sources: list[QueueKey],
    alarms: Mapping[QueueKey, list[str]],
) -> Standing:
    gauges, minutes = look.gauges, look.minutes
    watched = Watched(
        queue=queue,
        gauges=gauges,
        minutes=minutes,
        now_ms=moment_ms,
        link=link,
        is_target=bool(sources),
        alarms=alarms.get(queue.key, ()),
    )
    oldest_ms, totals = gauges.oldest_ms, parts.engine.totals(queue.id)
    counted = (totals.sent, totals.received, totals.deleted)
    return Standing(
        queue=queue,
        gauges=gauges,
        age_s=None if oldest_ms is None else max(0, moment_ms - oldest_ms) / 1000,
        counted=",".join(map(str, counted)) if any(counted) else "",
        sparklines=sparklines(minutes, moment_ms),
        running_ms=moment_ms - moment_ms % 60_000,
        link=link,
        sources=sources,
        warnings=warnings_of(watched),
    )


async def alarms_of(parts: Parts, key: QueueKey | None = None) -> "list[AlarmNow]":
    """CloudWatch alarms as they stand now: those that watch a queue, or any queue, in order of name."""
    place = {} if key is None else {"account": key.account, "region": key.region}
    if not await parts.engine.alarms(**place):
        return []
    from emulator.cloudwatch.alarms import current_alarms  # not needed where there are no alarms

    found = await current_alarms(parts.engine, parts.worlds, **place)
    return [one for one in found if key in (None, _watched(one))]


def _watched(now: "AlarmNow") -> QueueKey | None:
    name = dict(now.alarm.dimensions).get("QueueName")
    return None if name is None else QueueKey(now.alarm.account, now.alarm.region, name)


async def _in_alarm(parts: Parts) -> dict[QueueKey, list[str]]:
    """Names of the alarms in the state ALARM, by the queue that they watch."""
    found: dict[QueueKey, list[str]] = {}
    for now in await alarms_of(parts):
        key = _watched(now)
        if now.state == "ALARM" and key is not None:
            found.setdefault(key, []).append(now.alarm.name)
    return found


def worst_first(found: Iterable[Standing]) -> list[Warned]:
    order = ("alarm", "warn", "info")
    warned = [warning for standing in found for warning in standing.warnings]
    return sorted(warned, key=lambda warning: order.index(warning.level))
