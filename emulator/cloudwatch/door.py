"""One CloudWatch request, from its bytes to its answer."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from emulator.cloudwatch import alarms, data
from emulator.cloudwatch.constraints import require
from emulator.cloudwatch.errors import (
    CloudWatchError,
    InternalServiceFault,
    InvalidAction,
    InvalidParameterValue,
)
from emulator.cloudwatch.protocols import TARGET, VERSION, Values, codec_of
from emulator.context import Context
from emulator.errors import SqsError
from emulator.wire.messages import WireRequest, WireResponse

T = TypeVar("T", bound=msgspec.Struct)
log = logging.getLogger(__name__)
Run = Callable[[Context, Any], Awaitable[Values | None]]

ACTIONS: dict[str, tuple[type[msgspec.Struct], Run]] = {
    "DeleteAlarms": (alarms.DeleteAlarms, alarms.delete_alarms),
    "DescribeAlarms": (alarms.DescribeAlarms, alarms.describe_alarms),
    "DescribeAlarmsForMetric": (alarms.DescribeAlarmsForMetric, alarms.describe_alarms_for_metric),
    "GetMetricData": (data.GetMetricData, data.get_metric_data),
    "GetMetricStatistics": (data.GetMetricStatistics, data.get_metric_statistics),
    "ListMetrics": (data.ListMetrics, data.list_metrics),
    "PutMetricAlarm": (alarms.PutMetricAlarm, alarms.put_metric_alarm),
    "SetAlarmState": (alarms.SetAlarmState, alarms.set_alarm_state),
}


def is_meant(request: WireRequest, action: str) -> bool:
    """`action`: the one that the request names in the Query protocol, if it does."""
    return (
        TARGET in request.path
        or request.headers.get("x-amz-target", "").startswith(f"{TARGET}.")
        or action in ACTIONS
        or f"Version={VERSION}" in request.query
        or f"Version={VERSION}".encode() in request.body
    )


async def answer(ctx: Context, request: WireRequest, body: bytes) -> tuple[str, WireResponse]:
    """The action, `-` for one that is not there, and the answer. Never raises."""
    codec = codec_of(request, body)
    known = codec.action if codec.action in ACTIONS else "-"
    try:
        if known == "-":
            raise InvalidAction(codec.action)
        kind, run = ACTIONS[codec.action]
        values = {name: one for name, one in codec.read().items() if one is not None}
        require(known, values, required_of(kind))
        return known, codec.reply(await run(ctx, arguments_of(values, kind)), ctx.request_id)
    except CloudWatchError as error:
        return known, codec.error(error, ctx.request_id)
    except SqsError as error:  # of the engine, such as a full disk
        log.error("request %s: %s", ctx.request_id, error.__cause__ or error)
    except Exception:
        log.exception("request %s failed", ctx.request_id)
    return known, codec.error(InternalServiceFault("Internal service error."), ctx.request_id)


def required_of(kind: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind) if field.required]


def arguments_of(values: Values, into: type[T]) -> T:
    """Raises InvalidParameterValue for what is of a wrong kind."""
    try:
        return msgspec.convert(values, into, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidParameterValue(f"The parameters are not valid: {error}.") from error
