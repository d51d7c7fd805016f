"""MessageRetentionPeriod: when messages go by themselves."""

import pytest

from tests.support.answers import bodies, counts, handles, receive, send


@pytest.fixture
def brief(make_queue):
    return make_queue(MessageRetentionPeriod=60)


def test_messages_are_kept_for_the_retention_period(sqs, brief, clock):
    send(sqs, brief, "hello")
    clock.advance(ms=59_999)
    assert counts(sqs, brief) == (1, 0, 0)
    assert bodies(receive(sqs, brief, VisibilityTimeout=0)) == ["hello"]
    clock.advance(ms=1)
    assert counts(sqs, brief) == (0, 0, 0)
    assert bodies(receive(sqs, brief)) == []


def test_messages_are_kept_for_four_days_by_default(sqs, queue, clock):
    send(sqs, queue, "hello")
    clock.advance(seconds=345_599)
    assert bodies(receive(sqs, queue, VisibilityTimeout=0)) == ["hello"]
    clock.advance(seconds=1)
    assert bodies(receive(sqs, queue)) == []


def test_each_message_has_its_own_time(sqs, brief, clock):
    send(sqs, brief, "old")
    clock.advance(seconds=30)
    send(sqs, brief, "new")
    clock.advance(seconds=30)
    assert bodies(receive(sqs, brief)) == ["new"]


def test_messages_in_flight_go_too(sqs, brief, clock):
    send(sqs, brief, "hello")
    receive(sqs, brief, VisibilityTimeout=600)
    clock.advance(seconds=60)
    assert counts(sqs, brief) == (0, 0, 0)
    clock.advance(seconds=540)
    assert bodies(receive(sqs, brief)) == []


def test_delayed_messages_go_too(sqs, brief, clock):
    send(sqs, brief, "hello", DelaySeconds=600)
    clock.advance(seconds=600)
    assert bodies(receive(sqs, brief)) == []


def test_receiving_and_hiding_a_message_does_not_keep_it_longer(sqs, brief, clock):
    send(sqs, brief, "hello")
    clock.advance(seconds=50)
    (handle,) = handles(receive(sqs, brief))
    sqs.change_message_visibility(QueueUrl=brief, ReceiptHandle=handle, VisibilityTimeout=0)
    clock.advance(seconds=10)
    assert bodies(receive(sqs, brief)) == []


def test_a_shorter_period_makes_messages_go_at_once(sqs, queue, clock):
    send(sqs, queue, "hello")
    clock.advance(seconds=61)
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"MessageRetentionPeriod": "60"})
    assert counts(sqs, queue) == (0, 0, 0)
    assert bodies(receive(sqs, queue)) == []


def test_a_longer_period_keeps_messages_longer(sqs, brief, clock):
    send(sqs, brief, "hello")
    sqs.set_queue_attributes(QueueUrl=brief, Attributes={"MessageRetentionPeriod": "120"})
    clock.advance(seconds=119)
    assert bodies(receive(sqs, brief)) == ["hello"]


def test_many_messages_go_together(sqs, brief, clock):
    for _ in range(60):
        batch = [{"Id": str(number), "MessageBody": "x"} for number in range(10)]
        sqs.send_message_batch(QueueUrl=brief, Entries=batch)
    assert counts(sqs, brief) == (600, 0, 0)
    clock.advance(seconds=60)
    assert counts(sqs, brief) == (0, 0, 0)


def test_on_a_dead_letter_queue_the_time_counts_from_the_first_sending(sqs, with_dead_letters, clock):
    source, dead = with_dead_letters(1)
    sqs.set_queue_attributes(QueueUrl=dead, Attributes={"MessageRetentionPeriod": "60"})
    send(sqs, source, "hello")
    receive(sqs, source, VisibilityTimeout=30)
    clock.advance(seconds=30)
    receive(sqs, source)
    clock.advance(seconds=29)
    assert bodies(receive(sqs, dead, VisibilityTimeout=0)) == ["hello"]
    clock.advance(seconds=1)
    assert bodies(receive(sqs, dead)) == []


def test_a_longer_period_does_not_bring_back_what_has_expired(sqs, make_queue, clock):
    queue = make_queue(MessageRetentionPeriod=60)
    send(sqs, queue, "gone")
    clock.advance(seconds=60)
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"MessageRetentionPeriod": "345600"})
    assert bodies(receive(sqs, queue)) == []
    assert counts(sqs, queue) == (0, 0, 0)
