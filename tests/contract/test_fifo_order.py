"""FIFO queues: in which order messages go out, and when a group is locked."""

import pytest

from tests.contract.fifo import fifo_entries, send_fifo, take
from tests.support.answers import bodies, content, counts, handles, receive
from tests.support.polls import long_poll


@pytest.fixture
def queue(make_queue):
    return make_queue(fifo=True)


@pytest.fixture
def slow_queue(make_queue):
    """A queue that delays its messages by 10 seconds."""
    return make_queue(fifo=True, DelaySeconds=10)


def delete(sqs, queue, *gone):
    for handle in gone:
        sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)


def hide_for(sqs, queue, handle, seconds):
    sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=seconds)


def set_delay(sqs, queue, seconds):
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"DelaySeconds": str(seconds)})


# Order


def test_messages_of_one_group_are_received_one_by_one_in_their_order(sqs, queue):
    send_fifo(sqs, queue, "g-3", "g-1", "g-2")
    received = []
    for _ in range(3):
        answer = receive(sqs, queue, MaxNumberOfMessages=1)
        received += bodies(answer)
        delete(sqs, queue, *handles(answer))
    assert received == ["g-3", "g-1", "g-2"]


def test_messages_of_a_batch_have_its_order(sqs, queue):
    sqs.send_message_batch(QueueUrl=queue, Entries=fifo_entries("g-3", "g-1", "g-2"))
    assert take(sqs, queue) == ["g-3", "g-1", "g-2"]


def test_a_receive_takes_all_of_one_group_before_the_next(sqs, queue):
    send_fifo(sqs, queue, "g1-m1", "g2-m1", "g1-m2", "g1-m3")
    assert take(sqs, queue) == ["g1-m1", "g1-m2", "g1-m3", "g2-m1"]


def test_groups_come_in_the_order_of_their_first_messages(sqs, queue):
    send_fifo(sqs, queue, "z-1", "m-1", "a-1", "m-2", "z-2")
    assert take(sqs, queue) == ["z-1", "z-2", "m-1", "m-2", "a-1"]


def test_a_receive_gets_no_more_than_it_asks_for(sqs, queue):
    send_fifo(sqs, queue, "g1-m1", "g1-m2", "g2-m1", "g2-m2")
    assert take(sqs, queue, 3) == ["g1-m1", "g1-m2", "g2-m1"]


# The lock


@pytest.fixture
def three_groups(sqs, queue):
    send_fifo(sqs, queue, "g1-m1", "g1-m2", "g1-m3", "g1-m4", "g2-m1", "g3-m1")
    return queue


def test_a_group_with_a_message_in_flight_is_locked(sqs, three_groups):
    assert take(sqs, three_groups, 2) == ["g1-m1", "g1-m2"]
    assert take(sqs, three_groups, 1) == ["g2-m1"]
    assert take(sqs, three_groups) == ["g3-m1"]
    assert take(sqs, three_groups) == []


def test_groups_come_back_in_the_order_in_which_their_timeouts_end(sqs, three_groups, clock):
    take(sqs, three_groups, 2, VisibilityTimeout=10)
    clock.advance(ms=1)
    take(sqs, three_groups, 1, VisibilityTimeout=10)
    clock.advance(seconds=10)
    assert take(sqs, three_groups) == ["g3-m1", "g1-m1", "g1-m2", "g1-m3", "g1-m4", "g2-m1"]


@pytest.fixture
def mixed_groups(sqs, queue):
    send_fifo(sqs, queue, "g1-m1", "g2-m1", "g1-m2", "g2-m2", "g1-m3", "g1-m4", "g3-m1")
    return queue


def test_a_group_opens_when_all_its_messages_in_flight_are_deleted(sqs, mixed_groups, clock):
    clock.advance(ms=1)
    delete(sqs, mixed_groups, *handles(receive(sqs, mixed_groups, MaxNumberOfMessages=2)))
    clock.advance(ms=1)
    assert take(sqs, mixed_groups) == ["g2-m1", "g2-m2", "g1-m3", "g1-m4", "g3-m1"]


