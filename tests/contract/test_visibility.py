"""Visibility timeouts: on receive, and changed since."""

import pytest

from tests.support.answers import (
    bad_handle,
    bodies,
    content,
    error_of,
    handles,
    invalid_value,
    missing,
    only,
    receive,
    send,
)

BEYOND_LIMIT = "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]"
NOT_AVAILABLE = "Message does not exist or is not available for visibility timeout change."
HALF_A_DAY_S = 43_200


@pytest.fixture
def held(sqs, queue):
    """Sends a message and receives it: its receipt handle."""

    def receive_one(**members):
        send(sqs, queue, "hello")
        (handle,) = handles(receive(sqs, queue, **members))
        return handle

    return receive_one


def change(sqs, queue, handle, timeout_s):
    return sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=timeout_s)


def refusal_to_change(sqs, queue, handle, timeout_s):
    return error_of(
        sqs.change_message_visibility, QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=timeout_s
    )


def hidden_for(sqs, queue, clock, seconds):
    """Whether the message is hidden for exactly so long from now on."""
    clock.advance(ms=seconds * 1000 - 1)
    before = bodies(receive(sqs, queue))
    clock.advance(ms=1)
    return (before, bodies(receive(sqs, queue))) == ([], ["hello"])


def test_a_received_message_is_hidden_until_its_visibility_timeout_ends(sqs, queue, held, clock):
    held(VisibilityTimeout=5)
    assert hidden_for(sqs, queue, clock, 5)


def test_the_timeout_of_the_queue_holds_when_the_request_has_none(sqs, queue, held, clock):
    held()
    assert hidden_for(sqs, queue, clock, 30)


def test_a_timeout_may_be_12_hours(sqs, queue, held, clock):
    held(VisibilityTimeout=HALF_A_DAY_S)
    assert hidden_for(sqs, queue, clock, HALF_A_DAY_S)


def test_a_timeout_of_0_leaves_the_message_visible_and_counts_as_a_receive(sqs, queue, held):
    first = held(VisibilityTimeout=0)
    message = only(receive(sqs, queue))
    assert message["Attributes"]["ApproximateReceiveCount"] == "2"
    assert message["ReceiptHandle"] != first


def test_a_timeout_of_0_of_the_queue_leaves_messages_visible(sqs, make_queue):
    queue = make_queue(VisibilityTimeout=0)
    send(sqs, queue, "hello")
    assert [bodies(receive(sqs, queue)) for _ in range(2)] == [["hello"], ["hello"]]


def test_changing_the_timeout_of_the_queue_does_not_touch_messages_in_flight(sqs, queue, held, clock):
    held()
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "1"})
    assert hidden_for(sqs, queue, clock, 30)


def test_every_receive_counts(sqs, queue, held, clock):
    held(VisibilityTimeout=1)
    for count in ("2", "3", "4"):
        clock.advance(seconds=1)
        found = only(receive(sqs, queue, VisibilityTimeout=1))
        assert found["Attributes"]["ApproximateReceiveCount"] == count


# ChangeMessageVisibility


def test_a_changed_timeout_counts_from_the_change(sqs, queue, held, clock):
    handle = held(VisibilityTimeout=10)
    clock.advance(seconds=9)
    assert content(change(sqs, queue, handle, 10)) == {}
    assert hidden_for(sqs, queue, clock, 10)


def test_a_timeout_can_be_shortened(sqs, queue, held, clock):
    change(sqs, queue, held(VisibilityTimeout=600), 2)
    assert hidden_for(sqs, queue, clock, 2)


def test_a_timeout_of_0_gives_the_message_back_at_once(sqs, queue, held):
    change(sqs, queue, held(), 0)
    assert bodies(receive(sqs, queue)) == ["hello"]


def test_a_change_does_not_count_as_a_receive(sqs, queue, held):
    change(sqs, queue, held(), 0)
    assert only(receive(sqs, queue))["Attributes"]["ApproximateReceiveCount"] == "2"


def test_a_changed_timeout_holds_for_this_receive_only(sqs, queue, held, clock):
    change(sqs, queue, held(), 1)
    clock.advance(seconds=1)
    receive(sqs, queue)
    assert hidden_for(sqs, queue, clock, 30)


def test_a_timeout_can_be_extended_again_and_again(sqs, queue, held, clock):
    handle = held(VisibilityTimeout=10)
    for _ in range(5):
        clock.advance(seconds=9)
        change(sqs, queue, handle, 10)
    assert hidden_for(sqs, queue, clock, 10)


def test_a_message_that_is_visible_again_can_be_hidden_again(sqs, queue, held, clock):
    handle = held(VisibilityTimeout=5)
    clock.advance(seconds=6)
    change(sqs, queue, handle, 10)
    assert hidden_for(sqs, queue, clock, 10)


def test_a_message_that_was_given_back_can_be_hidden_again(sqs, queue, held, clock):
    handle = held()
    change(sqs, queue, handle, 0)
    change(sqs, queue, handle, 10)
    assert hidden_for(sqs, queue, clock, 10)


