"""What state a metric gives an alarm: which datapoints decide, and what those that are missing count as."""

import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple

from emulator.cloudwatch.reasons import Seen, reason, reason_data
from emulator.cloudwatch.statistics import STATISTICS, Series, together
from emulator.domain.activity import MINUTE_MS
from emulator.domain.alarms import Alarm, AlarmState
from emulator.domain.metrics import BY_NAME, DIMENSION, NAMESPACE, Point
from emulator.domain.model import QueueKey
from emulator.engine.base import Engine

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}
EXTRA_PERIODS = 2
"""So many older periods are looked at as well: AWS's tables of missing data have 5 periods for 3."""


class Verdict(NamedTuple):
    state: AlarmState
    reason: str
    reason_data: str | None


async def verdict_on(engine: Engine, alarm: Alarm, now_ms: int) -> Verdict | None:
    """None: what there is does not decide, and the state stays."""
    end_ms = now_ms - now_ms % evaluated_every_ms(alarm)
    seen = await _periods(engine, alarm, end_ms, now_ms)
    state = state_of(
        [None if one is None else one.breaches for one in seen],
        periods=alarm.evaluation_periods,
        needed=alarm.datapoints_to_alarm or alarm.evaluation_periods,
        missing_data=alarm.treat_missing_data,
    )
    if state is None:
        return None
    used = [one for one in seen if one is not None][: alarm.evaluation_periods]
    return Verdict(state, reason(alarm, used, state), reason_data(alarm, used, state, end_ms, now_ms))


def evaluated_every_ms(alarm: Alarm) -> int:
    """How often. The periods end then, whatever their length: AWS slides them."""
    return MINUTE_MS if alarm.period_s >= 60 else 10_000


def state_of(
    breaches: Sequence[bool | None], *, periods: int, needed: int, missing_data: str | None
) -> AlarmState | None:
    """`breaches`: of each period, the latest first; None is a period without datapoints.

    Makes the tables of "How alarm state is evaluated when data is missing" in CloudWatch's user guide. Older
    datapoints stand in for missing ones; only where there are none does TreatMissingData count. Datapoints
    that all breach, but are fewer than needed, make an alarm once the oldest is as old as the number needed.
    """
    real = [breach for breach in breaches if breach is not None][:periods]
    filled = missing_data in ("breaching", "notBreaching")
    breaching = sum(real)
    if missing_data == "breaching":
        breaching += periods - len(real)
    if breaching >= needed:
        return AlarmState.ALARM
    if filled or not all(real):
        return AlarmState.OK
    if missing_data == "ignore":
        return None
    if not real:
        return AlarmState.INSUFFICIENT_DATA
    oldest = max(age for age, breach in enumerate(breaches, 1) if breach is not None)
    return AlarmState.ALARM if oldest >= needed else None


async def _periods(engine: Engine, alarm: Alarm, end_ms: int, now_ms: int) -> list[Seen | None]:
    """The latest first."""
    period_ms = alarm.period_s * 1000
    count = alarm.evaluation_periods + EXTRA_PERIODS
    by_age: dict[int, list[Point]] = {}
    series = await _series(engine, alarm, now_ms)
    if series is not None:
        for point in await series.points(end_ms - count * period_ms, end_ms):
            by_age.setdefault((end_ms - 1 - point.start_ms) // period_ms, []).append(point)
    return [_seen(alarm, end_ms - (age + 1) * period_ms, by_age.get(age)) for age in range(count)]


def _seen(alarm: Alarm, start_ms: int, points: list[Point] | None) -> Seen | None:
    if points is None:
        return None
    period = together(start_ms, points)
    value = STATISTICS[alarm.statistic](period)
    return Seen(start_ms, value, period.count, COMPARISONS[alarm.comparison](value, alarm.threshold))


async def _series(engine: Engine, alarm: Alarm, now_ms: int) -> Series | None:
    metric = BY_NAME.get(alarm.metric_name)
    dimensions = dict(alarm.dimensions)
    if alarm.namespace != NAMESPACE or metric is None or dimensions.keys() != {DIMENSION}:
        return None
    if alarm.unit not in (None, metric.unit):
        return None
    queue = await engine.find_queue(QueueKey(alarm.account, alarm.region, dimensions[DIMENSION]))
    return None if queue is None else Series(metric, queue, engine, now_ms)
