import json

import pytest

from emulator.domain.redrive import (
    RedrivePolicy,
    allows_source,
    canonical_redrive_policy,
    parse_redrive_allow_policy,
    parse_redrive_policy,
    require_redrive_target,
)
from emulator.errors import InvalidParameterValue
from tests.domain.factories import key, queue, refused

DLQ = "arn:aws:sqs:us-east-1:000000000000:dlq"
SOURCE = "arn:aws:sqs:us-east-1:000000000000:orders"
BY_QUEUE = f'{{"redrivePermission":"byQueue","sourceQueueArns":["{SOURCE}"]}}'


def policy(arn=DLQ, count=3, **more):
    return json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": count, **more})


def invalid(text, reason):
    return f"Value {text} for parameter RedrivePolicy is invalid. Reason: {reason}"


def invalid_allow(text, reason):
    return (
        f"Value {text} for parameter RedriveAllowPolicy is invalid. "
        f"Reason: Amazon SQS can't create the redrive allow policy. {reason}"
    )


@pytest.mark.parametrize(("count", "number"), [(1, 1), (1000, 1000), ("1", 1), ("1000", 1000), ("007", 7)])
def test_a_policy_names_a_queue_and_a_count_from_1_to_1000(count, number):
    assert parse_redrive_policy(policy(count=count), key()) == RedrivePolicy(DLQ, number)


def test_a_policy_is_read_back_without_blanks_in_one_order_and_with_a_number():
    text = f'{{ "maxReceiveCount" : "5", "deadLetterTargetArn" : "{DLQ}" }}'
    assert canonical_redrive_policy(parse_redrive_policy(text, key())) == (
        f'{{"deadLetterTargetArn":"{DLQ}","maxReceiveCount":5}}'
    )


@pytest.mark.parametrize("text", ["x", "", "[]", '"x"', "3", "null", "{", "{'a':1}", '{"a":1}\ud800'])
def test_a_policy_is_a_json_map(text):
    with refused(
        InvalidParameterValue,
        "Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.",
    ):
        parse_redrive_policy(text, key())


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("{}", "maxReceiveCount"),
        (f'{{"deadLetterTargetArn":"{DLQ}"}}', "maxReceiveCount"),
        (f'{{"deadLetterTargetArn":"{DLQ}","maxReceiveCount":null}}', "maxReceiveCount"),
        ('{"maxReceiveCount":3}', "deadLetterTargetArn"),
        ('{"maxReceiveCount":3,"other":1}', "deadLetterTargetArn"),
    ],
)
def test_both_members_are_mandatory(text, missing):
    with refused(
        InvalidParameterValue,
        invalid(text, f"Redrive policy does not contain mandatory attribute: {missing}."),
    ):
        parse_redrive_policy(text, key())


def test_there_are_no_other_members():
    text = policy(other=1)
    with refused(
        InvalidParameterValue,
        invalid(text, "Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn]."),
    ):
        parse_redrive_policy(text, key())


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (1001, "1001"),
        (-1, "-1"),
        ("0", "0"),
        ("1001", "1001"),
        ("-1", "-1"),
        ("x", "x"),
        ("", ""),
        (" 1", " 1"),
        ("9" * 5000, "9" * 5000),
        (1.5, "1.5"),
        (True, "true"),
        ([1], "[1]"),
    ],
)
def test_other_counts_are_refused(count, shown):
    text = policy(count=count)
    with refused(
        InvalidParameterValue,
        invalid(
            text,
            f"Invalid value for maxReceiveCount: {shown}, valid values are from 1 to 1000 both inclusive.",
        ),
    ):
        parse_redrive_policy(text, key())


@pytest.mark.parametrize(
    ("arn", "reason"),
    [
        ("dummy", "Invalid value for deadLetterTargetArn."),  # recorded, E1 row 12
        ("", "Invalid value for deadLetterTargetArn."),
        (5, "Invalid value for deadLetterTargetArn."),
        ("arn:aws:sqs", "Dead-letter target ARN should be fully qualified ARN."),
        ("arn:aws:sqs:us-east-1::dlq", "Dead-letter target ARN should be fully qualified ARN."),
        (
            "arn:aws:sns:us-east-1:000000000000:topic",
            "Only SQS queues are valid resources for deadLetterTargetArn.",
        ),
        (DLQ + ":more", "Only SQS queues are valid resources for deadLetterTargetArn."),
        (
            "arn:aws:sqs:us-east-1:111111111111:dlq",
            "Dead-letter target owner should be same as the source.",
        ),
        (
            "arn:aws:sqs:eu-west-1:000000000000:dlq",
            "Dead-letter target should be in the same region as the source.",
        ),
    ],
)
def test_the_target_is_the_arn_of_a_queue_of_the_same_account_and_region(arn, reason):
    text = policy(arn=arn)
    with refused(InvalidParameterValue, invalid(text, reason)):
        parse_redrive_policy(text, key())


