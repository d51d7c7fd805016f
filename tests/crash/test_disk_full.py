"""A full disk: sends are refused for the time being, and nothing is lost."""

import contextlib
import signal

import pytest

from tests.cli.servers import refusal, running
from tests.crash.disks import SizeLimit, small_disk
from tests.http.connections import ask_json, ask_query

TEXT = "The service is temporarily unable to handle the request."
LONG = "x" * 40_000


@pytest.fixture(params=["file size limit", "small disk"])
def disk(request, tmp_path):
    if request.param == "file size limit":
        yield SizeLimit()
        return
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(small_disk(tmp_path))
        except (PermissionError, FileNotFoundError):
            pytest.skip("mounting a file system takes root; the file size limit is tested without")
        yield opened


@pytest.fixture
def server(disk, tmp_path):
    with running("--data", str(tmp_path / "sqs.db")) as server:
        server.call("CreateQueue", QueueName="orders")
        server.call("CreateQueue", QueueName="orders.fifo", Attributes={"FifoQueue": "true"})
        yield server


def send(server, body):
    return ask_json(server.url, "SendMessage", {"QueueUrl": "orders", "MessageBody": body})


def send_until_full(server):
    """The bodies that were acknowledged, and the first refusal."""
    bodies = []
    while len(bodies) < 10_000:
        body = f"{len(bodies)} " + "x" * 3_000
        answer = send(server, body)
        if answer.status != 200:
            return bodies, answer
        bodies.append(body)
    raise AssertionError("the disk never got full")


def received(server, queue="orders"):
    bodies = []
    while messages := server.call("ReceiveMessage", QueueUrl=queue, MaxNumberOfMessages=10).get("Messages"):
        bodies += [message["Body"] for message in messages]
    return bodies


def test_a_send_to_a_full_disk_is_refused_in_the_shape_of_each_protocol(server, disk):
    disk.fill(server.process.pid)
    _, answer = send_until_full(server)
    assert answer.status == 503
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    assert answer.headers["x-amzn-query-error"] == "ServiceUnavailable;Receiver"
    assert answer.json == {"__type": "com.amazon.coral.service#ServiceUnavailable", "message": TEXT}
    answer = ask_query(server.url, "SendMessage", {"QueueUrl": "orders", "MessageBody": LONG})
    assert (answer.status, answer.code, answer.message) == (503, "ServiceUnavailable", TEXT)
    assert answer.xml.findtext("Error/Type") == "Receiver"
    entries = [{"Id": str(number), "MessageBody": LONG} for number in range(10)]
    answer = ask_json(server.url, "SendMessageBatch", {"QueueUrl": "orders", "Entries": entries})
    assert (answer.status, answer.code) == (503, "ServiceUnavailable")


def test_a_full_disk_loses_nothing_and_the_service_resumes_when_there_is_room(server, disk):
    disk.fill(server.process.pid)
    bodies, _ = send_until_full(server)
    assert {send(server, "refused " + LONG).status for _ in range(5)} == {503}
    assert server.call("GetQueueAttributes", QueueUrl="orders", AttributeNames=["All"])["Attributes"][
        "ApproximateNumberOfMessages"
    ] == str(len(bodies))
    disk.empty(server.process.pid)
    assert send(server, "accepted").status == 200
    assert received(server) == [*bodies, "accepted"]


def test_a_fifo_send_that_a_full_disk_refused_can_be_repeated(server, disk):
    disk.fill(server.process.pid)
    send_until_full(server)
    message = {
        "QueueUrl": "orders.fifo",
        "MessageBody": LONG,
        "MessageGroupId": "group",
        "MessageDeduplicationId": "only-once",
    }
    assert ask_json(server.url, "SendMessage", message).status == 503
    disk.empty(server.process.pid)
    answers = [ask_json(server.url, "SendMessage", message) for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 200]
    assert answers[0].json["SequenceNumber"] == answers[1].json["SequenceNumber"]
    assert received(server, "orders.fifo") == [LONG]


def test_a_server_killed_on_a_full_disk_loses_nothing(server, disk, tmp_path):
    disk.fill(server.process.pid)
    bodies, _ = send_until_full(server)
    server.stop(signal.SIGKILL)
    if not isinstance(disk, SizeLimit):
        disk.empty()
    with running("--data", str(tmp_path / "sqs.db")) as again:
        assert received(again) == bodies


def test_queues_made_and_deleted_on_a_full_disk_are_as_their_answers_say(server, disk):
    disk.fill(server.process.pid)
    bodies, _ = send_until_full(server)
    big = {"tags": {f"tag-{number}": "x" * 250 for number in range(50)}}
    made = [ask_json(server.url, "CreateQueue", {"QueueName": f"big-{number}", **big}) for number in range(5)]
    disk.empty(server.process.pid)
    known = {url.rpartition("/")[2] for url in server.call("ListQueues")["QueueUrls"]}
    expected = {f"big-{number}" for number, answer in enumerate(made) if answer.status == 200}
    assert known == expected | {"orders", "orders.fifo"}
    assert 503 in {answer.status for answer in made}
    assert ask_json(server.url, "CreateQueue", {"QueueName": "big-4", **big}).status == 200
    assert ask_json(server.url, "SendMessage", {"QueueUrl": "big-4", "MessageBody": "hello"}).status == 200
    assert received(server) == bodies


@pytest.mark.parametrize("leave_bytes", [0, 45_056])
def test_a_first_start_on_a_full_disk_is_refused_and_does_not_spoil_the_next(tmp_path, leave_bytes):
    try:
        with small_disk(tmp_path) as disk:
            disk.fill(leave_bytes=leave_bytes)
            complaint = refusal("--port", "0", "--data", "sqs.db", cwd=tmp_path)
            assert complaint.startswith("sqs.db ")
            assert "full" in complaint
            assert "damaged" not in complaint
            assert complaint.count("\n") == 1
            disk.empty()
            with running("--data", "sqs.db", cwd=tmp_path) as server:
                server.call("CreateQueue", QueueName="orders")
                server.stop()
    except (PermissionError, FileNotFoundError):
        pytest.skip("mounting a file system takes root")
