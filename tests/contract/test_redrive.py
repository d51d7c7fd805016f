"""Dead-letter queues: the two policies, and how messages move."""

import json

import pytest

from tests.support.answers import (
    as_string,
    bodies,
    counts,
    error_of,
    handles,
    invalid,
    invalid_value,
    only,
    queue_attributes,
    receive,
    send,
)

NO_MAP = "Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map."
CANNOT = "Amazon SQS can't create the redrive allow policy."


def set_attributes(sqs, queue, **attributes):
    return sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)


def refusal_to_set(sqs, queue, **attributes):
    return error_of(sqs.set_queue_attributes, QueueUrl=queue, Attributes=attributes)


def refused_policy(text, reason):
    return invalid_value(text, "RedrivePolicy", reason)


def policy_to(arn, count=1):
    return json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": count}, separators=(",", ":"))


def spend(sqs, queue, times=1):
    """Receives so many times, each message staying visible."""
    for _ in range(times):
        receive(sqs, queue, VisibilityTimeout=0)


# RedrivePolicy


@pytest.mark.parametrize("count", [1, 1000, "1", "1000"])
def test_a_policy_is_read_back_without_blanks_and_with_a_number(sqs, make_queue, arn_of, count):
    queue, arn = make_queue(), arn_of(make_queue())
    given = json.dumps({"maxReceiveCount": count, "deadLetterTargetArn": arn}, indent=2)
    set_attributes(sqs, queue, RedrivePolicy=given)
    assert queue_attributes(sqs, queue, "RedrivePolicy") == {"RedrivePolicy": policy_to(arn, int(count))}


@pytest.mark.parametrize("text", ["hello", "[]", "1", '"x"'])
def test_a_policy_is_a_json_map(sqs, queue, text):
    assert refusal_to_set(sqs, queue, RedrivePolicy=text) == invalid(NO_MAP)


@pytest.mark.parametrize("missing", ["maxReceiveCount", "deadLetterTargetArn"])
def test_a_policy_needs_both_members(sqs, make_queue, arn_of, missing):
    members = json.loads(policy_to(arn_of(make_queue())))
    del members[missing]
    text = json.dumps(members)
    reason = f"Redrive policy does not contain mandatory attribute: {missing}."
    assert refusal_to_set(sqs, make_queue(), RedrivePolicy=text) == refused_policy(text, reason)


@pytest.mark.parametrize("count", [0, 1001, -1, "x"])
def test_a_count_is_from_1_to_1000(sqs, make_queue, arn_of, count):
    text = policy_to(arn_of(make_queue()), count)
    reason = f"Invalid value for maxReceiveCount: {count}, valid values are from 1 to 1000 both inclusive."
    assert refusal_to_set(sqs, make_queue(), RedrivePolicy=text) == refused_policy(text, reason)


@pytest.mark.parametrize(
    ("arn", "reason"),
    [
        ("dead-letters", "Invalid value for deadLetterTargetArn."),
        ("arn:aws:sqs:us-east-1", "Dead-letter target ARN should be fully qualified ARN."),
        (
            "arn:aws:sns:us-east-1:000000000000:x",
            "Only SQS queues are valid resources for deadLetterTargetArn.",
        ),
        ("arn:aws:sqs:us-east-1:000000000000:no-such-queue", "Dead letter target does not exist."),
        ("arn:aws:sqs:us-east-1:1:x", "Dead-letter target owner should be same as the source."),
    ],
)
def test_a_target_that_will_not_do_is_refused(sqs, queue, arn, reason):
    text = policy_to(arn)
    assert refusal_to_set(sqs, queue, RedrivePolicy=text) == refused_policy(text, reason)


def test_a_fifo_queue_is_no_target_for_a_standard_queue(sqs, make_queue, arn_of):
    text = policy_to(arn_of(make_queue(fifo=True)))
    reason = "Dead-letter queue must be same type of queue as the source.."
    assert refusal_to_set(sqs, make_queue(), RedrivePolicy=text) == refused_policy(text, reason)


def test_another_member_is_refused(sqs, make_queue, arn_of):
    text = json.dumps(json.loads(policy_to(arn_of(make_queue()))) | {"more": 1})
    reason = "Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn]."
    assert refusal_to_set(sqs, make_queue(), RedrivePolicy=text) == refused_policy(text, reason)


def test_a_policy_is_checked_when_a_queue_is_created(sqs):
    text = policy_to("arn:aws:sqs:us-east-1:000000000000:no-such-queue")
    refusal = error_of(sqs.create_queue, QueueName="never-made", Attributes={"RedrivePolicy": text})
    assert refusal == refused_policy(text, "Dead letter target does not exist.")


def test_a_refused_policy_leaves_the_one_that_was_set(sqs, with_dead_letters, arn_of):
    source, dead = with_dead_letters(3)
    refusal_to_set(sqs, source, RedrivePolicy="hello")
    expected = {"RedrivePolicy": policy_to(arn_of(dead), 3)}
    assert queue_attributes(sqs, source, "RedrivePolicy") == expected


