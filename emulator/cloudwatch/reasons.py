"""Why an alarm is in its state, in the words and the JSON that AWS has for it.

Recorded answers of AWS, as public test suites and logs keep them, show the forms: with and without
DatapointsToAlarm, with datapoints that are missing, and with five datapoints or more.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from emulator.cloudwatch.values import date_of, double
from emulator.domain.alarms import Alarm, AlarmState

IN_WORDS = {
    "GreaterThanOrEqualToThreshold": "greater than or equal to",
    "GreaterThanThreshold": "greater than",
    "LessThanThreshold": "less than",
    "LessThanOrEqualToThreshold": "less than or equal to",
}
FILLED = {"breaching": "Breaching", "notBreaching": "NonBreaching"}
MANY = 5
"""From so many datapoints on, the text names the latest ones in a sentence of their own."""


class Seen(NamedTuple):
    """What an alarm sees of one period."""

    start_ms: int
    value: float
    sample_count: int
    breaches: bool


def reason(alarm: Alarm, used: Sequence[Seen], state: AlarmState) -> str:
    """`used`: the datapoints that decide, the latest first; none of the periods without."""
    periods = alarm.evaluation_periods
    missing = periods - len(used)
    if state is AlarmState.INSUFFICIENT_DATA:
        return f"Insufficient Data: {_counted(missing, 'datapoint')} {_were(missing)} unknown."
    is_alarm = state is AlarmState.ALARM
    filled = ""
    if missing and alarm.treat_missing_data in FILLED:
        treated = FILLED[alarm.treat_missing_data]
        filled = f" and {_counted(missing, 'missing datapoint')} {_were(missing)} treated as [{treated}]"
    shown = [one for one in used if one.breaches is is_alarm]
    if not shown:
        received = _counted(len(used), "datapoint") if used else "no datapoints"
        over = f"{_were(len(used))} received for {_counted(periods, 'period')}"
        return f"Threshold Crossed: {received} {over}{filled}."
    count, end = _counted(len(shown), "datapoint"), ""
    if alarm.datapoints_to_alarm is not None:
        count = f"{len(shown)} out of the last {periods} datapoints"
        change = "OK -> ALARM" if is_alarm else "ALARM -> OK"
        end = f" (minimum {_counted(_needed(alarm, state), 'datapoint')} for {change} transition)"
    values = ", ".join(
        f"{double(one.value)} ({date_of(one.start_ms):%d/%m/%y %H:%M:%S})" for one in shown[:MANY]
    )
    compared = (
        f"{'' if is_alarm else 'not '}{IN_WORDS[alarm.comparison]} the threshold ({double(alarm.threshold)})"
    )
    if len(shown) < MANY:
        return f"Threshold Crossed: {count} [{values}] {_were(len(shown))} {compared}{filled}{end}."
    latest = (
        "The most recent datapoints which crossed the threshold" if is_alarm else "The most recent datapoints"
    )
    return f"Threshold Crossed: {count} were {compared}{filled}. {latest}: [{values}]{end}."


def reason_data(alarm: Alarm, used: Sequence[Seen], state: AlarmState, end_ms: int, now_ms: int) -> str:
    """`end_ms`: when the latest period that was looked at ended."""
    data: dict[str, Any] = {"version": "1.0", "queryDate": _long_date(now_ms)}
    if used:
        data["startDate"] = _long_date(used[-1].start_ms)
    if alarm.unit is not None:
        data["unit"] = alarm.unit
    data |= {
        "statistic": alarm.statistic,
        "period": alarm.period_s,
        "recentDatapoints": [one.value for one in reversed(used)],
        "threshold": alarm.threshold,
        "evaluatedDatapoints": [
            {
                "timestamp": _long_date(one.start_ms),
                "sampleCount": float(one.sample_count),
                "value": one.value,
            }
            for one in _until_decided(alarm, used, state)
        ],
    }
    if not used:
        starts_ms = [end_ms - (age + 1) * alarm.period_s * 1000 for age in range(alarm.evaluation_periods)]
        data["evaluatedDatapoints"] = [{"timestamp": _long_date(at_ms)} for at_ms in starts_ms]
    return msgspec.json.encode(data).decode()


def _until_decided(alarm: Alarm, used: Sequence[Seen], state: AlarmState) -> Sequence[Seen]:
    """As many as decide, the latest first: one is enough to say that not all of them breach."""
    left = _needed(alarm, state)
    for number, one in enumerate(used, 1):
        left -= one.breaches is (state is AlarmState.ALARM)
        if not left:
            return used[:number]
    return used


def _needed(alarm: Alarm, state: AlarmState) -> int:
    """So many datapoints make the alarm go to this state."""
    to_alarm = alarm.datapoints_to_alarm or alarm.evaluation_periods
    return to_alarm if state is AlarmState.ALARM else alarm.evaluation_periods - to_alarm + 1


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _long_date(ms: int) -> str:
    return date_of(ms).isoformat(timespec="milliseconds").replace("+00:00", "+0000")
