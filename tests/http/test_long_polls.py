"""Long polls over real sockets: who gets a message, and that a caller who hung up gets none."""

import json
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.http.connections import (
    Answer,
    Connection,
    ask_json,
    ask_query,
    connection,
    form_of,
    json_headers,
    request_bytes,
)
from tests.support.server import TestServer, running_server


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def poll(
    server: TestServer, queue: str, stack: ExitStack, *, protocol: str = "json", **more: int
) -> Connection:
    """Begins a long poll. Read its answer, or hang up."""
    opened = stack.enter_context(connection(server.url))
    fields = {"QueueUrl": queue, "WaitTimeSeconds": 20, **more}
    if protocol == "json":
        body = json.dumps(fields).encode()
        opened.send(request_bytes(opened.host, "POST", "/", body, json_headers("ReceiveMessage")))
    else:
        opened.send(request_bytes(opened.host, "POST", "/", form_of("ReceiveMessage", fields).encode()))
    return opened


def polls(server: TestServer, queue: str, stack: ExitStack, count: int) -> list[Connection]:
    """Long polls in a known order: each stands in line before the next one begins."""
    opened = []
    for number in range(1, count + 1):
        opened.append(poll(server, queue, stack))
        server.wait_for_waiters(queue, number)
    return opened


def send(server: TestServer, queue: str, body: str = "hello") -> None:
    assert ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": body}).status == 200


def receive(server: TestServer, queue: str, **more: Any) -> list[dict[str, Any]]:
    wanted = {"QueueUrl": queue, "MaxNumberOfMessages": 10, "MessageSystemAttributeNames": ["All"], **more}
    answer = ask_json(server.url, "ReceiveMessage", wanted)
    assert answer.status == 200
    return list(answer.json.get("Messages", []))


def counts(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["Body"], message["Attributes"]["ApproximateReceiveCount"]) for message in messages]


def bodies(answer: Answer) -> list[str]:
    return [message["Body"] for message in answer.json.get("Messages", [])]


def reset(opened: Connection) -> None:
    """Hangs up without a goodbye."""
    opened.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    opened.close()


@pytest.mark.parametrize("protocol", ["json", "query"])
@pytest.mark.parametrize("hang_up", [Connection.close, reset], ids=["close", "reset"])
def test_a_caller_that_hung_up_consumes_nothing(server: TestServer, queue: str, stack, protocol, hang_up):
    opened = poll(server, queue, stack, protocol=protocol)
    server.wait_for_waiters(queue, 1)
    hang_up(opened)
    server.wait_for_waiters(queue, 0)
    send(server, queue)
    assert counts(receive(server, queue)) == [("hello", "1")]


@pytest.mark.parametrize("hang_up", [Connection.close, reset], ids=["close", "reset"])
def test_a_caller_that_hangs_up_at_the_moment_of_the_send_consumes_nothing(
    server: TestServer, make_queue, stack, hang_up
):
    with connection(server.url) as sender:
        for _ in range(50):
            queue = make_queue()
            opened = poll(server, queue, stack)
            server.wait_for_waiters(queue, 1)
            body = json.dumps({"QueueUrl": queue, "MessageBody": "hello"}).encode()
            data = request_bytes(sender.host, "POST", "/", body, json_headers("SendMessage"))
            hang_up(opened)
            sender.send(data)
            assert sender.read_answer().status == 200
            assert counts(receive(server, queue)) == [("hello", "1")]


def test_the_oldest_waiter_that_is_still_there_gets_the_message(server: TestServer, queue: str, stack):
    first, second, third = polls(server, queue, stack, 3)
    first.close()
    server.wait_for_waiters(queue, 2)
    send(server, queue, "one")
    assert bodies(second.read_answer()) == ["one"]
    send(server, queue, "two")
    assert bodies(third.read_answer()) == ["two"]
    assert receive(server, queue) == []


def test_many_waiters_of_whom_the_older_half_hung_up(server: TestServer, queue: str, stack):
    waiters = polls(server, queue, stack, 20)
    for gone in waiters[:10]:
        gone.close()
    server.wait_for_waiters(queue, 10)
    for number in range(10):
        send(server, queue, str(number))
    assert [bodies(waiter.read_answer()) for waiter in waiters[10:]] == [[str(n)] for n in range(10)]
    assert receive(server, queue) == []


def test_the_older_half_of_many_waiters_hangs_up_at_the_moment_of_a_batch(
    server: TestServer, queue: str, stack
):
    waiters = polls(server, queue, stack, 20)
    for gone in waiters[:10]:
        gone.close()
    entries = [{"Id": str(number), "MessageBody": str(number)} for number in range(10)]
    ask_json(server.url, "SendMessageBatch", {"QueueUrl": queue, "Entries": entries})
    found = [body for waiter in waiters[10:] for body in bodies(waiter.read_answer())]
    assert sorted(found, key=int) == [str(number) for number in range(10)]


def test_a_caller_that_hung_up_is_not_counted_against_a_delayed_message(
    server: TestServer, clock, queue: str, stack
):
    """The first in line watches the clock; whoever is next takes that over."""
    first, second = polls(server, queue, stack, 2)
    ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "late", "DelaySeconds": 5})
    first.close()
    server.wait_for_waiters(queue, 1)
    clock.advance(seconds=5)
    assert bodies(second.read_answer()) == ["late"]


def test_two_waiters_and_one_message_the_oldest_gets_it(server: TestServer, clock, queue, stack):
    first, second = polls(server, queue, stack, 2)
    send(server, queue)
    assert bodies(first.read_answer()) == ["hello"]
    server.wait_for_waiters(queue, 1)
    clock.advance(seconds=20)
    assert bodies(second.read_answer()) == []


