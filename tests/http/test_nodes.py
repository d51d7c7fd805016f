"""Two servers with one PostgreSQL database: what one of them does holds for the other."""

import asyncio
import itertools
import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from botocore.exceptions import ClientError

from emulator.app import open_emulator
from emulator.clock import AdjustableClock
from emulator.settings import Settings
from tests.contract.clients import client_of
from tests.support import postgres
from tests.support.answers import bodies, content, receive, send
from tests.support.polls import long_poll
from tests.support.server import running_server

_numbers = itertools.count(1)
ACCOUNT = "111122223333"
HOUR_MS = 3_600_000


class Node:
    """A server, a client of it, and its test kit."""

    def __init__(self, server):
        self.server = server
        self.sqs = client_of("json", server.url, account=ACCOUNT)
        self.http = httpx.Client(base_url=server.url, timeout=10)

    def kit(self, method, path, body=None, status=200):
        answer = self.http.request(method, f"/_emulator/{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def url(self, queue_url):
        """The same queue, on this node."""
        return self.server.url + httpx.URL(queue_url).path

    def make(self, name="orders", **attributes):
        return self.sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]


@pytest.fixture
def settings(database_url):
    schema = f"nodes_{os.getpid()}_{next(_numbers)}"
    yield Settings(data=database_url, postgres_schema=schema, postgres_connections=4)
    postgres.drop_schema(database_url, schema)


@pytest.fixture
def nodes(settings):
    with ExitStack() as stack:
        yield [Node(stack.enter_context(running_server(settings))) for _ in range(2)]


def test_a_long_poll_is_answered_when_a_message_is_sent_to_another_node(nodes):
    ours, theirs = nodes
    queue = ours.make()
    poll = long_poll(theirs.server, theirs.sqs, theirs.url(queue))
    send(ours.sqs, queue, "hello")
    assert bodies(poll.answer()) == ["hello"]


def test_a_long_poll_is_answered_when_another_node_opens_the_group(nodes):
    ours, theirs = nodes
    queue = ours.make("orders.fifo", FifoQueue="true", ContentBasedDeduplication="true")
    for body in ("first", "second"):
        send(ours.sqs, queue, body, MessageGroupId="g")
    (first,) = receive(ours.sqs, queue, MaxNumberOfMessages=1)["Messages"]
    poll = long_poll(theirs.server, theirs.sqs, theirs.url(queue))
    ours.sqs.delete_message(QueueUrl=queue, ReceiptHandle=first["ReceiptHandle"])
    assert bodies(poll.answer()) == ["second"]


def test_a_long_poll_ends_when_another_node_deletes_the_queue(nodes):
    ours, theirs = nodes
    queue = ours.make()
    poll = long_poll(theirs.server, theirs.sqs, theirs.url(queue))
    ours.sqs.delete_queue(QueueUrl=queue)
    with pytest.raises(ClientError, match="does not exist"):
        poll.answer()


def test_a_change_of_a_queue_holds_on_other_nodes_once_it_is_answered(nodes):
    ours, theirs = nodes
    queue = ours.make()
    theirs.sqs.get_queue_attributes(QueueUrl=theirs.url(queue), AttributeNames=["All"])
    ours.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"DelaySeconds": "7"})
    found = theirs.sqs.get_queue_attributes(QueueUrl=theirs.url(queue), AttributeNames=["DelaySeconds"])
    assert found["Attributes"] == {"DelaySeconds": "7"}


@pytest.mark.parametrize("account", [None, ACCOUNT])
def test_a_clock_that_is_moved_on_one_node_is_moved_on_all(nodes, account):
    ours, theirs = nodes
    whose = {} if account is None else {"account": account}
    queue = ours.make()
    send(ours.sqs, queue, "hello")
    receive(ours.sqs, queue, VisibilityTimeout=3600)
    poll = long_poll(theirs.server, theirs.sqs, theirs.url(queue))
    moved = ours.kit("POST", "clock/advance", {"ms": HOUR_MS, **whose})
    assert bodies(poll.answer()) == ["hello"]
    assert theirs.http.get("/_emulator/clock", params=whose).json() == moved
    back = theirs.kit("POST", "clock/set", {"now_ms": 1_000, **whose})
    assert ours.http.get("/_emulator/clock", params=whose).json() == back
    assert back["now_ms"] == 1_000


def test_a_moment_that_no_clock_shows_changes_no_clock(nodes):
    ours, theirs = nodes
    before = theirs.kit("GET", "clock")
    ours.kit("POST", "clock/set", {"now_ms": 253_402_300_799_000})
    ours.kit("POST", "clock/advance", {"seconds": 1_000}, status=400)
    assert theirs.kit("GET", "clock")["now_ms"] == ours.kit("GET", "clock")["now_ms"] == 253_402_300_799_000
    ours.kit("POST", "clock/set", {"now_ms": before["now_ms"]})
    assert theirs.kit("GET", "clock") == before


