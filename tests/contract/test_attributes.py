"""GetQueueAttributes and SetQueueAttributes."""

import json

import pytest

from tests.support.answers import (
    Refusal,
    content,
    error_of,
    invalid,
    queue_attributes,
    unknown_attribute,
)

FRESH = {
    "ApproximateNumberOfMessages": "0",
    "ApproximateNumberOfMessagesDelayed": "0",
    "ApproximateNumberOfMessagesNotVisible": "0",
    "DelaySeconds": "0",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "SqsManagedSseEnabled": "true",
    "VisibilityTimeout": "30",
}
RANGES = [
    ("DelaySeconds", 0, 900),
    ("MaximumMessageSize", 1024, 1048576),
    ("MessageRetentionPeriod", 60, 1209600),
    ("ReceiveMessageWaitTimeSeconds", 0, 20),
    ("VisibilityTimeout", 0, 43200),
    ("KmsDataKeyReusePeriodSeconds", 60, 86400),
]
POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "SQS:SendMessage", "Resource": "*"}],
    }
)


def set_attributes(sqs, queue, **attributes):
    return sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)


def refusal_to_set(sqs, queue, **attributes):
    return error_of(sqs.set_queue_attributes, QueueUrl=queue, Attributes=attributes)


def bad_value(name):
    return Refusal(400, "InvalidAttributeValue", f"Invalid value for the parameter {name}.")