def test_the_handle_of_an_earlier_receive_frees_a_message(sqs, queue, held, clock):
    first = held(VisibilityTimeout=1)
    clock.advance(seconds=1)
    receive(sqs, queue)
    change(sqs, queue, first, 0)
    assert bodies(receive(sqs, queue)) == ["hello"]


@pytest.mark.parametrize("timeout_s", [-1, 43201])
def test_a_changed_timeout_is_0_seconds_to_12_hours(sqs, queue, held, timeout_s):
    refusal = refusal_to_change(sqs, queue, held(), timeout_s)
    assert refusal == invalid_value(timeout_s, "VisibilityTimeout", "Must be between 0 and 43200.")


def test_a_message_can_be_hidden_for_12_hours_from_its_receive(sqs, queue, held, clock):
    handle = held()
    change(sqs, queue, handle, HALF_A_DAY_S)
    clock.advance(seconds=10)
    refusal = refusal_to_change(sqs, queue, handle, HALF_A_DAY_S - 9)
    assert refusal == invalid_value(HALF_A_DAY_S - 9, "VisibilityTimeout", BEYOND_LIMIT)
    change(sqs, queue, handle, HALF_A_DAY_S - 10)
    assert hidden_for(sqs, queue, clock, HALF_A_DAY_S - 10)


def test_a_refused_change_leaves_the_timeout_as_it_was(sqs, queue, held, clock):
    handle = held(VisibilityTimeout=20)
    clock.advance(seconds=10)
    refusal_to_change(sqs, queue, handle, HALF_A_DAY_S)
    assert hidden_for(sqs, queue, clock, 10)


def test_every_receive_has_12_hours_of_its_own(sqs, queue, held, clock):
    held(VisibilityTimeout=HALF_A_DAY_S)
    clock.advance(seconds=HALF_A_DAY_S)
    (handle,) = handles(receive(sqs, queue))
    change(sqs, queue, handle, HALF_A_DAY_S)


def test_the_timeout_of_a_deleted_message_cannot_be_changed(sqs, queue, held):
    handle = held()
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)
    refusal = refusal_to_change(sqs, queue, handle, 5)
    assert refusal == invalid_value(handle, "ReceiptHandle", NOT_AVAILABLE)


def test_the_timeout_of_an_expired_message_cannot_be_changed(sqs, queue, held, clock):
    handle = held()
    clock.advance(seconds=345_600)
    refusal = refusal_to_change(sqs, queue, handle, 5)
    assert refusal == invalid_value(handle, "ReceiptHandle", NOT_AVAILABLE)


def test_the_timeout_of_a_bad_handle_cannot_be_changed(sqs, queue):
    assert refusal_to_change(sqs, queue, "garbage", 5) == bad_handle("garbage")


# ChangeMessageVisibilityBatch


def change_batch(sqs, queue, *given):
    entries = [
        {"Id": entry_id, "ReceiptHandle": handle}
        | ({} if timeout_s is None else {"VisibilityTimeout": timeout_s})
        for entry_id, handle, timeout_s in given
    ]
    return content(sqs.change_message_visibility_batch(QueueUrl=queue, Entries=entries))


def failure(entry_id, refusal):
    return {"Id": entry_id, "SenderFault": True, "Code": refusal.code, "Message": refusal.message}


def test_a_batch_changes_each_message_by_its_own_timeout(sqs, queue, clock):
    send(sqs, queue, "a", "b", "c")
    a, b, _ = handles(receive(sqs, queue))
    answer = change_batch(sqs, queue, ("a", a, 0), ("b", b, 5))
    assert answer == {"Successful": [{"Id": "a"}, {"Id": "b"}]}
    assert bodies(receive(sqs, queue)) == ["a"]
    clock.advance(seconds=5)
    assert bodies(receive(sqs, queue)) == ["b"]


def test_the_entries_of_a_batch_that_cannot_be_changed_fail_alone(sqs, queue, held, clock):
    handle = held()
    clock.advance(seconds=10)
    answer = change_batch(
        sqs,
        queue,
        ("bad", "garbage", 5),
        ("fine", handle, 5),
        ("low", handle, -1),
        ("high", handle, 43_201),
        ("none", handle, None),
        ("beyond", handle, HALF_A_DAY_S),
    )
    reason = "VisibilityTimeout must be an integer between 0 and 43200."
    assert answer == {
        "Successful": [{"Id": "fine"}],
        "Failed": [
            failure("bad", bad_handle("garbage")),
            failure("low", invalid_value(-1, "VisibilityTimeout", reason)),
            failure("high", invalid_value(43_201, "VisibilityTimeout", reason)),
            failure("none", missing("ChangeMessageVisibilityBatchRequestEntry.5.VisibilityTimeout")),
            failure("beyond", invalid_value(HALF_A_DAY_S, "VisibilityTimeout", BEYOND_LIMIT)),
        ],
    }


def test_a_deleted_message_fails_in_a_batch(sqs, queue, held):
    handle = held()
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)
    answer = change_batch(sqs, queue, ("gone", handle, 5))
    refusal = invalid_value(handle, "ReceiptHandle", NOT_AVAILABLE)
    assert answer == {"Failed": [failure("gone", refusal)]}
