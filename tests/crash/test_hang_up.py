"""A client that hangs up while its request waits for the disk disturbs nobody."""

import asyncio
import json
import threading
from contextlib import contextmanager

import pytest

from emulator.domain.model import QueueKey
from emulator.settings import Settings
from tests.http.connections import Connection, ask_json, json_headers, request_bytes
from tests.support.server import running_server


@pytest.fixture
def server(tmp_path):
    with running_server(Settings(data=str(tmp_path / "sqs.db"))) as server:
        ask_json(server.url, "CreateQueue", {"QueueName": "orders"})
        yield server


@contextmanager
def slow_disk(server):
    """In the block, one commit is on its way and does not end, so all requests wait for the next one."""
    entered, leave = threading.Event(), threading.Event()
    store = server.emulator.engine._store

    def hold():
        entered.set()
        assert leave.wait(10)

    async def begin():
        key = QueueKey("000000000000", "us-east-1", "other")
        creation = server.emulator.engine.create_queue(key, {}, {}, now_ms=0, name_lock_ms=0)
        committing = asyncio.create_task(creation)
        await until(lambda: store._writer is not None and not store._waiting)
        return committing

    store._thread.submit(hold)
    assert entered.wait(10)
    committing = server.run(begin())
    try:
        yield
    finally:
        leave.set()
        server.run(asyncio.wait_for(committing, 10))


def ask(server, action, body):
    """Sends a request, and returns the connection once the server has it in hand."""
    connection = Connection(server.url)
    raw = json.dumps({"QueueUrl": "orders", **body}).encode()
    store = server.emulator.engine._store
    before = len(store._waiting)
    connection.send(request_bytes(connection.host, "POST", "/", raw, json_headers(action)))
    server.run(asyncio.wait_for(until(lambda: len(store._waiting) > before), 10))
    return connection


async def until(condition):
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


ENTRIES = [{"Id": "1", "MessageBody": "gone"}, {"Id": "2", "MessageBody": "gone"}]


@pytest.mark.parametrize(
    ("action", "body", "stored"),
    [
        ("SendMessage", {"MessageBody": "gone"}, 1),
        ("SendMessageBatch", {"Entries": ENTRIES}, 2),
        ("ReceiveMessage", {"WaitTimeSeconds": 20}, 0),
        ("PurgeQueue", {}, 0),
    ],
)
def test_a_client_that_hangs_up_while_its_request_waits_for_the_disk(server, action, body, stored):
    with slow_disk(server):
        gone = ask(server, action, body)
        staying = [ask(server, "SendMessage", {"MessageBody": f"stays {number}"}) for number in range(3)]
        gone.close()
    answers = [connection.read_answer() for connection in staying]
    for connection in staying:
        connection.close()
    assert [answer.status for answer in answers] == [200, 200, 200]
    answer = ask_json(server.url, "ReceiveMessage", {"QueueUrl": "orders", "MaxNumberOfMessages": 10})
    found = [message["Body"] for message in answer.json["Messages"]]
    assert found == ["gone"] * stored + ["stays 0", "stays 1", "stays 2"]
