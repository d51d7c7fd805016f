"""What state a metric gives an alarm: the periods that are over, missing data, and AWS's words for why."""

import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from emulator.cloudwatch.statistics import STATISTICS, Series, periods_of
from emulator.cloudwatch.values import date_of
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
IN_WORDS = {
    "GreaterThanOrEqualToThreshold": "greater than or equal to",
    "GreaterThanThreshold": "greater than",
    "LessThanThreshold": "less than",
    "LessThanOrEqualToThreshold": "less than or equal to",
}


class Verdict(NamedTuple):
    state: AlarmState
    reason: str
    reason_data: str | None


async def verdict_on(engine: Engine, alarm: Alarm, now_ms: int) -> Verdict | None:
    """None: missing data is to be ignored, and there is nothing else: the state stays."""
    period_ms = alarm.period_s * 1000
    end_ms = now_ms - now_ms % period_ms
    start_ms = end_ms - alarm.evaluation_periods * period_ms
    found = await _datapoints(engine, alarm, start_ms, end_ms, now_ms)
    breaches = COMPARISONS[alarm.comparison]
    values = [STATISTICS[alarm.statistic](point) for point in found]
    breaching = sum(breaches(value, alarm.threshold) for value in values)
    missing = alarm.evaluation_periods - len(found)
    needed = alarm.datapoints_to_alarm or alarm.evaluation_periods
    treatment = alarm.treat_missing_data or "missing"
    if treatment == "breaching":
        breaching += missing
    elif not found and treatment == "ignore":
        return None
    elif not found and treatment == "missing":
        return Verdict(AlarmState.INSUFFICIENT_DATA, _unknown(missing), _reason_data(alarm, found, now_ms))
    elif treatment != "notBreaching":  # what there is decides, as if the others were like it
        needed = min(needed, len(found))
    state = AlarmState.ALARM if breaching >= needed else AlarmState.OK
    return Verdict(state, _reason(alarm, found, values, needed, state), _reason_data(alarm, found, now_ms))


async def _datapoints(
    engine: Engine, alarm: Alarm, start_ms: int, end_ms: int, now_ms: int
) -> Sequence[Point]:
    metric = BY_NAME.get(alarm.metric_name)
    dimensions = dict(alarm.dimensions)
    if alarm.namespace != NAMESPACE or metric is None or dimensions.keys() != {DIMENSION}:
        return []
    if alarm.unit not in (None, metric.unit):
        return []
    queue = await engine.find_queue(QueueKey(alarm.account, alarm.region, dimensions[DIMENSION]))
    if queue is None:
        return []
    return await periods_of(Series(metric, queue, engine, now_ms), start_ms, end_ms, alarm.period_s)


def _unknown(count: int) -> str:
    if count == 1:
        return "Insufficient Data: 1 datapoint was unknown."
    return f"Insufficient Data: {count} datapoints were unknown."


def _reason(
    alarm: Alarm, found: Sequence[Point], values: Sequence[float], needed: int, state: AlarmState
) -> str:
    """As AWS words it, with the latest datapoint first."""
    change = "OK -> ALARM" if state is AlarmState.ALARM else "ALARM -> OK"
    several = f"{needed} datapoint{'' if needed == 1 else 's'}"
    end = f"(minimum {several} for {change} transition)."
    if not found:
        periods = alarm.evaluation_periods
        return (
            f"Threshold Crossed: no datapoints were received for {periods} "
            f"period{'' if periods == 1 else 's'} and {periods} missing "
            f"datapoint{' was' if periods == 1 else 's were'} treated as "
            f"[{'Breaching' if state is AlarmState.ALARM else 'NonBreaching'}]."
        )
    crosses = COMPARISONS[alarm.comparison]
    shown = [
        f"{value} ({date_of(point.start_ms):%d/%m/%y %H:%M:%S})"
        for point, value in zip(found, values, strict=True)
        if crosses(value, alarm.threshold) == (state is AlarmState.ALARM)
    ]
    verb = "was" if len(shown) == 1 else "were"
    negation = "" if state is AlarmState.ALARM else " not"
    return (
        f"Threshold Crossed: {len(shown)} out of the last {len(found)} datapoints "
        f"[{', '.join(reversed(shown))}] {verb}{negation} {IN_WORDS[alarm.comparison]} "
        f"the threshold ({alarm.threshold}) {end}"
    )


def _reason_data(alarm: Alarm, found: Sequence[Point], now_ms: int) -> str:
    value_of = STATISTICS[alarm.statistic]
    data = {
        "version": "1.0",
        "queryDate": _long_date(now_ms),
        **({"startDate": _long_date(found[0].start_ms)} if found else {}),
        "statistic": alarm.statistic,
        "period": alarm.period_s,
        "recentDatapoints": [value_of(point) for point in found],
        "threshold": alarm.threshold,
        "evaluatedDatapoints": [
            {
                "timestamp": _long_date(point.start_ms),
                "sampleCount": float(point.count),
                "value": value_of(point),
            }
            for point in reversed(found)
        ],
    }
    return msgspec.json.encode(data).decode()


def _long_date(ms: int) -> str:
    return date_of(ms).isoformat(timespec="milliseconds").replace("+00:00", "+0000")