def test_a_group_stays_locked_when_some_of_its_messages_in_flight_are_deleted(sqs, mixed_groups):
    first, _ = handles(receive(sqs, mixed_groups, MaxNumberOfMessages=2))
    delete(sqs, mixed_groups, first)
    assert take(sqs, mixed_groups) == ["g2-m1", "g2-m2", "g3-m1"]


def test_deleting_a_later_message_in_flight_leaves_the_group_locked(sqs, queue):
    send_fifo(sqs, queue, "g-1", "g-2", "g-3")
    _, second = handles(receive(sqs, queue, MaxNumberOfMessages=2))
    delete(sqs, queue, second)
    assert take(sqs, queue) == []


def test_a_new_message_does_not_open_a_locked_group(sqs, queue):
    send_fifo(sqs, queue, "g-1")
    take(sqs, queue)
    send_fifo(sqs, queue, "g-2")
    assert take(sqs, queue) == []


def test_giving_back_the_first_message_opens_the_group_up_to_the_one_in_flight(sqs, queue, clock):
    send_fifo(sqs, queue, "g1-m1", "g1-m2", "g2-m1")
    first, _ = handles(receive(sqs, queue, MaxNumberOfMessages=2))
    clock.advance(ms=1)
    hide_for(sqs, queue, first, 0)
    assert take(sqs, queue, 3) == ["g2-m1", "g1-m1"]


def test_giving_back_a_later_message_does_not_open_the_group(sqs, queue):
    send_fifo(sqs, queue, "g-1", "g-2")
    _, second = handles(receive(sqs, queue))
    hide_for(sqs, queue, second, 0)
    assert take(sqs, queue) == []


@pytest.mark.parametrize(("extended", "expected"), [(0, []), (1, ["g-1"]), (2, ["g-1", "g-2"])])
def test_an_extended_message_holds_back_those_behind_it(sqs, queue, clock, extended, expected):
    send_fifo(sqs, queue, "g-1", "g-2", "g-3")
    received = handles(receive(sqs, queue, VisibilityTimeout=1))
    hide_for(sqs, queue, received[extended], 4)
    clock.advance(ms=2_500)
    assert take(sqs, queue) == expected


def test_after_the_extension_all_messages_come_in_order(sqs, queue, clock):
    send_fifo(sqs, queue, "g-1", "g-2", "g-3")
    first, *_ = handles(receive(sqs, queue, VisibilityTimeout=1))
    hide_for(sqs, queue, first, 4)
    clock.advance(seconds=4)
    assert take(sqs, queue) == ["g-1", "g-2", "g-3"]


def test_messages_whose_timeout_ended_come_in_order_before_those_behind_them(sqs, queue, clock):
    send_fifo(sqs, queue, "g-1", "g-2", "g-3", "g-4", "g-5")
    take(sqs, queue, 3, VisibilityTimeout=5)
    clock.advance(seconds=5)
    assert take(sqs, queue, 2, VisibilityTimeout=5) == ["g-1", "g-2"]
    clock.advance(seconds=5)
    assert take(sqs, queue) == ["g-1", "g-2", "g-3", "g-4", "g-5"]


def test_messages_received_with_a_timeout_of_0_put_their_group_behind_the_others(sqs, queue, clock):
    send_fifo(sqs, queue, "g1-m1", "g2-m1", "g2-m2", "g3-m1", "g1-m2")
    clock.advance(ms=1)
    assert take(sqs, queue, 3, VisibilityTimeout=0) == ["g1-m1", "g1-m2", "g2-m1"]
    expected = ["g3-m1", "g1-m1", "g1-m2", "g2-m1", "g2-m2"]
    clock.advance(ms=1)
    assert take(sqs, queue, VisibilityTimeout=0) == expected


def test_a_timeout_of_0_locks_nothing(sqs, queue):
    send_fifo(sqs, queue, "g-1", "g-2")
    assert [take(sqs, queue, 1, VisibilityTimeout=0) for _ in range(3)] == [["g-1"]] * 3


