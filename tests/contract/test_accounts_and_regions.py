"""Accounts and regions are told from the signature, and keep their queues apart."""

import pytest

from tests.contract.clients import client_of, server_with
from tests.support.answers import (
    bodies,
    content,
    counts,
    error_of,
    handles,
    invalid_value,
    no_such_queue,
    queue_attributes,
    receive,
    send,
)

OTHER = "111122223333"


@pytest.fixture
def other(protocol, server):
    """A client of another account."""
    return client_of(protocol, server.url, account=OTHER)


@pytest.fixture
def abroad(protocol, server):
    """A client in another region."""
    return client_of(protocol, server.url, region="eu-west-1")


@pytest.fixture
def name(request, protocol):
    return f"{request.node.originalname[:60]}-{protocol}"


def test_an_access_key_of_twelve_digits_is_an_account(other, name):
    queue = other.create_queue(QueueName=name)["QueueUrl"]
    assert queue.endswith(f"/{OTHER}/{name}")
    arn = queue_attributes(other, queue, "QueueArn")["QueueArn"]
    assert arn == f"arn:aws:sqs:us-east-1:{OTHER}:{name}"


@pytest.mark.parametrize("key", ["test", "AKIAIOSFODNN7EXAMPLE", "12345678901", "1234567890123"])
def test_any_other_access_key_is_the_default_account(protocol, server, name, key):
    sqs = client_of(protocol, server.url, account=key)
    assert sqs.create_queue(QueueName=name)["QueueUrl"].endswith(f"/000000000000/{name}")


def test_accounts_have_queues_of_the_same_name(sqs, other, name):
    mine = sqs.create_queue(QueueName=name)["QueueUrl"]
    theirs = other.create_queue(QueueName=name)["QueueUrl"]
    send(sqs, mine, "mine")
    send(other, theirs, "theirs")
    assert bodies(receive(sqs, mine)) == ["mine"]
    assert bodies(receive(other, theirs)) == ["theirs"]


def test_a_name_alone_is_looked_for_in_the_account_of_the_caller(sqs, other, name, protocol):
    sqs.create_queue(QueueName=name)
    assert error_of(other.get_queue_url, QueueName=name) == no_such_queue(protocol)


def test_only_the_queues_of_the_account_are_listed(sqs, other, name):
    sqs.create_queue(QueueName=name)
    assert content(other.list_queues(QueueNamePrefix=name)) == {}


def test_a_queue_of_another_account_is_found_with_its_owner(sqs, other, name):
    queue = sqs.create_queue(QueueName=name)["QueueUrl"]
    found = other.get_queue_url(QueueName=name, QueueOwnerAWSAccountId="000000000000")
    assert found["QueueUrl"] == queue


def test_a_queue_of_another_account_can_be_used_by_its_url(sqs, other, name):
    queue = sqs.create_queue(QueueName=name)["QueueUrl"]
    send(other, queue, "a", "b")
    first, _ = handles(receive(other, queue))
    other.delete_message(QueueUrl=queue, ReceiptHandle=first)
    assert counts(sqs, queue) == (0, 1, 0)
    other.purge_queue(QueueUrl=queue)
    assert counts(sqs, queue) == (0, 0, 0)


def test_deleting_a_queue_leaves_that_of_another_account(sqs, other, name):
    mine = sqs.create_queue(QueueName=name)["QueueUrl"]
    theirs = other.create_queue(QueueName=name)["QueueUrl"]
    sqs.delete_queue(QueueUrl=mine)
    assert other.get_queue_url(QueueName=name)["QueueUrl"] == theirs


def test_a_name_is_locked_in_its_own_account_only(sqs, other, name):
    sqs.delete_queue(QueueUrl=sqs.create_queue(QueueName=name)["QueueUrl"])
    other.create_queue(QueueName=name)


def test_a_dead_letter_queue_is_of_the_same_account(sqs, other, name, queue):
    dead = other.create_queue(QueueName=name)["QueueUrl"]
    arn = queue_attributes(other, dead, "QueueArn")["QueueArn"]
    text = f'{{"deadLetterTargetArn":"{arn}","maxReceiveCount":1}}'
    refusal = error_of(sqs.set_queue_attributes, QueueUrl=queue, Attributes={"RedrivePolicy": text})
    reason = "Dead-letter target owner should be same as the source."
    assert refusal == invalid_value(text, "RedrivePolicy", reason)


# Regions


def test_regions_have_queues_of_the_same_name(sqs, abroad, name):
    here = sqs.create_queue(QueueName=name)["QueueUrl"]
    there = abroad.create_queue(QueueName=name)["QueueUrl"]
    send(sqs, here, "here")
    send(abroad, there, "there")
    assert bodies(receive(sqs, here)) == ["here"]
    assert bodies(receive(abroad, there)) == ["there"]


def test_the_region_is_part_of_the_arn(abroad, name):
    queue = abroad.create_queue(QueueName=name)["QueueUrl"]
    arn = queue_attributes(abroad, queue, "QueueArn")["QueueArn"]
    assert arn == f"arn:aws:sqs:eu-west-1:000000000000:{name}"


@pytest.mark.parametrize(
    ("region", "partition"), [("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov"), ("eu-west-1", "aws")]
)
def test_the_region_tells_the_partition(protocol, server, name, region, partition):
    sqs = client_of(protocol, server.url, region=region)
    queue = sqs.create_queue(QueueName=name)["QueueUrl"]
    assert queue_attributes(sqs, queue)["QueueArn"] == f"arn:{partition}:sqs:{region}:000000000000:{name}"


def test_only_the_queues_of_the_region_are_found_and_listed(sqs, abroad, name, protocol):
    sqs.create_queue(QueueName=name)
    assert content(abroad.list_queues(QueueNamePrefix=name)) == {}
    assert error_of(abroad.get_queue_url, QueueName=name) == no_such_queue(protocol)


def test_a_dead_letter_queue_is_in_the_same_region(sqs, abroad, name, queue):
    dead = abroad.create_queue(QueueName=name)["QueueUrl"]
    arn = queue_attributes(abroad, dead, "QueueArn")["QueueArn"]
    text = f'{{"deadLetterTargetArn":"{arn}","maxReceiveCount":1}}'
    refusal = error_of(sqs.set_queue_attributes, QueueUrl=queue, Attributes={"RedrivePolicy": text})
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")


def test_the_default_account_is_a_setting(protocol):
    with server_with(protocol, account="999988887777") as (_, sqs):
        queue = sqs.create_queue(QueueName="orders")["QueueUrl"]
        assert queue.endswith("/999988887777/orders")
