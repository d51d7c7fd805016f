"""Standard queues whose messages carry a MessageGroupId: one noisy tenant does not hold up the others."""

import pytest

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


def fill(sqs, queue, group, count):
    """Sends so many messages of a group, a multiple of ten; their bodies are the group's name."""
    entries = [{"Id": str(number), "MessageBody": group, "MessageGroupId": group} for number in range(10)]
    for _ in range(count // 10):
        sqs.send_message_batch(QueueUrl=queue, Entries=entries)


def hold(sqs, queue, count, **members):
    """Receives so many messages, a multiple of ten, and keeps them in flight; returns their handles."""
    received = []
    for _ in range(count // 10):
        received += handles(receive(sqs, queue, VisibilityTimeout=3600, **members))
    return received


def make_noisy(sqs, queue, group="noisy", in_flight=30, waiting=10):
    fill(sqs, queue, group, in_flight + waiting)
    return hold(sqs, queue, in_flight)


def received(sqs, queue, count):
    return bodies(receive(sqs, queue, MaxNumberOfMessages=count))


# Quiet ones first


def test_messages_of_quiet_groups_come_before_those_of_a_noisy_one(sqs, queue):
    make_noisy(sqs, queue)
    send(sqs, queue, "quiet 1", MessageGroupId="q1")
    send(sqs, queue, "quiet 2", MessageGroupId="q2")
    assert received(sqs, queue, 3) == ["quiet 1", "quiet 2", "noisy"]


def test_a_message_without_a_group_is_quiet(sqs, queue):
    make_noisy(sqs, queue)
    send(sqs, queue, "alone 1", "alone 2")
    assert received(sqs, queue, 2) == ["alone 1", "alone 2"]


def test_a_noisy_group_gets_its_turn_when_nobody_else_waits(sqs, queue):
    make_noisy(sqs, queue)
    assert received(sqs, queue, 10) == ["noisy"] * 10


def test_nothing_of_a_noisy_group_is_lost(sqs, queue):
    make_noisy(sqs, queue)
    send(sqs, queue, "quiet", MessageGroupId="quiet")
    got = [text for _ in range(3) for text in received(sqs, queue, 5)]
    assert got == ["quiet"] + ["noisy"] * 10


def test_the_order_among_quiet_groups_is_that_of_sending(sqs, queue):
    make_noisy(sqs, queue)
    for text in ("z", "a", "m", "a"):
        send(sqs, queue, text, MessageGroupId=text)
    assert received(sqs, queue, 4) == ["z", "a", "m", "a"]


def test_of_several_noisy_groups_the_one_with_the_fewest_in_flight_comes_first(sqs, queue):
    for group, in_flight in (("loud", 50), ("louder", 60), ("noisy", 40)):
        fill(sqs, queue, group, in_flight)
        hold(sqs, queue, in_flight)
    for group in ("louder", "loud", "noisy"):
        send(sqs, queue, group, group, MessageGroupId=group)
    send(sqs, queue, "quiet", MessageGroupId="quiet")
    expected = ["quiet", "noisy", "noisy", "loud", "loud", "louder", "louder"]
    assert received(sqs, queue, 10) == expected


# When a group is noisy


def test_a_group_with_less_than_30_in_flight_is_not_noisy(sqs, queue):
    fill(sqs, queue, "group", 40)
    hold(sqs, queue, 20)
    receive(sqs, queue, MaxNumberOfMessages=9)
    send(sqs, queue, "other", MessageGroupId="other")
    assert received(sqs, queue, 10) == ["group"] * 10


def test_a_group_with_a_tenth_of_the_messages_in_flight_is_not_noisy(sqs, queue):
    for number in range(27):
        fill(sqs, queue, f"other-{number}", 10)
    fill(sqs, queue, "group", 40)
    hold(sqs, queue, 300)
    send(sqs, queue, "later", MessageGroupId="later")
    assert received(sqs, queue, 1) == ["group"]


def test_a_group_with_more_than_a_tenth_is_noisy(sqs, queue):
    for number in range(26):
        fill(sqs, queue, f"other-{number}", 10)
    fill(sqs, queue, "group", 40)
    hold(sqs, queue, 290)
    send(sqs, queue, "later", MessageGroupId="later")
    assert received(sqs, queue, 1) == ["later"]


def test_messages_without_a_group_are_no_group_together(sqs, queue):
    for _ in range(4):
        entries = [{"Id": str(number), "MessageBody": "alone"} for number in range(10)]
        sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    hold(sqs, queue, 30)
    send(sqs, queue, "later", MessageGroupId="later")
    assert received(sqs, queue, 1) == ["alone"]


def test_deleting_its_messages_makes_a_group_quiet(sqs, queue):
    held = make_noisy(sqs, queue)
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=held[0])
    send(sqs, queue, "later", MessageGroupId="later")
    assert received(sqs, queue, 1) == ["noisy"]


def test_a_group_whose_messages_come_back_is_quiet(sqs, queue, clock):
    make_noisy(sqs, queue)
    clock.advance(seconds=3600)
    send(sqs, queue, "later", MessageGroupId="later")
    assert received(sqs, queue, 1) == ["noisy"]


def test_a_group_that_sent_nothing_for_five_minutes_is_quiet(sqs, queue, clock):
    make_noisy(sqs, queue)
    clock.advance(seconds=301)
    send(sqs, queue, "later", MessageGroupId="later")
    assert received(sqs, queue, 1) == ["noisy"]


def test_delayed_messages_make_no_noise(sqs, queue):
    for _ in range(4):
        entries = [
            {"Id": str(number), "MessageBody": "x", "MessageGroupId": "group", "DelaySeconds": 60}
            for number in range(10)
        ]
        sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    send(sqs, queue, "group", MessageGroupId="group")
    send(sqs, queue, "later", MessageGroupId="later")
    assert received(sqs, queue, 1) == ["group"]


def test_a_dead_letter_queue_is_fair_too(sqs, with_dead_letters):
    source, dead = with_dead_letters(1)
    fill(sqs, source, "noisy", 40)
    for _ in range(5):
        receive(sqs, source, VisibilityTimeout=0)
    hold(sqs, dead, 30)
    send(sqs, source, "quiet", MessageGroupId="quiet")
    for _ in range(2):
        receive(sqs, source, VisibilityTimeout=0)
    assert counts(sqs, dead) == (11, 30, 0)
    assert received(sqs, dead, 1) == ["quiet"]


# What a group id does not do on a standard queue


def test_groups_have_no_lock(sqs, queue):
    send(sqs, queue, "a", "b", MessageGroupId="g")
    assert [received(sqs, queue, 1) for _ in range(2)] == [["a"], ["b"]]


def test_groups_have_no_deduplication_and_no_sequence_number(sqs, queue):
    members = {"QueueUrl": queue, "MessageBody": "same", "MessageGroupId": "g"}
    answers = [content(sqs.send_message(**members)) for _ in range(2)]
    assert [answer.keys() for answer in answers] == [{"MessageId", "MD5OfMessageBody"}] * 2
    assert received(sqs, queue, 10) == ["same", "same"]


def test_a_message_is_received_with_its_group(sqs, queue):
    send(sqs, queue, "a", MessageGroupId="tenant-1")
    attributes = only(receive(sqs, queue))["Attributes"]
    assert attributes["MessageGroupId"] == "tenant-1"
    assert attributes.keys().isdisjoint({"SequenceNumber", "MessageDeduplicationId"})


def test_a_message_without_a_group_is_received_without(sqs, queue):
    send(sqs, queue, "a")
    assert "MessageGroupId" not in only(receive(sqs, queue))["Attributes"]


def test_groups_of_a_batch_belong_to_their_entries(sqs, queue):
    entries = [{"Id": group, "MessageBody": group, "MessageGroupId": group} for group in "ab"]
    entries.append({"Id": "c", "MessageBody": "c"})
    sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    messages = receive(sqs, queue)["Messages"]
    assert [one["Attributes"].get("MessageGroupId") for one in messages] == ["a", "b", None]


@pytest.mark.parametrize("group", ["", "x" * 129, "a b"])
def test_a_bad_group_is_refused(sqs, queue, group):
    reason = "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."
    refusal = error_of(sqs.send_message, QueueUrl=queue, MessageBody="a", MessageGroupId=group)
    assert refusal == invalid_value(group, "MessageGroupId", reason)


def test_a_bad_group_in_a_batch_fails_its_entry_alone(sqs, queue):
    entries = [{"Id": "a", "MessageBody": "a", "MessageGroupId": "g"}]
    entries.append({"Id": "b", "MessageBody": "b", "MessageGroupId": "g g"})
    answer = sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    assert [entry["Id"] for entry in answer["Successful"]] == ["a"]
    (failed,) = answer["Failed"]
    assert (failed["Id"], failed["Code"], failed["SenderFault"]) == ("b", "InvalidParameterValue", True)