def test_all_attributes_of_a_fresh_standard_queue_are_exactly_twelve(sqs, make_queue, clock):
    now_s = str(clock.now_ms() // 1000)
    queue = make_queue()
    arn = f"arn:aws:sqs:us-east-1:000000000000:{queue.rsplit('/', 1)[1]}"
    times = {"CreatedTimestamp": now_s, "LastModifiedTimestamp": now_s}
    assert queue_attributes(sqs, queue, "All") == FRESH | times | {"QueueArn": arn}


def test_all_attributes_of_a_fresh_fifo_queue_are_four_more(sqs, make_queue):
    found = queue_attributes(sqs, make_queue(fifo=True), "All")
    assert len(found) == 16
    assert {
        name: found[name] for name in found.keys() - FRESH.keys() if "Fifo" in name or "Dedup" in name
    } == {
        "ContentBasedDeduplication": "false",
        "DeduplicationScope": "queue",
        "FifoQueue": "true",
        "FifoThroughputLimit": "perQueue",
    }


def test_only_the_attributes_asked_for_are_answered(sqs, queue):
    found = queue_attributes(sqs, queue, "VisibilityTimeout", "DelaySeconds")
    assert found == {"VisibilityTimeout": "30", "DelaySeconds": "0"}


def test_all_with_another_name_is_all(sqs, queue):
    assert len(queue_attributes(sqs, queue, "VisibilityTimeout", "All")) == 12


def test_no_names_get_no_attributes(sqs, queue):
    assert content(sqs.get_queue_attributes(QueueUrl=queue)) == {}


@pytest.mark.parametrize(
    "name", ["Policy", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId", "FifoQueue"]
)
def test_a_name_that_does_not_apply_is_left_out(sqs, queue, name):
    assert content(sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[name])) == {}
    assert queue_attributes(sqs, queue, name, "DelaySeconds") == {"DelaySeconds": "0"}


@pytest.mark.parametrize("name", ["Foobar", "all", "visibilityTimeout", "SenderId"])
def test_an_unknown_name_is_refused(sqs, queue, name):
    refusal = error_of(sqs.get_queue_attributes, QueueUrl=queue, AttributeNames=["QueueArn", name])
    assert refusal == unknown_attribute(name)


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_numbers_up_to_both_ends_of_their_range_are_taken(sqs, make_queue, name, low, high):
    queue = make_queue(KmsMasterKeyId="alias/key")
    for value in (low, high):
        set_attributes(sqs, queue, **{name: str(value)})
        assert queue_attributes(sqs, queue, name) == {name: str(value)}


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_numbers_beyond_their_range_are_refused(sqs, queue, name, low, high):
    for value in (low - 1, high + 1):
        assert refusal_to_set(sqs, queue, **{name: str(value)}) == bad_value(name)


@pytest.mark.parametrize("value", ["ten", "1.0", "", "1e2", " ", "0x10", "٣"])
def test_what_is_no_whole_number_is_refused(sqs, queue, value):
    assert refusal_to_set(sqs, queue, VisibilityTimeout=value) == bad_value("VisibilityTimeout")


def test_numbers_are_read_back_in_their_plain_form(sqs, queue):
    set_attributes(sqs, queue, VisibilityTimeout="007")
    assert queue_attributes(sqs, queue, "VisibilityTimeout") == {"VisibilityTimeout": "7"}


@pytest.mark.parametrize(("given", "kept"), [("True", "true"), ("False", "false"), ("false", "false")])
def test_booleans_are_read_back_in_lower_case(sqs, queue, given, kept):
    set_attributes(sqs, queue, SqsManagedSseEnabled=given)
    assert queue_attributes(sqs, queue, "SqsManagedSseEnabled") == {"SqsManagedSseEnabled": kept}


def test_a_boolean_is_nothing_else(sqs, queue):
    assert refusal_to_set(sqs, queue, SqsManagedSseEnabled="yes") == bad_value("SqsManagedSseEnabled")


def test_attributes_not_given_are_kept(sqs, make_queue):
    queue = make_queue(DelaySeconds=5, VisibilityTimeout=7)
    assert content(set_attributes(sqs, queue, VisibilityTimeout="8")) == {}
    found = queue_attributes(sqs, queue, "DelaySeconds", "VisibilityTimeout")
    assert found == {"DelaySeconds": "5", "VisibilityTimeout": "8"}


def test_setting_attributes_moves_the_time_of_the_last_change(sqs, queue, clock):
    created = queue_attributes(sqs, queue, "CreatedTimestamp")["CreatedTimestamp"]
    clock.advance(seconds=90)
    set_attributes(sqs, queue, DelaySeconds="1")
    found = queue_attributes(sqs, queue, "CreatedTimestamp", "LastModifiedTimestamp")
    assert found == {"CreatedTimestamp": created, "LastModifiedTimestamp": str(int(created) + 90)}


@pytest.mark.parametrize("name", ["Foobar", "QueueArn", "CreatedTimestamp", "ApproximateNumberOfMessages"])
def test_unknown_and_read_only_attributes_cannot_be_set(sqs, queue, name):
    assert refusal_to_set(sqs, queue, **{name: "1"}) == unknown_attribute(name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FifoQueue", "true"),
        ("FifoQueue", "false"),
        ("ContentBasedDeduplication", "true"),
        ("DeduplicationScope", "queue"),
        ("FifoThroughputLimit", "perQueue"),
    ],
)
def test_fifo_attributes_are_unknown_to_a_standard_queue(sqs, queue, name, value):
    assert refusal_to_set(sqs, queue, **{name: value}) == unknown_attribute(name)


def test_one_bad_attribute_rejects_the_whole_call(sqs, queue):
    refusal_to_set(sqs, queue, DelaySeconds="5", VisibilityTimeout="-1")
    refusal_to_set(sqs, queue, DelaySeconds="5", Foobar="1")
    assert queue_attributes(sqs, queue, "DelaySeconds") == {"DelaySeconds": "0"}


def test_no_attributes_at_all_are_refused(sqs, queue):
    refusal = error_of(sqs.set_queue_attributes, QueueUrl=queue, Attributes={})
    message = "The request must contain the parameter Attribute.Name."
    assert refusal == Refusal(400, "MissingParameter", message)


def test_a_policy_is_read_back_as_it_was_given(sqs, queue):
    set_attributes(sqs, queue, Policy=POLICY)
    assert queue_attributes(sqs, queue, "Policy") == {"Policy": POLICY}
    assert queue_attributes(sqs, queue, "All")["Policy"] == POLICY


