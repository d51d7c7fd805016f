"""ReceiveRequestAttemptId: a receive from a FIFO queue whose answer was lost can be asked again."""

import pytest

from emulator.settings import Settings
from tests.contract.clients import client_of
from tests.contract.fifo import send_fifo, take
from tests.support.answers import (
    bodies,
    content,
    counts,
    error_of,
    handles,
    invalid_value,
    only,
    receive,
    send,
)
from tests.support.server import running_server

NOT_RETRYABLE = "The receiveRequestAttemptId is not valid anymore since the receive call is not retryable."


@pytest.fixture
def queue(make_queue):
    return make_queue(fifo=True)


@pytest.fixture
def filled(sqs, queue):
    send_fifo(sqs, queue, "g-1", "g-2", "g-3")
    return queue


def attempt(sqs, queue, attempt_id="try", **members):
    return receive(sqs, queue, ReceiveRequestAttemptId=attempt_id, **members)


def refused_attempt(sqs, queue, attempt_id="try"):
    return error_of(sqs.receive_message, QueueUrl=queue, ReceiveRequestAttemptId=attempt_id)


def not_retryable(attempt_id="try"):
    return invalid_value(attempt_id, "ReceiveRequestAttemptId", NOT_RETRYABLE)


# The repeat


def test_a_repeat_gets_the_same_messages_with_the_same_handles(sqs, filled):
    first = attempt(sqs, filled, MaxNumberOfMessages=2)
    again = attempt(sqs, filled, MaxNumberOfMessages=2)
    assert (bodies(again), handles(again)) == (["g-1", "g-2"], handles(first))


def test_a_repeat_can_be_repeated(sqs, filled):
    first = attempt(sqs, filled)
    for _ in range(3):
        assert handles(attempt(sqs, filled)) == handles(first)


def test_a_repeat_gets_no_messages_sent_meanwhile(sqs, filled):
    attempt(sqs, filled)
    send_fifo(sqs, filled, "other-1")
    assert bodies(attempt(sqs, filled)) == ["g-1", "g-2", "g-3"]
    assert take(sqs, filled) == ["other-1"]


def test_a_repeat_is_no_receive_for_the_receive_count(sqs, queue):
    send_fifo(sqs, queue, "g-1")
    for _ in range(3):
        assert only(attempt(sqs, queue))["Attributes"]["ApproximateReceiveCount"] == "1"


def test_a_repeat_moves_nothing_to_the_dead_letter_queue(sqs, with_dead_letters):
    source, dead = with_dead_letters(1, fifo=True)
    send_fifo(sqs, source, "g-1")
    attempt(sqs, source)
    assert bodies(attempt(sqs, source)) == ["g-1"]
    assert counts(sqs, dead) == (0, 0, 0)


def test_a_repeat_starts_the_visibility_timeout_anew(sqs, filled, clock):
    attempt(sqs, filled, VisibilityTimeout=10)
    clock.advance(seconds=6)
    attempt(sqs, filled, VisibilityTimeout=10)
    clock.advance(ms=9_999)
    assert take(sqs, filled) == []
    clock.advance(ms=1)
    assert take(sqs, filled) == ["g-1", "g-2", "g-3"]


def test_a_repeat_after_the_timeout_hides_the_messages_again(sqs, filled, clock):
    first = attempt(sqs, filled, VisibilityTimeout=10)
    clock.advance(seconds=20)
    assert handles(attempt(sqs, filled, VisibilityTimeout=10)) == handles(first)
    assert take(sqs, filled) == []


def test_the_handles_of_a_repeat_delete(sqs, filled, clock):
    attempt(sqs, filled, VisibilityTimeout=10)
    clock.advance(seconds=9)
    again = handles(attempt(sqs, filled, VisibilityTimeout=10))
    clock.advance(seconds=9)
    for handle in again:
        sqs.delete_message(QueueUrl=filled, ReceiptHandle=handle)
    assert counts(sqs, filled) == (0, 0, 0)


def test_a_repeat_gets_messages_of_several_groups(sqs, queue):
    send_fifo(sqs, queue, "g1-m1", "g2-m1", "g1-m2")
    first = attempt(sqs, queue)
    again = attempt(sqs, queue)
    assert bodies(again) == ["g1-m1", "g1-m2", "g2-m1"]
    assert handles(again) == handles(first)


def test_a_long_poll_with_the_same_id_is_a_repeat(sqs, filled):
    first = attempt(sqs, filled)
    assert handles(attempt(sqs, filled, WaitTimeSeconds=20)) == handles(first)


def test_another_id_is_another_receive(sqs, filled):
    attempt(sqs, filled, "one")
    assert content(attempt(sqs, filled, "two")) == {}


def test_queues_do_not_share_ids(sqs, filled, make_queue):
    other = make_queue(fifo=True)
    send_fifo(sqs, other, "h-1")
    attempt(sqs, filled)
    assert bodies(attempt(sqs, other)) == ["h-1"]


