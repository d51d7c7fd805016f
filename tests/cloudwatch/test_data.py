"""Metrics of queues, as boto3 reads them."""

import pytest
from botocore.exceptions import ClientError

from tests.cloudwatch.conftest import HOUR_S, MINUTE_S, client, now_s, of


def statistics(cloudwatch, server, metric, *names, minutes=60, period=60, queue="orders", **members):
    now = now_s(server)
    asked = {
        "Namespace": "AWS/SQS",
        "MetricName": metric,
        "Dimensions": of(queue),
        "StartTime": now - minutes * MINUTE_S,
        "EndTime": now,
        "Period": period,
        "Statistics": list(names),
    } | members
    given = {member: value for member, value in asked.items() if value is not None}
    return cloudwatch.get_metric_statistics(**given)["Datapoints"]


def data_query(metric="NumberOfMessagesSent", stat="Sum", period=60, query_id="a", **members):
    named = {"Namespace": "AWS/SQS", "MetricName": metric, "Dimensions": of("orders")}
    return {"Id": query_id, "MetricStat": {"Metric": named, "Period": period, "Stat": stat}, **members}


def data(cloudwatch, server, *queries, minutes=60, **members):
    now = now_s(server)
    return cloudwatch.get_metric_data(
        MetricDataQueries=list(queries), StartTime=now - minutes * MINUTE_S, EndTime=now, **members
    )


def send(sqs, queue, *bodies):
    for body in bodies:
        sqs.send_message(QueueUrl=queue, MessageBody=body)


def test_what_was_sent_received_and_deleted_is_counted_in_its_minute(sqs, cloudwatch, server, orders):
    send(sqs, orders, "12", "1234")
    (message,) = sqs.receive_message(QueueUrl=orders)["Messages"]
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
    server.clock.advance(seconds=MINUTE_S)
    send(sqs, orders, "123456")
    server.clock.advance(seconds=MINUTE_S)

    def values(metric, name):
        return [point[name] for point in statistics(cloudwatch, server, metric, name)]

    assert values("NumberOfMessagesSent", "Sum") == [2.0, 1.0]
    assert values("NumberOfMessagesReceived", "Sum") == [1.0, 0.0]
    assert values("NumberOfMessagesDeleted", "Sum") == [1.0, 0.0]
    assert values("SentMessageSize", "Average") == [3.0, 6.0]
    assert values("SentMessageSize", "Minimum") == [2.0, 6.0]
    assert values("SentMessageSize", "Maximum") == [4.0, 6.0]
    assert values("SentMessageSize", "SampleCount") == [2.0, 1.0]
    assert values("ApproximateNumberOfMessagesVisible", "Maximum") == [1.0, 2.0]


def test_longer_periods_sum_their_minutes_up(sqs, cloudwatch, server, orders):
    for _ in range(3):
        send(sqs, orders, "x")
        server.clock.advance(seconds=MINUTE_S)
    (point,) = statistics(
        cloudwatch, server, "NumberOfMessagesSent", "Sum", "SampleCount", minutes=5, period=300
    )
    assert (point["Sum"], point["SampleCount"], point["Unit"]) == (3.0, 3.0, "Count")
    assert point["Timestamp"].timestamp() == now_s(server) - 300


def test_the_age_grows_while_nobody_does_anything(sqs, cloudwatch, server, orders):
    send(sqs, orders, "x")
    server.clock.advance(seconds=2 * HOUR_S)
    found = statistics(cloudwatch, server, "ApproximateAgeOfOldestMessage", "Maximum", minutes=3)
    assert [point["Maximum"] for point in found] == [7080.0, 7140.0, 7200.0]
    assert {point["Unit"] for point in found} == {"Seconds"}


def test_an_empty_long_poll_counts_once(sqs, cloudwatch, server, orders):
    sqs.receive_message(QueueUrl=orders)
    server.clock.advance(seconds=MINUTE_S)
    assert [point["Sum"] for point in statistics(cloudwatch, server, "NumberOfEmptyReceives", "Sum")] == [1.0]


def test_get_metric_data_answers_several_queries_the_latest_first(sqs, cloudwatch, server, orders):
    send(sqs, orders, "x", "y")
    server.clock.advance(seconds=MINUTE_S)
    send(sqs, orders, "z")
    server.clock.advance(seconds=MINUTE_S)
    sent, visible = data(
        cloudwatch,
        server,
        data_query(),
        data_query("ApproximateNumberOfMessagesVisible", "Maximum", query_id="b", Label="left"),
        data_query(query_id="c", ReturnData=False),
    )["MetricDataResults"]
    assert (sent["Id"], sent["Label"], sent["Values"], sent["StatusCode"]) == (
        "a",
        "NumberOfMessagesSent",
        [1.0, 2.0],
        "Complete",
    )
    assert (visible["Id"], visible["Label"], visible["Values"]) == ("b", "left", [3.0, 2.0])
    assert [at.timestamp() for at in sent["Timestamps"]] == [now_s(server) - 60, now_s(server) - 120]


def test_get_metric_data_is_read_in_pages(sqs, cloudwatch, server, orders):
    send(sqs, orders, "x")
    server.clock.advance(seconds=5 * MINUTE_S)
    asked = {"ScanBy": "TimestampAscending", "MaxDatapoints": 2}
    pages = [data(cloudwatch, server, data_query(), **asked)]
    while "NextToken" in pages[-1]:
        pages.append(data(cloudwatch, server, data_query(), NextToken=pages[-1]["NextToken"], **asked))
    results = [page["MetricDataResults"][0] for page in pages]
    assert [result["Values"] for result in results] == [[1.0, 0.0], [0.0, 0.0], [0.0]]
    assert [result["StatusCode"] for result in results] == ["PartialData", "PartialData", "Complete"]


