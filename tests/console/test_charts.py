"""The page of charts, and the figures that its script draws."""

import pytest

from emulator.domain.activity import Gauges, Minute, Tally
from emulator.domain.metrics import BY_NAME
from emulator.web.console.charts import CHARTS, SPANS, charts_of, data_of
from tests.kit.api import refusal

MINUTE_MS = 60_000
START_MS = 1_767_225_600_000
"""The beginning of 2026."""


def data(console, queue, account, **parameters):
    return console.get("console/charts/data", queue=queue, account=account, **parameters)


def lines(found, chart):
    (series,) = [one for one in found["charts"] if one["id"] == chart]
    return series["lines"]


def chart_ids(console, queue, account):
    page = console.page("console/charts", queue=queue, account=account)
    return [chart["data-chart"] for chart in page.all("chart")]


def test_a_queue_has_the_charts_of_its_type(console, account):
    console.queue("orders", account)
    console.queue("steps.fifo", account, FifoQueue="true")
    assert chart_ids(console, "orders", account) == ["messages", "age", "rates", "empty", "sizes"]
    assert chart_ids(console, "steps.fifo", account)[-2:] == ["groups", "duplicates"]


def test_each_chart_names_its_metrics_and_has_a_summary_and_a_table(console, account):
    console.queue("orders", account)
    for chart in console.page("console/charts", queue="orders", account=account).all("chart"):
        assert set(chart["data-metric"].split()) <= set(BY_NAME)
        assert chart.one("chart-summary")
        assert chart.one(class_="plot")["aria-hidden"] == "true"
        assert "As a table" in chart.text


def test_figures_are_one_point_a_minute_up_to_the_one_that_runs(console, account):
    console.post("clock/freeze", account=account)
    console.post("clock/set", account=account, now="2026-01-01T00:00:00Z")
    url = console.queue("orders", account)
    console.fill(url, "a", "bcd", account=account)
    console.post("clock/advance", account=account, seconds=60)
    console.sqs("ReceiveMessage", account, QueueUrl=url)
    console.post("clock/advance", account=account, seconds=30)
    found = data(console, "orders", account, minutes=3)
    start_s = START_MS // 1000
    assert found["times"] == [start_s - 60, start_s, start_s + 60]
    assert (found["now_ms"], found["period_s"]) == (START_MS + 90_000, 60)
    assert lines(found, "messages") == [[None, 2, 2], [None, 0, 0], [None, 0, 0]]
    assert lines(found, "age") == [[None, 60, 90]]
    assert lines(found, "rates") == [[None, 2, 0], [None, 0, 1], [None, 0, 0]]
    assert lines(found, "sizes") == [[None, 3, None], [None, 2, None]]


def minute(number, visible, *, sent=0, called=True):
    gauges = Gauges(visible=visible, oldest_ms=START_MS)
    return Minute(START_MS + number * MINUTE_MS, Tally(sent=sent), gauges, called)


def test_of_a_long_time_a_point_stands_for_several_minutes():
    history = [minute(0, 1, sent=4), minute(1, 5, sent=8), minute(2, 0)]
    end_ms = START_MS + 719 * MINUTE_MS
    found = data_of(history, from_ms=START_MS, now_ms=end_ms)
    assert (found.period_s, len(found.times)) == (120, 360)
    messages, rates = found.charts[0], found.charts[2]
    assert messages.lines[0][:2] == [5, 0]
    assert rates.lines[0][:2] == [6, 0]


def test_every_span_has_a_bounded_number_of_points():
    for minutes, _ in SPANS:
        found = data_of([minute(0, 1)], from_ms=START_MS, now_ms=START_MS + minutes * MINUTE_MS - 1)
        assert len(found.times) <= 360


def test_a_queue_without_history_has_times_and_no_values():
    found = data_of([], from_ms=START_MS, now_ms=START_MS)
    assert found.times == [START_MS // 1000]
    assert found.charts[0].lines == [[None], [None], [None]]


def test_lines_are_of_metrics_that_there_are():
    assert {line.metric for chart in CHARTS for line in chart.lines} <= set(BY_NAME)


def test_noisy_groups_are_charted_for_fair_queues_only():
    fair = Gauges(noisy_groups=1, quiet_visible=0, quiet_in_flight=0, quiet_delayed=0)
    ids = {chart.id for chart in charts_of(fair)} - {chart.id for chart in charts_of(Gauges())}
    assert ids == {"quiet", "noisy"}


def test_without_a_choice_the_busiest_queue_is_shown(server, console, account):
    console.queue("idle", account)
    url = console.queue("busy", account)
    console.fill(url, *"abcdefghij", account=account)
    assert "Charts of busy" in console.page("console/charts").one(tag="title").text


def test_alarms_of_the_queue_are_listed_with_their_state(console, account):
    console.queue("orders", account)
    alarm = {
        "AlarmName": "<old>", "Namespace": "AWS/SQS", "MetricName": "ApproximateAgeOfOldestMessage",
        "Dimensions": [{"Name": "QueueName", "Value": "orders"}], "Statistic": "Maximum", "Period": 60,
        "EvaluationPeriods": 1, "Threshold": 600, "ComparisonOperator": "GreaterThanThreshold",
    }  # fmt: skip
    cloudwatch(console, "PutMetricAlarm", account, alarm)
    page = console.page("console/charts", queue="orders", account=account)
    row = page.one("alarm-row")
    assert (row["data-state"], row["data-threshold"]) == ("INSUFFICIENT_DATA", "600.0")
    assert "<old>" in row.text
    assert "Maximum of ApproximateAgeOfOldestMessage > 600 for 1 of 1 × 1 min" in row.text


def cloudwatch(console, action, account, values):
    headers = {
        "authorization": f"AWS4-HMAC-SHA256 Credential={account}/20260101/us-east-1/monitoring/aws4_request",
        "x-amz-target": f"GraniteServiceVersion20100801.{action}",
        "content-type": "application/x-amz-json-1.0",
    }
    assert console.ask("POST", "/", values, headers).status == 200


@pytest.mark.parametrize("span", [{"minutes": "0"}, {"minutes": "x"}, {"hours": "337"}])
def test_a_time_that_is_none_is_refused(console, account, span):
    console.queue("orders", account)
    answer = console.ask("GET", "console/charts/data", queue="orders", account=account, **span)
    assert refusal(answer) == (400, "minutes, hours: must be from 1 minute to 20160 minutes")


def test_a_queue_that_is_not_there_is_not_found(console, account):
    assert console.look("console/charts", queue="none", account=account).status == 404