def test_messages_of_a_locked_group_count_as_visible(sqs, queue):
    send_fifo(sqs, queue, "g1-m1", "g1-m2", "g1-m3", "g2-m1")
    take(sqs, queue, 1)
    assert counts(sqs, queue) == (3, 1, 0)
    take(sqs, queue, 1)
    assert counts(sqs, queue) == (2, 2, 0)


def test_a_locked_group_opens_when_its_message_in_flight_expires(sqs, make_queue, clock):
    queue = make_queue(fifo=True, MessageRetentionPeriod=60)
    send_fifo(sqs, queue, "g-1")
    take(sqs, queue, VisibilityTimeout=600)
    clock.advance(seconds=30)
    send_fifo(sqs, queue, "g-2")
    clock.advance(seconds=30)
    assert take(sqs, queue) == ["g-2"]


def test_a_purge_opens_locked_groups(sqs, queue):
    send_fifo(sqs, queue, "g-1", "g-2")
    take(sqs, queue, 1)
    sqs.purge_queue(QueueUrl=queue)
    send_fifo(sqs, queue, "g-3")
    assert take(sqs, queue) == ["g-3"]


def test_a_group_that_became_empty_can_be_used_again(sqs, queue):
    for text in ("g-1", "g-2", "g-3"):
        send_fifo(sqs, queue, text)
        answer = receive(sqs, queue)
        assert bodies(answer) == [text]
        delete(sqs, queue, *handles(answer))


def test_a_group_can_be_used_again_after_its_message_moved_to_the_dead_letter_queue(sqs, with_dead_letters):
    source, dead = with_dead_letters(1, fifo=True)
    send_fifo(sqs, source, "g-1")
    take(sqs, source, VisibilityTimeout=0)
    assert take(sqs, source) == []
    send_fifo(sqs, source, "g-2")
    assert (take(sqs, source), take(sqs, dead)) == (["g-2"], ["g-1"])


# Long polls


@pytest.fixture
def poll(server, sqs, queue):
    def start(**members):
        return long_poll(server, sqs, queue, **members)

    return start


def test_a_delete_that_opens_the_group_ends_a_long_poll(sqs, queue, poll):
    send_fifo(sqs, queue, "g-1", "g-2")
    (handle,) = handles(receive(sqs, queue, MaxNumberOfMessages=1))
    waiting = poll()
    delete(sqs, queue, handle)
    assert bodies(waiting.answer()) == ["g-2"]


def test_a_batch_of_deletes_that_opens_the_group_ends_a_long_poll(sqs, queue, poll):
    send_fifo(sqs, queue, "g-1", "g-2", "g-3")
    received = handles(receive(sqs, queue, MaxNumberOfMessages=2))
    waiting = poll()
    entries = [{"Id": str(number), "ReceiptHandle": handle} for number, handle in enumerate(received)]
    sqs.delete_message_batch(QueueUrl=queue, Entries=entries)
    assert bodies(waiting.answer()) == ["g-3"]


def test_a_message_to_a_locked_group_does_not_end_a_long_poll(sqs, queue, poll, clock, server):
    send_fifo(sqs, queue, "g-1")
    (handle,) = handles(receive(sqs, queue))
    waiting = poll()
    send_fifo(sqs, queue, "g-2")
    server.wait_for_waiters(queue)
    assert waiting.waits
    delete(sqs, queue, handle)
    assert bodies(waiting.answer()) == ["g-2"]


def test_a_message_to_another_group_ends_a_long_poll(sqs, queue, poll):
    send_fifo(sqs, queue, "g1-m1")
    take(sqs, queue)
    waiting = poll()
    send_fifo(sqs, queue, "g2-m1")
    assert bodies(waiting.answer()) == ["g2-m1"]