def test_two_waiters_and_two_messages_each_gets_one(server: TestServer, queue: str, stack):
    first, second = polls(server, queue, stack, 2)
    send(server, queue, "one")
    send(server, queue, "two")
    assert [bodies(first.read_answer()), bodies(second.read_answer())] == [["one"], ["two"]]


def test_a_long_poll_ends_when_its_time_is_up(server: TestServer, clock, queue: str, stack):
    opened = poll(server, queue, stack)
    server.wait_for_waiters(queue, 1)
    clock.advance(ms=19_999)
    server.wait_for_waiters(queue, 1)
    clock.advance(ms=1)
    answer = opened.read_answer()
    assert (answer.status, answer.body) == (200, b"{}")


def test_a_long_poll_returns_at_once_what_is_there(server: TestServer, queue: str, stack):
    send(server, queue)
    assert bodies(poll(server, queue, stack, MaxNumberOfMessages=10).read_answer()) == ["hello"]


def test_a_long_poll_is_woken_by_the_end_of_a_visibility_timeout(
    server: TestServer, clock, queue: str, stack
):
    send(server, queue)
    receive(server, queue, VisibilityTimeout=10)
    opened = poll(server, queue, stack)
    server.wait_for_waiters(queue, 1)
    clock.advance(seconds=10)
    assert bodies(opened.read_answer()) == ["hello"]


def test_a_long_poll_is_woken_by_a_changed_visibility_timeout(server: TestServer, queue: str, stack):
    send(server, queue)
    (message,) = receive(server, queue)
    opened = poll(server, queue, stack)
    server.wait_for_waiters(queue, 1)
    change = {"QueueUrl": queue, "ReceiptHandle": message["ReceiptHandle"], "VisibilityTimeout": 0}
    assert ask_json(server.url, "ChangeMessageVisibility", change).status == 200
    assert bodies(opened.read_answer()) == ["hello"]


def test_the_queue_s_own_wait_time_is_the_default(server: TestServer, clock, make_queue, stack):
    queue = make_queue(ReceiveMessageWaitTimeSeconds="5")
    opened = stack.enter_context(connection(server.url))
    opened.send(
        request_bytes(
            opened.host, "POST", "/", json.dumps({"QueueUrl": queue}).encode(), json_headers("ReceiveMessage")
        )
    )
    server.wait_for_waiters(queue, 1)
    clock.advance(seconds=5)
    assert opened.read_answer().body == b"{}"


@pytest.mark.parametrize("protocol", ["json", "query"])
def test_a_queue_deleted_during_a_long_poll_ends_it(server: TestServer, queue: str, stack, protocol: str):
    waiters = [poll(server, queue, stack, protocol=protocol) for _ in range(3)]
    server.wait_for_waiters(queue, 3)
    assert ask_json(server.url, "DeleteQueue", {"QueueUrl": queue}).status == 200
    for waiter in waiters:
        answer = waiter.read_answer()
        assert (answer.status, answer.code) == (400, "AWS.SimpleQueueService.NonExistentQueue")


def test_a_long_poll_sees_messages_sent_in_the_other_protocol(server: TestServer, queue: str, stack):
    opened = poll(server, queue, stack, protocol="query")
    server.wait_for_waiters(queue, 1)
    send(server, queue, "json")
    assert opened.read_answer().xml.findtext("ReceiveMessageResult/Message/Body") == "json"
    opened = poll(server, queue, stack)
    server.wait_for_waiters(queue, 1)
    ask_query(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "query"})
    assert bodies(opened.read_answer()) == ["query"]


def test_a_connection_serves_requests_after_a_long_poll(server: TestServer, queue: str, stack):
    opened = poll(server, queue, stack)
    for number in range(5):
        server.wait_for_waiters(queue, 1)
        send(server, queue, str(number))
        assert bodies(opened.read_answer()) == [str(number)]
        assert opened.request("GET", "/?Action=ListQueues").status == 200
        body = json.dumps({"QueueUrl": queue, "WaitTimeSeconds": 20}).encode()
        opened.send(request_bytes(opened.host, "POST", "/", body, json_headers("ReceiveMessage")))


def test_a_hundred_waiters_and_a_hundred_messages(server: TestServer, queue: str, stack):
    waiters = polls(server, queue, stack, 100)
    for start in range(0, 100, 10):
        entries = [{"Id": str(n), "MessageBody": str(n)} for n in range(start, start + 10)]
        ask_json(server.url, "SendMessageBatch", {"QueueUrl": queue, "Entries": entries})
    found = [bodies(waiter.read_answer()) for waiter in waiters]
    assert sorted(int(body) for (body,) in found) == list(range(100))


def test_a_server_that_stops_ends_long_polls_at_once():
    with ExitStack() as stack:
        with running_server() as server:
            queue = ask_json(server.url, "CreateQueue", {"QueueName": "stopping"}).json["QueueUrl"]
            waiters = [poll(server, queue, stack) for _ in range(5)]
            server.wait_for_waiters(queue, 5)
        answers = [waiter.read_answer() for waiter in waiters]
        assert [(answer.status, answer.body) for answer in answers] == [(200, b"{}")] * 5
        assert all(waiter.is_closed_by_server() for waiter in waiters)


def test_a_caller_that_hung_up_with_a_request_behind_its_poll_consumes_nothing(
    server: TestServer, queue: str, stack
):
    opened = poll(server, queue, stack)
    server.wait_for_waiters(queue, 1)
    opened.send(request_bytes(opened.host, "GET", "/?Action=ListQueues"))
    ask_json(server.url, "ListQueues")
    opened.close()
    server.wait_for_waiters(queue, 0)
    send(server, queue)
    assert counts(receive(server, queue)) == [("hello", "1")]
