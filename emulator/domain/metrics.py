"""The metrics of CloudWatch's namespace AWS/SQS: what each one is, and its points (spec 3.18)."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from emulator.domain.activity import MINUTE_MS, Gauges, Minute, Tally

NAMESPACE = "AWS/SQS"
DIMENSION = "QueueName"
ACTIVE_MS = 6 * 3_600_000
"""So long after the last call, or after it last held messages, a queue has points."""


class Point(msgspec.Struct, frozen=True):
    """What one minute adds to a statistic."""

    start_ms: int
    minimum: float
    maximum: float
    sum: float
    count: int


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A gauge says how the queue stands; every other metric counts what callers did."""

    name: str
    unit: str
    """Count, Bytes or Seconds, as CloudWatch says it."""
    help: str
    prometheus: str
    """Its name there, without the prefix of ours."""
    gauge: Callable[[Gauges, int], float | None] | None = None
    """Given how the queue stands, and when (ms); None: no point is emitted."""
    counter: Callable[[Tally], int] | None = None

    @property
    def is_gauge(self) -> bool:
        return self.gauge is not None


def _age_s(since_ms: int | None, now_ms: int) -> float | None:
    return None if since_ms is None else max(0, (now_ms - since_ms) // 1000)


METRICS: tuple[Metric, ...] = (
    Metric(
        name="ApproximateAgeOfOldestMessage",
        unit="Seconds",
        help="Age of the oldest message that is not deleted; in a dead-letter queue since it came there",
        prometheus="oldest_message_age_seconds",
        gauge=lambda gauges, now_ms: _age_s(gauges.oldest_ms, now_ms),
    ),
    Metric(
        name="ApproximateAgeOfOldestMessageInQuietGroups",
        unit="Seconds",
        help="Age of the oldest message, those of noisy groups left out",
        prometheus="quiet_groups_oldest_message_age_seconds",
        gauge=lambda gauges, now_ms: _age_s(gauges.quiet_oldest_ms, now_ms),
    ),
    Metric(
        name="ApproximateNumberOfGroupsWithInflightMessages",
        unit="Count",
        help="Message groups of a FIFO queue that have messages in flight",
        prometheus="groups_with_messages_in_flight",
        gauge=lambda gauges, now_ms: gauges.groups_in_flight,
    ),
    Metric(
        name="ApproximateNumberOfMessagesDelayed",
        unit="Count",
        help="Messages that are delayed",
        prometheus="messages_delayed",
        gauge=lambda gauges, now_ms: gauges.delayed,
    ),
    Metric(
        name="ApproximateNumberOfMessagesDelayedInQuietGroups",
        unit="Count",
        help="Messages that are delayed, those of noisy groups left out",
        prometheus="quiet_groups_messages_delayed",
        gauge=lambda gauges, now_ms: gauges.quiet_delayed,
    ),
    Metric(
        name="ApproximateNumberOfMessagesNotVisible",
        unit="Count",
        help="Messages in flight: received, and neither deleted nor visible again",
        prometheus="messages_not_visible",
        gauge=lambda gauges, now_ms: gauges.in_flight,
    ),
    Metric(
        name="ApproximateNumberOfMessagesNotVisibleInQuietGroups",
        unit="Count",
        help="Messages in flight, those of noisy groups left out",
        prometheus="quiet_groups_messages_not_visible",
        gauge=lambda gauges, now_ms: gauges.quiet_in_flight,
    ),
    Metric(
        name="ApproximateNumberOfMessagesVisible",
        unit="Count",
        help="Messages that can be received",
        prometheus="messages_visible",
        gauge=lambda gauges, now_ms: gauges.visible,
    ),
    Metric(
        name="ApproximateNumberOfMessagesVisibleInQuietGroups",
        unit="Count",
        help="Messages that can be received, those of noisy groups left out",
        prometheus="quiet_groups_messages_visible",
        gauge=lambda gauges, now_ms: gauges.quiet_visible,
    ),
    Metric(
        name="ApproximateNumberOfNoisyGroups",
        unit="Count",
        help="Message groups of a fair queue that are noisy",
        prometheus="noisy_groups",
        gauge=lambda gauges, now_ms: gauges.noisy_groups,
    ),
    Metric(
        name="NumberOfDeduplicatedSentMessages",
        unit="Count",
        help="Messages sent to a FIFO queue that it did not take, as it had them already",
        prometheus="messages_deduplicated_total",
        counter=lambda tally: tally.deduplicated,
    ),
    Metric(
        name="NumberOfEmptyReceives",
        unit="Count",
        help="Calls of ReceiveMessage that returned no message",
        prometheus="empty_receives_total",
        counter=lambda tally: tally.empty_receives,
    ),
    Metric(
        name="NumberOfMessagesDeleted",
        unit="Count",
        help="Messages deleted, repeated deletes included",
        prometheus="messages_deleted_total",
        counter=lambda tally: tally.deleted,
    ),
    Metric(
        name="NumberOfMessagesReceived",
        unit="Count",
        help="Messages returned to receivers",
        prometheus="messages_received_total",
        counter=lambda tally: tally.received,
    ),
    Metric(
        name="NumberOfMessagesSent",
        unit="Count",
        help="Messages accepted from senders; neither dead letters nor deduplicated ones",
        prometheus="messages_sent_total",
        counter=lambda tally: tally.sent,
    ),
    Metric(
        name="SentMessageSize",
        unit="Bytes",
        help="Size of the messages accepted from senders, in bytes of body and attributes",
        prometheus="sent_message_size_bytes",
        counter=lambda tally: tally.sent_bytes,
    ),
)
"""In order of name."""
BY_NAME = {metric.name: metric for metric in METRICS}
_FIFO_ONLY = "NumberOfDeduplicatedSentMessages"
_SIZES = "SentMessageSize"


def gauge_value(metric: Metric, gauges: Gauges, now_ms: int) -> float | None:
    """None: the queue has no such figure, as an empty queue has no age."""
    return None if metric.gauge is None else metric.gauge(gauges, now_ms)


def tally_value(metric: Metric, tally: Tally) -> int:
    """0 for a gauge."""
    return 0 if metric.counter is None else metric.counter(tally)


def applies(metric: Metric, gauges: Gauges) -> bool:
    """Whether a queue that stands like this has the metric at all: some are of FIFO or fair queues only."""
    if metric.name == _FIFO_ONLY:
        return gauges.groups_in_flight is not None
    if "Quiet" in metric.name or "Noisy" in metric.name:
        return gauges.noisy_groups is not None
    if "Groups" in metric.name:
        return gauges.groups_in_flight is not None
    return True


def points(
    metric: Metric, minutes: Sequence[Minute], *, from_ms: int, to_ms: int, now_ms: int
) -> list[Point]:
    """One point for each minute that begins at from_ms or later, and before to_ms, while the queue is active.

    `minutes` are those of Engine.history. The minute that runs counts as it stands now.
    """
    found: list[Point] = []
    for minute, start_ms, is_own in _minute_by_minute(minutes, from_ms, min(to_ms, now_ms + 1)):
        end_ms = min(start_ms + MINUTE_MS, now_ms)
        point = _point(metric, minute, start_ms, end_ms, is_own=is_own)
        if point is not None:
            found.append(point)
    return found


def _point(metric: Metric, minute: Minute, start_ms: int, end_ms: int, *, is_own: bool) -> Point | None:
    """`is_own`: the minute was written down itself; otherwise it is one of those after it."""
    if not applies(metric, minute.gauges):
        return None
    if metric.is_gauge:
        value = gauge_value(metric, minute.gauges, end_ms)
        return None if value is None else Point(start_ms, value, value, value, 1)
    tally = minute.tally if is_own else Tally()
    if metric.name == _SIZES:
        if not tally.sent:
            return None
        return Point(start_ms, tally.smallest_bytes, tally.largest_bytes, tally.sent_bytes, tally.sent)
    count = tally_value(metric, tally)
    return Point(start_ms, count, count, count, 1)


def _minute_by_minute(
    minutes: Sequence[Minute], from_ms: int, to_ms: int
) -> Iterator[tuple[Minute, int, bool]]:
    """Each minute of the time asked for in which the queue is active: how it stood, and its start."""
    first_ms = -(-from_ms // MINUTE_MS) * MINUTE_MS
    active_until_ms = 0
    for number, minute in enumerate(minutes):
        ends_ms = minutes[number + 1].start_ms if number + 1 < len(minutes) else to_ms
        if minute.called or number == 0:
            active_until_ms = minute.start_ms + ACTIVE_MS
        if minute.gauges.messages:
            active_until_ms = ends_ms + ACTIVE_MS
        for start_ms in range(
            max(first_ms, minute.start_ms), min(ends_ms, to_ms, active_until_ms), MINUTE_MS
        ):
            yield minute, start_ms, start_ms == minute.start_ms