def test_an_id_that_got_nothing_is_free(sqs, queue):
    assert content(attempt(sqs, queue)) == {}
    send_fifo(sqs, queue, "g-1")
    assert bodies(attempt(sqs, queue)) == ["g-1"]


def test_an_id_is_remembered_over_a_restart(protocol, tmp_path):
    settings = Settings(data=str(tmp_path / "data"))
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        sqs.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})
        send_fifo(sqs, "q.fifo", "g-1")
        first = attempt(sqs, "q.fifo")
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        assert handles(attempt(sqs, "q.fifo")) == handles(first)


# Five minutes


def test_an_id_is_remembered_for_five_minutes(sqs, filled, clock):
    first = attempt(sqs, filled, VisibilityTimeout=600)
    clock.advance(ms=299_999)
    assert handles(attempt(sqs, filled, VisibilityTimeout=600)) == handles(first)


def test_after_five_minutes_an_id_starts_anew(sqs, filled, clock):
    attempt(sqs, filled, MaxNumberOfMessages=1, VisibilityTimeout=600)
    clock.advance(seconds=300)
    assert content(attempt(sqs, filled)) == {}
    send_fifo(sqs, filled, "other-1")
    assert bodies(attempt(sqs, filled)) == ["other-1"]


# What cannot be repeated


def test_a_receive_of_which_a_message_was_deleted_cannot_be_repeated(sqs, filled):
    second = handles(attempt(sqs, filled))[1]
    sqs.delete_message(QueueUrl=filled, ReceiptHandle=second)
    assert refused_attempt(sqs, filled) == not_retryable()


@pytest.mark.parametrize("timeout_s", [0, 5, 60])
def test_a_receive_of_which_a_visibility_was_changed_cannot_be_repeated(sqs, filled, timeout_s):
    second = handles(attempt(sqs, filled))[1]
    members = {"QueueUrl": filled, "ReceiptHandle": second, "VisibilityTimeout": timeout_s}
    sqs.change_message_visibility(**members)
    assert refused_attempt(sqs, filled) == not_retryable()


def test_a_visibility_changed_to_what_it_was_is_a_change_too(sqs, filled):
    handle = handles(attempt(sqs, filled, VisibilityTimeout=30))[0]
    members = {"QueueUrl": filled, "ReceiptHandle": handle, "VisibilityTimeout": 30}
    sqs.change_message_visibility(**members)
    assert refused_attempt(sqs, filled) == not_retryable()


def test_a_receive_whose_messages_others_got_cannot_be_repeated(sqs, filled, clock):
    attempt(sqs, filled, VisibilityTimeout=10)
    clock.advance(seconds=10)
    assert take(sqs, filled, 1) == ["g-1"]
    assert refused_attempt(sqs, filled) == not_retryable()


def test_a_repeat_that_is_refused_changes_nothing(sqs, filled):
    second = handles(attempt(sqs, filled))[1]
    sqs.delete_message(QueueUrl=filled, ReceiptHandle=second)
    refused_attempt(sqs, filled)
    assert counts(sqs, filled) == (0, 2, 0)
    assert refused_attempt(sqs, filled) == not_retryable()


def test_after_five_minutes_a_refused_id_can_be_used_again(sqs, filled, clock):
    for handle in handles(attempt(sqs, filled, VisibilityTimeout=600)):
        sqs.delete_message(QueueUrl=filled, ReceiptHandle=handle)
    refused_attempt(sqs, filled)
    clock.advance(seconds=300)
    assert content(attempt(sqs, filled)) == {}


def test_a_purge_forgets_all_ids(sqs, filled):
    attempt(sqs, filled)
    sqs.purge_queue(QueueUrl=filled)
    assert content(attempt(sqs, filled)) == {}
    send_fifo(sqs, filled, "g-4")
    assert bodies(attempt(sqs, filled)) == ["g-4"]


# The id itself


@pytest.mark.parametrize("attempt_id", ["", "x" * 129, "a b", "ä", " "])
def test_an_id_has_1_to_128_letters_digits_and_punctuation_marks(sqs, queue, attempt_id):
    status, code, text = refused_attempt(sqs, queue, attempt_id)
    assert (status, code) == (400, "InvalidParameterValue")
    assert text.startswith(f"Value {attempt_id} for parameter ReceiveRequestAttemptId is invalid. Reason: ")


@pytest.mark.parametrize("attempt_id", ["x", "x" * 128, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"])
def test_ids_that_are_taken(sqs, filled, attempt_id):
    first = attempt(sqs, filled, attempt_id)
    assert handles(attempt(sqs, filled, attempt_id)) == handles(first)


@pytest.mark.parametrize("attempt_id", ["x", "a b", "x" * 129])
def test_a_standard_queue_ignores_the_id(sqs, make_queue, attempt_id):
    queue = make_queue()
    send(sqs, queue, "a", "b")
    received = [bodies(attempt(sqs, queue, attempt_id, MaxNumberOfMessages=1)) for _ in range(2)]
    assert received == [["a"], ["b"]]
