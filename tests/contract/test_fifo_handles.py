"""FIFO queues: a receipt handle holds as long as the visibility timeout of its receive."""

import pytest

from tests.contract.fifo import send_fifo, take
from tests.support.answers import bad_handle, content, counts, error_of, handles, invalid_value, receive

EXPIRED = "The receipt handle has expired."
GONE = "Message does not exist or is not available for visibility timeout change."
BEYOND = "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]"


@pytest.fixture
def queue(make_queue):
    return make_queue(fifo=True)


@pytest.fixture
def handle(sqs, queue):
    """Of a message that is in flight for 10 seconds."""
    send_fifo(sqs, queue, "g-1")
    (handle,) = handles(receive(sqs, queue, VisibilityTimeout=10))
    return handle


def delete(sqs, queue, handle):
    return sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)


def hide_for(sqs, queue, handle, seconds):
    return sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=seconds)


def refusal_to_delete(sqs, queue, handle):
    return error_of(sqs.delete_message, QueueUrl=queue, ReceiptHandle=handle)


def refusal_to_hide(sqs, queue, handle, seconds=30):
    return error_of(
        sqs.change_message_visibility, QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=seconds
    )


def expired(handle):
    return invalid_value(handle, "ReceiptHandle", EXPIRED)


# Its time


def test_a_handle_deletes_until_the_timeout_ends(sqs, queue, handle, clock):
    clock.advance(ms=9_999)
    delete(sqs, queue, handle)
    assert counts(sqs, queue) == (0, 0, 0)


def test_a_handle_does_not_delete_once_the_timeout_ended(sqs, queue, handle, clock):
    clock.advance(seconds=10)
    assert refusal_to_delete(sqs, queue, handle) == expired(handle)
    assert take(sqs, queue) == ["g-1"]


def test_a_handle_changes_the_visibility_until_the_timeout_ends(sqs, queue, handle, clock):
    clock.advance(ms=9_999)
    hide_for(sqs, queue, handle, 5)
    clock.advance(ms=4_999)
    assert take(sqs, queue) == []


def test_a_handle_changes_no_visibility_once_the_timeout_ended(sqs, queue, handle, clock):
    clock.advance(seconds=10)
    assert refusal_to_hide(sqs, queue, handle) == expired(handle)
    assert take(sqs, queue) == ["g-1"]


def test_an_extension_is_one_for_the_handle_too(sqs, queue, handle, clock):
    hide_for(sqs, queue, handle, 20)
    clock.advance(seconds=19)
    hide_for(sqs, queue, handle, 20)
    clock.advance(seconds=19)
    delete(sqs, queue, handle)
    assert counts(sqs, queue) == (0, 0, 0)


def test_an_extension_ends_too(sqs, queue, handle, clock):
    hide_for(sqs, queue, handle, 20)
    clock.advance(seconds=20)
    assert refusal_to_delete(sqs, queue, handle) == expired(handle)


def test_a_shortened_timeout_shortens_the_life_of_the_handle(sqs, queue, handle, clock):
    hide_for(sqs, queue, handle, 2)
    clock.advance(seconds=2)
    assert refusal_to_delete(sqs, queue, handle) == expired(handle)


def test_the_handle_of_a_message_given_back_has_expired(sqs, queue, handle):
    hide_for(sqs, queue, handle, 0)
    assert refusal_to_delete(sqs, queue, handle) == expired(handle)
    assert refusal_to_hide(sqs, queue, handle) == expired(handle)


def test_the_handle_of_a_receive_with_a_timeout_of_0_has_expired(sqs, queue):
    send_fifo(sqs, queue, "g-1")
    (handle,) = handles(receive(sqs, queue, VisibilityTimeout=0))
    assert refusal_to_delete(sqs, queue, handle) == expired(handle)


def test_changing_the_timeout_of_the_queue_changes_no_handle(sqs, queue, handle, clock):
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "1"})
    clock.advance(seconds=9)
    delete(sqs, queue, handle)
    assert counts(sqs, queue) == (0, 0, 0)


def test_a_timeout_ends_at_the_latest_12_hours_after_the_receive(sqs, queue, handle, clock):
    clock.advance(seconds=5)
    hide_for(sqs, queue, handle, 43_195)
    assert refusal_to_hide(sqs, queue, handle, 43_196) == invalid_value(43_196, "VisibilityTimeout", BEYOND)


# An earlier receive


@pytest.fixture
def older(sqs, queue, handle, clock):
    """The handle of the receive before the last one: (older, newest)."""
    clock.advance(seconds=10)
    (newest,) = handles(receive(sqs, queue))
    return handle, newest


