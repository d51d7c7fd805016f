"""ListMetrics, GetMetricStatistics and GetMetricData."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from emulator.cloudwatch.errors import (
    InvalidNextToken,
    InvalidParameterCombination,
    InvalidParameterValue,
    ValidationError,
)
from emulator.cloudwatch.statistics import STATISTICS, Series, periods_of
from emulator.cloudwatch.values import Moment, moment_ms
from emulator.context import Context
from emulator.domain.activity import MINUTE_MS
from emulator.domain.metrics import BY_NAME, DIMENSION, METRICS, NAMESPACE, Metric, applies
from emulator.domain.model import Queue, QueueKey

PAGE = 500
MAX_DATAPOINTS = 1_440
MAX_DATA_QUERIES = 500
MAX_DATA_POINTS = 100_800
RECENTLY_MS = 3 * 3_600_000
QUERY_ID = re.compile("[a-z][a-zA-Z0-9_]*")
Members = dict[str, Any]


class Dimension(msgspec.Struct, frozen=True, rename="pascal"):
    name: str
    value: str | None = None


class ListMetrics(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    namespace: str | None = None
    metric_name: str | None = None
    dimensions: list[Dimension] = []
    next_token: str | None = None
    recently_active: str | None = None


class GetMetricStatistics(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    namespace: str
    metric_name: str
    dimensions: list[Dimension] = []
    start_time: Any
    end_time: Any
    period: int
    statistics: list[str] = []
    extended_statistics: list[str] = []
    unit: str | None = None


class StatMetric(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    namespace: str | None = None
    metric_name: str | None = None
    dimensions: list[Dimension] = []


class MetricStat(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    metric: StatMetric
    period: int
    stat: str
    unit: str | None = None


class DataQuery(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    id: str
    metric_stat: MetricStat | None = None
    expression: str | None = None
    label: str | None = None
    return_data: bool = True


class GetMetricData(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    metric_data_queries: list[DataQuery]
    start_time: Any
    end_time: Any
    next_token: str | None = None
    scan_by: str = "TimestampDescending"
    max_datapoints: int = MAX_DATA_POINTS


async def list_metrics(ctx: Context, asked: ListMetrics) -> Members:
    """Of the queues that are or were active; those of deleted queues are forgotten with them."""
    if asked.recently_active not in (None, "PT3H"):
        raise InvalidParameterValue("The parameter RecentlyActive must be PT3H.")
    found: list[Members] = []
    now_ms = ctx.clock.now_ms()
    active_ms = RECENTLY_MS if asked.recently_active else None
    for queue in await ctx.engine.all_queues(account=ctx.account, region=ctx.region):
        if _fits(asked, queue) and await _is_active(ctx, queue, now_ms, active_ms):
            gauges = await ctx.engine.gauges(queue, now_ms=now_ms)
            found += [
                _metric_members(metric, queue)
                for metric in METRICS
                if asked.metric_name in (None, metric.name) and applies(metric, gauges)
            ]
    first = _number_of(asked.next_token)
    page: Members = {"Metrics": found[first : first + PAGE]}
    if len(found) > first + PAGE:
        page["NextToken"] = str(first + PAGE)
    return page


async def get_metric_statistics(ctx: Context, asked: GetMetricStatistics) -> Members:
    start_ms, end_ms = moment_ms("StartTime", asked.start_time), moment_ms("EndTime", asked.end_time)
    _require_statistics(asked)
    if start_ms >= end_ms:
        raise InvalidParameterValue("The parameter StartTime must be less than the parameter EndTime.")
    require_period(asked.period)
    wanted = -(-(end_ms - start_ms) // (asked.period * 1000))
    if wanted > MAX_DATAPOINTS:
        raise InvalidParameterCombination(
            f"You have requested up to {wanted} datapoints, which exceeds the limit of {MAX_DATAPOINTS}. "
            "You may reduce the datapoints requested by increasing Period, or decreasing the time range."
        )
    series = await series_of(ctx, asked.namespace, asked.metric_name, asked.dimensions)
    datapoints: list[Members] = []
    if series is not None and asked.unit in (None, series.metric.unit):
        for period in await periods_of(series, start_ms, end_ms, asked.period):
            values = {name: STATISTICS[name](period) for name in asked.statistics}
            datapoints.append({"Timestamp": Moment(period.start_ms), **values, "Unit": series.metric.unit})
    return {"Label": asked.metric_name, "Datapoints": datapoints}


def _require_statistics(asked: GetMetricStatistics) -> None:
    if asked.extended_statistics:
        raise InvalidParameterValue(
            "The parameter ExtendedStatistics is not supported by this emulator: use Statistics."
        )
    if not asked.statistics:
        raise InvalidParameterCombination(
            "At least one of the parameters Statistics and ExtendedStatistics must be specified."
        )
    for name in asked.statistics:
        if name not in STATISTICS:
            raise InvalidParameterValue(f"The parameter Statistics contains an unknown value: {name}.")


async def get_metric_data(ctx: Context, asked: GetMetricData) -> Members:
    start_ms, end_ms = moment_ms("StartTime", asked.start_time), moment_ms("EndTime", asked.end_time)
    _require_data_queries(asked, start_ms, end_ms)
    first = _number_of(asked.next_token)
    labels = _labels(asked.metric_data_queries)
    results: list[Members] = []
    left = asked.max_datapoints
    for query in asked.metric_data_queries:
        if not query.return_data:
            continue
        assert query.metric_stat is not None  # asked before
        found = await _data_of(ctx, query.metric_stat, start_ms, end_ms)
        if asked.scan_by == "TimestampDescending":
            found.reverse()
        skipped = min(first, len(found))
        first, page = first - skipped, found[skipped : skipped + left]
        left -= len(page)
        is_whole = skipped + len(page) == len(found)
        results.append(
            {
                "Id": query.id,
                "Label": query.label or labels[query.id],
                "Timestamps": [Moment(at_ms) for at_ms, _ in page],
                "Values": [value for _, value in page],
                "StatusCode": "Complete" if is_whole else "PartialData",
            }
        )
    answer: Members = {"MetricDataResults": results, "Messages": []}
    if any(result["StatusCode"] == "PartialData" for result in results):
        answer["NextToken"] = str(_number_of(asked.next_token) + asked.max_datapoints)
    return answer


def _labels(queries: Sequence[DataQuery]) -> dict[str, str]:
    """By id: the name of the metric, and by what the queries of that metric differ (recorded)."""
    labels = {}
    for query in queries:
        own = query.metric_stat
        if own is None:
            continue
        stats = [one.metric_stat for one in queries if one.metric_stat is not None]
        others = [one for one in stats if one.metric.metric_name == own.metric.metric_name]
        label = own.metric.metric_name or ""
        if any(one.stat != own.stat for one in others):
            label += f" {own.stat}"
        if any(one.period != own.period for one in others):
            label += f" {own.period}"
        labels[query.id] = label
    return labels


def _require_data_queries(asked: GetMetricData, start_ms: int, end_ms: int) -> None:
    if start_ms >= end_ms:
        raise ValidationError("The parameter StartTime must be less than the parameter EndTime.")
    if asked.scan_by not in ("TimestampDescending", "TimestampAscending"):
        raise ValidationError("The parameter ScanBy must be TimestampDescending or TimestampAscending.")
    if not 0 < asked.max_datapoints <= MAX_DATA_POINTS:
        raise ValidationError(f"The parameter MaxDatapoints must be between 1 and {MAX_DATA_POINTS}.")
    queries = asked.metric_data_queries
    if not queries:
        raise ValidationError("The collection MetricDataQueries must not have a size less than 1.")
    if len(queries) > MAX_DATA_QUERIES:
        raise ValidationError(
            f"The collection MetricDataQueries must not have a size greater than {MAX_DATA_QUERIES}."
        )
    if len({query.id for query in queries}) < len(queries):
        raise ValidationError("The values for parameter id in MetricDataQueries are not unique.")
    for number, query in enumerate(queries, 1):
        if QUERY_ID.fullmatch(query.id) is None:
            raise ValidationError(
                f"The value {query.id} for parameter MetricDataQueries.member.{number}.Id is not matching "
                f"the expected pattern ^{QUERY_ID.pattern}$."
            )
        if query.expression is not None:
            raise ValidationError(
                "The parameter Expression is not supported by this emulator, which has no metric math: "
                "use MetricStat."
            )
        if query.metric_stat is None:
            raise ValidationError("Either MetricStat or Expression must be given in MetricDataQueries.")
        if query.metric_stat.stat not in STATISTICS:
            raise ValidationError(
                f"The value {query.metric_stat.stat} for parameter MetricDataQueries.member.MetricStat.Stat "
                f"is not supported: use one of {', '.join(STATISTICS)}."
            )
        require_period(query.metric_stat.period)


async def _data_of(ctx: Context, stat: MetricStat, start_ms: int, end_ms: int) -> list[tuple[int, float]]:
    metric = stat.metric
    series = await series_of(ctx, metric.namespace or "", metric.metric_name or "", metric.dimensions)
    if series is None or stat.unit not in (None, series.metric.unit):
        return []
    return [
        (period.start_ms, STATISTICS[stat.stat](period))
        for period in await periods_of(series, start_ms, end_ms, stat.period)
    ]


def require_period(period_s: int) -> None:
    if period_s < 60 or period_s % 60:
        raise InvalidParameterValue("The parameter Period must be a multiple of 60 and at least 60.")


async def series_of(
    ctx: Context, namespace: str, metric_name: str, dimensions: Sequence[Dimension]
) -> Series | None:
    """None: there is no such metric, or no such queue."""
    metric = BY_NAME.get(metric_name)
    if namespace != NAMESPACE or metric is None or [one.name for one in dimensions] != [DIMENSION]:
        return None
    queue = await ctx.engine.find_queue(QueueKey(ctx.account, ctx.region, dimensions[0].value or ""))
    return None if queue is None else Series(metric, queue, ctx.engine, ctx.clock.now_ms())


def _fits(asked: ListMetrics, queue: Queue) -> bool:
    return asked.namespace in (None, NAMESPACE) and all(
        one.name == DIMENSION and one.value in (None, queue.name) for one in asked.dimensions
    )


async def _is_active(ctx: Context, queue: Queue, now_ms: int, within_ms: int | None) -> bool:
    """Whether it had a point, lately or at all."""
    if within_ms is None:
        return True
    series = Series(BY_NAME["ApproximateNumberOfMessagesVisible"], queue, ctx.engine, now_ms)
    return bool(await series.points(now_ms - within_ms, now_ms + MINUTE_MS))


def _metric_members(metric: Metric, queue: Queue) -> Members:
    return {
        "Namespace": NAMESPACE,
        "MetricName": metric.name,
        "Dimensions": [{"Name": DIMENSION, "Value": queue.name}],
    }


def _number_of(token: str | None) -> int:
    if token is None or token == "":
        return 0
    if not (token.isascii() and token.isdigit() and len(token) < 10):
        raise InvalidNextToken
    return int(token)