def test_without_the_source_its_account_and_region_are_not_compared():
    arn = "arn:aws:sqs:eu-west-1:111111111111:dlq"
    assert parse_redrive_policy(policy(arn=arn), None) == RedrivePolicy(arn, 3)


def require_target(source_name, target):
    text = policy()
    require_redrive_target(text, parse_redrive_policy(text, key()), key(source_name), target)


@pytest.mark.parametrize(("source", "target"), [("orders", "dlq"), ("orders.fifo", "dlq.fifo")])
def test_a_target_of_the_same_type_is_accepted(source, target):
    require_target(source, queue(target))


def test_a_queue_may_be_its_own_dead_letter_queue():
    text = policy(arn=SOURCE)
    target = queue("orders", RedriveAllowPolicy='{"redrivePermission":"denyAll"}')
    require_redrive_target(text, parse_redrive_policy(text, key()), key("orders"), target)


def test_the_target_must_exist():
    with refused(InvalidParameterValue, invalid(policy(), "Dead letter target does not exist.")):
        require_target("orders", None)


@pytest.mark.parametrize(("source", "target"), [("orders", "dlq.fifo"), ("orders.fifo", "dlq")])
def test_the_target_must_be_of_the_same_type(source, target):
    with refused(
        InvalidParameterValue,
        invalid(policy(), "Dead-letter queue must be same type of queue as the source.."),
    ):
        require_target(source, queue(target))


def test_the_target_may_deny_the_source():
    require_target("orders", queue("dlq", RedriveAllowPolicy=BY_QUEUE))
    with refused(
        InvalidParameterValue, invalid(policy(), "Dead-letter queue does not allow this source queue.")
    ):
        require_target("others", queue("dlq", RedriveAllowPolicy=BY_QUEUE))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ('{"redrivePermission":"allowAll"}', '{"redrivePermission":"allowAll"}'),
        (' { "redrivePermission" : "denyAll" } ', '{"redrivePermission":"denyAll"}'),
        ('{"sourceQueueArns":[],"redrivePermission":"allowAll"}', '{"redrivePermission":"allowAll"}'),
        (f'{{"sourceQueueArns": ["{SOURCE}"], "redrivePermission": "byQueue"}}', BY_QUEUE),
    ],
)
def test_an_allow_policy_is_read_back_without_blanks(text, canonical):
    assert parse_redrive_allow_policy(text) == canonical


def test_an_allow_policy_names_one_to_ten_queues():
    arns = [f"{SOURCE}{n}" for n in range(11)]
    ten = json.dumps({"redrivePermission": "byQueue", "sourceQueueArns": arns[:10]})
    assert json.loads(parse_redrive_allow_policy(ten))["sourceQueueArns"] == arns[:10]
    eleven = json.dumps({"redrivePermission": "byQueue", "sourceQueueArns": arns})
    with refused(
        InvalidParameterValue,
        invalid_allow(eleven, "The maximum number of source queue ARNs you can specify is 10."),
    ):
        parse_redrive_allow_policy(eleven)


@pytest.mark.parametrize(
    "text", ['{"redrivePermission":"byQueue"}', '{"redrivePermission":"byQueue","sourceQueueArns":[]}']
)
def test_by_queue_needs_queues(text):
    with refused(
        InvalidParameterValue,
        invalid_allow(
            text,
            "When you specify the byQueue permission type, you must also specify "
            "one or more sourceQueueArns values.",
        ),
    ):
        parse_redrive_allow_policy(text)


@pytest.mark.parametrize("permission", ["allowAll", "denyAll"])
def test_only_by_queue_has_queues(permission):
    text = BY_QUEUE.replace("byQueue", permission)
    with refused(
        InvalidParameterValue,
        invalid_allow(
            text, "To specify one or more source queue ARNs, you must set redrivePermission to byQueue."
        ),
    ):
        parse_redrive_allow_policy(text)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[]",
        "{}",
        '{"redrivePermission":"all"}',
        '{"redrivePermission":1}',
        '{"redrivePermission":"allowAll","other":1}',
        '{"redrivePermission":"byQueue","sourceQueueArns":"x"}',
        '{"redrivePermission":"byQueue","sourceQueueArns":[1]}',
        '{"redrivePermission":"allowAll"}\ud800',
    ],
)
def test_other_allow_policies_have_an_unsupported_format(text):
    with refused(
        InvalidParameterValue,
        "Invalid value for the parameter RedriveAllowPolicy. Reason: "
        "Amazon SQS can't create the redrive allow policy, as it’s in an unsupported format.",
    ):
        parse_redrive_allow_policy(text)


@pytest.mark.parametrize(
    ("allow_policy", "allowed"),
    [
        (None, True),
        ('{"redrivePermission":"allowAll"}', True),
        ('{"redrivePermission":"denyAll"}', False),
        (BY_QUEUE, True),
        (BY_QUEUE.replace("orders", "others"), False),
    ],
)
def test_an_allow_policy_decides_about_a_source(allow_policy, allowed):
    assert allows_source(allow_policy, SOURCE) is allowed
