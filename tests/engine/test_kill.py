"""A server that is killed loses nothing that it has confirmed."""

import signal

import pytest

from tests.cli.servers import running

SENDS = 1_000


@pytest.fixture
def data(tmp_path):
    return str(tmp_path / "data.db")


def received(server, queue, **members):
    """All messages that can be received now."""
    found = []
    while True:
        answer = server.call("ReceiveMessage", QueueUrl=queue, MaxNumberOfMessages=10, **members)
        if "Messages" not in answer:
            return found
        found += answer["Messages"]


def test_what_was_confirmed_before_a_kill_is_there_after_a_restart(data):
    with running("--data", data) as server:
        queue = server.call("CreateQueue", QueueName="orders")["QueueUrl"]
        for number in range(SENDS):
            server.call("SendMessage", QueueUrl=queue, MessageBody=f"message {number}")
        server.stop(signal.SIGKILL)
    with running("--data", data) as server:
        bodies = [message["Body"] for message in received(server, "orders")]
        assert bodies == [f"message {number}" for number in range(SENDS)]


def test_after_a_kill_deleted_messages_stay_deleted_and_those_in_flight_stay_in_flight(data):
    with running("--data", data) as server:
        queue = server.call("CreateQueue", QueueName="orders")["QueueUrl"]
        for text in ("deleted", "in flight", "visible"):
            server.call("SendMessage", QueueUrl=queue, MessageBody=text)
        held = [
            server.call("ReceiveMessage", QueueUrl=queue, VisibilityTimeout=600)["Messages"][0]
            for _ in range(2)
        ]
        server.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=held[0]["ReceiptHandle"])
        server.stop(signal.SIGKILL)
    with running("--data", data) as server:
        assert [message["Body"] for message in received(server, "orders")] == ["visible"]
        handle = held[1]["ReceiptHandle"]
        server.call("ChangeMessageVisibility", QueueUrl="orders", ReceiptHandle=handle, VisibilityTimeout=0)
        assert [message["Body"] for message in received(server, "orders")] == ["in flight"]


def test_a_server_can_be_killed_again_and_again(data):
    for number in range(3):
        with running("--data", data) as server:
            queue = server.call("CreateQueue", QueueName="orders")["QueueUrl"]
            server.call("SendMessage", QueueUrl=queue, MessageBody=f"message {number}")
            server.stop(signal.SIGKILL)
    with running("--data", data) as server:
        bodies = [message["Body"] for message in received(server, "orders")]
        assert bodies == ["message 0", "message 1", "message 2"]
