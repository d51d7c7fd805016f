"""Receives that wait: what wakes them, who gets the message, and when they give up."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.support.answers import (
    bodies,
    content,
    entries,
    handles,
    no_such_queue,
    receive,
    refusal_of,
    send,
)
from tests.support.polls import Poll, long_poll


@pytest.fixture
def poll(server, sqs, queue):
    """Starts a long poll of 20 s on the queue and returns once it waits."""

    def start(**members):
        return long_poll(server, sqs, queue, **members)

    return start


def test_a_long_poll_ends_at_once_if_a_message_is_there(sqs, queue):
    send(sqs, queue, "hello")
    assert bodies(sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=20)) == ["hello"]


def test_a_long_poll_does_not_wait_to_fill_up(sqs, queue):
    send(sqs, queue, "a", "b")
    answer = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=20, MaxNumberOfMessages=10)
    assert bodies(answer) == ["a", "b"]


@pytest.mark.parametrize("wait_s", [1, 20])
def test_a_long_poll_ends_empty_after_its_wait(poll, clock, server, queue, wait_s):
    waiting = poll(WaitTimeSeconds=wait_s)
    clock.advance(ms=wait_s * 1000 - 1)
    server.wait_for_waiters(queue)
    clock.advance(ms=1)
    assert content(waiting.answer()) == {}


def test_a_message_that_is_sent_ends_a_long_poll(sqs, queue, poll):
    waiting = poll()
    send(sqs, queue, "hello")
    assert bodies(waiting.answer()) == ["hello"]


def test_a_batch_ends_a_long_poll_with_all_its_messages(sqs, queue, poll):
    waiting = poll(MaxNumberOfMessages=10)
    sqs.send_message_batch(QueueUrl=queue, Entries=entries("a", "b", "c"))
    assert bodies(waiting.answer()) == ["a", "b", "c"]


def test_a_delay_that_ends_ends_a_long_poll(sqs, queue, poll, clock):
    send(sqs, queue, "hello", DelaySeconds=5)
    waiting = poll()
    clock.advance(seconds=5)
    assert bodies(waiting.answer()) == ["hello"]


def test_a_delayed_message_sent_meanwhile_ends_a_long_poll_when_it_is_due(sqs, queue, poll, clock, server):
    waiting = poll()
    send(sqs, queue, "hello", DelaySeconds=5)
    clock.advance(ms=4_999)
    server.wait_for_waiters(queue)
    clock.advance(ms=1)
    assert bodies(waiting.answer()) == ["hello"]


def test_a_visibility_timeout_that_ends_ends_a_long_poll(sqs, queue, poll, clock):
    send(sqs, queue, "hello")
    receive(sqs, queue, VisibilityTimeout=5)
    waiting = poll()
    clock.advance(seconds=5)
    assert bodies(waiting.answer()) == ["hello"]


def test_giving_a_message_back_ends_a_long_poll(sqs, queue, poll):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    waiting = poll()
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=0)
    assert bodies(waiting.answer()) == ["hello"]


def test_giving_messages_back_in_a_batch_ends_a_long_poll(sqs, queue, poll):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    waiting = poll()
    given = [{"Id": "a", "ReceiptHandle": handle, "VisibilityTimeout": 0}]
    sqs.change_message_visibility_batch(QueueUrl=queue, Entries=given)
    assert bodies(waiting.answer()) == ["hello"]


def test_a_shortened_timeout_ends_a_long_poll_when_it_is_over(sqs, queue, poll, clock):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue, VisibilityTimeout=600))
    waiting = poll()
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=3)
    clock.advance(seconds=3)
    assert bodies(waiting.answer()) == ["hello"]


def test_a_lengthened_timeout_does_not_end_a_long_poll(sqs, queue, poll, clock, server):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue, VisibilityTimeout=3))
    waiting = poll()
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=600)
    clock.advance(seconds=3)
    server.wait_for_waiters(queue)
    clock.advance(seconds=17)
    assert content(waiting.answer()) == {}


def test_a_message_that_moves_to_a_dead_letter_queue_ends_a_long_poll_there(
    sqs, with_dead_letters, server, clock
):
    source, dead = with_dead_letters(1)
    send(sqs, source, "hello")
    receive(sqs, source, VisibilityTimeout=0)
    waiting = long_poll(server, sqs, dead)
    assert bodies(receive(sqs, source)) == []
    assert bodies(waiting.answer()) == ["hello"]


def test_a_long_poll_goes_on_if_all_it_finds_moves_to_the_dead_letter_queue(sqs, with_dead_letters, server):
    source, _ = with_dead_letters(1)
    send(sqs, source, "spent")
    receive(sqs, source, VisibilityTimeout=0)
    waiting = long_poll(server, sqs, source)
    send(sqs, source, "fresh")
    assert bodies(waiting.answer()) == ["fresh"]


# Several receivers


def test_one_message_goes_to_the_receiver_that_waits_longest(sqs, queue, poll, server):
    first, second = poll(), poll(number=2)
    send(sqs, queue, "a")
    assert bodies(first.answer()) == ["a"]
    server.wait_for_waiters(queue, 1)
    assert second.waits
    send(sqs, queue, "b")
    assert bodies(second.answer()) == ["b"]


def test_messages_sent_one_by_one_go_to_one_receiver_each(sqs, queue, poll):
    waiting = [poll(number=number) for number in range(1, 6)]
    send(sqs, queue, *"abcde")
    received = [bodies(one.answer()) for one in waiting]
    assert sorted(text for texts in received for text in texts) == list("abcde")
    assert all(len(texts) == 1 for texts in received)


def test_a_batch_goes_to_as_many_receivers_as_it_has_messages(sqs, queue, poll):
    waiting = [poll(number=number) for number in (1, 2, 3)]
    sqs.send_message_batch(QueueUrl=queue, Entries=entries("a", "b", "c"))
    assert sorted(text for one in waiting for text in bodies(one.answer())) == ["a", "b", "c"]


def test_a_timeout_that_ends_wakes_one_receiver_and_the_others_go_on_waiting(sqs, queue, poll, clock, server):
    send(sqs, queue, "a", "b")
    receive(sqs, queue, MaxNumberOfMessages=1, VisibilityTimeout=5)
    receive(sqs, queue, MaxNumberOfMessages=1, VisibilityTimeout=9)
    first, second = poll(), poll(number=2)
    clock.advance(seconds=5)
    assert bodies(first.answer()) == ["a"]
    server.wait_for_waiters(queue, 1)
    clock.advance(seconds=4)
    assert bodies(second.answer()) == ["b"]


def test_a_receiver_that_gives_up_leaves_the_watch_to_the_next(sqs, queue, poll, clock, server):
    send(sqs, queue, "hello", DelaySeconds=5)
    first, second = poll(WaitTimeSeconds=1), poll(number=2)
    clock.advance(seconds=1)
    assert content(first.answer()) == {}
    server.wait_for_waiters(queue, 1)
    clock.advance(seconds=4)
    assert bodies(second.answer()) == ["hello"]


def test_messages_of_another_queue_do_not_end_a_long_poll(sqs, make_queue, poll, clock):
    waiting = poll()
    send(sqs, make_queue(), "elsewhere")
    assert waiting.waits
    clock.advance(seconds=20)
    assert content(waiting.answer()) == {}


# The queue's own wait


def test_the_wait_of_the_queue_holds_when_the_request_has_none(sqs, make_queue, server, clock):
    queue = make_queue(ReceiveMessageWaitTimeSeconds=3)
    waiting = Poll(sqs, queue)
    server.wait_for_waiters(queue)
    clock.advance(seconds=3)
    assert content(waiting.answer()) == {}


def test_a_wait_of_0_is_a_short_poll_whatever_the_queue_says(sqs, make_queue):
    queue = make_queue(ReceiveMessageWaitTimeSeconds=20)
    assert content(sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=0)) == {}


def test_the_wait_of_the_request_wins_over_that_of_the_queue(sqs, make_queue, server, clock):
    queue = make_queue(ReceiveMessageWaitTimeSeconds=20)
    waiting = long_poll(server, sqs, queue, WaitTimeSeconds=1)
    clock.advance(seconds=1)
    assert content(waiting.answer()) == {}


# Changes while somebody waits


def test_deleting_the_queue_ends_its_long_polls(sqs, queue, poll, protocol):
    waiting = [poll(number=number) for number in (1, 2)]
    sqs.delete_queue(QueueUrl=queue)
    for one in waiting:
        with pytest.raises(ClientError) as caught:
            one.answer()
        assert refusal_of(caught.value) == no_such_queue(protocol)


def test_a_purge_does_not_end_a_long_poll(sqs, queue, poll, server):
    waiting = poll()
    sqs.purge_queue(QueueUrl=queue)
    server.wait_for_waiters(queue)
    send(sqs, queue, "hello")
    assert bodies(waiting.answer()) == ["hello"]


def test_the_visibility_timeout_is_the_one_at_the_moment_of_the_receive(sqs, queue, poll, clock):
    waiting = poll()
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "100"})
    send(sqs, queue, "hello")
    assert bodies(waiting.answer()) == ["hello"]
    clock.advance(seconds=99)
    assert bodies(receive(sqs, queue)) == []


def test_a_timeout_counts_from_the_receive_and_not_from_the_start_of_the_wait(sqs, queue, poll, clock):
    waiting = poll(VisibilityTimeout=15)
    clock.advance(seconds=10)
    send(sqs, queue, "hello")
    assert bodies(waiting.answer()) == ["hello"]
    clock.advance(seconds=14)
    assert bodies(receive(sqs, queue)) == []


def test_a_redrive_policy_set_meanwhile_holds(sqs, make_queue, queue, poll, arn_of, server, clock):
    dead = make_queue()
    send(sqs, queue, "hello")
    receive(sqs, queue, VisibilityTimeout=5)
    waiting = poll()
    policy = json.dumps({"deadLetterTargetArn": arn_of(dead), "maxReceiveCount": 1})
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"RedrivePolicy": policy})
    clock.advance(seconds=5)
    server.wait_for_waiters(queue)
    assert waiting.waits
    assert bodies(receive(sqs, dead)) == ["hello"]
    clock.advance(seconds=15)
    assert content(waiting.answer()) == {}
