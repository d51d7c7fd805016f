"""PutMetricAlarm, DescribeAlarms, DescribeAlarmsForMetric, DeleteAlarms and SetAlarmState.

An alarm has the state that its metric gives it when somebody asks, by the clock of its account. Its actions
are kept and shown, and never run.
"""

import base64
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from emulator.cloudwatch.constraints import require, require_one_of
from emulator.cloudwatch.data import Dimension, Members
from emulator.cloudwatch.errors import (
    InvalidFormat,
    InvalidNextToken,
    InvalidParameterCombination,
    ResourceNotFound,
    ValidationError,
)
from emulator.cloudwatch.evaluation import COMPARISONS, Verdict, evaluated_every_ms, verdict_on
from emulator.cloudwatch.statistics import STATISTICS
from emulator.cloudwatch.values import Moment
from emulator.context import Context
from emulator.domain.alarms import Alarm, AlarmState
from emulator.domain.model import PARTITIONS
from emulator.engine.base import Engine
from emulator.worlds import Worlds

MAX_RECORDS = 100
MISSING_DATA = ("breaching", "notBreaching", "ignore", "missing")
STATES = ("INSUFFICIENT_DATA", "ALARM", "OK")
"""In the order in which AWS names them."""
SHORT_PERIODS_S = (10, 20, 30)
HOUR_S = 3_600
DAY_S = 24 * HOUR_S


