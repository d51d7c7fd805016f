"""Alarms on metrics of queues, by the emulator's clock."""

import json

import pytest
from botocore.exceptions import ClientError

from emulator.settings import Settings
from tests.cloudwatch.conftest import HOUR_S, MINUTE_S, client, of
from tests.support.server import running_server


def put(cloudwatch, name="old", **members):
    asked = {
        "AlarmName": name,
        "Namespace": "AWS/SQS",
        "MetricName": "ApproximateAgeOfOldestMessage",
        "Dimensions": of("orders"),
        "Statistic": "Maximum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 3600,
        "ComparisonOperator": "GreaterThanThreshold",
    } | members
    cloudwatch.put_metric_alarm(**{member: value for member, value in asked.items() if value is not None})


def alarm(cloudwatch, name="old"):
    (found,) = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
    return found


def state(cloudwatch, name="old"):
    return alarm(cloudwatch, name)["StateValue"]


def test_two_hours_later_the_age_alarm_is_in_alarm(sqs, cloudwatch, server, orders):
    put(cloudwatch)
    assert state(cloudwatch) == "INSUFFICIENT_DATA"
    assert alarm(cloudwatch)["StateReason"] == "Unchecked: Initial alarm creation"
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=30 * MINUTE_S)
    assert state(cloudwatch) == "OK"
    server.clock.advance(seconds=90 * MINUTE_S)
    found = alarm(cloudwatch)
    assert found["StateValue"] == "ALARM"
    assert found["StateReason"] == (
        "Threshold Crossed: 1 datapoint [7200.0 (01/01/26 01:59:00)] was greater than the threshold (3600.0)."
    )
    data = json.loads(found["StateReasonData"])
    assert (data["recentDatapoints"], data["threshold"], data["period"]) == ([7200.0], 3600.0, 60)
    assert found["StateUpdatedTimestamp"].timestamp() * 1000 == server.clock.now_ms()
    (message,) = sqs.receive_message(QueueUrl=orders)["Messages"]
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
    server.clock.advance(seconds=MINUTE_S)
    assert state(cloudwatch) == "ALARM"
    server.clock.advance(seconds=2 * MINUTE_S)
    assert state(cloudwatch) == "INSUFFICIENT_DATA"
    assert alarm(cloudwatch)["StateReason"] == "Insufficient Data: 1 datapoint was unknown."


def test_a_dead_letter_queue_that_fills_rings(sqs, cloudwatch, server, orders):
    put(
        cloudwatch,
        MetricName="ApproximateNumberOfMessagesVisible",
        Threshold=0,
        EvaluationPeriods=3,
        DatapointsToAlarm=2,
    )
    server.clock.advance(seconds=3 * MINUTE_S)
    assert state(cloudwatch) == "OK"
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=MINUTE_S)
    assert state(cloudwatch) == "OK"
    server.clock.advance(seconds=MINUTE_S)
    assert alarm(cloudwatch)["StateReason"] == (
        "Threshold Crossed: 2 out of the last 3 datapoints "
        "[1.0 (01/01/26 00:04:00), 1.0 (01/01/26 00:03:00)] "
        "were greater than the threshold (0.0) (minimum 2 datapoints for OK -> ALARM transition)."
    )


@pytest.mark.parametrize(
    ("treatment", "expected"),
    [
        ("missing", "INSUFFICIENT_DATA"),
        (None, "INSUFFICIENT_DATA"),
        ("breaching", "ALARM"),
        ("notBreaching", "OK"),
        ("ignore", "INSUFFICIENT_DATA"),
    ],
)
def test_missing_data_is_treated_as_the_alarm_says(cloudwatch, server, orders, treatment, expected):
    put(cloudwatch, TreatMissingData=treatment)
    server.clock.advance(seconds=MINUTE_S)
    assert state(cloudwatch) == expected


def test_a_state_that_is_ignored_stays(sqs, cloudwatch, server, orders):
    put(
        cloudwatch, TreatMissingData="ignore", Threshold=0, ComparisonOperator="GreaterThanOrEqualToThreshold"
    )
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=MINUTE_S)
    assert state(cloudwatch) == "ALARM"
    (message,) = sqs.receive_message(QueueUrl=orders)["Messages"]
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=message["ReceiptHandle"])
    server.clock.advance(seconds=10 * MINUTE_S)
    assert state(cloudwatch) == "ALARM"


