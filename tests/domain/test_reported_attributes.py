import pytest

from emulator.domain.attributes import (
    first_difference,
    new_attributes,
    reported_attributes,
    wants_counts,
)
from emulator.domain.model import Counts
from emulator.errors import InvalidAttributeName
from tests.domain.factories import queue, refused

DLQ = "arn:aws:sqs:us-east-1:000000000000:dlq"
REDRIVE = f'{{"deadLetterTargetArn":"{DLQ}","maxReceiveCount":3}}'
SPACED_REDRIVE = f'{{"maxReceiveCount": "3", "deadLetterTargetArn": "{DLQ}"}}'
POLICY = '{"Statement":[{"Effect":"Allow"}]}'
COUNTS = Counts(visible=1, in_flight=2, delayed=3)
KMS = {"KmsMasterKeyId": "alias/mine", "KmsDataKeyReusePeriodSeconds": "600", "SqsManagedSseEnabled": "false"}
STANDARD_REPORT = {
    "ApproximateNumberOfMessages": "1",
    "ApproximateNumberOfMessagesDelayed": "3",
    "ApproximateNumberOfMessagesNotVisible": "2",
    "CreatedTimestamp": "1700000000",
    "LastModifiedTimestamp": "1700000001",
    "QueueArn": "arn:aws:sqs:us-east-1:000000000000:orders",
    "DelaySeconds": "0",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "VisibilityTimeout": "30",
    "SqsManagedSseEnabled": "true",
}
FIFO_REPORT = {
    **STANDARD_REPORT,
    "QueueArn": "arn:aws:sqs:us-east-1:000000000000:orders.fifo",
    "FifoQueue": "true",
    "ContentBasedDeduplication": "false",
    "DeduplicationScope": "queue",
    "FifoThroughputLimit": "perQueue",
}


# CreateQueue on an existing name


@pytest.mark.parametrize(
    ("current", "given"),
    [
        ({}, {}),
        ({"VisibilityTimeout": "60"}, {}),
        ({}, {"VisibilityTimeout": "30", "DelaySeconds": "0", "SqsManagedSseEnabled": "True"}),
        ({"VisibilityTimeout": "60"}, {"VisibilityTimeout": "060"}),
        ({"RedrivePolicy": REDRIVE}, {"RedrivePolicy": SPACED_REDRIVE}),
        ({"Policy": POLICY}, {"Policy": POLICY.replace(":", ": ")}),
        ({}, {"Policy": "", "RedrivePolicy": "", "KmsMasterKeyId": ""}),
        (KMS, {"KmsMasterKeyId": "alias/mine"}),
        ({}, {"KmsDataKeyReusePeriodSeconds": "300"}),
    ],
)
def test_a_queue_with_the_same_values_is_the_same(current, given):
    assert first_difference(queue(**current), given) is None


@pytest.mark.parametrize(
    ("current", "given", "name"),
    [
        (
            {},
            {"DelaySeconds": "0", "VisibilityTimeout": "31", "MaximumMessageSize": "1024"},
            "VisibilityTimeout",
        ),
        ({}, {"MaximumMessageSize": "1024", "VisibilityTimeout": "31"}, "MaximumMessageSize"),
        ({"VisibilityTimeout": "60"}, {"VisibilityTimeout": "30"}, "VisibilityTimeout"),
        ({}, {"RedrivePolicy": REDRIVE}, "RedrivePolicy"),
        ({"RedrivePolicy": REDRIVE}, {"RedrivePolicy": REDRIVE.replace("3}", "4}")}, "RedrivePolicy"),
        ({"RedrivePolicy": REDRIVE}, {"RedrivePolicy": ""}, "RedrivePolicy"),
        ({}, {"Policy": POLICY}, "Policy"),
        ({"Policy": POLICY}, {"Policy": ""}, "Policy"),
        ({"Policy": POLICY}, {"Policy": POLICY.replace("Allow", "Deny")}, "Policy"),
        ({}, {"KmsMasterKeyId": "alias/mine"}, "KmsMasterKeyId"),
        ({}, {"SqsManagedSseEnabled": "false"}, "SqsManagedSseEnabled"),
    ],
)
def test_the_first_attribute_that_differs_is_named(current, given, name):
    assert first_difference(queue(**current), given) == name


def test_a_fifo_queue_is_compared_with_its_defaults():
    given = {"FifoQueue": "True", "ContentBasedDeduplication": "false", "DeduplicationScope": "queue"}
    assert first_difference(queue("orders.fifo"), given) is None
    given = {**given, "ContentBasedDeduplication": "true"}
    assert first_difference(queue("orders.fifo"), given) == "ContentBasedDeduplication"


# GetQueueAttributes


def test_all_of_a_fresh_standard_queue_is_twelve_attributes():
    assert reported_attributes(queue(), COUNTS, ["All"]) == STANDARD_REPORT


def test_all_of_a_fresh_fifo_queue_is_sixteen_attributes():
    assert reported_attributes(queue("orders.fifo"), COUNTS, ["All"]) == FIFO_REPORT


def test_all_has_what_was_set_too():
    given = {"Policy": POLICY, "RedrivePolicy": REDRIVE, "DelaySeconds": "7", **KMS}
    assert reported_attributes(queue(**given), COUNTS, ["QueueArn", "All"]) == {**STANDARD_REPORT, **given}


def test_a_key_without_a_reuse_period_has_the_default_one():
    report = reported_attributes(
        queue(**new_attributes(False, {"KmsMasterKeyId": "alias/mine"})),
        None,
        ["KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled"],
    )
    assert report == {
        "KmsMasterKeyId": "alias/mine",
        "KmsDataKeyReusePeriodSeconds": "300",
        "SqsManagedSseEnabled": "false",
    }


def test_only_the_names_asked_for_are_reported():
    names = ["VisibilityTimeout", "QueueArn", "VisibilityTimeout"]
    assert reported_attributes(queue(), None, names) == {
        "VisibilityTimeout": "30",
        "QueueArn": "arn:aws:sqs:us-east-1:000000000000:orders",
    }
    assert reported_attributes(queue(), None, []) == {}


def test_what_is_not_set_or_does_not_apply_is_left_out():
    names = [
        "Policy",
        "RedrivePolicy",
        "RedriveAllowPolicy",
        "KmsMasterKeyId",
        "KmsDataKeyReusePeriodSeconds",
        "FifoQueue",
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "FifoThroughputLimit",
    ]
    assert reported_attributes(queue(), None, names) == {}


@pytest.mark.parametrize("names", [["Foobar"], ["VisibilityTimeout", "Foobar"], ["All", "Foobar"]])
def test_an_unknown_name_is_refused(names):
    with refused(InvalidAttributeName, "Unknown Attribute Foobar."):
        reported_attributes(queue(), COUNTS, names)


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ([], False),
        (["VisibilityTimeout", "QueueArn"], False),
        (["All"], True),
        (["VisibilityTimeout", "ApproximateNumberOfMessages"], True),
        (["ApproximateNumberOfMessagesDelayed"], True),
        (["ApproximateNumberOfMessagesNotVisible"], True),
    ],
)
def test_messages_are_counted_only_when_somebody_asks(names, wanted):
    assert wants_counts(names) is wanted
