"""The points of CloudWatch's metrics, as they come from the minutes of a queue."""

import pytest

from emulator.domain.activity import MINUTE_MS, Gauges, Minute, Tally
from emulator.domain.metrics import ACTIVE_MS, BY_NAME, METRICS, Point, points

HOUR_MS = 60 * MINUTE_MS
START_MS = 100 * HOUR_MS


def minute(number=0, *, called=True, gauges=None, **tally):
    return Minute(START_MS + number * MINUTE_MS, Tally(**tally), gauges or Gauges(), called)


def points_of(name, minutes, *, for_ms=HOUR_MS, now_ms=START_MS + 100 * HOUR_MS):
    return points(BY_NAME[name], minutes, from_ms=START_MS, to_ms=START_MS + for_ms, now_ms=now_ms)


def values(found):
    return [point.sum for point in found]


def test_the_metrics_are_those_that_cloudwatch_has_in_order_of_name():
    names = [metric.name for metric in METRICS]
    assert names == sorted(names)
    assert len(names) == 16
    assert {metric.unit for metric in METRICS} == {"Count", "Bytes", "Seconds"}
    assert all((metric.gauge is None) != (metric.counter is None) for metric in METRICS)


def test_a_gauge_goes_on_until_something_changes():
    minutes = [minute(0, gauges=Gauges(visible=3)), minute(2, gauges=Gauges(visible=1))]
    found = points_of("ApproximateNumberOfMessagesVisible", minutes, for_ms=4 * MINUTE_MS)
    assert values(found) == [3, 3, 1, 1]
    assert [point.start_ms - START_MS for point in found] == [0, MINUTE_MS, 2 * MINUTE_MS, 3 * MINUTE_MS]
    assert found[0] == Point(START_MS, 3, 3, 3, 1)


def test_the_age_grows_with_time_although_nothing_happens():
    minutes = [minute(0, gauges=Gauges(visible=1, oldest_ms=START_MS + 30_000))]
    assert values(points_of("ApproximateAgeOfOldestMessage", minutes, for_ms=3 * MINUTE_MS)) == [30, 90, 150]


def test_the_minute_that_runs_counts_as_it_stands_now():
    minutes = [minute(0, gauges=Gauges(visible=1, oldest_ms=START_MS))]
    found = points_of("ApproximateAgeOfOldestMessage", minutes, now_ms=START_MS + MINUTE_MS + 5_000)
    assert values(found) == [60, 65]


def test_an_empty_queue_has_no_age():
    assert points_of("ApproximateAgeOfOldestMessage", [minute()]) == []


def test_counts_are_zero_in_the_minutes_in_which_nothing_was_done():
    minutes = [minute(0, sent=2, received=1), minute(2, sent=1)]
    assert values(points_of("NumberOfMessagesSent", minutes, for_ms=4 * MINUTE_MS)) == [2, 0, 1, 0]
    assert values(points_of("NumberOfMessagesReceived", minutes, for_ms=2 * MINUTE_MS)) == [1, 0]


def test_sizes_have_points_only_where_messages_were_sent():
    minutes = [minute(0, sent=2, sent_bytes=30, smallest_bytes=10, largest_bytes=20), minute(1, received=1)]
    assert points_of("SentMessageSize", minutes) == [Point(START_MS, 10, 20, 30, 2)]


def test_a_queue_is_active_for_six_hours_after_the_last_call():
    found = points_of("NumberOfMessagesSent", [minute(0, sent=1)], for_ms=24 * HOUR_MS)
    assert len(found) == ACTIVE_MS // MINUTE_MS


def test_a_queue_is_active_as_long_as_it_holds_messages_and_six_hours_more():
    minutes = [
        minute(0, gauges=Gauges(visible=1)),
        minute(600, called=False, gauges=Gauges()),
    ]
    found = points_of("ApproximateNumberOfMessagesVisible", minutes, for_ms=48 * HOUR_MS)
    assert values(found) == [1] * 600 + [0] * 360


def test_an_inactive_queue_has_points_again_from_the_next_call_on():
    minutes = [minute(0), minute(1_000, sent=1)]
    found = points_of("NumberOfMessagesSent", minutes, for_ms=1_002 * MINUTE_MS)
    assert values(found)[360:] == [1, 0]


def test_nothing_is_told_of_the_future_or_of_time_that_was_not_asked_for():
    minutes = [minute(-5, gauges=Gauges(visible=7)), minute(1, gauges=Gauges(visible=8))]
    found = points_of("ApproximateNumberOfMessagesVisible", minutes, now_ms=START_MS + 2 * MINUTE_MS)
    assert values(found) == [7, 8, 8]


@pytest.mark.parametrize(
    ("gauges", "some", "none"),
    [
        (
            Gauges(groups_in_flight=2),
            ["ApproximateNumberOfGroupsWithInflightMessages", "NumberOfDeduplicatedSentMessages"],
            ["ApproximateNumberOfNoisyGroups", "ApproximateNumberOfMessagesVisibleInQuietGroups"],
        ),
        (
            Gauges(noisy_groups=0, quiet_visible=0, quiet_in_flight=0, quiet_delayed=0),
            [
                "ApproximateNumberOfNoisyGroups",
                "ApproximateNumberOfMessagesVisibleInQuietGroups",
                "ApproximateNumberOfMessagesNotVisibleInQuietGroups",
                "ApproximateNumberOfMessagesDelayedInQuietGroups",
            ],
            ["ApproximateNumberOfGroupsWithInflightMessages", "NumberOfDeduplicatedSentMessages"],
        ),
        (Gauges(), ["NumberOfEmptyReceives"], ["ApproximateNumberOfNoisyGroups"]),
    ],
    ids=["fifo", "fair", "standard"],
)
def test_some_metrics_are_of_fifo_or_fair_queues_only(gauges, some, none):
    minutes = [minute(0, gauges=gauges)]
    assert [name for name in some if not points_of(name, minutes)] == []
    assert [name for name in none if points_of(name, minutes)] == []
