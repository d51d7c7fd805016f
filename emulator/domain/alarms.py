"""CloudWatch alarms on the metrics of queues: what PutMetricAlarm gave, and the state that was found last."""

import enum

import msgspec


class AlarmState(enum.StrEnum):
    OK = "OK"
    ALARM = "ALARM"
    INSUFFICIENT_DATA = "INSUFFICIENT_DATA"


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    account: str
    region: str
    name: str
    namespace: str
    metric_name: str
    dimensions: tuple[tuple[str, str], ...] = ()
    """Name and value."""
    statistic: str
    period_s: int
    evaluation_periods: int
    datapoints_to_alarm: int | None = None
    """None: it was not given, and is as many as the periods."""
    threshold: float
    comparison: str
    """ComparisonOperator."""
    treat_missing_data: str | None = None
    unit: str | None = None
    description: str | None = None
    actions_enabled: bool = True
    ok_actions: tuple[str, ...] = ()
    alarm_actions: tuple[str, ...] = ()
    insufficient_data_actions: tuple[str, ...] = ()
    configured_ms: int
    """When it was put."""
    state: AlarmState = AlarmState.INSUFFICIENT_DATA
    state_reason: str = "Unchecked: Initial alarm creation"
    state_reason_data: str | None = None
    state_updated_ms: int
    state_transitioned_ms: int
    held_until_ms: int = 0
    """SetAlarmState: the state is not looked at anew before this moment."""
