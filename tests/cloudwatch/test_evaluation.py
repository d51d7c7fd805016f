"""Which state datapoints give an alarm, and AWS's words for why."""

import json

import pytest

from emulator.cloudwatch.evaluation import state_of
from emulator.cloudwatch.reasons import Seen, reason, reason_data
from emulator.cloudwatch.values import double
from emulator.domain.alarms import Alarm, AlarmState

MINUTE_MS = 60_000
END_MS = 1_767_225_600_000 + 60 * MINUTE_MS
OK, ALARM, INSUFFICIENT_DATA = AlarmState.OK, AlarmState.ALARM, AlarmState.INSUFFICIENT_DATA
STAYS = None
MARKS = {"0": False, "X": True, "-": None}
TREATMENTS = ("missing", "ignore", "breaching", "notBreaching")


def states(datapoints, needed):
    """For each way to treat missing data. The latest datapoint stands on the right."""
    breaches = [MARKS[mark] for mark in reversed(datapoints.split())]
    return [state_of(breaches, periods=3, needed=needed, missing_data=treatment) for treatment in TREATMENTS]


@pytest.mark.parametrize(
    ("datapoints", "expected"),
    [
        ("0 - X - X", [OK, OK, OK, OK]),
        ("- - - - 0", [OK, OK, OK, OK]),
        ("- - - - -", [INSUFFICIENT_DATA, STAYS, ALARM, OK]),
        ("0 X X - X", [ALARM, ALARM, ALARM, ALARM]),
        ("- - X - -", [ALARM, STAYS, ALARM, OK]),
    ],
)
def test_three_of_three_datapoints_as_in_aws_s_table(datapoints, expected):
    assert states(datapoints, needed=3) == expected


@pytest.mark.parametrize(
    ("datapoints", "expected"),
    [
        ("0 - X - X", [ALARM, ALARM, ALARM, ALARM]),
        ("0 0 X 0 X", [ALARM, ALARM, ALARM, ALARM]),
        ("0 - X - -", [OK, OK, ALARM, OK]),
        ("- - - - 0", [OK, OK, ALARM, OK]),
        ("- - - X -", [ALARM, STAYS, ALARM, OK]),
    ],
)
def test_two_of_three_datapoints_as_in_aws_s_table(datapoints, expected):
    assert states(datapoints, needed=2) == expected


@pytest.mark.parametrize("datapoints", ["- - - - X", "- - - X -"])
def test_a_datapoint_that_is_not_old_enough_makes_no_alarm_yet(datapoints):
    assert states(datapoints, needed=3)[0] is STAYS


def test_no_treatment_is_that_of_missing():
    assert state_of([None, None, None], periods=1, needed=1, missing_data=None) is INSUFFICIENT_DATA


def alarm(**members):
    given = {
        "account": "000000000000",
        "region": "us-east-1",
        "name": "old",
        "namespace": "AWS/SQS",
        "metric_name": "NumberOfMessagesSent",
        "statistic": "Sum",
        "period_s": 60,
        "evaluation_periods": 3,
        "threshold": 1.0,
        "comparison": "GreaterThanThreshold",
        "configured_ms": 0,
        "state_updated_ms": 0,
        "state_transitioned_ms": 0,
    }
    return Alarm(**(given | members))


