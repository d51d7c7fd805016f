"""Limits of the members of requests, as the service model has them, and AWS's text for what breaks them."""

from collections.abc import Collection, Iterator
from typing import Any

from emulator.cloudwatch.errors import MissingParameter, ValidationError

LENGTHS = {
    "ActionPrefix": (1, 1024),
    "AlarmDescription": (0, 1024),
    "AlarmName": (1, 255),
    "AlarmNamePrefix": (1, 255),
    "MetricName": (1, 255),
    "Namespace": (1, 255),
    "StateReason": (0, 1023),
    "StateReasonData": (0, 4000),
}
MOST = {
    "AlarmActions": 5,
    "AlarmNames": 100,
    "Dimensions": 30,
    "InsufficientDataActions": 5,
    "OKActions": 5,
    "Statistics": 5,
}
LEAST = {
    "DatapointsToAlarm": 1,
    "EvaluationPeriods": 1,
    "MaxRecords": 1,
    "Period": 1,
}


def require(action: str, values: dict[str, Any], required: Collection[str]) -> None:
    """Raises the one error that names everything that is missing, or too long, short or small."""
    missing = [name for name in required if values.get(name) is None]
    if missing and action == "GetMetricStatistics":  # the one action that has an error for it
        raise MissingParameter(missing[0])
    broken = [f"Value null at '{_member(name)}' {_MUST} not be null" for name in missing]
    for name, value in values.items():
        broken += [
            f"Value '{_shown(value)}' at '{_member(name)}' {_MUST} {must}" for must in _broken(name, value)
        ]
    if broken:
        errors = f"{len(broken)} validation error{'' if len(broken) == 1 else 's'} detected"
        raise ValidationError(f"{errors}: {'; '.join(broken)}")


def require_one_of(name: str, value: str | None, choices: Collection[str]) -> None:
    if value not in choices:
        raise ValidationError(
            f"1 validation error detected: Value '{value}' at '{_member(name)}' {_MUST} satisfy enum value "
            f"set: [{', '.join(choices)}]"
        )


_MUST = "failed to satisfy constraint: Member must"


def _broken(name: str, value: Any) -> Iterator[str]:
    if name in LENGTHS and isinstance(value, str):
        least, most = LENGTHS[name]
        if len(value) < least:
            yield f"have length greater than or equal to {least}"
        if len(value) > most:
            yield f"have length less than or equal to {most}"
    if name in MOST and isinstance(value, list) and len(value) > MOST[name]:
        yield f"have length less than or equal to {MOST[name]}"
    if name in LEAST and _number(value) < LEAST[name]:
        yield f"have value greater than or equal to {LEAST[name]}"
    if name == "MaxRecords" and _number(value) > MOST["AlarmNames"]:
        yield f"have value less than or equal to {MOST['AlarmNames']}"


def _number(value: Any) -> float:
    """Query has texts for numbers; what is none is told later, by its kind."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return 1


def _member(name: str) -> str:
    return name[0].lower() + name[1:]


def _shown(value: Any) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)
