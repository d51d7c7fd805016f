"""Receipt handles: their looks, and which ones a queue takes."""

import base64
import re

import pytest

from tests.support.answers import bad_handle, bodies, error_of, handles, only, receive, send


def changed(handle, position):
    """The handle with one character changed; the padding at its end stays."""
    other = "A" if handle[position] != "A" else "B"
    return handle[:position] + other + handle[position + 1 :]


def test_a_handle_looks_like_those_of_aws(sqs, queue):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    assert handle.startswith("AQEB")
    assert re.fullmatch("[A-Za-z0-9+/]+=*", handle)
    assert 200 <= len(handle) <= 400
    base64.b64decode(handle, validate=True)


def test_every_receive_gives_a_new_handle(sqs, queue):
    send(sqs, queue, "hello")
    found = [handles(receive(sqs, queue, VisibilityTimeout=0))[0] for _ in range(3)]
    assert len(set(found)) == 3


def test_messages_have_different_handles(sqs, queue):
    send(sqs, queue, "a", "b", "c")
    assert len(set(handles(receive(sqs, queue)))) == 3


@pytest.mark.parametrize("handle", ["garbage", "AQEBr1==", "AQEB" + "A" * 300, " ", "é", "x" * 2000, "a-b"])
def test_what_is_no_handle_is_refused(sqs, queue, handle):
    for call, more in ((sqs.delete_message, {}), (sqs.change_message_visibility, {"VisibilityTimeout": 1})):
        assert error_of(call, QueueUrl=queue, ReceiptHandle=handle, **more) == bad_handle(handle)


@pytest.mark.parametrize("position", [0, 5, 14, 25, 30, 100, 300])
def test_a_handle_that_was_changed_is_refused(sqs, queue, position):
    send(sqs, queue, "hello")
    handle = changed(handles(receive(sqs, queue))[0], position)
    assert error_of(sqs.delete_message, QueueUrl=queue, ReceiptHandle=handle) == bad_handle(handle)


def test_a_handle_belongs_to_its_queue(sqs, make_queue):
    queue, other = make_queue(), make_queue()
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    assert error_of(sqs.delete_message, QueueUrl=other, ReceiptHandle=handle) == bad_handle(handle)


def test_a_handle_does_not_fit_a_new_queue_of_the_same_name(sqs, queue, clock):
    send(sqs, queue, "old")
    (handle,) = handles(receive(sqs, queue))
    sqs.delete_queue(QueueUrl=queue)
    clock.advance(seconds=60)
    sqs.create_queue(QueueName=queue.rsplit("/", 1)[1])
    send(sqs, queue, "new")
    assert error_of(sqs.delete_message, QueueUrl=queue, ReceiptHandle=handle) == bad_handle(handle)
    assert only(receive(sqs, queue))["Body"] == "new"


def test_the_handle_of_a_message_that_moved_on_does_not_delete_it(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    send(sqs, source, "hello")
    (handle,) = handles(receive(sqs, source, VisibilityTimeout=0))
    receive(sqs, source)
    sqs.delete_message(QueueUrl=source, ReceiptHandle=handle)
    assert bodies(receive(sqs, dead)) == ["hello"]
