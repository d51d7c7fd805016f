"""ListQueues and ListDeadLetterSourceQueues."""

import json

import pytest

from tests.support.answers import content, error_of, invalid

BAD_MAX_RESULTS = invalid(
    "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000."
)
BAD_TOKEN = invalid("Invalid or expired next token.")


@pytest.fixture
def named(sqs, request, protocol):
    """Makes queues whose names begin with a prefix of the test's own: (prefix, urls)."""
    prefix = f"{request.node.originalname[:40]}-{protocol}-"

    def make(*endings):
        return prefix, [sqs.create_queue(QueueName=prefix + ending)["QueueUrl"] for ending in endings]

    return make


def pages(call, **members):
    """The lists of URLs of all pages, following the tokens."""
    found, token = [], None
    while True:
        answer = content(call(**members, **({"NextToken": token} if token else {})))
        token = answer.pop("NextToken", None)
        (urls,) = answer.values()
        found.append(urls)
        if token is None:
            return found


def test_queues_are_listed_in_order_of_their_names(sqs, named):
    prefix, (b, a, c) = named("b", "a", "c")
    assert content(sqs.list_queues(QueueNamePrefix=prefix)) == {"QueueUrls": [a, b, c]}


def test_only_queues_with_the_prefix_are_listed(sqs, named):
    prefix, (orders, _, _) = named("orders", "Orders", "my-orders")
    assert sqs.list_queues(QueueNamePrefix=f"{prefix}orders")["QueueUrls"] == [orders]


def test_a_prefix_has_no_wildcards(sqs, named):
    prefix, _ = named("a")
    for wild in ("%", "_", "*", ".*"):
        assert "QueueUrls" not in sqs.list_queues(QueueNamePrefix=prefix[:-1] + wild)


def test_nothing_to_list_is_no_member_at_all(sqs):
    assert content(sqs.list_queues(QueueNamePrefix="no-such-queue")) == {}


def test_a_deleted_queue_is_not_listed(sqs, named):
    prefix, (a, b) = named("a", "b")
    sqs.delete_queue(QueueUrl=a)
    assert sqs.list_queues(QueueNamePrefix=prefix)["QueueUrls"] == [b]


def test_pages_have_at_most_max_results_queues(sqs, named):
    prefix, urls = named("1", "2", "3", "4", "5")
    found = pages(sqs.list_queues, QueueNamePrefix=prefix, MaxResults=2)
    assert found == [urls[:2], urls[2:4], urls[4:]]


def test_a_full_page_with_nothing_behind_it_has_no_token(sqs, named):
    prefix, urls = named("1", "2")
    assert content(sqs.list_queues(QueueNamePrefix=prefix, MaxResults=2)) == {"QueueUrls": urls}


def test_without_max_results_there_is_no_token(sqs, named):
    prefix, urls = named("1", "2", "3")
    assert content(sqs.list_queues(QueueNamePrefix=prefix)) == {"QueueUrls": urls}
    assert content(sqs.list_queues(QueueNamePrefix=prefix, MaxResults=0)) == {"QueueUrls": urls}


def test_paging_goes_on_although_queues_come_and_go(sqs, named):
    prefix, (_, b, c) = named("a", "b", "c")
    token = sqs.list_queues(QueueNamePrefix=prefix, MaxResults=2)["NextToken"]
    sqs.delete_queue(QueueUrl=b)
    answer = sqs.list_queues(QueueNamePrefix=prefix, MaxResults=2, NextToken=token)
    assert content(answer) == {"QueueUrls": [c]}


@pytest.mark.parametrize("count", [1, 1000])
def test_max_results_may_be(sqs, named, count):
    prefix, urls = named("a")
    assert sqs.list_queues(QueueNamePrefix=prefix, MaxResults=count)["QueueUrls"] == urls


@pytest.mark.parametrize("count", [-1, 1001])
def test_max_results_is_from_1_to_1000(sqs, count):
    assert error_of(sqs.list_queues, MaxResults=count) == BAD_MAX_RESULTS


@pytest.mark.parametrize("token", ["garbage", "Z2FyYmFnZQ==", "!"])
def test_a_token_that_was_not_given_out_is_refused(sqs, token):
    assert error_of(sqs.list_queues, NextToken=token, MaxResults=1) == BAD_TOKEN


def test_a_token_belongs_to_its_prefix(sqs, named):
    prefix, _ = named("aa", "ab", "ac")
    token = sqs.list_queues(QueueNamePrefix=prefix, MaxResults=1)["NextToken"]
    refusal = error_of(sqs.list_queues, QueueNamePrefix=f"{prefix}a", MaxResults=1, NextToken=token)
    assert refusal == BAD_TOKEN


def test_no_more_than_1000_queues_are_listed_at_once(sqs, named):
    prefix, urls = named(*(f"{number:04}" for number in range(1001)))
    assert content(sqs.list_queues(QueueNamePrefix=prefix)) == {"QueueUrls": urls[:1000]}
    assert len(pages(sqs.list_queues, QueueNamePrefix=prefix, MaxResults=1000)) == 2


# ListDeadLetterSourceQueues


@pytest.fixture
def with_sources(sqs, make_queue, arn_of, named):
    """Makes a dead-letter queue and queues that use it: (dead letters, sources)."""

    def make(*endings):
        dead = make_queue()
        policy = json.dumps({"deadLetterTargetArn": arn_of(dead), "maxReceiveCount": 1})
        sources = named(*endings)[1]
        for source in sources:
            sqs.set_queue_attributes(QueueUrl=source, Attributes={"RedrivePolicy": policy})
        return dead, sources

    return make


def test_the_sources_of_a_dead_letter_queue_are_listed(sqs, with_sources):
    dead, sources = with_sources("1", "2")
    assert content(sqs.list_dead_letter_source_queues(QueueUrl=dead)) == {"queueUrls": sources}


def test_a_queue_that_is_nobodys_dead_letter_queue_has_no_sources(sqs, queue):
    assert content(sqs.list_dead_letter_source_queues(QueueUrl=queue)) == {}


def test_a_source_without_its_policy_is_no_source(sqs, with_sources):
    dead, (first, second, third) = with_sources("1", "2", "3")
    sqs.set_queue_attributes(QueueUrl=first, Attributes={"RedrivePolicy": ""})
    sqs.delete_queue(QueueUrl=second)
    assert sqs.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [third]


def test_sources_are_listed_in_pages(sqs, with_sources):
    dead, sources = with_sources("1", "2", "3")
    found = pages(sqs.list_dead_letter_source_queues, QueueUrl=dead, MaxResults=2)
    assert found == [sources[:2], sources[2:]]


def test_the_limits_of_pages_hold_for_sources_too(sqs, queue):
    call = sqs.list_dead_letter_source_queues
    assert error_of(call, QueueUrl=queue, MaxResults=1001) == BAD_MAX_RESULTS
    assert error_of(call, QueueUrl=queue, MaxResults=1, NextToken="garbage") == BAD_TOKEN
