"""CreateQueue and DeleteQueue: names, idempotence and the minute in which a name is locked."""

import pytest

from tests.contract.clients import server_with
from tests.support.answers import (
    Refusal,
    content,
    error_of,
    invalid,
    no_such_queue,
    queue_attributes,
    send,
    unknown_attribute,
)

BAD_NAME = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
BAD_FIFO_NAME = (
    "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, "
    "must end with .fifo suffix and be 1 to 80 in length"
)
DELETED_RECENTLY = Refusal(
    400,
    "AWS.SimpleQueueService.QueueDeletedRecently",
    "You must wait 60 seconds after deleting a queue before you can create another with the same name.",
)


def exists_with_another(attribute):
    return Refusal(
        400,
        "QueueAlreadyExists",
        f"A queue already exists with the same name and a different value for attribute {attribute}",
    )


def name_of(queue):
    return queue.rsplit("/", 1)[1]


def test_a_new_queue_is_answered_with_its_url_alone(sqs, protocol):
    answer = sqs.create_queue(QueueName=f"alone-{protocol}")
    assert content(answer).keys() == {"QueueUrl"}
    assert answer["QueueUrl"].endswith(f"/000000000000/alone-{protocol}")


@pytest.mark.parametrize("name", ["a", "x" * 80, "Aa0-_", "-", "_"])
def test_names_have_1_to_80_letters_digits_hyphens_and_underscores(sqs, name):
    assert name_of(sqs.create_queue(QueueName=name)["QueueUrl"]) == name


@pytest.mark.parametrize("name", ["x" * 81, "a b", "a/b", "a.b", "a!", "ä", "a\n", "name.fifo"])
def test_other_names_are_refused(sqs, name):
    assert error_of(sqs.create_queue, QueueName=name) == invalid(BAD_NAME)


def test_an_empty_name_is_refused_in_its_own_words(sqs):
    assert error_of(sqs.create_queue, QueueName="") == invalid("Queue name cannot be empty")


@pytest.mark.parametrize("name", ["orders", "orders.FIFO", ".fifo", "x" * 76 + ".fifo", "a b.fifo"])
def test_a_fifo_queue_needs_a_fifo_name(sqs, name):
    refusal = error_of(sqs.create_queue, QueueName=name, Attributes={"FifoQueue": "true"})
    assert refusal == invalid(BAD_FIFO_NAME)


def test_the_suffix_counts_for_the_length_of_a_fifo_name(sqs):
    name = "x" * 75 + ".fifo"
    created = sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true"})
    assert name_of(created["QueueUrl"]) == name


def test_names_differ_by_case(sqs, queue):
    other = sqs.create_queue(QueueName=name_of(queue).upper())["QueueUrl"]
    send(sqs, other, "hello")
    assert queue_attributes(sqs, queue)["ApproximateNumberOfMessages"] == "0"


def test_attributes_given_at_creation_are_read_back(sqs, make_queue):
    queue = make_queue(VisibilityTimeout=45, DelaySeconds=5)
    found = queue_attributes(sqs, queue, "VisibilityTimeout", "DelaySeconds")
    assert found == {"VisibilityTimeout": "45", "DelaySeconds": "5"}


@pytest.mark.parametrize(
    "name", ["Foobar", "visibilitytimeout", "QueueArn", "ApproximateNumberOfMessages", "All"]
)
def test_a_queue_cannot_be_created_with_unknown_or_read_only_attributes(sqs, name):
    refusal = error_of(sqs.create_queue, QueueName="never-made", Attributes={name: "1"})
    assert refusal == unknown_attribute(name)


@pytest.mark.parametrize("value", ["false", "False"])
def test_a_standard_queue_cannot_be_told_that_it_is_not_fifo(sqs, value):
    refusal = error_of(sqs.create_queue, QueueName="never-made", Attributes={"FifoQueue": value})
    assert refusal == unknown_attribute("FifoQueue")


def test_content_based_deduplication_is_unknown_to_a_standard_queue(sqs):
    given = {"ContentBasedDeduplication": "true"}
    refusal = error_of(sqs.create_queue, QueueName="never-made", Attributes=given)
    assert refusal == unknown_attribute("ContentBasedDeduplication")


@pytest.mark.parametrize(
    ("name", "value"), [("DeduplicationScope", "queue"), ("FifoThroughputLimit", "perQueue")]
)
def test_high_throughput_attributes_ask_for_a_fifo_queue(sqs, name, value):
    refusal = error_of(sqs.create_queue, QueueName="never-made", Attributes={name: value})
    message = f"You can specify the {name} only when FifoQueue is set to true."
    assert refusal == Refusal(400, "InvalidAttributeName", message)


@pytest.mark.parametrize("value", ["901", "-1", "1.5", "one", ""])
def test_a_queue_cannot_be_created_with_a_bad_value(sqs, value):
    refusal = error_of(sqs.create_queue, QueueName="never-made", Attributes={"DelaySeconds": value})
    message = "Invalid value for the parameter DelaySeconds."
    assert refusal == Refusal(400, "InvalidAttributeValue", message)


def test_a_refused_queue_does_not_exist(sqs, protocol):
    error_of(sqs.create_queue, QueueName="never-made", Attributes={"DelaySeconds": "901"})
    assert error_of(sqs.get_queue_url, QueueName="never-made") == no_such_queue(protocol)


