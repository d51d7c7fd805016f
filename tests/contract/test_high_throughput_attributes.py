"""DeduplicationScope and FifoThroughputLimit, which go together."""

import pytest

from tests.contract.fifo import send_fifo, take
from tests.support.answers import Refusal, error_of, invalid, queue_attributes, unknown_attribute

NAMES = ("DeduplicationScope", "FifoThroughputLimit")
HIGH = {"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}
DEFAULT = {"DeduplicationScope": "queue", "FifoThroughputLimit": "perQueue"}
NOT_TOGETHER = (
    "The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup"
)


@pytest.fixture
def queue(make_queue):
    return make_queue(fifo=True)


def mode(sqs, queue):
    return queue_attributes(sqs, queue, *NAMES)


def change(sqs, queue, **attributes):
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)


def refused_change(sqs, queue, **attributes):
    return error_of(sqs.set_queue_attributes, QueueUrl=queue, Attributes=attributes)


def refused_queue(sqs, name, **attributes):
    return error_of(sqs.create_queue, QueueName=name, Attributes=attributes)


def test_a_fifo_queue_begins_without_high_throughput(sqs, queue):
    assert mode(sqs, queue) == DEFAULT


def test_a_queue_can_be_created_with_high_throughput(sqs, make_queue):
    assert mode(sqs, make_queue(fifo=True, **HIGH)) == HIGH


def test_high_throughput_can_be_switched_on_and_off(sqs, queue):
    change(sqs, queue, **HIGH)
    assert mode(sqs, queue) == HIGH
    change(sqs, queue, **DEFAULT)
    assert mode(sqs, queue) == DEFAULT


def test_the_scope_can_be_changed_first_and_the_limit_later(sqs, queue):
    change(sqs, queue, DeduplicationScope="messageGroup")
    change(sqs, queue, FifoThroughputLimit="perMessageGroupId")
    assert mode(sqs, queue) == HIGH


def test_the_scope_of_the_group_goes_without_the_limit(sqs, make_queue):
    queue = make_queue(fifo=True, DeduplicationScope="messageGroup")
    assert mode(sqs, queue) == {**DEFAULT, "DeduplicationScope": "messageGroup"}


def test_a_limit_per_group_needs_the_scope_of_the_group(sqs, queue):
    refusal = refused_change(sqs, queue, FifoThroughputLimit="perMessageGroupId")
    assert refusal == invalid(NOT_TOGETHER)
    assert mode(sqs, queue) == DEFAULT


@pytest.mark.parametrize("scope", [{}, {"DeduplicationScope": "queue"}])
def test_a_new_queue_with_a_limit_per_group_needs_the_scope_of_the_group(sqs, scope):
    attributes = {"FifoQueue": "true", "FifoThroughputLimit": "perMessageGroupId", **scope}
    assert refused_queue(sqs, "never-made.fifo", **attributes) == invalid(NOT_TOGETHER)


def test_the_scope_stays_while_the_limit_is_per_group(sqs, make_queue):
    queue = make_queue(fifo=True, **HIGH)
    assert refused_change(sqs, queue, DeduplicationScope="queue") == invalid(NOT_TOGETHER)
    assert mode(sqs, queue) == HIGH


def test_the_scope_and_the_limit_must_fit_in_one_call_too(sqs, queue):
    attributes = {"DeduplicationScope": "queue", "FifoThroughputLimit": "perMessageGroupId"}
    assert refused_change(sqs, queue, **attributes) == invalid(NOT_TOGETHER)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["", "Queue", "perqueue", "MESSAGEGROUP", "true"])
def test_other_values_are_refused(sqs, queue, name, value):
    expected = Refusal(400, "InvalidAttributeValue", f"Invalid value for the parameter {name}.")
    assert refused_change(sqs, queue, **{name: value}) == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_new_standard_queue_takes_neither(sqs, name):
    text = f"You can specify the {name} only when FifoQueue is set to true."
    refusal = refused_queue(sqs, "never-made", **{name: DEFAULT[name]})
    assert refusal == Refusal(400, "InvalidAttributeName", text)


@pytest.mark.parametrize("name", [*NAMES, "ContentBasedDeduplication", "FifoQueue"])
def test_a_standard_queue_knows_none_of_the_fifo_attributes(sqs, make_queue, name):
    value = {**DEFAULT, "ContentBasedDeduplication": "true", "FifoQueue": "true"}[name]
    assert refused_change(sqs, make_queue(), **{name: value}) == unknown_attribute(name)


def test_a_fifo_queue_stays_one(sqs, queue):
    change(sqs, queue, FifoQueue="true")
    text = "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported."
    refusal = refused_change(sqs, queue, FifoQueue="false")
    assert refusal == Refusal(400, "InvalidAttributeValue", text)


def test_a_queue_that_is_there_must_have_the_same_mode(sqs, make_queue):
    name = make_queue(fifo=True, **HIGH).rsplit("/", 1)[1]
    sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true", **HIGH})
    refusal = refused_queue(sqs, name, FifoQueue="true", DeduplicationScope="queue")
    text = "A queue already exists with the same name and a different value for attribute DeduplicationScope"
    assert refusal == Refusal(400, "QueueAlreadyExists", text)


def test_with_high_throughput_a_group_still_has_its_order_and_its_lock(sqs, make_queue):
    queue = make_queue(fifo=True, **HIGH)
    send_fifo(sqs, queue, "g1-m1", "g2-m1", "g1-m2")
    assert take(sqs, queue, 1) == ["g1-m1"]
    assert take(sqs, queue) == ["g2-m1"]
