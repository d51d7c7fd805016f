"""The page of charts: how a queue stood, and what was done with it, over the last minutes to days."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from emulator.domain.activity import MINUTE_MS, Gauges, Minute
from emulator.domain.metrics import BY_NAME, Point, applies, points
from emulator.domain.model import Queue
from emulator.web.console.rendering import Page, queue_href, render
from emulator.web.kit.places import find, now_ms
from emulator.web.kit.problems import Problem

MAX_POINTS = 360
"""Of one line; longer times have one point for several minutes."""
SPANS: tuple[tuple[int, str], ...] = (
    (15, "15 min"), (60, "1 h"), (180, "3 h"), (360, "6 h"), (1440, "24 h"), (4320, "3 d"), (20160, "14 d"),
)  # fmt: skip
"""Minutes, and what they are called."""
DEFAULT_SPAN = 60


class Line(msgspec.Struct, frozen=True):
    metric: str
    """CloudWatch's name."""
    title: str
    colour: str
    """A custom property of the style sheet."""
    of: str = "sum"
    """What is shown of a point: `sum` (for each minute), `maximum`, `minimum` or `average`."""


class Chart(msgspec.Struct, frozen=True):
    id: str
    title: str
    unit: str
    """`messages`, `per minute`, `seconds`, `bytes` or `groups`."""
    lines: tuple[Line, ...]
    hint: str = ""


CHARTS: tuple[Chart, ...] = (
    Chart(
        "messages",
        "Messages in the queue",
        "messages",
        (
            Line("ApproximateNumberOfMessagesVisible", "Visible", "visible", "maximum"),
            Line("ApproximateNumberOfMessagesNotVisible", "In flight", "flight", "maximum"),
            Line("ApproximateNumberOfMessagesDelayed", "Delayed", "delayed", "maximum"),
        ),
    ),
    Chart(
        "age",
        "Age of the oldest message",
        "seconds",
        (Line("ApproximateAgeOfOldestMessage", "Oldest", "accent", "maximum"),),
        "In a dead-letter queue, since it came there.",
    ),
    Chart(
        "rates",
        "Sent, received, deleted",
        "per minute",
        (
            Line("NumberOfMessagesSent", "Sent", "sent"),
            Line("NumberOfMessagesReceived", "Received", "received"),
            Line("NumberOfMessagesDeleted", "Deleted", "deleted"),
        ),
    ),
    Chart(
        "empty",
        "Empty receives",
        "per minute",
        (Line("NumberOfEmptyReceives", "Empty receives", "locked"),),
        "Many of them: consumers poll without waiting.",
    ),
    Chart(
        "sizes",
        "Size of sent messages",
        "bytes",
        (
            Line("SentMessageSize", "Largest", "sent", "maximum"),
            Line("SentMessageSize", "Average", "locked", "average"),
        ),
    ),
    Chart(
        "groups",
        "Groups with messages in flight",
        "groups",
        (Line("ApproximateNumberOfGroupsWithInflightMessages", "Groups", "flight", "maximum"),),
    ),
    Chart(
        "duplicates",
        "Deduplicated sends",
        "per minute",
        (Line("NumberOfDeduplicatedSentMessages", "Deduplicated", "delayed"),),
    ),
    Chart(
        "quiet",
        "Messages of quiet groups",
        "messages",
        (
            Line("ApproximateNumberOfMessagesVisibleInQuietGroups", "Visible", "visible", "maximum"),
            Line("ApproximateNumberOfMessagesNotVisibleInQuietGroups", "In flight", "flight", "maximum"),
            Line("ApproximateNumberOfMessagesDelayedInQuietGroups", "Delayed", "delayed", "maximum"),
        ),
        "Those of noisy groups are left out.",
    ),
    Chart(
        "noisy",
        "Noisy groups",
        "groups",
        (Line("ApproximateNumberOfNoisyGroups", "Noisy groups", "danger", "maximum"),),
    ),
)

_VALUES: dict[str, Callable[[Point], float]] = {
    "sum": lambda point: point.sum,
    "maximum": lambda point: point.maximum,
    "minimum": lambda point: point.minimum,
    "average": lambda point: round(point.sum / point.count, 1),
}


class Series(msgspec.Struct, frozen=True):
    """The lines of one chart: for each, one value for each time, null where there is none."""

    id: str
    lines: list[list[float | None]]


class Data(msgspec.Struct, frozen=True):
    now_ms: int
    period_s: int
    """How long a point stands for."""
    times: list[int]
    """Beginnings, in seconds since the epoch."""
    charts: list[Series]


async def charts_page(page: Page) -> Response:
    queues = await page.parts.engine.all_queues()
    queue = await _chosen(page, queues)
    charts: list[Chart] = []
    account = page.parts.settings.account
    if queue is not None:
        account = queue.key.account
        gauges = await page.parts.engine.gauges(queue, now_ms=now_ms(page.parts, account))
        charts = charts_of(gauges)
    return render(
        page,
        "charts.html",
        nav="charts",
        account=account,
        queue=queue,
        queue_href=None if queue is None else queue_href(queue.key),
        queues=queues,
        several_places=len({one.key[:2] for one in queues}) > 1,
        span=_span(page),
        spans=SPANS,
        charts=charts,
        metrics={chart.id: " ".join(dict.fromkeys(line.metric for line in chart.lines)) for chart in charts},
        alarms=[] if queue is None else await _alarms(page, queue),
    )


