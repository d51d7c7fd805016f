"""Move tasks: messages leave a dead-letter queue, at a rate, and what the list of tasks says meanwhile."""

import pytest

from tests.contract.fifo import policy_to, send_fifo, take
from tests.contract.move_tasks import arn, ended, moved, newest, start, until_moved
from tests.support.answers import (
    as_string,
    bodies,
    counts,
    entries,
    handles,
    only,
    receive,
    send,
)
from tests.support.polls import long_poll

NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
NO_SOURCE = "CouldNotDetermineMessageSource"


@pytest.fixture
def dead(with_dead_letters):
    return with_dead_letters()[1]


@pytest.fixture
def destination(make_queue):
    return make_queue()


def fail(sqs, queue, *texts, **members):
    """Sends messages and lets them move to the dead-letter queue."""
    send(sqs, queue, *texts, **members)
    for _ in range(2):
        receive(sqs, queue, VisibilityTimeout=0)


# Where messages go


def test_messages_go_to_the_destination_in_their_order(sqs, dead, destination):
    send(sqs, dead, *"abcde")
    start(sqs, dead, destination)
    assert ended(sqs, dead)["Status"] == "COMPLETED"
    assert bodies(receive(sqs, destination)) == list("abcde")
    assert counts(sqs, dead) == (0, 0, 0)


def test_without_destination_each_message_goes_back_to_its_own_source(sqs, make_queue, dead):
    sources = [make_queue(RedrivePolicy=policy_to(arn(sqs, dead))) for _ in range(3)]
    for number, source in enumerate(sources):
        fail(sqs, source, f"{number}-a", f"{number}-b")
    start(sqs, dead)
    assert ended(sqs, dead)["ApproximateNumberOfMessagesMoved"] == 6
    assert [bodies(receive(sqs, source)) for source in sources] == [[f"{n}-a", f"{n}-b"] for n in range(3)]


def test_with_a_destination_the_source_of_a_message_does_not_matter(sqs, with_dead_letters, destination):
    source, dead = with_dead_letters()
    fail(sqs, source, "a")
    start(sqs, dead, destination)
    ended(sqs, dead)
    assert (bodies(receive(sqs, source)), bodies(receive(sqs, destination))) == ([], ["a"])


def test_many_messages_are_moved(sqs, dead, destination):
    for _ in range(25):
        sqs.send_message_batch(QueueUrl=dead, Entries=entries(*"abcdefghij"))
    start(sqs, dead, destination)
    assert ended(sqs, dead)["ApproximateNumberOfMessagesMoved"] == 250
    assert (counts(sqs, dead), counts(sqs, destination)) == ((0, 0, 0), (250, 0, 0))


def test_a_task_without_messages_is_completed(sqs, dead, destination):
    start(sqs, dead, destination)
    entry = ended(sqs, dead)
    assert (entry["Status"], entry["ApproximateNumberOfMessagesMoved"]) == ("COMPLETED", 0)


def test_messages_in_flight_and_delayed_ones_stay(sqs, dead, destination):
    send(sqs, dead, "in flight")
    receive(sqs, dead)
    send(sqs, dead, "delayed", DelaySeconds=60)
    send(sqs, dead, "visible")
    start(sqs, dead, destination)
    assert ended(sqs, dead)["Status"] == "COMPLETED"
    assert (counts(sqs, dead), bodies(receive(sqs, destination))) == ((0, 1, 1), ["visible"])


def test_messages_that_move_end_a_long_poll_on_the_destination(sqs, dead, destination, server):
    send(sqs, dead, "hello")
    waiting = long_poll(server, sqs, destination)
    start(sqs, dead, destination)
    assert bodies(waiting.answer()) == ["hello"]


# What a moved message is


def test_a_moved_message_is_a_new_one_with_the_old_content(sqs, with_dead_letters, clock):
    source, dead = with_dead_letters()
    fail(sqs, source, "a", MessageAttributes={"color": as_string("blue")})
    (before,) = receive(sqs, dead, VisibilityTimeout=0)["Messages"]
    clock.advance(seconds=7)
    start(sqs, dead)
    ended(sqs, dead)
    after = only(receive(sqs, source, MessageAttributeNames=["All"]))
    assert (after["Body"], after["MessageAttributes"]) == ("a", {"color": as_string("blue")})
    assert after["MessageId"] != before["MessageId"]
    expected = {"ApproximateReceiveCount": "1", "SentTimestamp": str(clock.now_ms())}
    assert {name: after["Attributes"][name] for name in expected} == expected
    assert after["Attributes"]["ApproximateFirstReceiveTimestamp"] == str(clock.now_ms())


def test_a_moved_message_does_not_say_that_it_came_from_a_source(sqs, with_dead_letters):
    source, dead = with_dead_letters()
    fail(sqs, source, "a")
    start(sqs, dead)
    ended(sqs, dead)
    assert "DeadLetterQueueSourceArn" not in only(receive(sqs, source))["Attributes"]


