"""From points of a minute to statistics over periods."""

from collections.abc import Callable, Sequence

import msgspec

from emulator.domain.activity import MINUTE_MS
from emulator.domain.metrics import Metric, Point, points
from emulator.domain.model import Queue
from emulator.engine.base import Engine


class Series:
    """A metric of a queue, as it looks at one moment."""

    def __init__(self, metric: Metric, queue: Queue, engine: Engine, now_ms: int) -> None:
        self.metric = metric
        self._queue = queue
        self._engine = engine
        self._now_ms = now_ms

    async def points(self, from_ms: int, to_ms: int) -> list[Point]:
        """Of the minutes that begin at from_ms or later, and before to_ms."""
        minutes = await self._engine.history(self._queue, from_ms=from_ms, now_ms=self._now_ms)
        return points(self.metric, minutes, from_ms=from_ms, to_ms=to_ms, now_ms=self._now_ms)


Statistic = Callable[[Point], float]
STATISTICS: dict[str, Statistic] = {
    "Average": lambda period: period.sum / period.count,
    "Maximum": lambda period: float(period.maximum),
    "Minimum": lambda period: float(period.minimum),
    "SampleCount": lambda period: float(period.count),
    "Sum": lambda period: float(period.sum),
}


async def periods_of(series: Series, start_ms: int, end_ms: int, period_s: int) -> list[Point]:
    """One for each period that has points, the oldest first. Periods begin with the minute of start_ms."""
    first_ms = start_ms - start_ms % MINUTE_MS
    by_period: dict[int, list[Point]] = {}
    for point in await series.points(first_ms, end_ms):
        number = (point.start_ms - first_ms) // (period_s * 1000)
        by_period.setdefault(first_ms + number * period_s * 1000, []).append(point)
    return [together(at_ms, found) for at_ms, found in by_period.items()]


def together(start_ms: int, found: Sequence[Point]) -> Point:
    return msgspec.structs.replace(
        found[0],
        start_ms=start_ms,
        minimum=min(point.minimum for point in found),
        maximum=max(point.maximum for point in found),
        sum=sum(point.sum for point in found),
        count=sum(point.count for point in found),
    )
