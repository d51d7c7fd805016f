"""What a queue says of itself, by its attributes."""

import msgspec

from tests.domain.factories import queue

NUMBERS = {
    "VisibilityTimeout": "1",
    "DelaySeconds": "2",
    "ReceiveMessageWaitTimeSeconds": "3",
    "MessageRetentionPeriod": "60",
    "MaximumMessageSize": "1024",
}


def numbers_of(one):
    return (
        one.visibility_timeout_s,
        one.delay_s,
        one.wait_s,
        one.retention_ms,
        one.maximum_message_bytes,
    )


def test_attributes_that_are_not_set_have_their_defaults():
    assert numbers_of(queue()) == (30, 0, 0, 345_600_000, 1_048_576)


def test_attributes_that_are_set_count():
    assert numbers_of(queue(**NUMBERS)) == (1, 2, 3, 60_000, 1024)


def test_a_changed_queue_says_nothing_of_the_one_it_was_made_from():
    before = queue()
    numbers_of(before)
    assert (before.is_fifo, before.is_high_throughput) == (False, False)
    attributes = {**NUMBERS, "FifoQueue": "true", "FifoThroughputLimit": "perMessageGroupId"}
    after = msgspec.structs.replace(before, attributes=attributes)
    assert numbers_of(after) == (1, 2, 3, 60_000, 1024)
    assert (after.is_fifo, after.is_high_throughput) == (True, True)
    assert numbers_of(before) == (30, 0, 0, 345_600_000, 1_048_576)


def test_what_was_asked_of_a_queue_makes_it_no_other():
    asked = queue()
    assert asked.arn == "arn:aws:sqs:us-east-1:000000000000:orders"
    assert asked == queue()
    assert repr(asked) == repr(queue())
    assert msgspec.structs.asdict(asked) == msgspec.structs.asdict(queue())