def test_a_reset_on_one_node_holds_for_all_and_gives_accounts_the_servers_time(nodes):
    ours, theirs = nodes
    queue = ours.make()
    theirs.kit("POST", "clock/advance", {"ms": HOUR_MS, "account": ACCOUNT})
    assert "account" in ours.http.get("/_emulator/clock", params={"account": ACCOUNT}).json()
    theirs.kit("POST", "reset", {})
    assert "account" not in ours.http.get("/_emulator/clock", params={"account": ACCOUNT}).json()
    with pytest.raises(ClientError, match="does not exist"):
        send(ours.sqs, queue, "hello")


def test_a_wait_ends_when_another_node_has_drained_the_queue(nodes):
    ours, theirs = nodes
    queue = ours.make()
    send(ours.sqs, queue, "hello")
    with ThreadPoolExecutor() as pool:
        wait = pool.submit(theirs.kit, "POST", "wait", {"drained": "orders", "account": ACCOUNT})
        (message,) = receive(ours.sqs, queue)["Messages"]
        assert not wait.done()
        ours.sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        assert wait.result(5) == {"drained": True}


def test_a_node_that_starts_later_shows_the_time_of_the_others(nodes, settings):
    ours, _ = nodes
    ours.kit("POST", "clock/set", {"now_ms": 5_000})
    ours.kit("POST", "clock/set", {"now_ms": 9_000, "account": ACCOUNT})
    with running_server(settings) as server:
        late = Node(server)
        assert late.kit("GET", "clock")["now_ms"] == 5_000
        assert late.http.get("/_emulator/clock", params={"account": ACCOUNT}).json()["now_ms"] == 9_000


def test_nodes_go_by_the_clock_of_the_database(settings):
    async def open_with_a_wrong_clock():
        clock = AdjustableClock()
        clock.system.correction_ns = HOUR_MS * 1_000_000
        emulator = await open_emulator(settings, clock=clock)
        off_by_ms = clock.now_ms() - AdjustableClock().now_ms()
        await emulator.close()
        return off_by_ms

    assert abs(asyncio.run(open_with_a_wrong_clock())) < 100


def test_a_move_task_is_taken_over_when_the_node_that_drives_it_is_gone(settings, database_url):
    with ExitStack() as stack:
        theirs = Node(stack.enter_context(running_server(settings)))
        with running_server(settings) as server:
            ours = Node(server)
            dead, queue = ours.make("dead"), ours.make("target")
            arns = {name: f"arn:aws:sqs:us-east-1:{ACCOUNT}:{name}" for name in ("dead", "target", "q")}
            policy = json.dumps({"deadLetterTargetArn": arns["dead"], "maxReceiveCount": 1})
            ours.make("q", RedrivePolicy=policy)
            for body in "abc":
                send(ours.sqs, dead, body)
            ours.sqs.start_message_move_task(
                SourceArn=arns["dead"], DestinationArn=arns["target"], MaxNumberOfMessagesPerSecond=1
            )
            assert bodies(receive(theirs.sqs, theirs.url(queue), WaitTimeSeconds=20)) == ["a"]
        adopt = theirs.server.emulator.mover.adopt
        theirs.server.run(adopt())
        theirs.kit("POST", "clock/advance", {"seconds": 10})
        assert receive(theirs.sqs, theirs.url(queue)).get("Messages") is None  # the lease runs
        _end_leases(database_url, settings.postgres_schema)
        theirs.server.run(adopt())
        theirs.kit("POST", "clock/advance", {"seconds": 10})
        answer = receive(theirs.sqs, theirs.url(queue), MaxNumberOfMessages=10)
        assert bodies(answer) == ["b", "c"]
        (task,) = theirs.sqs.list_message_move_tasks(SourceArn=arns["dead"])["Results"]
        assert (task["Status"], task["ApproximateNumberOfMessagesMoved"]) == ("COMPLETED", 3)


def _end_leases(url, schema):
    async def end():
        import asyncpg

        connection = await asyncpg.connect(url)
        await connection.execute(f"UPDATE {schema}.move_task SET leased_until = clock_timestamp()")
        await connection.close()

    asyncio.run(end())


def test_while_the_database_is_away_requests_get_503_and_the_node_is_not_ready():
    with postgres.running() as database:
        settings = Settings(data=database.url, postgres_connections=4)
        with running_server(settings) as server:
            node = Node(server)
            queue = node.make()
            assert node.kit("GET", "ready") == {"status": "ready"}
            database.stop()
            assert node.kit("GET", "ready", status=503)["status"] == 503
            assert node.kit("GET", "health")["status"] == "ok"
            with pytest.raises(ClientError) as caught:
                send(node.sqs, queue, "lost")
            error = caught.value.response
            assert error["ResponseMetadata"]["HTTPStatusCode"] == 503
            assert error["Error"]["Code"] == "ServiceUnavailable"
            assert node.http.get("/_emulator/queues").status_code == 503
            database.start()
            for _ in range(100):
                if node.http.get("/_emulator/ready").status_code == 200:
                    break
            send(node.sqs, queue, "kept")
            assert content(receive(node.sqs, queue))["Messages"][0]["Body"] == "kept"