async def data(page: Page) -> Response:
    given = page.request.query_params
    queue = await find(page.parts, given.get("queue", ""), given.get("account"), given.get("region"))
    moment_ms, minutes = now_ms(page.parts, queue.key.account), _span(page)
    from_ms = moment_ms - moment_ms % MINUTE_MS - (minutes - 1) * MINUTE_MS
    history = await page.parts.engine.history(queue, from_ms=from_ms, now_ms=moment_ms)
    found = data_of(history, from_ms=from_ms, now_ms=moment_ms)
    return Response(msgspec.json.encode(found), media_type="application/json")


def charts_of(gauges: Gauges) -> list[Chart]:
    """Those that a queue that stands like this has: some are of FIFO or fair queues only."""
    return [chart for chart in CHARTS if applies(BY_NAME[chart.lines[0].metric], gauges)]


def data_of(history: Sequence[Minute], *, from_ms: int, now_ms: int) -> Data:
    """From the minute that begins at from_ms to the one that runs."""
    minutes = (now_ms - from_ms) // MINUTE_MS + 1
    period_ms = -(-minutes // MAX_POINTS) * MINUTE_MS
    times_ms = list(range(from_ms - from_ms % period_ms, now_ms + 1, period_ms))
    gauges = history[-1].gauges if history else Gauges()
    found: dict[str, dict[int, Point]] = {}
    for metric in {line.metric for chart in charts_of(gauges) for line in chart.lines}:
        dense = points(BY_NAME[metric], history, from_ms=from_ms, to_ms=now_ms + 1, now_ms=now_ms)
        found[metric] = _by_period(dense, period_ms)
    return Data(
        now_ms=now_ms,
        period_s=period_ms // 1000,
        times=[ms // 1000 for ms in times_ms],
        charts=[
            Series(chart.id, [_values(found[line.metric], times_ms, line, period_ms) for line in chart.lines])
            for chart in charts_of(gauges)
        ],
    )


def _by_period(dense: Sequence[Point], period_ms: int) -> dict[int, Point]:
    found: dict[int, Point] = {}
    for point in dense:
        start_ms = point.start_ms - point.start_ms % period_ms
        other = found.get(start_ms)
        found[start_ms] = point if other is None else _together(other, point)
    return found


def _together(one: Point, other: Point) -> Point:
    return Point(
        one.start_ms,
        min(one.minimum, other.minimum),
        max(one.maximum, other.maximum),
        one.sum + other.sum,
        one.count + other.count,
    )


def _values(
    found: dict[int, Point], times_ms: Sequence[int], line: Line, period_ms: int
) -> list[float | None]:
    value = _VALUES[line.of]
    minutes = period_ms // MINUTE_MS if line.of == "sum" else 1
    values: list[float | None] = []
    for ms in times_ms:
        point = found.get(ms)
        values.append(None if point is None else _rounded(value(point) / minutes))
    return values


def _rounded(value: float) -> float:
    return int(value) if value == int(value) else round(value, 2)


async def _chosen(page: Page, queues: Sequence[Queue]) -> Queue | None:
    """The one asked for, or else the one that has most messages; None: there is no queue."""
    given = page.request.query_params
    if given.get("queue"):
        return await find(page.parts, given["queue"], given.get("account"), given.get("region"))
    best: tuple[int, Queue] | None = None
    moments = [(queue, now_ms(page.parts, queue.key.account)) for queue in queues]
    for queue, look in zip(queues, await page.parts.engine.looks(moments), strict=True):
        if look is None:
            continue
        totals = page.parts.engine.totals(queue.id)
        busy = look.gauges.messages + totals.sent + totals.received
        if best is None or busy > best[0]:
            best = (busy, queue)
    return None if best is None else best[1]


def _span(page: Page) -> int:
    """In minutes."""
    given = page.request.query_params
    minutes, hours = given.get("minutes", ""), given.get("hours", "")
    for text, factor in ((minutes, 1), (hours, 60)):
        if text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) * factor <= SPANS[-1][0]:
            return int(text) * factor
        if text:
            raise Problem(400, f"minutes, hours: must be from 1 minute to {SPANS[-1][0]} minutes")
    return DEFAULT_SPAN


async def _alarms(page: Page, queue: Queue) -> list[dict[str, Any]]:
    """Those on metrics of the queue, with the state that they have now."""
    account, region, name = queue.key
    if not await page.parts.engine.alarms(account=account, region=region):
        return []
    from emulator.cloudwatch.alarms import current_alarms  # only if there is an alarm

    found = await current_alarms(page.parts.engine, page.parts.worlds, account=account, region=region)
    return [
        {"alarm": alarm, "state": state.value}
        for alarm, state in found
        if ("QueueName", name) in alarm.dimensions
    ]


ROUTES = (
    ("/_emulator/console/charts", ("GET",), charts_page),
    ("/_emulator/console/charts/data", ("GET",), data),
)
