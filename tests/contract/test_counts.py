"""The three Approximate… counts, which are exact here."""

from tests.support.answers import counts, entries, handles, queue_attributes, receive, send


def test_an_empty_queue_counts_nothing(sqs, queue):
    assert counts(sqs, queue) == (0, 0, 0)


def test_every_message_is_counted_once(sqs, queue, clock):
    send(sqs, queue, "a", "b", "c")
    send(sqs, queue, "d", DelaySeconds=60)
    receive(sqs, queue, MaxNumberOfMessages=1)
    assert counts(sqs, queue) == (2, 1, 1)


def test_a_count_can_be_asked_for_by_name(sqs, queue):
    send(sqs, queue, "hello")
    name = "ApproximateNumberOfMessages"
    assert queue_attributes(sqs, queue, name) == {name: "1"}


def test_a_batch_counts_its_messages(sqs, queue):
    sqs.send_message_batch(QueueUrl=queue, Entries=entries("a", "b", "\x00"))
    assert counts(sqs, queue) == (2, 0, 0)


def test_a_message_in_flight_is_visible_again_when_its_timeout_ends(sqs, queue, clock):
    send(sqs, queue, "hello")
    receive(sqs, queue, VisibilityTimeout=5)
    clock.advance(ms=4_999)
    assert counts(sqs, queue) == (0, 1, 0)
    clock.advance(ms=1)
    assert counts(sqs, queue) == (1, 0, 0)


def test_a_message_that_is_given_back_is_visible_again(sqs, queue):
    send(sqs, queue, "hello")
    (handle,) = handles(receive(sqs, queue))
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=0)
    assert counts(sqs, queue) == (1, 0, 0)
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=5)
    assert counts(sqs, queue) == (0, 1, 0)


def test_a_receive_with_a_timeout_of_0_leaves_the_message_visible(sqs, queue):
    send(sqs, queue, "hello")
    receive(sqs, queue, VisibilityTimeout=0)
    assert counts(sqs, queue) == (1, 0, 0)


def test_a_deleted_message_is_counted_no_more_even_if_deleted_twice(sqs, queue):
    send(sqs, queue, "a", "b")
    first, _ = handles(receive(sqs, queue))
    for _ in range(2):
        sqs.delete_message(QueueUrl=queue, ReceiptHandle=first)
    assert counts(sqs, queue) == (0, 1, 0)


def test_a_delayed_message_that_was_received_before_is_not_delayed_but_in_flight(sqs, queue, clock):
    send(sqs, queue, "hello", DelaySeconds=5)
    clock.advance(seconds=5)
    receive(sqs, queue)
    assert counts(sqs, queue) == (0, 1, 0)


def test_a_move_to_the_dead_letter_queue_is_counted_on_both_sides(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    send(sqs, source, "a", "b")
    receive(sqs, source, MaxNumberOfMessages=1, VisibilityTimeout=0)
    receive(sqs, source)
    assert (counts(sqs, source), counts(sqs, dead)) == ((0, 1, 0), (1, 0, 0))