def test_a_queue_may_name_itself(sqs, queue, arn_of):
    set_attributes(sqs, queue, RedrivePolicy=policy_to(arn_of(queue)))
    send(sqs, queue, "hello")
    spend(sqs, queue, 3)
    assert counts(sqs, queue) == (1, 0, 0)


def test_the_same_policy_in_other_words_equals_that_of_a_queue_that_is_there(sqs, with_dead_letters, arn_of):
    source, dead = with_dead_letters(2)
    given = {"RedrivePolicy": json.dumps({"maxReceiveCount": "2", "deadLetterTargetArn": arn_of(dead)})}
    assert sqs.create_queue(QueueName=source.rsplit("/", 1)[1], Attributes=given)["QueueUrl"] == source


# RedriveAllowPolicy


@pytest.mark.parametrize("permission", ["allowAll", "denyAll"])
def test_an_allow_policy_is_read_back_without_blanks(sqs, queue, permission):
    set_attributes(sqs, queue, RedriveAllowPolicy=f'{{ "redrivePermission" : "{permission}" }}')
    expected = f'{{"redrivePermission":"{permission}"}}'
    assert queue_attributes(sqs, queue, "RedriveAllowPolicy") == {"RedriveAllowPolicy": expected}


def test_an_allow_policy_by_queue_has_1_to_10_sources(sqs, queue, arn_of):
    arn = arn_of(queue)
    for arns in ([arn], [f"{arn}-{number}" for number in range(10)]):
        members = {"redrivePermission": "byQueue", "sourceQueueArns": arns}
        set_attributes(sqs, queue, RedriveAllowPolicy=json.dumps(members))
        assert json.loads(queue_attributes(sqs, queue)["RedriveAllowPolicy"]) == members


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        (
            {"redrivePermission": "byQueue"},
            "When you specify the byQueue permission type, "
            "you must also specify one or more sourceQueueArns values.",
        ),
        (
            {"redrivePermission": "allowAll", "sourceQueueArns": ["arn:aws:sqs:us-east-1:000000000000:x"]},
            "To specify one or more source queue ARNs, you must set redrivePermission to byQueue.",
        ),
        (
            {
                "redrivePermission": "byQueue",
                "sourceQueueArns": ["arn:aws:sqs:us-east-1:000000000000:x"] * 11,
            },
            "The maximum number of source queue ARNs you can specify is 10.",
        ),
    ],
)
def test_permission_and_sources_of_an_allow_policy_go_together(sqs, queue, members, reason):
    text = json.dumps(members)
    refusal = refusal_to_set(sqs, queue, RedriveAllowPolicy=text)
    assert refusal == invalid_value(text, "RedriveAllowPolicy", f"{CANNOT} {reason}")


@pytest.mark.parametrize("text", ["hello", "[]", "{}", '{"redrivePermission":"some"}'])
def test_what_is_no_allow_policy_is_refused(sqs, queue, text):
    expected = (
        "Invalid value for the parameter RedriveAllowPolicy. Reason: Amazon SQS can't create "
        "the redrive allow policy, as it’s in an unsupported format."
    )
    assert refusal_to_set(sqs, queue, RedriveAllowPolicy=text) == invalid(expected)


def test_a_dead_letter_queue_chooses_its_sources(sqs, make_queue, arn_of):
    dead, friend, stranger = make_queue(), make_queue(), make_queue()
    allowed = {"redrivePermission": "byQueue", "sourceQueueArns": [arn_of(friend)]}
    set_attributes(sqs, dead, RedriveAllowPolicy=json.dumps(allowed))
    text = policy_to(arn_of(dead))
    set_attributes(sqs, friend, RedrivePolicy=text)
    refusal = refusal_to_set(sqs, stranger, RedrivePolicy=text)
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")


def test_a_dead_letter_queue_may_refuse_all_sources(sqs, make_queue, arn_of):
    dead = make_queue(RedriveAllowPolicy='{"redrivePermission":"denyAll"}')
    refusal = refusal_to_set(sqs, make_queue(), RedrivePolicy=policy_to(arn_of(dead)))
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")


