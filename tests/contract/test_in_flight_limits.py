"""The limit of messages in flight on FIFO queues: 120,000 on AWS, three here. It is no error."""

import pytest

from tests.contract.clients import server_with
from tests.contract.fifo import send_fifo, take
from tests.support.answers import bodies, content, counts, handles, receive
from tests.support.polls import long_poll


@pytest.fixture
def limited(protocol):
    """A server that lets three messages be in flight, its client, and a queue with five groups."""
    with server_with(protocol, in_flight_limit=3) as (server, sqs):
        queue = sqs.create_queue(QueueName="limited.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        send_fifo(sqs, queue, "a-1", "b-1", "c-1", "d-1", "e-1")
        yield server, sqs, queue


def test_a_short_poll_at_the_limit_gets_no_messages(limited):
    _, sqs, queue = limited
    assert take(sqs, queue, 3) == ["a-1", "b-1", "c-1"]
    assert content(receive(sqs, queue)) == {}
    assert counts(sqs, queue) == (2, 3, 0)


def test_a_receive_does_not_go_beyond_the_limit(limited):
    _, sqs, queue = limited
    take(sqs, queue, 2)
    assert len(take(sqs, queue, 10)) == 1


def test_deleting_a_message_makes_room_again(limited):
    _, sqs, queue = limited
    first, *_ = handles(receive(sqs, queue, MaxNumberOfMessages=3))
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=first)
    assert take(sqs, queue, 1) == ["d-1"]
    assert take(sqs, queue, 1) == []


def test_a_timeout_that_ends_makes_room_again(limited):
    server, sqs, queue = limited
    take(sqs, queue, 3, VisibilityTimeout=5)
    server.clock.advance(seconds=5)
    assert take(sqs, queue, 1) == ["d-1"]


def test_a_long_poll_at_the_limit_ends_without_messages(limited):
    server, sqs, queue = limited
    take(sqs, queue, 3)
    poll = long_poll(server, sqs, queue, WaitTimeSeconds=1)
    server.clock.advance(seconds=1)
    assert content(poll.answer()) == {}


def test_a_long_poll_at_the_limit_gets_a_message_once_one_is_deleted(limited):
    server, sqs, queue = limited
    first, *_ = handles(receive(sqs, queue, MaxNumberOfMessages=3))
    poll = long_poll(server, sqs, queue)
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=first)
    assert bodies(poll.answer()) == ["d-1"]


def test_a_long_poll_at_the_limit_gets_a_message_once_a_timeout_ends(limited):
    server, sqs, queue = limited
    take(sqs, queue, 3, VisibilityTimeout=5)
    poll = long_poll(server, sqs, queue)
    server.clock.advance(seconds=5)
    assert bodies(poll.answer()) == ["d-1"]


def test_a_long_poll_at_the_limit_gets_a_message_once_one_is_given_back(limited):
    server, sqs, queue = limited
    first, *_ = handles(receive(sqs, queue, MaxNumberOfMessages=3))
    poll = long_poll(server, sqs, queue)
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=first, VisibilityTimeout=0)
    assert len(bodies(poll.answer())) == 1
