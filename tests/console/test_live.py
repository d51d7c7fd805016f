import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.console.pages import Console
from tests.http.connections import Connection
from tests.support.server import running_server


class Stream:
    """One live stream; `next` is what it tells next."""

    def __init__(self, connection: Connection) -> None:
        self._file = connection.socket.makefile("rb")

    def head(self) -> tuple[bytes, dict[str, str]]:
        status = self._file.readline().strip()
        headers = {}
        while line := self._file.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return status, headers

    def next(self) -> dict[str, Any]:
        while True:
            line = self._file.readline()
            assert line, "the stream has ended"
            if line.startswith(b"data: "):
                told: dict[str, Any] = json.loads(line[6:])
                return told

    def until(self, key: str) -> list[Any]:
        """What it tells of this queue next."""
        while True:
            told = self.next()
            if key in told["queues"]:
                found: list[Any] = told["queues"][key]
                return found

    def has_ended(self) -> bool:
        return all(not line.startswith(b"data: ") for line in iter(self._file.readline, b""))


@contextmanager
def streaming(console: Console, account: str = "") -> Iterator[Stream]:
    connection = Connection(console.url)
    with connection.socket:
        target = f"/_emulator/console/live?account={account}"
        connection.send(f"GET {target} HTTP/1.1\r\nHost: {connection.host}\r\n\r\n".encode())
        stream = Stream(connection)
        status, headers = stream.head()
        assert (status, headers["content-type"]) == (b"HTTP/1.1 200 OK", "text/event-stream; charset=utf-8")
        assert headers["cache-control"] == "no-store"
        yield stream


@pytest.fixture
def stream(console, account):
    with streaming(console, account) as stream:
        yield stream


def test_the_first_event_has_all_queues(console, account):
    queue = console.queue("orders", account)
    console.fill(queue, "a", "bb", account=account)
    console.fill(queue, "c", account=account, DelaySeconds=60)
    console.sqs("ReceiveMessage", account, QueueUrl=queue)
    console.queue("other", account, "eu-west-1")
    now_ms = console.get("clock")["now_ms"]
    with streaming(console, account) as stream:
        first = stream.next()
    assert first["first"] is True
    assert first["queues"][f"us-east-1/{account}/orders"] == [1, 1, 1, now_ms, 3, 1, 0, 0, now_ms]
    assert first["queues"][f"eu-west-1/{account}/other"] == [0, 0, 0, None, 0, 0, 0, 0, now_ms]
    assert first["gone"] == []
    assert first["clock"] == {
        "now_ms": now_ms,
        "real": False,
        "frozen": True,
        "speed": 1.0,
        "offset_ms": first["clock"]["offset_ms"],
    }


def test_later_events_have_what_changed(console, account):
    queue = console.queue("orders", account)
    console.queue("other", account)
    with streaming(console, account) as stream:
        before = stream.next()
        console.fill(queue, "a", account=account)
        told = stream.next()
    assert told["first"] is False
    assert set(told["queues"]) == {f"us-east-1/{account}/orders"}
    assert told["queues"][f"us-east-1/{account}/orders"][0] == 1
    assert told["requests"] == before["requests"] + 1
    assert told["journal"] == before["journal"] + 1


def test_queues_that_come_and_go_are_told(console, account, stream):
    stream.next()
    queue = console.queue("brief", account)
    assert stream.until(f"us-east-1/{account}/brief")[:3] == [0, 0, 0]
    console.sqs("DeleteQueue", account, QueueUrl=queue)
    assert stream.next()["gone"] == [f"us-east-1/{account}/brief"]


def test_a_change_of_attributes_is_told(console, account):
    queue = console.queue("changed", account)
    with streaming(console, account) as stream:
        before = stream.next()["queues"][f"us-east-1/{account}/changed"]
        console.post("clock/advance", seconds=60)
        console.sqs("SetQueueAttributes", account, QueueUrl=queue, Attributes={"DelaySeconds": "1"})
        after = stream.until(f"us-east-1/{account}/changed")
    assert after[:-1] == before[:-1]
    assert after[-1] == before[-1] + 60_000


def test_what_time_does_to_messages_is_told(console, account):
    queue = console.queue("hiding", account)
    console.fill(queue, "a", account=account)
    console.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=30)
    with streaming(console, account) as stream:
        assert stream.next()["queues"][f"us-east-1/{account}/hiding"][:2] == [0, 1]
        console.post("clock/advance", seconds=30)
        assert stream.until(f"us-east-1/{account}/hiding")[:2] == [1, 0]


def test_a_clock_that_is_moved_is_told(console, account, stream):
    before = stream.next()
    console.post("clock/advance", account=account, seconds=3_600)
    told = stream.next()
    assert told["clock"]["now_ms"] == before["clock"]["now_ms"] + 3_600_000
    assert told["queues"] == {}


def test_faults_and_notices_are_told(console, account):
    console.queue("any", account)
    with streaming(console, account) as stream:
        before = stream.next()
        console.ask("POST", f"faults?account={account}", {"kind": "duplicate"})
        told = stream.next()
    assert told["faults"] == before["faults"] + 1
    assert told["notices"] != before["notices"]
    console.post("reset", account=account)


def test_the_stream_ends_when_the_server_stops():
    with running_server() as server:
        console = Console(server)
        connection = Connection(console.url)
        connection.send(f"GET /_emulator/console/live HTTP/1.1\r\nHost: {connection.host}\r\n\r\n".encode())
        stream = Stream(connection)
        stream.head()
        stream.next()
        server.on_loop(server.emulator.stop_waiting)
        assert stream.has_ended()
        connection.socket.close()