def test_a_later_refusal_does_not_stop_a_source_that_was_allowed(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    set_attributes(sqs, dead, RedriveAllowPolicy='{"redrivePermission":"denyAll"}')
    send(sqs, source, "hello")
    spend(sqs, source, 2)
    assert bodies(receive(sqs, dead)) == ["hello"]


# Movement


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_message_is_received_as_often_as_the_policy_says_and_then_moves(sqs, with_dead_letters, count):
    source, dead = with_dead_letters(count)
    send(sqs, source, "hello")
    for _ in range(count):
        assert bodies(receive(sqs, source, VisibilityTimeout=0)) == ["hello"]
    assert bodies(receive(sqs, source, VisibilityTimeout=0)) == []
    assert bodies(receive(sqs, dead)) == ["hello"]


def test_nothing_moves_until_somebody_receives(sqs, with_dead_letters, clock):
    source, dead = with_dead_letters(1)
    send(sqs, source, "hello")
    receive(sqs, source, VisibilityTimeout=1)
    clock.advance(seconds=60)
    assert (counts(sqs, source), counts(sqs, dead)) == ((1, 0, 0), (0, 0, 0))


def test_a_moved_message_is_the_same_and_says_where_it_came_from(sqs, with_dead_letters, arn_of, clock):
    source, dead = with_dead_letters(1)
    attributes, trace = {"color": as_string("blue")}, {"AWSTraceHeader": as_string("Root=1")}
    send(
        sqs, source, "hello", MessageAttributes=attributes, MessageSystemAttributes=trace, MessageGroupId="g"
    )
    first = only(receive(sqs, source, VisibilityTimeout=1, MessageAttributeNames=["All"]))
    clock.advance(seconds=1)
    receive(sqs, source)
    moved = only(receive(sqs, dead, MessageAttributeNames=["All"]))
    kept = ("MessageId", "Body", "MD5OfBody", "MessageAttributes", "MD5OfMessageAttributes")
    assert {name: moved[name] for name in kept} == {name: first[name] for name in kept}
    added = {"ApproximateReceiveCount": "2", "DeadLetterQueueSourceArn": arn_of(source)}
    assert moved["Attributes"] == first["Attributes"] | added


def test_the_receive_count_goes_on_in_the_dead_letter_queue(sqs, with_dead_letters):
    source, dead = with_dead_letters(3)
    send(sqs, source, "hello")
    spend(sqs, source, 4)
    assert only(receive(sqs, dead))["Attributes"]["ApproximateReceiveCount"] == "4"


def test_a_receive_goes_on_behind_messages_that_move(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    send(sqs, source, "spent 1", "spent 2")
    spend(sqs, source)
    send(sqs, source, "fresh")
    assert bodies(receive(sqs, source, MaxNumberOfMessages=1)) == ["fresh"]
    assert bodies(receive(sqs, dead)) == ["spent 1", "spent 2"]


def test_messages_move_in_their_order(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    send(sqs, source, *"abcdefgh")
    spend(sqs, source, 2)
    assert bodies(receive(sqs, dead)) == list("abcdefgh")


def test_deleted_messages_do_not_move(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    send(sqs, source, "hello")
    (handle,) = handles(receive(sqs, source, VisibilityTimeout=0))
    sqs.delete_message(QueueUrl=source, ReceiptHandle=handle)
    receive(sqs, source)
    assert bodies(receive(sqs, dead)) == []


def test_a_message_in_flight_does_not_move(sqs, with_dead_letters, clock):
    source, dead = with_dead_letters(1)
    send(sqs, source, "hello")
    receive(sqs, source, VisibilityTimeout=5)
    receive(sqs, source)
    assert (counts(sqs, source), counts(sqs, dead)) == ((0, 1, 0), (0, 0, 0))


def test_a_policy_holds_for_messages_that_are_there(sqs, queue, make_queue, arn_of):
    dead = make_queue()
    send(sqs, queue, "hello")
    spend(sqs, queue, 2)
    set_attributes(sqs, queue, RedrivePolicy=policy_to(arn_of(dead), 2))
    assert bodies(receive(sqs, queue)) == []
    assert bodies(receive(sqs, dead)) == ["hello"]


def test_a_higher_count_lets_messages_be_received_more_often(sqs, with_dead_letters, arn_of):
    source, dead = with_dead_letters(1)
    send(sqs, source, "hello")
    spend(sqs, source)
    set_attributes(sqs, source, RedrivePolicy=policy_to(arn_of(dead), 2))
    assert bodies(receive(sqs, source)) == ["hello"]


def test_a_removed_policy_leaves_messages_where_they_are(sqs, with_dead_letters):
    source, _ = with_dead_letters(1)
    send(sqs, source, "hello")
    spend(sqs, source)
    set_attributes(sqs, source, RedrivePolicy="")
    assert bodies(receive(sqs, source)) == ["hello"]


def test_the_delay_of_the_dead_letter_queue_is_not_for_moved_messages(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    set_attributes(sqs, dead, DelaySeconds="900")
    send(sqs, source, "hello")
    spend(sqs, source, 2)
    assert bodies(receive(sqs, dead)) == ["hello"]


def test_without_its_dead_letter_queue_a_source_keeps_its_messages(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    send(sqs, source, "hello")
    sqs.delete_queue(QueueUrl=dead)
    assert "RedrivePolicy" in queue_attributes(sqs, source)
    assert [bodies(receive(sqs, source, VisibilityTimeout=0)) for _ in range(3)] == [["hello"]] * 3


def test_in_a_chain_of_dead_letter_queues_the_carried_count_moves_a_message_on(sqs, make_queue, arn_of):
    last = make_queue()
    middle = make_queue(RedrivePolicy=policy_to(arn_of(last)))
    first = make_queue(RedrivePolicy=policy_to(arn_of(middle), 2))
    send(sqs, first, "hello")
    spend(sqs, first, 3)
    assert bodies(receive(sqs, middle)) == []
    moved = only(receive(sqs, last))
    assert moved["Attributes"]["DeadLetterQueueSourceArn"] == arn_of(middle)