class PutMetricAlarm(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    alarm_name: str
    alarm_description: str | None = None
    actions_enabled: bool = True
    ok_actions: list[str] = msgspec.field(name="OKActions", default_factory=list)
    alarm_actions: list[str] = []
    insufficient_data_actions: list[str] = []
    metric_name: str | None = None
    namespace: str | None = None
    statistic: str | None = None
    extended_statistic: str | None = None
    dimensions: list[Dimension] = []
    period: int | None = None
    unit: str | None = None
    evaluation_periods: int | None = None
    datapoints_to_alarm: int | None = None
    threshold: float | None = None
    comparison_operator: str | None = None
    treat_missing_data: str | None = None
    metrics: list[Any] = []


class DescribeAlarms(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    alarm_names: list[str] = []
    alarm_name_prefix: str | None = None
    alarm_types: list[str] = []
    state_value: str | None = None
    action_prefix: str | None = None
    max_records: int = MAX_RECORDS
    next_token: str | None = None


class DescribeAlarmsForMetric(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    metric_name: str
    namespace: str
    statistic: str | None = None
    dimensions: list[Dimension] = []
    period: int | None = None
    unit: str | None = None


class DeleteAlarms(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    alarm_names: list[str]


class SetAlarmState(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    alarm_name: str
    state_value: str
    state_reason: str
    state_reason_data: str | None = None


class AlarmNow(NamedTuple):
    alarm: Alarm
    state: AlarmState


async def current_alarms(
    engine: Engine, worlds: Worlds, *, account: str | None = None, region: str | None = None
) -> list[AlarmNow]:
    """All alarms of an account and region, or of any, each as of now by the clock of its account."""
    found = []
    for alarm in await engine.alarms(account=account, region=region):
        now = await _as_of(engine, alarm, worlds.of(alarm.account).clock.now_ms())
        found.append(AlarmNow(now, now.state))
    return found


async def put_metric_alarm(ctx: Context, asked: PutMetricAlarm) -> None:
    now_ms = ctx.clock.now_ms()
    alarm = _alarm_of(ctx, asked, now_ms)
    before = {one.name: one for one in await ctx.engine.alarms(account=ctx.account, region=ctx.region)}
    earlier = before.get(alarm.name)
    if earlier is not None:  # a new configuration keeps the state until it is evaluated
        alarm = msgspec.structs.replace(
            alarm,
            state=earlier.state,
            state_reason=earlier.state_reason,
            state_reason_data=earlier.state_reason_data,
            state_updated_ms=earlier.state_updated_ms,
            state_transitioned_ms=earlier.state_transitioned_ms,
        )
    await ctx.engine.put_alarm(alarm)


def _alarm_of(ctx: Context, asked: PutMetricAlarm, now_ms: int) -> Alarm:
    _require_sound(asked)
    assert asked.period is not None
    assert asked.evaluation_periods is not None
    assert asked.threshold is not None
    return Alarm(
        account=ctx.account,
        region=ctx.region,
        name=asked.alarm_name,
        namespace=asked.namespace or "",
        metric_name=asked.metric_name or "",
        dimensions=tuple((one.name, one.value or "") for one in asked.dimensions),
        statistic=asked.statistic or "",
        period_s=asked.period,
        evaluation_periods=asked.evaluation_periods,
        datapoints_to_alarm=asked.datapoints_to_alarm,
        threshold=asked.threshold,
        comparison=asked.comparison_operator or "",
        treat_missing_data=asked.treat_missing_data,
        unit=asked.unit,
        description=asked.alarm_description,
        actions_enabled=asked.actions_enabled,
        ok_actions=tuple(asked.ok_actions),
        alarm_actions=tuple(asked.alarm_actions),
        insufficient_data_actions=tuple(asked.insufficient_data_actions),
        configured_ms=now_ms,
        state_updated_ms=now_ms,
        state_transitioned_ms=now_ms,
    )


def _require_sound(asked: PutMetricAlarm) -> None:
    """What is allowed to be absent is needed by alarms on a metric, in AWS's order."""
    if asked.metrics or asked.extended_statistic is not None:
        raise ValidationError(
            "Metrics and ExtendedStatistic are not supported by this emulator: use MetricName and Statistic."
        )
    require(
        "PutMetricAlarm",
        {"ComparisonOperator": asked.comparison_operator, "EvaluationPeriods": asked.evaluation_periods},
        ("ComparisonOperator", "EvaluationPeriods"),
    )
    for names, value, of_what in (
        ("MetricName", asked.metric_name, "a metric alarm"),
        ("Namespace", asked.namespace, "a metric alarm"),
        ("Statistic or the parameter ExtendedStatistic", asked.statistic, "a metric alarm"),
        ("Period", asked.period, "a metric alarm"),
        ("Threshold", asked.threshold, "an alarm based on a static threshold"),
    ):
        if value is None:
            raise ValidationError(f"The parameter {names} must be specified for {of_what}")
    require_one_of("ComparisonOperator", asked.comparison_operator, COMPARISONS)
    require_one_of("Statistic", asked.statistic, STATISTICS)
    if asked.treat_missing_data is not None:
        require_one_of("TreatMissingData", asked.treat_missing_data, MISSING_DATA)
    assert asked.threshold is not None
    if not math.isfinite(asked.threshold):
        raise ValidationError("The parameter Threshold must be a finite number.")
    _require_sound_periods(asked)


def _require_sound_periods(asked: PutMetricAlarm) -> None:
    assert asked.period is not None
    assert asked.evaluation_periods is not None
    if asked.period not in SHORT_PERIODS_S and asked.period % 60:
        raise ValidationError("Period must be 10, 20, 30 or a multiple of 60")
    long, most_s, compared = ("a day", DAY_S, "<") if asked.period < HOUR_S else ("a week", 7 * DAY_S, ">=")
    if asked.evaluation_periods * asked.period > most_s:
        raise ValidationError(
            f"Metrics cannot be checked across more than {long} (EvaluationPeriods * Period must be "
            f"<= {most_s}) for alarms using period {compared} {HOUR_S}"
        )
    if (asked.datapoints_to_alarm or 1) > asked.evaluation_periods:
        raise ValidationError("DatapointsToAlarm must be less than or equal to EvaluationPeriods")


async def describe_alarms(ctx: Context, asked: DescribeAlarms) -> Members:
    if asked.alarm_names and asked.alarm_name_prefix is not None:
        raise InvalidParameterCombination(
            "The parameters AlarmNames and AlarmNamePrefix are mutually exclusive. Please specify only one."
        )
    if asked.state_value is not None:
        require_one_of("StateValue", asked.state_value, STATES)
    after = None if asked.next_token is None else _name_in(asked.next_token)
    found = [alarm for alarm in await _alarms_now(ctx) if _fits(asked, alarm)]
    found = [alarm for alarm in found if after is None or alarm.name > after]
    page = found[: asked.max_records]
    answer: Members = {"MetricAlarms": [_members_of(alarm) for alarm in page], "CompositeAlarms": []}
    if len(found) > len(page):
        answer["NextToken"] = base64.urlsafe_b64encode(page[-1].name.encode()).decode()
    return answer


def _name_in(token: str) -> str:
    """The last alarm of the page before, which may be deleted by now."""
    try:
        return base64.b64decode(token, b"-_", validate=True).decode()
    except ValueError as error:
        raise InvalidNextToken from error


def _fits(asked: DescribeAlarms, alarm: Alarm) -> bool:
    actions = (*alarm.ok_actions, *alarm.alarm_actions, *alarm.insufficient_data_actions)
    return (
        (not asked.alarm_types or "MetricAlarm" in asked.alarm_types)
        and (not asked.alarm_names or alarm.name in asked.alarm_names)
        and alarm.name.startswith(asked.alarm_name_prefix or "")
        and asked.state_value in (None, alarm.state)
        and (asked.action_prefix is None or any(one.startswith(asked.action_prefix) for one in actions))
    )


async def describe_alarms_for_metric(ctx: Context, asked: DescribeAlarmsForMetric) -> Members:
    dimensions = tuple((one.name, one.value or "") for one in asked.dimensions)
    found = [
        alarm
        for alarm in await _alarms_now(ctx)
        if (alarm.namespace, alarm.metric_name) == (asked.namespace, asked.metric_name)
        and sorted(alarm.dimensions) == sorted(dimensions)
        and asked.statistic in (None, alarm.statistic)
        and asked.period in (None, alarm.period_s)
        and asked.unit in (None, alarm.unit)
    ]
    return {"MetricAlarms": [_members_of(alarm) for alarm in found]}


async def delete_alarms(ctx: Context, asked: DeleteAlarms) -> None:
    """AWS says nothing about names that there are not."""
    await ctx.engine.delete_alarms(ctx.account, ctx.region, asked.alarm_names)


async def set_alarm_state(ctx: Context, asked: SetAlarmState) -> None:
    require_one_of("StateValue", asked.state_value, STATES)
    alarms = {alarm.name: alarm for alarm in await _alarms_now(ctx)}
    alarm = alarms.get(asked.alarm_name)
    if alarm is None:
        raise ResourceNotFound  # recorded: without a text
    if asked.state_reason_data is not None:
        try:
            msgspec.json.decode(asked.state_reason_data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InvalidFormat("StateReasonData was not valid JSON.") from error
    now_ms = ctx.clock.now_ms()
    every_ms = evaluated_every_ms(alarm)
    state = AlarmState(asked.state_value)
    await ctx.engine.put_alarm(
        msgspec.structs.replace(
            _in_state(alarm, Verdict(state, asked.state_reason, asked.state_reason_data), now_ms),
            held_until_ms=now_ms - now_ms % every_ms + every_ms,
        )
    )


async def _alarms_now(ctx: Context) -> Sequence[Alarm]:
    now_ms = ctx.clock.now_ms()
    found = await ctx.engine.alarms(account=ctx.account, region=ctx.region)
    return [await _as_of(ctx.engine, alarm, now_ms) for alarm in found]


async def _as_of(engine: Engine, alarm: Alarm, now_ms: int) -> Alarm:
    """With the state that the metric gives it now, which is kept if it is another than before."""
    verdict = None if now_ms < alarm.held_until_ms else await verdict_on(engine, alarm, now_ms)
    if verdict is None or verdict.state is alarm.state:
        return alarm
    alarm = _in_state(alarm, verdict, now_ms)
    await engine.put_alarm(alarm)
    return alarm


def _in_state(alarm: Alarm, verdict: Verdict, now_ms: int) -> Alarm:
    return msgspec.structs.replace(
        alarm,
        state=verdict.state,
        state_reason=verdict.reason,
        state_reason_data=verdict.reason_data,
        state_updated_ms=now_ms,
        state_transitioned_ms=alarm.state_transitioned_ms if verdict.state is alarm.state else now_ms,
    )


def _members_of(alarm: Alarm) -> Members:
    partition = next((name for start, name in PARTITIONS.items() if alarm.region.startswith(start)), "aws")
    members = {
        "AlarmName": alarm.name,
        "AlarmArn": f"arn:{partition}:cloudwatch:{alarm.region}:{alarm.account}:alarm:{alarm.name}",
        "AlarmDescription": alarm.description,
        "AlarmConfigurationUpdatedTimestamp": Moment(alarm.configured_ms),
        "ActionsEnabled": alarm.actions_enabled,
        "OKActions": alarm.ok_actions,
        "AlarmActions": alarm.alarm_actions,
        "InsufficientDataActions": alarm.insufficient_data_actions,
        "StateValue": str(alarm.state),
        "StateReason": alarm.state_reason,
        "StateReasonData": alarm.state_reason_data,
        "StateUpdatedTimestamp": Moment(alarm.state_updated_ms),
        "MetricName": alarm.metric_name,
        "Namespace": alarm.namespace,
        "Statistic": alarm.statistic,
        "Dimensions": [{"Name": name, "Value": value} for name, value in alarm.dimensions],
        "Period": alarm.period_s,
        "Unit": alarm.unit,
        "EvaluationPeriods": alarm.evaluation_periods,
        "DatapointsToAlarm": alarm.datapoints_to_alarm,
        "Threshold": alarm.threshold,
        "ComparisonOperator": alarm.comparison,
        "TreatMissingData": alarm.treat_missing_data,
        "StateTransitionedTimestamp": Moment(alarm.state_transitioned_ms),
    }
    return {name: value for name, value in members.items() if value is not None}
