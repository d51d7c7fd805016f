import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.domain.attributes import (
    QUEUE_ATTRIBUTES,
    changed_attributes,
    new_attributes,
    wants_fifo,
)
from emulator.errors import (
    InvalidAttributeName,
    InvalidAttributeValue,
    InvalidParameterValue,
    MissingParameter,
    OverLimit,
)
from tests.domain.factories import queue, refused

DLQ = "arn:aws:sqs:us-east-1:000000000000:dlq"
REDRIVE = f'{{"deadLetterTargetArn":"{DLQ}","maxReceiveCount":3}}'
SPACED_REDRIVE = f'{{"maxReceiveCount": "3", "deadLetterTargetArn": "{DLQ}"}}'
POLICY = '{"Statement":[{"Effect":"Allow"}]}'
FIFO = {"FifoQueue": "true"}

RANGES = [
    ("DelaySeconds", 0, 900),
    ("MaximumMessageSize", 1024, 1_048_576),
    ("MessageRetentionPeriod", 60, 1_209_600),
    ("ReceiveMessageWaitTimeSeconds", 0, 20),
    ("VisibilityTimeout", 0, 43_200),
    ("KmsDataKeyReusePeriodSeconds", 60, 86_400),
]
READ_ONLY = [
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesDelayed",
    "ApproximateNumberOfMessagesNotVisible",
    "CreatedTimestamp",
    "LastModifiedTimestamp",
    "QueueArn",
]


def changed(attributes, name="orders", **given):
    return changed_attributes(queue(name, **attributes), given)


# The table


def test_the_table_has_the_21_documented_attributes():
    assert len(QUEUE_ATTRIBUTES) == 21
    assert [name for name, row in QUEUE_ATTRIBUTES.items() if row.access == "read"] == READ_ONLY
    assert [name for name, row in QUEUE_ATTRIBUTES.items() if row.access == "create"] == ["FifoQueue"]
    assert [name for name, row in QUEUE_ATTRIBUTES.items() if row.fifo_only] == [
        "FifoQueue",
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "FifoThroughputLimit",
    ]


# Values, in CreateQueue and SetQueueAttributes alike


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_both_ends_of_a_range_are_accepted(name, low, high):
    for value in (str(low), str(high)):
        assert new_attributes(False, {name: value}) == {name: value}
        assert changed({}, **{name: value}) == {name: value}


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_beyond_a_range_the_text_names_the_attribute(name, low, high):
    for value in (low - 1, high + 1, -1, "", "x", "1.5", " 60", "60 ", "٦٠", "9" * 5000):
        with refused(InvalidAttributeValue, f"Invalid value for the parameter {name}."):
            new_attributes(False, {name: str(value)})
        with refused(InvalidAttributeValue, f"Invalid value for the parameter {name}."):
            changed({}, **{name: str(value)})


@given(st.sampled_from(RANGES), st.integers(-5, 1_300_000))
def test_a_number_is_accepted_exactly_in_its_range(row, value):
    name, low, high = row
    try:
        assert new_attributes(False, {name: str(value)}) == {name: str(value)}
    except InvalidAttributeValue:
        assert not low <= value <= high
    else:
        assert low <= value <= high


def test_numbers_are_kept_in_canonical_form():
    assert new_attributes(False, {"VisibilityTimeout": "0045"}) == {"VisibilityTimeout": "45"}


@pytest.mark.parametrize("name", ["SqsManagedSseEnabled", "ContentBasedDeduplication"])
@pytest.mark.parametrize(("text", "value"), [("true", "true"), ("True", "true"), ("False", "false")])
def test_booleans_are_kept_in_lower_case(name, text, value):
    assert new_attributes(True, {**FIFO, name: text}) == {**FIFO, name: value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SqsManagedSseEnabled", "yes"),
        ("SqsManagedSseEnabled", ""),
        ("ContentBasedDeduplication", "1"),
        ("DeduplicationScope", "Queue"),
        ("DeduplicationScope", ""),
        ("FifoThroughputLimit", "perGroup"),
        ("Policy", "x"),
    ],
)
def test_values_that_are_not_listed_are_refused(name, value):
    with refused(InvalidAttributeValue, f"Invalid value for the parameter {name}."):
        new_attributes(True, {**FIFO, name: value})
    with refused(InvalidAttributeValue, f"Invalid value for the parameter {name}."):
        changed({}, "orders.fifo", **{name: value})


def test_policies_are_kept_in_canonical_form_but_the_access_policy_as_given():
    allow = '{ "redrivePermission": "allowAll" }'
    given = {"Policy": POLICY + " ", "RedrivePolicy": SPACED_REDRIVE, "RedriveAllowPolicy": allow}
    expected = {
        "Policy": POLICY + " ",
        "RedrivePolicy": REDRIVE,
        "RedriveAllowPolicy": '{"redrivePermission":"allowAll"}',
    }
    assert new_attributes(False, given) == expected
    assert changed({}, **given) == expected


@pytest.mark.parametrize("name", ["RedrivePolicy", "RedriveAllowPolicy"])
def test_bad_redrive_policies_are_refused(name):
    with refused(InvalidParameterValue):
        new_attributes(False, {name: "x"})
    with refused(InvalidParameterValue):
        changed({}, **{name: "x"})


def test_a_changed_redrive_policy_stays_in_the_account():
    text = REDRIVE.replace("000000000000", "111111111111")
    with refused(
        InvalidParameterValue,
        f"Value {text} for parameter RedrivePolicy is invalid. "
        "Reason: Dead-letter target owner should be same as the source.",
    ):
        changed({}, RedrivePolicy=text)