def seen(*values, threshold=1.0):
    """The latest first."""
    return [
        Seen(END_MS - (age + 1) * MINUTE_MS, value, 1, value > threshold) for age, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("given", "values", "state", "text"),
    [
        (
            {},
            [3.0, 0.0, 2.0],
            OK,
            "1 datapoint [0.0 (01/01/26 00:58:00)] was not greater than the threshold (1.0).",
        ),
        (
            {"evaluation_periods": 2},
            [3.0, 2.0],
            ALARM,
            "2 datapoints [3.0 (01/01/26 00:59:00), 2.0 (01/01/26 00:58:00)] were greater than the "
            "threshold (1.0).",
        ),
        (
            {"datapoints_to_alarm": 2},
            [3.0, 0.0, 2.0],
            ALARM,
            "2 out of the last 3 datapoints [3.0 (01/01/26 00:59:00), 2.0 (01/01/26 00:57:00)] were "
            "greater than "
            "the threshold (1.0) (minimum 2 datapoints for OK -> ALARM transition).",
        ),
        (
            {"datapoints_to_alarm": 3},
            [0.0, 2.0, 3.0],
            OK,
            "1 out of the last 3 datapoints [0.0 (01/01/26 00:59:00)] was not greater than the threshold "
            "(1.0) "
            "(minimum 1 datapoint for ALARM -> OK transition).",
        ),
        (
            {"datapoints_to_alarm": 2, "treat_missing_data": "breaching"},
            [0.0],
            ALARM,
            "1 datapoint was received for 3 periods and 2 missing datapoints were treated as [Breaching].",
        ),
        (
            {"evaluation_periods": 2, "treat_missing_data": "breaching"},
            [0.0],
            OK,
            "1 datapoint [0.0 (01/01/26 00:59:00)] was not greater than the threshold (1.0) and 1 missing "
            "datapoint "
            "was treated as [Breaching].",
        ),
        (
            {"treat_missing_data": "notBreaching"},
            [],
            OK,
            "no datapoints were received for 3 periods and 3 missing datapoints were treated as "
            "[NonBreaching].",
        ),
        (
            {"evaluation_periods": 1, "treat_missing_data": "breaching"},
            [],
            ALARM,
            "no datapoints were received for 1 period and 1 missing datapoint was treated as [Breaching].",
        ),
        (
            {"evaluation_periods": 6, "datapoints_to_alarm": 6},
            [7.0, 6.0, 5.0, 4.0, 3.0, 2.0],
            ALARM,
            "6 out of the last 6 datapoints were greater than the threshold (1.0). The most recent "
            "datapoints which "
            "crossed the threshold: [7.0 (01/01/26 00:59:00), 6.0 (01/01/26 00:58:00), 5.0 (01/01/26 "
            "00:57:00), "
            "4.0 (01/01/26 00:56:00), 3.0 (01/01/26 00:55:00)] (minimum 6 datapoints for OK -> ALARM "
            "transition).",
        ),
    ],
)
def test_reasons_are_worded_as_recorded(given, values, state, text):
    assert reason(alarm(**given), seen(*values), state) == f"Threshold Crossed: {text}"


def test_a_reason_for_too_little_data_counts_what_is_unknown():
    assert reason(alarm(), [], INSUFFICIENT_DATA) == "Insufficient Data: 3 datapoints were unknown."


def test_the_data_of_a_reason_has_the_datapoints_that_decided():
    data = reason_data(alarm(unit="Count"), seen(0.0, 3.0, 2.0), OK, END_MS, END_MS + 5_000)
    assert list(json.loads(data).items()) == [
        ("version", "1.0"),
        ("queryDate", "2026-01-01T01:00:05.000+0000"),
        ("startDate", "2026-01-01T00:57:00.000+0000"),
        ("unit", "Count"),
        ("statistic", "Sum"),
        ("period", 60),
        ("recentDatapoints", [2.0, 3.0, 0.0]),
        ("threshold", 1.0),
        (
            "evaluatedDatapoints",
            [{"timestamp": "2026-01-01T00:59:00.000+0000", "sampleCount": 1.0, "value": 0.0}],
        ),
    ]


def test_the_data_of_a_reason_names_periods_without_datapoints():
    data = json.loads(reason_data(alarm(evaluation_periods=2), [], INSUFFICIENT_DATA, END_MS, END_MS))
    assert "startDate" not in data
    assert data["evaluatedDatapoints"] == [
        {"timestamp": "2026-01-01T00:59:00.000+0000"},
        {"timestamp": "2026-01-01T00:58:00.000+0000"},
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.0"),
        (21.5, "21.5"),
        (9_999_999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-12_345_678.5, "-1.23456785E7"),
        (0.001, "0.001"),
        (0.00025, "2.5E-4"),
    ],
)
def test_numbers_are_spelled_as_in_java(value, text):
    assert double(value) == text
