"""Queue URLs: what GetQueueUrl answers, and which spellings of a queue the operations take."""

import pytest

from tests.contract.clients import server_with
from tests.support.answers import bodies, content, error_of, invalid, no_such_queue, receive, send

NO_NAME = invalid("Value for parameter QueueName is invalid. Reason: Must specify a queue name.")


def name_of(queue):
    return queue.rsplit("/", 1)[1]


def test_a_queue_is_found_by_its_name(sqs, queue):
    assert content(sqs.get_queue_url(QueueName=name_of(queue))) == {"QueueUrl": queue}


def test_a_queue_is_found_by_its_name_and_owner(sqs, queue):
    found = sqs.get_queue_url(QueueName=name_of(queue), QueueOwnerAWSAccountId="000000000000")
    assert found["QueueUrl"] == queue


def test_a_url_has_the_address_that_was_called_the_account_and_the_name(sqs, queue, server):
    assert queue == f"{server.url}/000000000000/{name_of(queue)}"


@pytest.mark.parametrize("name", ["no-such-queue", "a b", "x" * 81])
def test_an_unknown_name_is_not_found(sqs, protocol, name):
    assert error_of(sqs.get_queue_url, QueueName=name) == no_such_queue(protocol)


def test_names_are_looked_for_in_their_case(sqs, queue, protocol):
    assert error_of(sqs.get_queue_url, QueueName=name_of(queue).upper()) == no_such_queue(protocol)


def test_an_empty_name_is_refused(sqs):
    assert error_of(sqs.get_queue_url, QueueName="") == NO_NAME


def test_another_owner_does_not_have_the_queue(sqs, queue, protocol):
    refusal = error_of(sqs.get_queue_url, QueueName=name_of(queue), QueueOwnerAWSAccountId="111122223333")
    assert refusal == no_such_queue(protocol)


def test_a_deleted_queue_is_not_found(sqs, queue, protocol):
    sqs.delete_queue(QueueUrl=queue)
    assert error_of(sqs.get_queue_url, QueueName=name_of(queue)) == no_such_queue(protocol)


@pytest.mark.parametrize(
    "spelling",
    [
        "{name}",
        "http://sqs.us-east-1.amazonaws.com/000000000000/{name}",
        "https://queue.amazonaws.com/000000000000/{name}",
        "https://another.host:1234/000000000000/{name}",
        "http://localhost:4566/000000000000/{name}/",
    ],
)
def test_the_host_of_a_url_does_not_matter_and_a_name_alone_is_enough(sqs, queue, spelling):
    url = spelling.format(name=name_of(queue))
    send(sqs, url, "hello")
    assert bodies(receive(sqs, queue)) == ["hello"]


@pytest.mark.parametrize(
    "url", ["http://whatever", "http://localhost/", "no-such-queue", "http://localhost/a/b/c/d", "://", "/"]
)
def test_a_url_that_names_no_queue_is_a_queue_that_does_not_exist(sqs, protocol, url):
    assert error_of(sqs.receive_message, QueueUrl=url) == no_such_queue(protocol)


def test_the_account_in_a_url_counts(sqs, queue, protocol):
    url = queue.replace("/000000000000/", "/111122223333/")
    assert error_of(sqs.receive_message, QueueUrl=url) == no_such_queue(protocol)


def test_urls_begin_with_the_base_url_if_one_is_set(protocol):
    with server_with(protocol, base_url="http://queues.example:1234/sqs") as (_, sqs):
        queue = sqs.create_queue(QueueName="orders")["QueueUrl"]
        assert queue == "http://queues.example:1234/sqs/000000000000/orders"
        assert sqs.get_queue_url(QueueName="orders")["QueueUrl"] == queue
        assert sqs.list_queues()["QueueUrls"] == [queue]


def test_a_url_that_begins_with_the_base_url_is_understood(protocol):
    with server_with(protocol, base_url="http://queues.example:1234") as (_, sqs):
        queue = sqs.create_queue(QueueName="orders")["QueueUrl"]
        send(sqs, queue, "hello")
        assert bodies(receive(sqs, queue)) == ["hello"]


def test_a_url_that_begins_with_a_base_url_with_a_path_is_understood(protocol):
    with server_with(protocol, base_url="http://queues.example:1234/sqs") as (_, sqs):
        queue = sqs.create_queue(QueueName="orders")["QueueUrl"]
        send(sqs, queue, "hello")
        assert bodies(receive(sqs, queue)) == ["hello"]
