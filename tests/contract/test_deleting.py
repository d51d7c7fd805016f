"""DeleteMessage on standard queues."""

from tests.support.answers import (
    bad_handle,
    bodies,
    content,
    counts,
    error_of,
    handles,
    no_such_queue,
    receive,
    send,
)


def delete(sqs, queue, handle):
    return content(sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle))


def test_a_deleted_message_does_not_come_back(sqs, queue, clock):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    assert delete(sqs, queue, handle) == {}
    clock.advance(seconds=30)
    assert bodies(receive(sqs, queue)) == []
    assert counts(sqs, queue) == (0, 0, 0)


def test_only_the_message_of_the_handle_is_deleted(sqs, queue, clock):
    send(sqs, queue, "a", "b", "c")
    _, second, _ = handles(receive(sqs, queue))
    delete(sqs, queue, second)
    clock.advance(seconds=30)
    assert bodies(receive(sqs, queue)) == ["a", "c"]


def test_deleting_twice_is_no_error(sqs, queue):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    assert [delete(sqs, queue, handle) for _ in range(3)] == [{}, {}, {}]


def test_a_message_whose_timeout_ended_can_be_deleted(sqs, queue, clock):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue, VisibilityTimeout=5))
    clock.advance(seconds=6)
    delete(sqs, queue, handle)
    assert bodies(receive(sqs, queue)) == []


def test_an_earlier_handle_deletes_a_message_that_was_received_again(sqs, queue, clock):
    send(sqs, queue, "hello")
    (first,) = handles(receive(sqs, queue, VisibilityTimeout=5))
    clock.advance(seconds=5)
    (second,) = handles(receive(sqs, queue))
    delete(sqs, queue, first)
    clock.advance(seconds=30)
    assert bodies(receive(sqs, queue)) == []
    assert delete(sqs, queue, second) == {}


def test_deleting_a_message_that_was_given_back_works(sqs, queue):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=0)
    delete(sqs, queue, handle)
    assert bodies(receive(sqs, queue)) == []


def test_deleting_an_expired_message_is_no_error(sqs, make_queue, clock):
    queue = make_queue(MessageRetentionPeriod=60)
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    clock.advance(seconds=61)
    assert delete(sqs, queue, handle) == {}
    assert counts(sqs, queue) == (0, 0, 0)


def test_deleting_a_purged_message_is_no_error(sqs, queue):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    sqs.purge_queue(QueueUrl=queue)
    assert delete(sqs, queue, handle) == {}


def test_an_empty_handle_is_refused(sqs, queue):
    refusal = error_of(sqs.delete_message, QueueUrl=queue, ReceiptHandle="")
    assert refusal.code in {"ReceiptHandleIsInvalid", "MissingParameter"}


def test_the_queue_is_looked_for_before_the_handle(sqs, queue, protocol):
    refusal = error_of(sqs.delete_message, QueueUrl=f"{queue}-not", ReceiptHandle="garbage")
    assert refusal == no_such_queue(protocol)
    assert error_of(sqs.delete_message, QueueUrl=queue, ReceiptHandle="garbage") == bad_handle("garbage")