@pytest.mark.parametrize(
    ("operator", "threshold", "expected"),
    [
        ("GreaterThanThreshold", 1, "OK"),
        ("GreaterThanOrEqualToThreshold", 1, "ALARM"),
        ("LessThanThreshold", 1, "OK"),
        ("LessThanOrEqualToThreshold", 1, "ALARM"),
    ],
)
def test_comparisons(sqs, cloudwatch, server, orders, operator, threshold, expected):
    put(
        cloudwatch,
        MetricName="ApproximateNumberOfMessagesVisible",
        Threshold=threshold,
        ComparisonOperator=operator,
    )
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=MINUTE_S)
    assert state(cloudwatch) == expected


def test_periods_end_at_any_minute(sqs, cloudwatch, server, orders):
    put(
        cloudwatch,
        MetricName="NumberOfMessagesSent",
        Statistic="Sum",
        Period=300,
        Threshold=1,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
    )
    server.clock.advance(seconds=7 * MINUTE_S)
    assert state(cloudwatch) == "OK"
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=MINUTE_S)
    assert alarm(cloudwatch)["StateReason"] == (
        "Threshold Crossed: 1 datapoint [1.0 (01/01/26 00:03:00)] was greater than or equal to the "
        "threshold (1.0)."
    )
    server.clock.advance(seconds=5 * MINUTE_S)
    assert state(cloudwatch) == "OK"


def test_a_state_that_was_set_holds_until_the_alarm_is_evaluated(sqs, cloudwatch, server, orders):
    put(cloudwatch, Threshold=10**6)
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=MINUTE_S)
    cloudwatch.set_alarm_state(
        AlarmName="old", StateValue="ALARM", StateReason="a test", StateReasonData='{"why": "a test"}'
    )
    found = alarm(cloudwatch)
    assert (found["StateValue"], found["StateReason"]) == ("ALARM", "a test")
    assert found["StateReasonData"] == '{"why": "a test"}'
    server.clock.advance(seconds=MINUTE_S)
    assert state(cloudwatch) == "OK"


def test_an_alarm_is_described_as_it_was_put(cloudwatch, orders):
    put(
        cloudwatch,
        AlarmDescription="too old",
        ActionsEnabled=False,
        AlarmActions=["arn:aws:sns:us-east-1:000000000000:ops"],
        DatapointsToAlarm=1,
        TreatMissingData="notBreaching",
        Unit="Seconds",
    )
    found = alarm(cloudwatch)
    assert found["AlarmArn"] == "arn:aws:cloudwatch:us-east-1:000000000000:alarm:old"
    assert found["AlarmDescription"] == "too old"
    assert found["ActionsEnabled"] is False
    assert found["AlarmActions"] == ["arn:aws:sns:us-east-1:000000000000:ops"]
    assert (found["OKActions"], found["InsufficientDataActions"]) == ([], [])
    assert (found["Period"], found["EvaluationPeriods"], found["DatapointsToAlarm"]) == (60, 1, 1)
    assert (found["Threshold"], found["Unit"], found["Dimensions"]) == (3600.0, "Seconds", of("orders"))
    assert found["TreatMissingData"] == "notBreaching"


def test_alarms_are_found_by_prefix_state_action_and_metric_and_read_in_pages(cloudwatch, orders):
    for number in range(3):
        put(cloudwatch, f"age-{number}")
    put(cloudwatch, "depth", MetricName="ApproximateNumberOfMessagesVisible", OKActions=["arn:aws:sns:x"])

    def names(**members):
        return [one["AlarmName"] for one in cloudwatch.describe_alarms(**members)["MetricAlarms"]]

    assert names(AlarmNamePrefix="age-") == ["age-0", "age-1", "age-2"]
    assert names(ActionPrefix="arn:aws:sns") == ["depth"]
    assert names(StateValue="OK") == []
    assert names(AlarmTypes=["CompositeAlarm"]) == []
    pages = cloudwatch.get_paginator("describe_alarms").paginate(PaginationConfig={"PageSize": 3})
    assert [[one["AlarmName"] for one in page["MetricAlarms"]] for page in pages] == [
        ["age-0", "age-1", "age-2"],
        ["depth"],
    ]
    found = cloudwatch.describe_alarms_for_metric(
        Namespace="AWS/SQS", MetricName="ApproximateNumberOfMessagesVisible", Dimensions=of("orders")
    )
    assert [one["AlarmName"] for one in found["MetricAlarms"]] == ["depth"]


def test_pages_go_on_although_what_was_read_is_deleted(cloudwatch, orders):
    for number in range(3):
        put(cloudwatch, f"age-{number}")
    page = cloudwatch.describe_alarms(MaxRecords=2)
    cloudwatch.delete_alarms(AlarmNames=[one["AlarmName"] for one in page["MetricAlarms"]])
    rest = cloudwatch.describe_alarms(MaxRecords=2, NextToken=page["NextToken"])["MetricAlarms"]
    assert [one["AlarmName"] for one in rest] == ["age-2"]


