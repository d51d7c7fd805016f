"""ReceiveMessage without waiting: how many, in which order, and the limit of messages in flight."""

import pytest

from tests.contract.clients import server_with
from tests.support.answers import (
    Refusal,
    bodies,
    content,
    counts,
    entries,
    error_of,
    handles,
    invalid_value,
    no_such_queue,
    receive,
    send,
)
from tests.support.polls import long_poll

OVER_LIMIT = Refusal(
    403,
    "OverLimit",
    "Too many messages have been received without being deleted.\n"
    "Please delete your received messages or let them timeout before receiving more.",
)


def receive_one(sqs, queue, **members):
    return bodies(sqs.receive_message(QueueUrl=queue, **members))


def test_an_empty_queue_gives_no_messages_member(sqs, queue):
    assert content(sqs.receive_message(QueueUrl=queue)) == {}


def test_one_message_is_received_unless_more_are_asked_for(sqs, queue):
    send(sqs, queue, "a", "b")
    assert receive_one(sqs, queue) == ["a"]


@pytest.mark.parametrize("count", [1, 2, 10])
def test_no_more_messages_are_received_than_asked_for(sqs, queue, count):
    sqs.send_message_batch(QueueUrl=queue, Entries=entries(*"abcdefghij"))
    send(sqs, queue, "k")
    assert receive_one(sqs, queue, MaxNumberOfMessages=count) == list("abcdefghijk")[:count]


def test_fewer_messages_are_received_if_there_are_no_more(sqs, queue):
    send(sqs, queue, "a", "b")
    assert receive_one(sqs, queue, MaxNumberOfMessages=10) == ["a", "b"]


@pytest.mark.parametrize("count", [0, 11, -1])
def test_one_to_ten_messages_can_be_asked_for(sqs, queue, count):
    refusal = error_of(sqs.receive_message, QueueUrl=queue, MaxNumberOfMessages=count)
    assert refusal == invalid_value(count, "MaxNumberOfMessages", "Must be between 1 and 10, if provided.")


@pytest.mark.parametrize("wait_s", [-1, 21])
def test_a_wait_is_0_to_20_seconds(sqs, queue, wait_s):
    refusal = error_of(sqs.receive_message, QueueUrl=queue, WaitTimeSeconds=wait_s)
    assert refusal == invalid_value(wait_s, "WaitTimeSeconds", "Must be >= 0 and <= 20, if provided.")


@pytest.mark.parametrize("timeout_s", [-1, 43201])
def test_a_visibility_timeout_is_0_seconds_to_12_hours(sqs, queue, timeout_s):
    refusal = error_of(sqs.receive_message, QueueUrl=queue, VisibilityTimeout=timeout_s)
    reason = "Must be >= 0 and <= 43200, if provided."
    assert refusal == invalid_value(timeout_s, "VisibilityTimeout", reason)


def test_a_refused_receive_takes_no_message(sqs, queue):
    send(sqs, queue, "hello")
    error_of(sqs.receive_message, QueueUrl=queue, MessageSystemAttributeNames=["Foobar"])
    assert counts(sqs, queue) == (1, 0, 0)


def test_messages_are_received_in_the_order_in_which_they_were_sent(sqs, queue, clock):
    for text in "abcde":
        send(sqs, queue, text)
        clock.advance(ms=1)
    assert [receive_one(sqs, queue)[0] for _ in range(5)] == list("abcde")


def test_messages_sent_in_the_same_millisecond_keep_their_order(sqs, queue):
    send(sqs, queue, *"abcde")
    assert bodies(receive(sqs, queue)) == list("abcde")


def test_a_message_whose_timeout_ended_comes_before_those_sent_in_the_meantime(sqs, queue, clock):
    send(sqs, queue, "old")
    receive(sqs, queue, VisibilityTimeout=5)
    send(sqs, queue, "sent before the timeout ended")
    clock.advance(seconds=5)
    send(sqs, queue, "new")
    assert bodies(receive(sqs, queue)) == ["old", "sent before the timeout ended", "new"]


