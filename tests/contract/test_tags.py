"""TagQueue, UntagQueue, ListQueueTags and the tags of CreateQueue."""

import pytest

from tests.support.answers import content, error_of, invalid, missing

KEY_LENGTH = invalid("Tag keys must be between 1 and 128 characters in length.")


def tags_of(sqs, queue):
    return content(sqs.list_queue_tags(QueueUrl=queue)).get("Tags")


def numbered(count):
    return {f"key-{number}": "value" for number in range(count)}


def test_a_queue_without_tags_has_no_tags_member(sqs, queue):
    assert content(sqs.list_queue_tags(QueueUrl=queue)) == {}


def test_tags_given_at_creation_are_listed(sqs, make_queue):
    assert tags_of(sqs, make_queue(tags={"team": "core", "env": ""})) == {"team": "core", "env": ""}


def test_tags_are_added_to_those_that_are_there(sqs, make_queue):
    queue = make_queue(tags={"team": "core"})
    assert content(sqs.tag_queue(QueueUrl=queue, Tags={"env": "test"})) == {}
    assert tags_of(sqs, queue) == {"team": "core", "env": "test"}


def test_a_tag_with_the_same_key_is_overwritten(sqs, make_queue):
    queue = make_queue(tags={"team": "core"})
    sqs.tag_queue(QueueUrl=queue, Tags={"team": "edge"})
    assert tags_of(sqs, queue) == {"team": "edge"}


def test_keys_differ_by_case(sqs, queue):
    sqs.tag_queue(QueueUrl=queue, Tags={"Team": "1", "team": "2"})
    assert tags_of(sqs, queue) == {"Team": "1", "team": "2"}


def test_tagging_twice_changes_nothing(sqs, queue):
    for _ in range(2):
        sqs.tag_queue(QueueUrl=queue, Tags={"team": "core"})
    assert tags_of(sqs, queue) == {"team": "core"}


def test_untagging_removes_keys_and_ignores_unknown_ones(sqs, make_queue):
    queue = make_queue(tags={"team": "core", "env": "test"})
    assert content(sqs.untag_queue(QueueUrl=queue, TagKeys=["env", "unknown"])) == {}
    assert tags_of(sqs, queue) == {"team": "core"}
    sqs.untag_queue(QueueUrl=queue, TagKeys=["env"])
    sqs.untag_queue(QueueUrl=queue, TagKeys=["team"])
    assert tags_of(sqs, queue) is None


def test_a_queue_has_at_most_50_tags(sqs, queue):
    sqs.tag_queue(QueueUrl=queue, Tags=numbered(50))
    refusal = error_of(sqs.tag_queue, QueueUrl=queue, Tags={"one-more": "", "key-0": "changed"})
    assert refusal == invalid(f"Too many tags added for queue {queue.rsplit('/', 1)[1]}.")
    assert tags_of(sqs, queue) == numbered(50)
    sqs.tag_queue(QueueUrl=queue, Tags={"key-0": "changed"})


def test_a_new_queue_has_at_most_50_tags(sqs, make_queue):
    make_queue(tags=numbered(50))
    refusal = error_of(sqs.create_queue, QueueName="never-made", tags=numbered(51))
    assert refusal == invalid("Too many tags added for queue never-made.")


@pytest.mark.parametrize(
    "tags",
    [
        {"k" * 128: "v" * 256},
        {"a1 _.:/=+-@": "b2 _.:/=+-@"},
        {"größe": "größer"},
        {"Aws": "1", "xaws:": "2"},
        {"ключ": "價值"},
    ],
)
def test_keys_and_values_may_be(sqs, queue, tags):
    sqs.tag_queue(QueueUrl=queue, Tags=tags)
    assert tags_of(sqs, queue) == tags


@pytest.mark.parametrize("key", ["", "k" * 129])
def test_keys_have_1_to_128_characters(sqs, queue, key):
    assert error_of(sqs.tag_queue, QueueUrl=queue, Tags={key: "v"}) == KEY_LENGTH


@pytest.mark.parametrize(
    "tags", [{"k": "v" * 257}, {"aws:k": "v"}, {"AWS:k": "v"}, {"k!": "v"}, {"k": "v!"}, {"a\tb!": ""}]
)
def test_other_keys_and_values_are_refused(sqs, queue, tags):
    refusal = error_of(sqs.tag_queue, QueueUrl=queue, Tags=tags)
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")
    assert tags_of(sqs, queue) is None


def test_tagging_needs_tags(sqs, queue):
    assert error_of(sqs.tag_queue, QueueUrl=queue, Tags={}) == missing("Tags")


def test_untagging_needs_keys(sqs, queue):
    assert error_of(sqs.untag_queue, QueueUrl=queue, TagKeys=[]) == KEY_LENGTH
