import pytest

from emulator.domain.system_attributes import (
    SYSTEM_ATTRIBUTES,
    requested_system_attributes,
    system_attributes_of,
)
from emulator.errors import InvalidAttributeName
from tests.domain.factories import delivery, refused

FOUR = {
    "SenderId": "AIDASENDER",
    "SentTimestamp": "1700000000001",
    "ApproximateReceiveCount": "3",
    "ApproximateFirstReceiveTimestamp": "1700000000002",
}


@pytest.mark.parametrize(
    ("old", "new", "requested"),
    [
        ([], [], set()),
        (["All"], [], SYSTEM_ATTRIBUTES),
        ([], ["All"], SYSTEM_ATTRIBUTES),
        (["SenderId"], ["All"], SYSTEM_ATTRIBUTES),
        (["SenderId"], ["SentTimestamp"], {"SenderId", "SentTimestamp"}),
        (["SenderId"], ["SenderId"], {"SenderId"}),
    ],
)
def test_the_old_and_the_new_list_are_one(old, new, requested):
    assert requested_system_attributes(old, new) == requested


@pytest.mark.parametrize(
    ("old", "new"), [(["Foo"], []), ([], ["Foo"]), (["Foo"], ["All"]), (["All", "Foo"], [])]
)
def test_an_unknown_name_is_refused(old, new):
    with refused(InvalidAttributeName, "Unknown Attribute Foo."):
        requested_system_attributes(old, new)


def test_a_standard_message_has_four_system_attributes():
    assert system_attributes_of(delivery(), SYSTEM_ATTRIBUTES, is_fifo=False) == FOUR


def test_a_standard_message_has_a_group_and_trace_header_if_it_was_sent_with_them():
    message = delivery(group_id="tenant", trace_header="Root=1")
    assert system_attributes_of(message, SYSTEM_ATTRIBUTES, is_fifo=False) == {
        **FOUR,
        "MessageGroupId": "tenant",
        "AWSTraceHeader": "Root=1",
    }


def test_a_fifo_message_has_seven_system_attributes():
    message = delivery(group_id="g", deduplication_id="d")
    assert system_attributes_of(message, SYSTEM_ATTRIBUTES, is_fifo=True) == {
        **FOUR,
        "MessageGroupId": "g",
        "MessageDeduplicationId": "d",
        "SequenceNumber": "18800000000000001792",
    }


def test_a_message_in_a_dead_letter_queue_names_its_source():
    message = delivery(dead_letter_source_arn="arn:aws:sqs:us-east-1:000000000000:orders")
    requested = frozenset({"DeadLetterQueueSourceArn"})
    assert system_attributes_of(message, requested, is_fifo=False) == {
        "DeadLetterQueueSourceArn": "arn:aws:sqs:us-east-1:000000000000:orders"
    }


def test_only_what_was_requested_is_returned():
    assert system_attributes_of(delivery(), frozenset({"SenderId"}), is_fifo=False) == {
        "SenderId": "AIDASENDER"
    }
    assert system_attributes_of(delivery(), frozenset(), is_fifo=False) == {}


def test_what_does_not_apply_is_left_out():
    requested = frozenset({"SequenceNumber", "MessageDeduplicationId", "MessageGroupId", "AWSTraceHeader"})
    assert system_attributes_of(delivery(), requested, is_fifo=False) == {}