def test_a_moved_message_may_fail_as_often_as_a_new_one(sqs, with_dead_letters):
    source, dead = with_dead_letters(2)
    send(sqs, source, "a")
    for _ in range(3):
        receive(sqs, source, VisibilityTimeout=0)
    start(sqs, dead)
    ended(sqs, dead)
    received = [bodies(receive(sqs, source, VisibilityTimeout=0)) for _ in range(3)]
    assert (received, counts(sqs, dead)) == ([["a"], ["a"], []], (1, 0, 0))


def test_the_retention_of_a_moved_message_starts_anew(sqs, dead, make_queue, clock):
    destination = make_queue(MessageRetentionPeriod=60)
    send(sqs, dead, "a")
    clock.advance(seconds=3600)
    start(sqs, dead, destination)
    ended(sqs, dead)
    clock.advance(ms=59_999)
    assert counts(sqs, destination) == (1, 0, 0)
    clock.advance(ms=1)
    assert counts(sqs, destination) == (0, 0, 0)


def test_a_handle_from_the_dead_letter_queue_does_not_touch_the_moved_message(sqs, dead, destination):
    send(sqs, dead, "a")
    (handle,) = handles(receive(sqs, dead, VisibilityTimeout=0))
    start(sqs, dead, destination)
    ended(sqs, dead)
    sqs.delete_message(QueueUrl=dead, ReceiptHandle=handle)
    assert bodies(receive(sqs, destination)) == ["a"]


# The rate


def test_a_rate_of_1_takes_three_seconds_for_four_messages(sqs, dead, destination, clock):
    send(sqs, dead, *"abcd")
    start(sqs, dead, destination, rate=1)
    clock.advance(ms=2_999)
    until_moved(sqs, dead, 3)
    assert (counts(sqs, dead), counts(sqs, destination)) == ((1, 0, 0), (3, 0, 0))
    clock.advance(ms=1)
    until_moved(sqs, dead, 4)
    clock.advance(seconds=1)
    assert ended(sqs, dead)["Status"] == "COMPLETED"


@pytest.mark.parametrize("rate", [2, 10, 50])
def test_a_rate_is_kept_second_by_second(sqs, dead, destination, clock, rate):
    for _ in range(15):
        sqs.send_message_batch(QueueUrl=dead, Entries=entries(*"abcdefghij"))
    start(sqs, dead, destination, rate=rate)
    for second in (1, 2):
        clock.advance(ms=999)
        assert moved(sqs, dead) <= second * rate
        clock.advance(ms=1)
        until_moved(sqs, dead, second * rate)
        assert moved(sqs, dead) <= second * rate + 1


def test_without_a_rate_a_task_needs_no_time(sqs, dead, destination):
    send(sqs, dead, *"abcd")
    start(sqs, dead, destination)
    assert ended(sqs, dead)["ApproximateNumberOfMessagesMoved"] == 4


def test_messages_sent_after_the_start_may_be_moved_too(sqs, dead, destination, clock):
    send(sqs, dead, "a", "b")
    start(sqs, dead, destination, rate=1)
    send(sqs, dead, "c")
    clock.advance(seconds=5)
    assert ended(sqs, dead)["ApproximateNumberOfMessagesMoved"] == 3
    assert bodies(receive(sqs, destination)) == ["a", "b", "c"]


# The list


def test_a_running_task_is_listed_with_its_handle(sqs, dead, destination, clock):
    send(sqs, dead, *"abc")
    handle = start(sqs, dead, destination, rate=1)
    assert newest(sqs, dead) == {
        "TaskHandle": handle,
        "Status": "RUNNING",
        "SourceArn": arn(sqs, dead),
        "DestinationArn": arn(sqs, destination),
        "MaxNumberOfMessagesPerSecond": 1,
        "ApproximateNumberOfMessagesMoved": 1,
        "ApproximateNumberOfMessagesToMove": 3,
        "StartedTimestamp": clock.now_ms(),
    }


def test_destination_and_rate_are_listed_only_if_they_were_given(sqs, with_dead_letters, clock):
    source, dead = with_dead_letters()
    fail(sqs, source, "a", "b")
    start(sqs, dead)
    assert ended(sqs, dead) == {
        "Status": "COMPLETED",
        "SourceArn": arn(sqs, dead),
        "ApproximateNumberOfMessagesMoved": 2,
        "ApproximateNumberOfMessagesToMove": 2,
        "StartedTimestamp": clock.now_ms(),
    }


def test_the_number_to_move_is_that_of_the_start(sqs, dead, destination, clock):
    send(sqs, dead, "a", "b")
    start(sqs, dead, destination, rate=1)
    send(sqs, dead, "c")
    clock.advance(seconds=1)
    until_moved(sqs, dead, 2)
    entry = newest(sqs, dead)
    counted = "ApproximateNumberOfMessagesMoved", "ApproximateNumberOfMessagesToMove"
    assert [entry[name] for name in counted] == [2, 2]


