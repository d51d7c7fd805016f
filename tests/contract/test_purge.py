"""PurgeQueue."""

from tests.contract.clients import server_with
from tests.support.answers import (
    Refusal,
    bodies,
    content,
    counts,
    error_of,
    no_such_queue,
    receive,
    send,
)


def in_progress(queue):
    name = queue.rsplit("/", 1)[1]
    message = f"Only one PurgeQueue operation on {name} is allowed every 60 seconds."
    return Refusal(403, "AWS.SimpleQueueService.PurgeQueueInProgress", message)


def test_a_purge_removes_visible_delayed_and_in_flight_messages(sqs, queue, clock):
    send(sqs, queue, "in flight")
    receive(sqs, queue, VisibilityTimeout=5)
    send(sqs, queue, "visible")
    send(sqs, queue, "delayed", DelaySeconds=5)
    assert content(sqs.purge_queue(QueueUrl=queue)) == {}
    assert counts(sqs, queue) == (0, 0, 0)
    clock.advance(seconds=5)
    assert bodies(receive(sqs, queue)) == []


def test_messages_sent_after_a_purge_stay(sqs, queue):
    sqs.purge_queue(QueueUrl=queue)
    send(sqs, queue, "hello")
    assert bodies(receive(sqs, queue)) == ["hello"]


def test_a_purge_leaves_other_queues_alone(sqs, make_queue):
    purged, other = make_queue(), make_queue()
    send(sqs, other, "hello")
    sqs.purge_queue(QueueUrl=purged)
    assert bodies(receive(sqs, other)) == ["hello"]


def test_a_purge_keeps_the_queue_its_attributes_and_tags(sqs, make_queue):
    queue = make_queue(DelaySeconds=5, tags={"team": "core"})
    before = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    sqs.purge_queue(QueueUrl=queue)
    assert sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"] == before
    assert sqs.list_queue_tags(QueueUrl=queue)["Tags"] == {"team": "core"}


def test_a_queue_can_be_purged_once_a_minute(sqs, queue, clock):
    sqs.purge_queue(QueueUrl=queue)
    assert error_of(sqs.purge_queue, QueueUrl=queue) == in_progress(queue)
    send(sqs, queue, "hello")
    clock.advance(ms=59_999)
    assert error_of(sqs.purge_queue, QueueUrl=queue) == in_progress(queue)
    assert counts(sqs, queue) == (1, 0, 0)
    clock.advance(ms=1)
    sqs.purge_queue(QueueUrl=queue)
    assert counts(sqs, queue) == (0, 0, 0)


def test_a_refused_purge_does_not_lengthen_the_minute(sqs, queue, clock):
    sqs.purge_queue(QueueUrl=queue)
    clock.advance(seconds=50)
    error_of(sqs.purge_queue, QueueUrl=queue)
    clock.advance(seconds=10)
    sqs.purge_queue(QueueUrl=queue)


def test_each_queue_has_its_own_minute(sqs, make_queue):
    for queue in (make_queue(), make_queue()):
        sqs.purge_queue(QueueUrl=queue)


def test_a_queue_that_does_not_exist_cannot_be_purged(sqs, queue, protocol):
    assert error_of(sqs.purge_queue, QueueUrl=f"{queue}-not") == no_such_queue(protocol)


def test_without_cooldowns_a_queue_can_be_purged_at_any_time(protocol):
    with server_with(protocol, cooldowns=False) as (_, sqs):
        queue = sqs.create_queue(QueueName="purged")["QueueUrl"]
        sqs.purge_queue(QueueUrl=queue)
        send(sqs, queue, "hello")
        sqs.purge_queue(QueueUrl=queue)
        assert counts(sqs, queue) == (0, 0, 0)
