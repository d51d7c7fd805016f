"""FIFO queues and their dead-letter queues."""

import json

import pytest

from tests.contract.fifo import policy_to, send_fifo, take
from tests.support.answers import (
    as_string,
    bodies,
    content,
    counts,
    error_of,
    handles,
    invalid_value,
    only,
    receive,
)
from tests.support.polls import long_poll


def spend(sqs, queue, count=10, times=1):
    """Receives so many messages so many times, each staying visible."""
    for _ in range(times):
        take(sqs, queue, count, VisibilityTimeout=0)


def set_attributes(sqs, queue, **attributes):
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)


def refusal_to_redrive(sqs, source, arn):
    text = policy_to(arn)
    return text, error_of(sqs.set_queue_attributes, QueueUrl=source, Attributes={"RedrivePolicy": text})


@pytest.fixture
def source_and_dead(with_dead_letters):
    return with_dead_letters(1, fifo=True)


# The policies


def test_a_standard_queue_is_no_target_for_a_fifo_queue(sqs, make_queue, arn_of):
    text, refusal = refusal_to_redrive(sqs, make_queue(fifo=True), arn_of(make_queue()))
    reason = "Dead-letter queue must be same type of queue as the source.."
    assert refusal == invalid_value(text, "RedrivePolicy", reason)


def test_a_dead_letter_queue_may_refuse_all_sources(sqs, make_queue, arn_of):
    dead = make_queue(fifo=True, RedriveAllowPolicy='{"redrivePermission":"denyAll"}')
    _, refusal = refusal_to_redrive(sqs, make_queue(fifo=True), arn_of(dead))
    assert refusal[:2] == (400, "InvalidParameterValue")


def test_a_dead_letter_queue_may_allow_all_sources(sqs, make_queue, arn_of):
    dead = make_queue(fifo=True, RedriveAllowPolicy='{"redrivePermission":"allowAll"}')
    source = make_queue(fifo=True, RedrivePolicy=policy_to(arn_of(dead)))
    assert sqs.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [source]


def test_a_dead_letter_queue_may_choose_its_sources(sqs, make_queue, arn_of):
    dead, friend, stranger = (make_queue(fifo=True) for _ in range(3))
    allowed = {"redrivePermission": "byQueue", "sourceQueueArns": [arn_of(friend)]}
    set_attributes(sqs, dead, RedriveAllowPolicy=json.dumps(allowed))
    set_attributes(sqs, friend, RedrivePolicy=policy_to(arn_of(dead)))
    _, refusal = refusal_to_redrive(sqs, stranger, arn_of(dead))
    assert refusal[:2] == (400, "InvalidParameterValue")


def test_taking_the_refusal_away_allows_all_sources(sqs, make_queue, arn_of):
    dead, source = (
        make_queue(fifo=True, RedriveAllowPolicy='{"redrivePermission":"denyAll"}'),
        make_queue(fifo=True),
    )
    set_attributes(sqs, dead, RedriveAllowPolicy="")
    set_attributes(sqs, source, RedrivePolicy=policy_to(arn_of(dead)))
    assert sqs.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [source]


def test_a_refusal_holds_for_queues_that_are_created(sqs, make_queue, arn_of):
    dead = make_queue(fifo=True, RedriveAllowPolicy='{"redrivePermission":"denyAll"}')
    attributes = {"FifoQueue": "true", "RedrivePolicy": policy_to(arn_of(dead))}
    refusal = error_of(sqs.create_queue, QueueName="never-made.fifo", Attributes=attributes)
    assert refusal[:2] == (400, "InvalidParameterValue")


def test_a_queue_may_name_itself_and_keeps_its_messages(sqs, make_queue, arn_of):
    queue = make_queue(fifo=True)
    set_attributes(sqs, queue, RedrivePolicy=policy_to(arn_of(queue)))
    send_fifo(sqs, queue, "g-1", "g-2")
    spend(sqs, queue, times=3)
    assert take(sqs, queue) == ["g-1", "g-2"]


# Movement


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_message_is_received_as_often_as_the_policy_says_and_then_moves(sqs, with_dead_letters, count):
    source, dead = with_dead_letters(count, fifo=True)
    send_fifo(sqs, source, "g-1")
    assert [take(sqs, source, VisibilityTimeout=0) for _ in range(count)] == [["g-1"]] * count
    assert counts(sqs, dead) == (0, 0, 0)
    assert take(sqs, source) == []
    assert take(sqs, dead) == ["g-1"]