def test_a_state_must_be_one_that_there_is(cloudwatch, orders):
    put(cloudwatch)
    with pytest.raises(ClientError) as refused:
        cloudwatch.set_alarm_state(AlarmName="old", StateValue="INVALID", StateReason="x")
    assert refused.value.response["Error"]["Message"] == (
        "1 validation error detected: Value 'INVALID' at 'stateValue' failed to satisfy constraint: "
        "Member must satisfy enum value set: [INSUFFICIENT_DATA, ALARM, OK]"
    )


def test_a_deleted_alarm_is_gone_and_one_that_never_was_is_no_error(cloudwatch, orders):
    put(cloudwatch)
    cloudwatch.delete_alarms(AlarmNames=["old", "never"])
    assert cloudwatch.describe_alarms()["MetricAlarms"] == []


def test_alarms_belong_to_their_account_and_region(server, cloudwatch, orders):
    put(cloudwatch)
    assert client("cloudwatch", server, "111111111111").describe_alarms()["MetricAlarms"] == []
    assert client("cloudwatch", server, region="eu-west-1").describe_alarms()["MetricAlarms"] == []


def test_alarms_survive_a_restart_and_a_queue_s_deletion_leaves_them_without_data(tmp_path):
    settings = Settings(data=str(tmp_path / "data.db"))
    with running_server(settings) as server:
        sqs = client("sqs", server)
        queue = sqs.create_queue(QueueName="orders")["QueueUrl"]
        sqs.send_message(QueueUrl=queue, MessageBody="x")
        put(client("cloudwatch", server))
        server.clock.advance(seconds=2 * HOUR_S)
        assert state(client("cloudwatch", server)) == "ALARM"
    with running_server(settings) as server:
        server.clock.advance(seconds=2 * HOUR_S + MINUTE_S)
        cloudwatch = client("cloudwatch", server)
        assert state(cloudwatch) == "ALARM"
        client("sqs", server).delete_queue(QueueUrl=f"{server.url}/000000000000/orders")
        assert state(cloudwatch) == "INSUFFICIENT_DATA"


@pytest.mark.parametrize(
    ("members", "code", "text"),
    [
        ({"Period": 90}, "ValidationError", "Period must be 10, 20, 30 or a multiple of 60"),
        ({"Threshold": None}, "ValidationError", "The parameter Threshold must be specified"),
        ({"Threshold": float("nan")}, "ValidationError", "The parameter Threshold must be a finite number."),
        ({"ComparisonOperator": None}, "ValidationError", "Value null at 'comparisonOperator'"),
        ({"AlarmActions": ["arn:a"] * 6}, "ValidationError", "have length less than or equal to 5"),
        ({"AlarmDescription": "x" * 1025}, "ValidationError", "have length less than or equal to 1024"),
        ({"Statistic": "Median"}, "ValidationError", "'Median' at 'statistic'"),
        ({"ComparisonOperator": "Like"}, "ValidationError", "'Like' at 'comparisonOperator'"),
        ({"TreatMissingData": "maybe"}, "ValidationError", "'maybe' at 'treatMissingData'"),
        ({"DatapointsToAlarm": 2}, "ValidationError", "DatapointsToAlarm"),
        (
            {"EvaluationPeriods": 1441},
            "ValidationError",
            "Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400) "
            "for alarms using period < 3600",
        ),
        (
            {"EvaluationPeriods": 8, "Period": 86400},
            "ValidationError",
            "Metrics cannot be checked across more than a week (EvaluationPeriods * Period must be <= "
            "604800) "
            "for alarms using period >= 3600",
        ),
        ({"ExtendedStatistic": "p99"}, "ValidationError", "ExtendedStatistic"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_bad_alarms_are_refused_and_nothing_is_kept(cloudwatch, orders, members, code, text):
    with pytest.raises(ClientError) as refused:
        put(cloudwatch, **members)
    assert refused.value.response["Error"]["Code"] == code
    assert text in refused.value.response["Error"]["Message"]
    assert cloudwatch.describe_alarms()["MetricAlarms"] == []


def test_the_state_of_an_alarm_that_there_is_not_cannot_be_set(cloudwatch):
    with pytest.raises(ClientError) as refused:
        cloudwatch.set_alarm_state(AlarmName="none", StateValue="OK", StateReason="x")
    error = refused.value.response["Error"]
    assert (error["Code"], error["Message"]) == ("ResourceNotFound", "")
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404