def test_the_handle_of_an_earlier_receive_does_not_delete(sqs, queue, older):
    handle, newest = older
    assert refusal_to_delete(sqs, queue, handle) == expired(handle)
    delete(sqs, queue, newest)
    assert counts(sqs, queue) == (0, 0, 0)


def test_the_handle_of_an_earlier_receive_changes_no_visibility(sqs, queue, older):
    handle, _ = older
    assert refusal_to_hide(sqs, queue, handle, 0) == expired(handle)
    assert counts(sqs, queue) == (0, 1, 0)


# Messages that are gone


def test_a_deleted_message_can_be_deleted_again(sqs, queue, handle, clock):
    delete(sqs, queue, handle)
    assert content(delete(sqs, queue, handle)) == {}
    clock.advance(seconds=10)
    assert content(delete(sqs, queue, handle)) == {}


def test_the_visibility_of_a_deleted_message_cannot_be_changed(sqs, queue, handle):
    delete(sqs, queue, handle)
    assert refusal_to_hide(sqs, queue, handle) == invalid_value(handle, "ReceiptHandle", GONE)


def test_a_message_that_went_by_itself_can_be_deleted(sqs, make_queue, clock):
    queue = make_queue(fifo=True, MessageRetentionPeriod=60)
    send_fifo(sqs, queue, "g-1")
    (handle,) = handles(receive(sqs, queue, VisibilityTimeout=600))
    clock.advance(seconds=60)
    assert content(delete(sqs, queue, handle)) == {}
    assert refusal_to_hide(sqs, queue, handle) == invalid_value(handle, "ReceiptHandle", GONE)


def test_a_purged_message_can_be_deleted(sqs, queue, handle):
    sqs.purge_queue(QueueUrl=queue)
    assert content(delete(sqs, queue, handle)) == {}


def test_what_is_no_handle_is_refused(sqs, queue):
    assert refusal_to_delete(sqs, queue, "garbage") == bad_handle("garbage")
    assert refusal_to_hide(sqs, queue, "garbage") == bad_handle("garbage")


def test_a_handle_belongs_to_its_queue(sqs, handle, make_queue):
    assert refusal_to_delete(sqs, make_queue(fifo=True), handle) == bad_handle(handle)


# Batches


@pytest.fixture
def one_expired(sqs, queue, clock):
    """Handles of two messages in flight, the second one expired."""
    send_fifo(sqs, queue, "g-1", "g-2")
    received = handles(receive(sqs, queue, VisibilityTimeout=10))
    hide_for(sqs, queue, received[1], 5)
    clock.advance(seconds=5)
    return received


def failed_entry(handle):
    message = f"Value {handle} for parameter ReceiptHandle is invalid. Reason: {EXPIRED}"
    return [{"Id": "1", "SenderFault": True, "Code": "InvalidParameterValue", "Message": message}]


def test_in_a_batch_of_deletes_an_expired_handle_fails_alone(sqs, queue, one_expired):
    entries = [{"Id": str(number), "ReceiptHandle": handle} for number, handle in enumerate(one_expired)]
    answer = sqs.delete_message_batch(QueueUrl=queue, Entries=entries)
    assert content(answer) == {"Successful": [{"Id": "0"}], "Failed": failed_entry(one_expired[1])}
    assert counts(sqs, queue) == (1, 0, 0)


def test_in_a_batch_of_visibility_changes_an_expired_handle_fails_alone(sqs, queue, one_expired):
    entries = [
        {"Id": str(number), "ReceiptHandle": handle, "VisibilityTimeout": 60}
        for number, handle in enumerate(one_expired)
    ]
    answer = sqs.change_message_visibility_batch(QueueUrl=queue, Entries=entries)
    assert content(answer) == {"Successful": [{"Id": "0"}], "Failed": failed_entry(one_expired[1])}
    assert counts(sqs, queue) == (1, 1, 0)


def test_a_batch_of_visibility_changes_opens_the_group_in_order(sqs, queue):
    send_fifo(sqs, queue, "g-1", "g-2", "g-3")
    received = handles(receive(sqs, queue))
    entries = [
        {"Id": str(number), "ReceiptHandle": handle, "VisibilityTimeout": 0}
        for number, handle in reversed(list(enumerate(received)))
    ]
    sqs.change_message_visibility_batch(QueueUrl=queue, Entries=entries)
    assert take(sqs, queue) == ["g-1", "g-2", "g-3"]
