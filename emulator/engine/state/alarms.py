"""CloudWatch alarms: kept as they are given."""

from collections.abc import Iterable

from emulator.domain.alarms import Alarm
from emulator.engine.state.changes import AlarmKey
from emulator.engine.state.state import State


def put(state: State, alarm: Alarm) -> None:
    key = (alarm.account, alarm.region, alarm.name)
    state.alarms[key] = alarm
    state.recorder.alarm(key, alarm)


def find(state: State, account: str | None, region: str | None) -> list[Alarm]:
    """In order of account, region and name."""
    return [
        alarm
        for key, alarm in sorted(state.alarms.items())
        if account in (None, key[0]) and region in (None, key[1])
    ]


def delete(state: State, keys: Iterable[AlarmKey]) -> None:
    for key in keys:
        if state.alarms.pop(key, None) is not None:
            state.recorder.alarm(key, None)