def test_creating_a_queue_again_without_attributes_gives_the_same_url(sqs, make_queue):
    queue = make_queue(DelaySeconds=5)
    assert sqs.create_queue(QueueName=name_of(queue))["QueueUrl"] == queue


def test_creating_a_queue_again_with_the_same_values_gives_the_same_url(sqs, make_queue):
    queue = make_queue(DelaySeconds=5, VisibilityTimeout=7)
    again = sqs.create_queue(QueueName=name_of(queue), Attributes={"VisibilityTimeout": "7"})
    assert again["QueueUrl"] == queue


def test_a_default_value_equals_no_value_when_a_queue_is_created_again(sqs, queue):
    given = {"VisibilityTimeout": "30", "DelaySeconds": "0", "MaximumMessageSize": "1048576"}
    assert sqs.create_queue(QueueName=name_of(queue), Attributes=given)["QueueUrl"] == queue


def test_the_first_differing_attribute_is_named(sqs, make_queue):
    name = name_of(make_queue(DelaySeconds=5, VisibilityTimeout=7))
    given = {"DelaySeconds": "5", "VisibilityTimeout": "8", "MaximumMessageSize": "2048"}
    refusal = error_of(sqs.create_queue, QueueName=name, Attributes=given)
    assert refusal == exists_with_another("VisibilityTimeout")


def test_an_attribute_the_queue_does_not_have_differs(sqs, queue):
    refusal = error_of(sqs.create_queue, QueueName=name_of(queue), Attributes={"KmsMasterKeyId": "alias/key"})
    assert refusal == exists_with_another("KmsMasterKeyId")


def test_attributes_are_compared_with_what_was_set_since(sqs, make_queue):
    queue = make_queue(VisibilityTimeout=7)
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "8"})
    again = sqs.create_queue(QueueName=name_of(queue), Attributes={"VisibilityTimeout": "8"})
    assert again["QueueUrl"] == queue
    refusal = error_of(sqs.create_queue, QueueName=name_of(queue), Attributes={"VisibilityTimeout": "7"})
    assert refusal == exists_with_another("VisibilityTimeout")


def test_messages_do_not_hinder_creating_a_queue_again(sqs, queue):
    send(sqs, queue, "visible")
    send(sqs, queue, "delayed", DelaySeconds=60)
    assert sqs.create_queue(QueueName=name_of(queue))["QueueUrl"] == queue


def test_creating_a_queue_again_keeps_its_messages_and_tags(sqs, make_queue):
    queue = make_queue(tags={"team": "core"})
    send(sqs, queue, "hello")
    sqs.create_queue(QueueName=name_of(queue), tags={"team": "other"})
    assert queue_attributes(sqs, queue)["ApproximateNumberOfMessages"] == "1"
    assert sqs.list_queue_tags(QueueUrl=queue)["Tags"] == {"team": "core"}


def test_a_deleted_queue_is_gone_with_its_messages(sqs, queue, protocol, clock):
    send(sqs, queue, "hello")
    assert content(sqs.delete_queue(QueueUrl=queue)) == {}
    assert error_of(sqs.receive_message, QueueUrl=queue) == no_such_queue(protocol)
    clock.advance(seconds=60)
    sqs.create_queue(QueueName=name_of(queue))
    assert content(sqs.receive_message(QueueUrl=queue)) == {}


def test_a_queue_cannot_be_deleted_twice(sqs, queue, protocol):
    sqs.delete_queue(QueueUrl=queue)
    assert error_of(sqs.delete_queue, QueueUrl=queue) == no_such_queue(protocol)


def test_a_name_is_locked_for_a_minute_after_its_queue_was_deleted(sqs, queue, clock):
    sqs.delete_queue(QueueUrl=queue)
    assert error_of(sqs.create_queue, QueueName=name_of(queue)) == DELETED_RECENTLY
    clock.advance(ms=59_999)
    assert error_of(sqs.create_queue, QueueName=name_of(queue)) == DELETED_RECENTLY
    clock.advance(ms=1)
    assert sqs.create_queue(QueueName=name_of(queue))["QueueUrl"] == queue


def test_a_refused_creation_does_not_lengthen_the_lock(sqs, queue, clock):
    sqs.delete_queue(QueueUrl=queue)
    clock.advance(seconds=50)
    error_of(sqs.create_queue, QueueName=name_of(queue))
    clock.advance(seconds=10)
    sqs.create_queue(QueueName=name_of(queue))


def test_a_queue_made_again_starts_anew(sqs, make_queue, clock):
    queue = make_queue(DelaySeconds=5, tags={"team": "core"})
    sqs.delete_queue(QueueUrl=queue)
    clock.advance(seconds=60)
    sqs.create_queue(QueueName=name_of(queue), Attributes={"VisibilityTimeout": "3"})
    assert queue_attributes(sqs, queue, "DelaySeconds", "CreatedTimestamp") == {
        "DelaySeconds": "0",
        "CreatedTimestamp": str(clock.now_ms() // 1000),
    }
    assert "Tags" not in sqs.list_queue_tags(QueueUrl=queue)


def test_without_cooldowns_a_name_is_free_at_once(protocol):
    with server_with(protocol, cooldowns=False) as (_, sqs):
        queue = sqs.create_queue(QueueName="again")["QueueUrl"]
        sqs.delete_queue(QueueUrl=queue)
        assert sqs.create_queue(QueueName="again")["QueueUrl"] == queue