@pytest.mark.parametrize("value", ["hello", "[]", "{}", '"x"'])
def test_what_is_no_policy_is_refused(sqs, queue, value):
    assert refusal_to_set(sqs, queue, Policy=value) == bad_value("Policy")


def policy_of(count):
    statement = {"Effect": "Allow", "Principal": "*", "Action": "SQS:SendMessage", "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement] * count})


def test_a_policy_has_at_most_20_statements(sqs, queue):
    set_attributes(sqs, queue, Policy=policy_of(20))
    refusal = refusal_to_set(sqs, queue, Policy=policy_of(21))
    assert refusal == Refusal(403, "OverLimit", "21 Statements were found, maximum allowed is 20.")


def test_a_new_queue_with_too_long_a_policy_is_refused_in_other_words(sqs):
    refusal = error_of(sqs.create_queue, QueueName="never-made", Attributes={"Policy": policy_of(21)})
    assert refusal == invalid("21 statements were found in the submitted policy, max allowed is 20")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Policy", POLICY),
        ("RedriveAllowPolicy", '{"redrivePermission":"denyAll"}'),
        ("KmsMasterKeyId", "alias/key"),
    ],
)
def test_an_empty_value_removes_an_attribute(sqs, queue, name, value):
    set_attributes(sqs, queue, **{name: value})
    assert queue_attributes(sqs, queue, name) == {name: value}
    set_attributes(sqs, queue, **{name: ""})
    assert queue_attributes(sqs, queue, name) == {}


@pytest.mark.parametrize("name", ["Policy", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId"])
def test_removing_an_attribute_that_is_not_set_is_no_error(sqs, queue, name):
    set_attributes(sqs, queue, **{name: ""})
    assert queue_attributes(sqs, queue, name) == {}


# Encryption


def encryption(sqs, queue):
    found = queue_attributes(sqs, queue)
    return {name: value for name, value in found.items() if "Kms" in name or "Sse" in name}


def test_a_key_switches_the_managed_encryption_off(sqs, queue):
    set_attributes(sqs, queue, KmsMasterKeyId="no-such-key")
    assert encryption(sqs, queue) == {
        "KmsMasterKeyId": "no-such-key",
        "KmsDataKeyReusePeriodSeconds": "300",
        "SqsManagedSseEnabled": "false",
    }


def test_removing_the_key_leaves_the_managed_encryption_off(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key", KmsDataKeyReusePeriodSeconds=60)
    set_attributes(sqs, queue, KmsMasterKeyId="", KmsDataKeyReusePeriodSeconds="300")
    assert encryption(sqs, queue) == {"SqsManagedSseEnabled": "false"}


def test_the_managed_encryption_takes_the_place_of_a_key(sqs, make_queue):
    queue = make_queue(KmsMasterKeyId="alias/key")
    set_attributes(sqs, queue, SqsManagedSseEnabled="true")
    assert encryption(sqs, queue) == {"SqsManagedSseEnabled": "true"}


def test_the_managed_encryption_can_be_switched_off_alone(sqs, queue):
    set_attributes(sqs, queue, SqsManagedSseEnabled="false")
    assert encryption(sqs, queue) == {"SqsManagedSseEnabled": "false"}


def test_both_encryptions_in_one_call_are_refused(sqs, queue):
    refusal = refusal_to_set(sqs, queue, KmsMasterKeyId="alias/key", SqsManagedSseEnabled="true")
    assert refusal == Refusal(
        400,
        "InvalidAttributeName",
        "You can use one type of server-side encryption (SSE) at one time. "
        "You can either enable KMS SSE or SQS SSE.",
    )


def test_a_reuse_period_without_a_key_is_not_reported(sqs, make_queue):
    queue = make_queue(KmsDataKeyReusePeriodSeconds=60)
    assert queue_attributes(sqs, queue, "KmsDataKeyReusePeriodSeconds") == {}