def test_a_task_that_has_ended_has_no_handle_and_no_reason(sqs, dead, destination):
    start(sqs, dead, destination)
    assert ended(sqs, dead).keys().isdisjoint({"TaskHandle", "FailureReason"})


# Ends of other kinds


def test_a_cancelled_task_moves_no_more(sqs, dead, destination, clock):
    send(sqs, dead, *"abcd")
    handle = start(sqs, dead, destination, rate=1)
    clock.advance(seconds=1)
    until_moved(sqs, dead, 2)
    sqs.cancel_message_move_task(TaskHandle=handle)
    entry = ended(sqs, dead)
    assert (entry["Status"], entry["ApproximateNumberOfMessagesMoved"]) == ("CANCELLED", 2)
    assert entry.keys().isdisjoint({"TaskHandle", "FailureReason"})
    clock.advance(seconds=60)
    assert (counts(sqs, dead), counts(sqs, destination)) == ((2, 0, 0), (2, 0, 0))


def test_a_message_without_a_source_fails_a_task_without_destination(sqs, with_dead_letters):
    source, dead = with_dead_letters()
    fail(sqs, source, "a")
    send(sqs, dead, "sent here")
    start(sqs, dead)
    entry = ended(sqs, dead)
    assert (entry["Status"], entry["FailureReason"]) == ("FAILED", NO_SOURCE)
    assert (entry["ApproximateNumberOfMessagesMoved"], "TaskHandle" in entry) == (1, False)
    assert (bodies(receive(sqs, source)), bodies(receive(sqs, dead))) == (["a"], ["sent here"])


def test_a_destination_deleted_meanwhile_fails_the_task(sqs, dead, destination, clock):
    send(sqs, dead, *"abc")
    start(sqs, dead, destination, rate=1)
    sqs.delete_queue(QueueUrl=destination)
    clock.advance(seconds=1)
    entry = ended(sqs, dead)
    assert (entry["Status"], entry["FailureReason"]) == ("FAILED", NO_QUEUE)
    assert (entry["ApproximateNumberOfMessagesMoved"], counts(sqs, dead)) == (1, (2, 0, 0))


def test_a_source_of_messages_deleted_meanwhile_fails_a_task_without_destination(
    sqs, with_dead_letters, make_queue
):
    source, dead = with_dead_letters()
    make_queue(RedrivePolicy=policy_to(arn(sqs, dead)))
    fail(sqs, source, "a")
    sqs.delete_queue(QueueUrl=source)
    start(sqs, dead)
    entry = ended(sqs, dead)
    assert (entry["Status"], entry["FailureReason"]) == ("FAILED", NO_QUEUE)
    assert counts(sqs, dead) == (1, 0, 0)


# FIFO


def test_on_fifo_queues_groups_and_order_are_kept(sqs, with_dead_letters):
    source, dead = with_dead_letters(fifo=True)
    send_fifo(sqs, source, "g1-m1", "g2-m1", "g1-m2")
    for _ in range(2):
        take(sqs, source, VisibilityTimeout=0)
    start(sqs, dead)
    assert ended(sqs, dead)["Status"] == "COMPLETED"
    answer = receive(sqs, source)
    assert bodies(answer) == ["g1-m1", "g1-m2", "g2-m1"]
    assert [one["Attributes"]["MessageGroupId"] for one in answer["Messages"]] == ["g1", "g1", "g2"]


def test_on_fifo_queues_moved_messages_stand_behind_those_that_are_there(sqs, with_dead_letters):
    source, dead = with_dead_letters(fifo=True)
    send_fifo(sqs, source, "g-1")
    for _ in range(2):
        take(sqs, source, VisibilityTimeout=0)
    (sent,) = send_fifo(sqs, source, "g-2")
    start(sqs, dead)
    ended(sqs, dead)
    first, second = receive(sqs, source)["Messages"]
    assert (first["MessageId"], second["Body"]) == (sent["MessageId"], "g-1")
    assert second["Attributes"]["SequenceNumber"] > sent["SequenceNumber"]


def test_on_fifo_queues_a_locked_group_of_the_destination_stays_locked(sqs, with_dead_letters, make_queue):
    _, dead = with_dead_letters(fifo=True)
    destination = make_queue(fifo=True)
    send_fifo(sqs, destination, "g-0")
    take(sqs, destination)
    send_fifo(sqs, dead, "g-1", "h-1")
    start(sqs, dead, destination)
    ended(sqs, dead)
    assert take(sqs, destination) == ["h-1"]


def test_on_fifo_queues_messages_behind_one_in_flight_stay(sqs, with_dead_letters, make_queue):
    _, dead = with_dead_letters(fifo=True)
    destination = make_queue(fifo=True)
    send_fifo(sqs, dead, "g-1", "g-2", "h-1")
    take(sqs, dead, 1)
    start(sqs, dead, destination)
    assert ended(sqs, dead)["Status"] == "COMPLETED"
    assert (counts(sqs, dead), take(sqs, destination)) == ((1, 1, 0), ["h-1"])