def test_a_message_that_was_received_three_times_goes_to_the_back(sqs, queue):
    send(sqs, queue, "a", "b", "c")
    assert [receive_one(sqs, queue, VisibilityTimeout=0) for _ in range(4)] == [["a"], ["a"], ["a"], ["b"]]
    assert bodies(receive(sqs, queue)) == ["b", "c", "a"]


def test_queues_do_not_share_messages(sqs, make_queue):
    one, other = make_queue(), make_queue()
    send(sqs, one, "one")
    send(sqs, other, "other")
    assert (receive_one(sqs, one), receive_one(sqs, other)) == (["one"], ["other"])


@pytest.mark.parametrize("attempt_id", ["a", "a-b_c", "x" * 128])
def test_a_standard_queue_ignores_attempt_ids(sqs, queue, attempt_id):
    send(sqs, queue, "a", "b")
    assert receive_one(sqs, queue, ReceiveRequestAttemptId=attempt_id) == ["a"]
    assert receive_one(sqs, queue, ReceiveRequestAttemptId=attempt_id) == ["b"]


def test_an_unknown_queue_is_looked_for_before_the_numbers(sqs, queue, protocol):
    refusal = error_of(sqs.receive_message, QueueUrl=f"{queue}-not", MaxNumberOfMessages=11)
    assert refusal == no_such_queue(protocol)


def test_a_fair_queue_serves_quiet_groups_before_a_noisy_one(sqs, queue):
    noisy = [{"Id": str(number), "MessageBody": "noisy", "MessageGroupId": "noisy"} for number in range(10)]
    for _ in range(4):
        sqs.send_message_batch(QueueUrl=queue, Entries=noisy)
    for _ in range(3):
        receive(sqs, queue)
    send(sqs, queue, "quiet", MessageGroupId="quiet")
    send(sqs, queue, "alone")
    assert bodies(receive(sqs, queue, MaxNumberOfMessages=3)) == ["quiet", "alone", "noisy"]


# The limit of messages in flight: 120,000 on AWS, three here


@pytest.fixture
def limited(protocol):
    """A server that lets three messages be in flight, its client, and a queue with five messages."""
    with server_with(protocol, in_flight_limit=3) as (server, sqs):
        queue = sqs.create_queue(QueueName="limited")["QueueUrl"]
        send(sqs, queue, *"abcde")
        yield server, sqs, queue


def test_a_short_poll_at_the_limit_is_refused(limited):
    _, sqs, queue = limited
    assert [receive_one(sqs, queue)[0] for _ in range(3)] == ["a", "b", "c"]
    assert error_of(sqs.receive_message, QueueUrl=queue) == OVER_LIMIT
    assert counts(sqs, queue) == (2, 3, 0)


def test_deleting_a_message_makes_room_again(limited):
    _, sqs, queue = limited
    received = receive(sqs, queue, MaxNumberOfMessages=3)
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=handles(received)[1])
    assert receive_one(sqs, queue) == ["d"]
    assert error_of(sqs.receive_message, QueueUrl=queue) == OVER_LIMIT


def test_a_timeout_that_ends_makes_room_again(limited):
    server, sqs, queue = limited
    receive(sqs, queue, MaxNumberOfMessages=3, VisibilityTimeout=5)
    server.clock.advance(seconds=5)
    assert receive_one(sqs, queue) == ["a"]


def test_delayed_messages_are_not_in_flight(limited):
    _, sqs, queue = limited
    send(sqs, queue, *"xyz", DelaySeconds=60)
    assert receive_one(sqs, queue) == ["a"]


def test_a_long_poll_at_the_limit_ends_without_messages(limited):
    server, sqs, queue = limited
    receive(sqs, queue, MaxNumberOfMessages=3)
    poll = long_poll(server, sqs, queue, WaitTimeSeconds=1)
    server.clock.advance(seconds=1)
    assert content(poll.answer()) == {}


def test_a_long_poll_at_the_limit_gets_a_message_once_there_is_room(limited):
    server, sqs, queue = limited
    receive(sqs, queue, MaxNumberOfMessages=3, VisibilityTimeout=5)
    poll = long_poll(server, sqs, queue)
    server.clock.advance(seconds=5)
    assert bodies(poll.answer()) == ["a"]