def test_nothing_moves_until_somebody_receives(sqs, source_and_dead, clock):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1")
    take(sqs, source, VisibilityTimeout=1)
    clock.advance(seconds=60)
    assert (counts(sqs, source), counts(sqs, dead)) == ((1, 0, 0), (0, 0, 0))


def test_a_message_in_flight_does_not_move(sqs, source_and_dead):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1")
    take(sqs, source)
    take(sqs, source)
    assert (counts(sqs, source), counts(sqs, dead)) == ((0, 1, 0), (0, 0, 0))


def test_a_moved_message_keeps_what_it_is(sqs, source_and_dead):
    source, dead = source_and_dead
    color, trace = {"color": as_string("blue")}, {"AWSTraceHeader": as_string("Root=1")}
    send_fifo(sqs, source, "g-1", MessageAttributes=color, MessageSystemAttributes=trace)
    first = only(receive(sqs, source, VisibilityTimeout=0, MessageAttributeNames=["All"]))
    take(sqs, source)
    moved = only(receive(sqs, dead, MessageAttributeNames=["All"]))
    kept = ("MessageId", "Body", "MD5OfBody", "MessageAttributes", "MD5OfMessageAttributes")
    assert [moved[name] for name in kept] == [first[name] for name in kept]
    kept = ("MessageGroupId", "SenderId", "AWSTraceHeader", "ApproximateFirstReceiveTimestamp")
    assert [moved["Attributes"][name] for name in kept] == [first["Attributes"][name] for name in kept]


def test_a_moved_message_gets_its_message_id_as_deduplication_id(sqs, source_and_dead):
    source, dead = source_and_dead
    (sent,) = send_fifo(sqs, source, "g-1")
    spend(sqs, source, times=2)
    moved = only(receive(sqs, dead))
    assert moved["Attributes"]["MessageDeduplicationId"] == moved["MessageId"] == sent["MessageId"]


def test_a_moved_message_gets_a_new_sequence_number(sqs, source_and_dead):
    source, dead = source_and_dead
    (sent,) = send_fifo(sqs, source, "g-1")
    spend(sqs, source, times=2)
    assert only(receive(sqs, dead))["Attributes"]["SequenceNumber"] > sent["SequenceNumber"]


def test_a_moved_message_counts_as_sent_when_it_moved(sqs, source_and_dead, clock):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1")
    spend(sqs, source)
    clock.advance(seconds=7)
    take(sqs, source)
    assert only(receive(sqs, dead))["Attributes"]["SentTimestamp"] == str(clock.now_ms())


def test_a_moved_message_says_where_it_came_from_and_goes_on_counting(sqs, source_and_dead, arn_of):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1")
    spend(sqs, source, times=2)
    found = only(receive(sqs, dead))["Attributes"]
    assert (found["DeadLetterQueueSourceArn"], found["ApproximateReceiveCount"]) == (arn_of(source), "2")


def test_on_a_dead_letter_queue_the_retention_counts_from_the_move(sqs, source_and_dead, clock):
    source, dead = source_and_dead
    set_attributes(sqs, dead, MessageRetentionPeriod="60")
    send_fifo(sqs, source, "g-1")
    spend(sqs, source)
    clock.advance(seconds=50)
    take(sqs, source)
    clock.advance(ms=59_999)
    assert counts(sqs, dead) == (1, 0, 0)
    clock.advance(ms=1)
    assert counts(sqs, dead) == (0, 0, 0)


def test_messages_move_in_the_order_of_their_groups(sqs, source_and_dead):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g1-m1", "g2-m1", "g1-m2", "g2-m2", "g1-m3")
    spend(sqs, source, times=2)
    assert take(sqs, dead) == ["g1-m1", "g1-m2", "g1-m3", "g2-m1", "g2-m2"]


def test_the_group_goes_on_with_its_next_message(sqs, source_and_dead):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1", "g-2")
    spend(sqs, source, 1)
    assert take(sqs, source) == ["g-2"]
    assert take(sqs, dead) == ["g-1"]


def test_a_receive_fills_up_behind_messages_that_move(sqs, source_and_dead):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g1-m1", "g2-m1", "g1-m2", "g3-m1")
    spend(sqs, source, 3)
    assert take(sqs, source, 2) == ["g3-m1"]
    assert take(sqs, dead) == ["g1-m1", "g1-m2", "g2-m1"]


def test_a_receive_goes_past_more_messages_that_move_than_it_may_take(sqs, source_and_dead, clock):
    source, dead = source_and_dead
    spent = [f"g{number}-1" for number in range(12)]
    send_fifo(sqs, source, *spent)
    take(sqs, source, VisibilityTimeout=5)
    take(sqs, source, VisibilityTimeout=5)
    clock.advance(seconds=5)
    send_fifo(sqs, source, "last-1")
    assert take(sqs, source, 1) == ["last-1"]
    assert (counts(sqs, source), counts(sqs, dead)) == ((0, 1, 0), (12, 0, 0))