def test_a_timeout_that_ends_ends_a_long_poll_with_the_whole_group(sqs, queue, poll, clock):
    send_fifo(sqs, queue, "g-1", "g-2")
    take(sqs, queue, 1, VisibilityTimeout=5)
    waiting = poll(MaxNumberOfMessages=10)
    clock.advance(seconds=5)
    assert bodies(waiting.answer()) == ["g-1", "g-2"]


def test_giving_back_the_first_message_ends_a_long_poll(sqs, queue, poll):
    send_fifo(sqs, queue, "g-1", "g-2")
    (handle,) = handles(receive(sqs, queue, MaxNumberOfMessages=1))
    waiting = poll()
    hide_for(sqs, queue, handle, 0)
    assert bodies(waiting.answer()) == ["g-1"]


def test_an_extension_keeps_a_long_poll_waiting(sqs, queue, poll, clock, server):
    send_fifo(sqs, queue, "g-1", "g-2")
    (handle,) = handles(receive(sqs, queue, MaxNumberOfMessages=1, VisibilityTimeout=3))
    waiting = poll()
    hide_for(sqs, queue, handle, 600)
    clock.advance(seconds=3)
    server.wait_for_waiters(queue)
    clock.advance(seconds=17)
    assert content(waiting.answer()) == {}


def test_one_group_goes_to_one_of_two_long_polls(sqs, queue, poll, server, clock):
    first, second = poll(), poll(number=2)
    sqs.send_message_batch(QueueUrl=queue, Entries=fifo_entries("g-1", "g-2"))
    assert bodies(first.answer()) == ["g-1"]
    server.wait_for_waiters(queue)
    assert second.waits
    clock.advance(seconds=20)
    assert content(second.answer()) == {}


# Delays


def test_the_delay_of_the_queue_holds_for_every_message(sqs, slow_queue, clock):
    send_fifo(sqs, slow_queue, "g-1")
    assert counts(sqs, slow_queue) == (0, 0, 1)
    clock.advance(ms=9_999)
    assert take(sqs, slow_queue) == []
    clock.advance(ms=1)
    assert take(sqs, slow_queue) == ["g-1"]


def test_a_delay_of_0_on_a_message_means_that_of_the_queue(sqs, slow_queue, clock):
    send_fifo(sqs, slow_queue, "g-1", DelaySeconds=0)
    assert take(sqs, slow_queue) == []
    clock.advance(seconds=10)
    assert take(sqs, slow_queue) == ["g-1"]


def test_a_receive_ends_before_a_message_that_is_delayed(sqs, slow_queue, clock):
    send_fifo(sqs, slow_queue, "g-1")
    clock.advance(seconds=5)
    send_fifo(sqs, slow_queue, "g-2")
    clock.advance(seconds=5)
    assert take(sqs, slow_queue) == ["g-1"]


def test_a_shorter_delay_of_the_queue_holds_for_delayed_messages_too(sqs, slow_queue, clock):
    send_fifo(sqs, slow_queue, "g-1")
    set_delay(sqs, slow_queue, 4)
    clock.advance(ms=3_999)
    assert take(sqs, slow_queue) == []
    clock.advance(ms=1)
    assert take(sqs, slow_queue) == ["g-1"]


def test_a_longer_delay_of_the_queue_holds_for_delayed_messages_too(sqs, slow_queue, clock):
    send_fifo(sqs, slow_queue, "g-1")
    set_delay(sqs, slow_queue, 20)
    clock.advance(seconds=19)
    assert take(sqs, slow_queue) == []
    clock.advance(seconds=1)
    assert take(sqs, slow_queue) == ["g-1"]


def test_a_longer_delay_does_not_hide_messages_that_are_visible(sqs, queue):
    send_fifo(sqs, queue, "g-1")
    set_delay(sqs, queue, 900)
    assert take(sqs, queue) == ["g-1"]


def test_taking_the_delay_away_ends_a_long_poll(sqs, slow_queue, server):
    send_fifo(sqs, slow_queue, "g-1")
    waiting = long_poll(server, sqs, slow_queue)
    set_delay(sqs, slow_queue, 0)
    assert bodies(waiting.answer()) == ["g-1"]
