"""The page /metrics: figures of queues, requests, engine and process in Prometheus's text format."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    SummaryMetricFamily,
)
from prometheus_client.core import (
    Metric as Family,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.responses import Response

from emulator import __version__
from emulator.domain.activity import EngineFigures, Gauges, Tally
from emulator.domain.metrics import METRICS, Metric, applies, gauge_value, tally_value
from emulator.domain.model import QueueKey
from emulator.traffic import BUCKETS_S, RequestFigures
from emulator.web.kit.calls import Parts, Visit
from emulator.web.kit.places import now_ms

PREFIX = "sqs_emulator_"
LABELS = ("account", "region", "queue")


class Standing(NamedTuple):
    """A queue at the moment of the visit."""

    key: QueueKey
    now_ms: int
    gauges: Gauges
    totals: Tally


async def page(visit: Visit) -> Response:
    """In the format that the Accept header asks for: the text format, or OpenMetrics."""
    parts = visit.parts
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Once([*queue_families(await _standings(parts)), *server_families(parts)]))
    for collector in (ProcessCollector, PlatformCollector, GCCollector):
        collector(registry=registry)
    encode, content_type = choose_encoder(visit.request.headers.get("accept", ""))
    return Response(encode(registry), headers={"content-type": content_type})


class _Once(Collector):
    def __init__(self, families: Sequence[Family]) -> None:
        self._families = families

    def collect(self) -> Iterable[Family]:
        return self._families


async def _standings(parts: Parts) -> list[Standing]:
    queues = await parts.engine.all_queues()
    moments = [(queue, now_ms(parts, queue.key.account)) for queue in queues]
    looks = await parts.engine.looks(moments)
    return [
        Standing(queue.key, moment_ms, look.gauges, parts.engine.totals(queue.id))
        for (queue, moment_ms), look in zip(moments, looks, strict=True)
        if look is not None
    ]


def queue_families(standings: Sequence[Standing]) -> Iterator[Family]:
    for metric in METRICS:
        family = _family_of(metric)
        for one in standings:
            if applies(metric, one.gauges):
                _add(family, metric, one)
        yield family


def _family_of(metric: Metric) -> Family:
    name, text = PREFIX + metric.prometheus, f"{metric.help} (CloudWatch: {metric.name})"
    if metric.is_gauge:
        return GaugeMetricFamily(name, text, labels=LABELS)
    if metric.unit == "Bytes":
        return SummaryMetricFamily(name, text, labels=LABELS)
    return CounterMetricFamily(name, text, labels=LABELS)


def _add(family: Family, metric: Metric, one: Standing) -> None:
    labels = [one.key.account, one.key.region, one.key.name]
    if isinstance(family, SummaryMetricFamily):
        family.add_metric(labels, one.totals.sent, one.totals.sent_bytes)
    elif isinstance(family, CounterMetricFamily):
        family.add_metric(labels, tally_value(metric, one.totals))
    elif isinstance(family, GaugeMetricFamily):
        value = gauge_value(metric, one.gauges, one.now_ms)
        if value is not None:
            family.add_metric(labels, value)


def server_families(parts: Parts) -> Iterator[Family]:
    info = InfoMetricFamily(PREFIX.rstrip("_"), "The server")
    info.add_metric([], {"version": __version__})
    yield info
    yield _durations(parts.traffic.figures())
    yield from _engine_families(parts.engine.figures())


def _durations(figures: Sequence[RequestFigures]) -> Family:
    family = HistogramMetricFamily(
        PREFIX + "request_duration_seconds",
        "How long AWS requests took, the wait of long polls included; status 0: the connection was cut",
        labels=("action", "status"),
    )
    for one in figures:
        buckets = _cumulated(one.buckets, BUCKETS_S)
        family.add_metric([one.action, str(one.status)], buckets, one.sum_s)
    return family


def _engine_families(figures: EngineFigures) -> Iterator[Family]:
    sizes = sorted(figures.commit_sizes)
    commits = HistogramMetricFamily(
        PREFIX + "engine_commit_requests",
        "Requests that shared a commit to the data file",
    )
    counts = [figures.commit_sizes[size] for size in sizes]
    commits.add_metric([], _cumulated([*counts, 0], sizes), figures.commit_requests)
    yield commits
    if figures.size_bytes is not None:
        yield GaugeMetricFamily(
            PREFIX + "engine_database_size_bytes", "Size of the data file", value=figures.size_bytes
        )


def _cumulated(counts: Sequence[int], bounds: Sequence[float]) -> list[tuple[str, float]]:
    """Buckets as Prometheus has them: each with all that is below it. `counts` has one more than `bounds`."""
    total, buckets = 0, []
    for count, bound in zip(counts, [*map(str, bounds), "+Inf"], strict=True):
        total += count
        buckets.append((bound, float(total)))
    return buckets