def test_too_many_statements_have_another_error_on_creation():
    policy = '{"Statement":[' + ",".join(['{"Effect":"Allow"}'] * 21) + "]}"
    with refused(
        InvalidParameterValue, "21 statements were found in the submitted policy, max allowed is 20"
    ):
        new_attributes(False, {"Policy": policy})
    with refused(OverLimit, "21 Statements were found, maximum allowed is 20."):
        changed({}, Policy=policy)


@pytest.mark.parametrize("name", ["Foobar", "All", "", "visibilityTimeout", *READ_ONLY])
def test_unknown_and_read_only_attributes_cannot_be_set(name):
    with refused(InvalidAttributeName, f"Unknown Attribute {name}."):
        new_attributes(True, {**FIFO, name: "1"})
    with refused(InvalidAttributeName, f"Unknown Attribute {name}."):
        changed({}, "orders.fifo", **{name: "1"})


def test_an_unknown_name_is_quoted_without_control_characters():
    with refused(InvalidAttributeName, "Unknown Attribute a\\u0000."):
        new_attributes(False, {"a\0": "1"})


# CreateQueue


@pytest.mark.parametrize(
    ("given", "fifo"),
    [
        ({}, False),
        ({"FifoQueue": "true"}, True),
        ({"FifoQueue": "True"}, True),
        ({"FifoQueue": "false"}, False),
        ({"FifoQueue": ""}, False),
    ],
)
def test_fifo_queue_true_asks_for_a_fifo_queue(given, fifo):
    assert wants_fifo(given) is fifo


def test_a_new_queue_keeps_only_what_was_given():
    assert new_attributes(False, {}) == {}
    given = {"FifoQueue": "True", "VisibilityTimeout": "30"}
    assert new_attributes(True, given) == {"FifoQueue": "true", "VisibilityTimeout": "30"}


@pytest.mark.parametrize("name", ["Policy", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId"])
def test_an_empty_text_is_not_set(name):
    assert new_attributes(False, {name: ""}) == {}


# Recorded, E1 rows 5 to 8.
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("FifoQueue", "false", "Unknown Attribute FifoQueue."),
        ("FifoQueue", "true", "Unknown Attribute FifoQueue."),
        ("ContentBasedDeduplication", "true", "Unknown Attribute ContentBasedDeduplication."),
        (
            "DeduplicationScope",
            "queue",
            "You can specify the DeduplicationScope only when FifoQueue is set to true.",
        ),
        (
            "FifoThroughputLimit",
            "perQueue",
            "You can specify the FifoThroughputLimit only when FifoQueue is set to true.",
        ),
    ],
)
def test_a_new_standard_queue_has_no_fifo_attributes(name, value, message):
    with refused(InvalidAttributeName, message):
        new_attributes(False, {name: value})


# SetQueueAttributes


def test_given_attributes_are_replaced_and_others_kept():
    current = {"DelaySeconds": "5", "VisibilityTimeout": "60"}
    assert changed(current, VisibilityTimeout="0") == {"DelaySeconds": "5", "VisibilityTimeout": "0"}


def test_one_bad_value_rejects_the_call():
    with refused(InvalidAttributeValue, "Invalid value for the parameter VisibilityTimeout."):
        changed({}, DelaySeconds="5", VisibilityTimeout="-1")


def test_something_must_be_changed():
    with refused(MissingParameter, "The request must contain the parameter Attribute.Name."):
        changed({})


@pytest.mark.parametrize(
    ("name", "value"), [("Policy", POLICY), ("RedrivePolicy", REDRIVE), ("RedriveAllowPolicy", "{}")]
)
def test_an_empty_text_removes_an_attribute_also_one_that_is_not_set(name, value):
    assert changed({name: value, "DelaySeconds": "5"}, **{name: ""}) == {"DelaySeconds": "5"}
    assert changed({}, **{name: ""}) == {}


# Recorded, E1 rows 14 and 15.
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FifoQueue", "true"),
        ("FifoQueue", "false"),
        ("ContentBasedDeduplication", "false"),
        ("DeduplicationScope", "queue"),
        ("FifoThroughputLimit", "perQueue"),
    ],
)
def test_a_standard_queue_knows_no_fifo_attributes(name, value):
    with refused(InvalidAttributeName, f"Unknown Attribute {name}."):
        changed({}, **{name: value})


def test_the_type_of_a_queue_cannot_change():
    assert changed({}, "orders.fifo", FifoQueue="true") == FIFO
    with refused(
        InvalidAttributeValue,
        "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.",
    ):
        changed({}, "orders.fifo", FifoQueue="False")
    with refused(InvalidAttributeValue, "Invalid value for the parameter FifoQueue."):
        changed({}, "orders.fifo", FifoQueue="x")


def test_throughput_per_message_group_needs_the_scope_message_group():
    both = {"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}
    text = "The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup"
    assert new_attributes(True, {**FIFO, **both}) == {**FIFO, **both}
    assert changed({"DeduplicationScope": "messageGroup"}, "o.fifo", FifoThroughputLimit="perMessageGroupId")
    assert changed({}, "o.fifo", **both) == {**FIFO, **both}
    assert changed({}, "o.fifo", DeduplicationScope="messageGroup")
    with refused(InvalidParameterValue, text):
        new_attributes(True, {**FIFO, "FifoThroughputLimit": "perMessageGroupId"})
    with refused(InvalidParameterValue, text):
        changed({}, "o.fifo", FifoThroughputLimit="perMessageGroupId")
    with refused(InvalidParameterValue, text):
        changed(both, "o.fifo", DeduplicationScope="queue")
