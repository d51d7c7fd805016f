"""Delays of queues and messages."""

import pytest

from tests.support.answers import bodies, counts, error_of, invalid_value, receive, send


def arrives_after(sqs, queue, clock, seconds):
    """Whether the message can be received in exactly so many seconds, and not before."""
    clock.advance(ms=seconds * 1000 - 1)
    before = bodies(receive(sqs, queue))
    clock.advance(ms=1)
    return (before, bodies(receive(sqs, queue))) == ([], ["hello"])


@pytest.mark.parametrize("delay_s", [1, 900])
def test_a_delayed_message_is_received_when_its_delay_is_over(sqs, queue, clock, delay_s):
    send(sqs, queue, "hello", DelaySeconds=delay_s)
    assert arrives_after(sqs, queue, clock, delay_s)


def test_the_delay_of_the_queue_holds_for_messages_without_one(sqs, make_queue, clock):
    queue = make_queue(DelaySeconds=5)
    send(sqs, queue, "hello")
    assert arrives_after(sqs, queue, clock, 5)


def test_the_delay_of_a_message_wins_over_that_of_the_queue(sqs, make_queue, clock):
    queue = make_queue(DelaySeconds=900)
    send(sqs, queue, "hello", DelaySeconds=5)
    assert arrives_after(sqs, queue, clock, 5)


def test_a_delay_of_0_wins_over_that_of_the_queue(sqs, make_queue):
    queue = make_queue(DelaySeconds=900)
    send(sqs, queue, "hello", DelaySeconds=0)
    assert bodies(receive(sqs, queue)) == ["hello"]


def test_a_changed_delay_of_the_queue_is_for_later_messages_only(sqs, make_queue, clock):
    queue = make_queue(DelaySeconds=5)
    send(sqs, queue, "delayed")
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"DelaySeconds": "0"})
    send(sqs, queue, "later")
    assert bodies(receive(sqs, queue)) == ["later"]
    clock.advance(seconds=5)
    assert bodies(receive(sqs, queue)) == ["delayed"]


@pytest.mark.parametrize("delay_s", [-1, 901])
def test_a_delay_is_0_to_900_seconds(sqs, queue, delay_s):
    refusal = error_of(sqs.send_message, QueueUrl=queue, MessageBody="hello", DelaySeconds=delay_s)
    assert refusal == invalid_value(delay_s, "DelaySeconds", "DelaySeconds must be >= 0 and <= 900.")
    assert counts(sqs, queue) == (0, 0, 0)


def test_a_delayed_message_is_counted_as_delayed(sqs, queue, clock):
    send(sqs, queue, "hello", DelaySeconds=5)
    assert counts(sqs, queue) == (0, 0, 1)
    clock.advance(seconds=5)
    assert counts(sqs, queue) == (1, 0, 0)


def test_a_message_sent_without_delay_overtakes_a_delayed_one(sqs, queue, clock):
    send(sqs, queue, "delayed", DelaySeconds=5)
    send(sqs, queue, "undelayed")
    assert bodies(receive(sqs, queue)) == ["undelayed"]
    clock.advance(seconds=5)
    assert bodies(receive(sqs, queue)) == ["delayed"]


def test_the_time_of_sending_is_not_delayed(sqs, queue, clock):
    sent_ms = str(clock.now_ms())
    send(sqs, queue, "hello", DelaySeconds=5)
    clock.advance(seconds=5)
    (message,) = receive(sqs, queue)["Messages"]
    assert message["Attributes"]["SentTimestamp"] == sent_ms