def test_a_locked_group_of_the_dead_letter_queue_stays_locked(sqs, source_and_dead):
    source, dead = source_and_dead
    send_fifo(sqs, dead, "g-0")
    (handle,) = handles(receive(sqs, dead))
    send_fifo(sqs, source, "g-1")
    spend(sqs, source, times=2)
    assert take(sqs, dead) == []
    sqs.delete_message(QueueUrl=dead, ReceiptHandle=handle)
    assert take(sqs, dead) == ["g-1"]


def test_a_move_is_no_duplicate_whatever_was_sent_to_the_dead_letter_queue(sqs, source_and_dead):
    source, dead = source_and_dead
    (sent,) = send_fifo(sqs, source, "g-1")
    send_fifo(sqs, dead, "g-1")
    send_fifo(sqs, dead, "g-2", MessageDeduplicationId=sent["MessageId"])
    spend(sqs, source, times=2)
    assert take(sqs, dead) == ["g-1", "g-2", "g-1"]


def test_the_delay_of_the_dead_letter_queue_is_not_for_moved_messages(sqs, source_and_dead):
    source, dead = source_and_dead
    set_attributes(sqs, dead, DelaySeconds="900")
    send_fifo(sqs, source, "g-1")
    spend(sqs, source, times=2)
    assert take(sqs, dead) == ["g-1"]


def test_a_timeout_that_ends_moves_the_message_and_gives_a_long_poll_the_next(
    sqs, source_and_dead, server, clock
):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1", "g-2")
    take(sqs, source, 1, VisibilityTimeout=5)
    waiting = long_poll(server, sqs, source)
    clock.advance(seconds=5)
    assert bodies(waiting.answer()) == ["g-2"]
    assert take(sqs, dead) == ["g-1"]


def test_a_long_poll_goes_on_if_all_it_finds_moves(sqs, source_and_dead, server, clock):
    source, _ = source_and_dead
    send_fifo(sqs, source, "g-1")
    take(sqs, source, VisibilityTimeout=5)
    waiting = long_poll(server, sqs, source)
    clock.advance(seconds=5)
    server.wait_for_waiters(source)
    clock.advance(seconds=15)
    assert content(waiting.answer()) == {}


def test_a_message_that_moves_ends_a_long_poll_on_the_dead_letter_queue(sqs, source_and_dead, server):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1")
    spend(sqs, source)
    waiting = long_poll(server, sqs, dead)
    take(sqs, source)
    assert bodies(waiting.answer()) == ["g-1"]


# Changes


def test_a_lower_count_moves_messages_at_their_next_receive(sqs, with_dead_letters, arn_of):
    source, dead = with_dead_letters(5, fifo=True)
    send_fifo(sqs, source, "g-1")
    spend(sqs, source, times=2)
    set_attributes(sqs, source, RedrivePolicy=policy_to(arn_of(dead), 2))
    assert (take(sqs, source), take(sqs, dead)) == ([], ["g-1"])


def test_a_higher_count_lets_messages_be_received_more_often(sqs, source_and_dead, arn_of):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1")
    spend(sqs, source)
    set_attributes(sqs, source, RedrivePolicy=policy_to(arn_of(dead), 2))
    assert take(sqs, source) == ["g-1"]


def test_without_its_dead_letter_queue_a_source_keeps_its_messages_in_order(sqs, source_and_dead):
    source, dead = source_and_dead
    send_fifo(sqs, source, "g-1", "g-2")
    sqs.delete_queue(QueueUrl=dead)
    spend(sqs, source, times=3)
    assert take(sqs, source) == ["g-1", "g-2"]


def test_in_a_chain_the_carried_count_moves_a_message_on(sqs, make_queue, arn_of):
    last = make_queue(fifo=True)
    middle = make_queue(fifo=True, RedrivePolicy=policy_to(arn_of(last)))
    first = make_queue(fifo=True, RedrivePolicy=policy_to(arn_of(middle), 2))
    (sent,) = send_fifo(sqs, first, "g-1")
    spend(sqs, first, times=3)
    assert take(sqs, middle) == []
    moved = only(receive(sqs, last))
    assert (moved["MessageId"], moved["Attributes"]["MessageDeduplicationId"]) == (sent["MessageId"],) * 2
    assert moved["Attributes"]["DeadLetterQueueSourceArn"] == arn_of(middle)
