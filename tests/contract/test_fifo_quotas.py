"""The setting fifo_quotas: calls to FIFO queues are throttled at AWS's rates."""

import pytest

from tests.contract.clients import server_with
from tests.contract.fifo import fifo_entries, send_fifo, take
from tests.support.answers import Refusal, counts, error_of, handles, receive, send

THROTTLED = Refusal(403, "RequestThrottled", "Request is throttled.")
CALLS = 300
HIGH_THROUGHPUT = {"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}


@pytest.fixture(scope="module", params=["json", "query"])
def limited(request):
    """A server with quotas and its client; every test has queues of its own and begins in a new second."""
    with server_with(request.param, fifo_quotas=True) as (server, sqs):
        yield server, sqs


@pytest.fixture
def sqs(limited):
    limited[0].clock.advance(seconds=1)
    return limited[1]


@pytest.fixture
def clock(limited):
    return limited[0].clock


@pytest.fixture
def protocol():
    """The one of `limited`: these tests need no other."""
    return ""


@pytest.fixture
def queue(make_queue):
    return make_queue(fifo=True)


@pytest.fixture
def fast_queue(make_queue):
    return make_queue(fifo=True, **HIGH_THROUGHPUT)


def spend_sends(sqs, queue, group="g", count=CALLS):
    for number in range(count):
        send_fifo(sqs, queue, f"{group}-{number}")


def refused_send(sqs, queue, group="g"):
    return error_of(
        sqs.send_message,
        QueueUrl=queue,
        MessageBody="x",
        MessageGroupId=group,
        MessageDeduplicationId="refused",
    )


def test_300_sends_fit_a_second(sqs, queue):
    spend_sends(sqs, queue)
    assert refused_send(sqs, queue) == THROTTLED
    assert counts(sqs, queue) == (CALLS, 0, 0)


def test_the_next_second_is_free_again(sqs, queue, clock):
    spend_sends(sqs, queue)
    clock.advance(seconds=1)
    spend_sends(sqs, queue, "h")
    assert refused_send(sqs, queue) == THROTTLED


def test_a_batch_is_one_call(sqs, queue):
    for number in range(CALLS):
        texts = [f"g-{number}-{entry}" for entry in range(10)]
        sqs.send_message_batch(QueueUrl=queue, Entries=fifo_entries(*texts))
    refusal = error_of(sqs.send_message_batch, QueueUrl=queue, Entries=fifo_entries("g-x"))
    assert (refusal, refused_send(sqs, queue)) == (THROTTLED, THROTTLED)
    assert counts(sqs, queue) == (10 * CALLS, 0, 0)


def test_300_receives_fit_a_second(sqs, queue):
    for _ in range(CALLS):
        sqs.receive_message(QueueUrl=queue)
    assert error_of(sqs.receive_message, QueueUrl=queue) == THROTTLED


def test_300_deletes_fit_a_second(sqs, queue):
    send_fifo(sqs, queue, "g-1", "g-2")
    first, second = handles(receive(sqs, queue))
    for _ in range(CALLS):
        sqs.delete_message(QueueUrl=queue, ReceiptHandle=first)
    assert error_of(sqs.delete_message, QueueUrl=queue, ReceiptHandle=second) == THROTTLED
    entries = [{"Id": "a", "ReceiptHandle": second}]
    assert error_of(sqs.delete_message_batch, QueueUrl=queue, Entries=entries) == THROTTLED
    assert counts(sqs, queue) == (0, 1, 0)


def test_each_action_has_its_own_quota(sqs, queue):
    spend_sends(sqs, queue)
    answer = receive(sqs, queue)
    for handle in handles(answer):
        sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)
    assert counts(sqs, queue) == (CALLS - 10, 0, 0)


def test_each_queue_has_its_own_quota(sqs, queue, make_queue):
    spend_sends(sqs, queue)
    other = make_queue(fifo=True)
    send_fifo(sqs, other, "g-1")
    assert take(sqs, other) == ["g-1"]


def test_duplicates_are_calls_too(sqs, queue):
    for _ in range(CALLS):
        send_fifo(sqs, queue, "g-1")
    assert refused_send(sqs, queue) == THROTTLED


def test_a_throttled_message_is_not_remembered_as_sent(sqs, queue, clock):
    spend_sends(sqs, queue)
    refused_send(sqs, queue)
    clock.advance(seconds=1)
    send_fifo(sqs, queue, "h-1", MessageDeduplicationId="refused")
    assert counts(sqs, queue) == (CALLS + 1, 0, 0)


def test_a_standard_queue_has_no_quota(sqs, make_queue):
    queue = make_queue()
    for _ in range(CALLS + 1):
        send(sqs, queue, "x")
    assert counts(sqs, queue) == (CALLS + 1, 0, 0)


def test_in_high_throughput_mode_the_quota_is_that_of_the_group(sqs, fast_queue):
    for group in ("a", "b"):
        spend_sends(sqs, fast_queue, group)
        assert refused_send(sqs, fast_queue, group) == THROTTLED
    assert counts(sqs, fast_queue) == (2 * CALLS, 0, 0)


def test_in_high_throughput_mode_a_batch_counts_for_all_its_groups(sqs, fast_queue):
    spend_sends(sqs, fast_queue, "a")
    entries = fifo_entries("b-1", "a-x")
    assert error_of(sqs.send_message_batch, QueueUrl=fast_queue, Entries=entries) == THROTTLED
    sqs.send_message_batch(QueueUrl=fast_queue, Entries=fifo_entries("b-1", "c-1"))


def test_in_high_throughput_mode_more_receives_fit_a_second(sqs, fast_queue):
    for _ in range(CALLS + 1):
        sqs.receive_message(QueueUrl=fast_queue)


def test_the_scope_of_the_group_alone_is_no_high_throughput_mode(sqs, make_queue):
    queue = make_queue(fifo=True, DeduplicationScope="messageGroup")
    spend_sends(sqs, queue, "a")
    assert refused_send(sqs, queue, "b") == THROTTLED


def test_the_mode_can_be_switched_on_later(sqs, queue):
    spend_sends(sqs, queue, "a")
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=HIGH_THROUGHPUT)
    send_fifo(sqs, queue, "b-1")
    assert counts(sqs, queue) == (CALLS + 1, 0, 0)