@pytest.mark.parametrize(
    ("stats", "labels"),
    [
        (
            [("Sum", 60), ("Minimum", 300)],
            ["NumberOfMessagesSent Sum 60", "NumberOfMessagesSent Minimum 300"],
        ),
        ([("Sum", 60), ("Minimum", 60)], ["NumberOfMessagesSent Sum", "NumberOfMessagesSent Minimum"]),
        ([("Sum", 60), ("Sum", 300)], ["NumberOfMessagesSent 60", "NumberOfMessagesSent 300"]),
        ([("Sum", 60), ("Sum", 60)], ["NumberOfMessagesSent", "NumberOfMessagesSent"]),
    ],
    ids=["both", "statistic", "period", "neither"],
)
def test_labels_say_by_what_the_queries_differ(cloudwatch, server, orders, stats, labels):
    queries = [
        data_query(stat=stat, period=period, query_id=stat[0].lower() + str(number))
        for number, (stat, period) in enumerate(stats)
    ]
    found = data(cloudwatch, server, *queries)["MetricDataResults"]
    assert [result["Label"] for result in found] == labels


@pytest.mark.parametrize(
    "members",
    [{"Namespace": "AWS/EC2"}, {"MetricName": "Nonsense"}, {"Dimensions": of("other")}, {"Unit": "Bytes"}],
    ids=lambda members: next(iter(members)),
)
def test_what_there_is_not_has_no_datapoints(sqs, cloudwatch, server, orders, members):
    send(sqs, orders, "x")
    server.clock.advance(seconds=MINUTE_S)
    assert statistics(cloudwatch, server, "NumberOfMessagesSent", "Sum") != []
    assert statistics(cloudwatch, server, "NumberOfMessagesSent", "Sum", **members) == []


@pytest.mark.parametrize(
    ("members", "code", "text"),
    [
        ({"Period": 30}, "InvalidParameterValue", "Period must be a multiple of 60"),
        ({"Statistics": None}, "InvalidParameterCombination", "At least one of the parameters"),
        ({"Statistics": ["Median"]}, "InvalidParameterValue", "Median"),
        ({"ExtendedStatistics": ["p99"]}, "InvalidParameterValue", "ExtendedStatistics"),
        ({"StartTime": 0}, "InvalidParameterCombination", "which exceeds the limit of 1440."),
        ({"EndTime": 0}, "InvalidParameterValue", "StartTime must be less than the parameter EndTime"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_bad_parameters_are_refused(cloudwatch, server, orders, members, code, text):
    with pytest.raises(ClientError) as refused:
        statistics(cloudwatch, server, "NumberOfMessagesSent", "Sum", **members)
    assert refused.value.response["Error"]["Code"] == code
    assert text in refused.value.response["Error"]["Message"]
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"Id": "a", "Expression": "SUM(METRICS())"}, "no metric math"),
        ({"Id": "a"}, "Either MetricStat or Expression"),
        (
            data_query(query_id="A-1"),
            "The value A-1 for parameter MetricDataQueries.member.1.Id is not matching the expected pattern "
            "^[a-z][a-zA-Z0-9_]*$.",
        ),
        (data_query(stat="p99"), "is not supported"),
    ],
    ids=["expression", "nothing", "id", "percentile"],
)
def test_data_queries_that_are_not_understood_are_refused(cloudwatch, server, orders, query, text):
    with pytest.raises(ClientError) as refused:
        data(cloudwatch, server, query)
    assert refused.value.response["Error"]["Code"] == "ValidationError"
    assert text in refused.value.response["Error"]["Message"]


def test_metrics_are_listed_for_the_queues_of_the_account_and_region(sqs, cloudwatch, server, orders):
    sqs.create_queue(QueueName="orders.fifo", Attributes={"FifoQueue": "true"})
    elsewhere = client("cloudwatch", server, region="eu-west-1")
    assert elsewhere.list_metrics()["Metrics"] == []
    found = cloudwatch.list_metrics(Namespace="AWS/SQS")["Metrics"]
    assert {"ApproximateNumberOfGroupsWithInflightMessages", "NumberOfDeduplicatedSentMessages"} == {
        metric["MetricName"] for metric in found if metric["Dimensions"] == of("orders.fifo")
    } - {metric["MetricName"] for metric in found if metric["Dimensions"] == of("orders")}
    (one,) = cloudwatch.list_metrics(MetricName="NumberOfMessagesSent", Dimensions=of("orders"))["Metrics"]
    assert one == {
        "Namespace": "AWS/SQS",
        "MetricName": "NumberOfMessagesSent",
        "Dimensions": of("orders"),
    }


def test_many_metrics_are_listed_in_pages_and_inactive_queues_can_be_left_out(sqs, cloudwatch, server):
    for number in range(60):
        sqs.create_queue(QueueName=f"queue-{number}")
    pages = list(cloudwatch.get_paginator("list_metrics").paginate(RecentlyActive="PT3H"))
    assert [len(page["Metrics"]) for page in pages] == [500, 40]
    server.clock.advance(seconds=9 * HOUR_S + MINUTE_S)
    assert cloudwatch.list_metrics(RecentlyActive="PT3H")["Metrics"] == []
