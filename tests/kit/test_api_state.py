import sqlite3

import pytest

from tests.kit.api import good, refusal
from tests.support.clocks import START_MS

SQLITE = "application/vnd.sqlite3"


def test_everything_is_reset(api, account):
    api.queue("mine", account)
    api.queue("yours")
    api.post("clock/advance", seconds=10, account=account)
    api.post("clock/advance", seconds=20)
    api.post("faults", kind="throttle")
    assert api.post("reset")["queues"] == 2
    assert api.get("queues") == {"queues": []}
    assert api.get("faults") == {"faults": []}
    assert "account" not in api.get("clock", account=account)


def test_the_servers_own_clock_outlives_a_reset(api):
    api.post("clock/advance", seconds=20)
    before = api.get("clock")
    api.post("reset")
    assert api.get("clock") == before


def test_a_reset_of_an_account_leaves_the_others(api, account):
    api.queue("mine", account)
    api.queue("mine-too", account, "eu-west-1")
    api.queue("yours", "111111111111")
    api.post("clock/advance", seconds=10, account=account)
    api.post("clock/advance", seconds=10, account="111111111111")
    good(api.ask("POST", "faults", {"kind": "throttle"}, account=account))
    assert api.post("reset", account=account) == {"queues": 2}
    assert names(api, account) == []
    assert names(api, "111111111111") == ["yours"]
    assert "account" not in api.get("clock", account=account)
    assert api.get("clock", account="111111111111")["account"] == "111111111111"
    assert api.get("faults", account=account) == {"faults": []}


def test_a_reset_of_a_region_leaves_the_others(api, account):
    for region in ("us-east-1", "eu-west-1"):
        api.queue("regional", account, region)
    assert api.post("reset", account=account, region="eu-west-1") == {"queues": 1}
    assert [queue["region"] for queue in api.get("queues", account=account)["queues"]] == ["us-east-1"]


def test_a_queue_that_is_reset_is_empty_and_may_be_purged_at_once(api, account):
    queue = api.queue("emptied.fifo", account, FifoQueue="true")
    sent = {"MessageGroupId": "1", "MessageDeduplicationId": "once"}
    api.fill(queue, "a", account=account, **sent)
    api.sqs("PurgeQueue", account, QueueUrl=queue)
    api.fill(queue, "b", account=account, **sent)
    assert api.post("reset", queue="emptied.fifo", account=account) == {"queues": 1}
    assert api.get("messages", queue=queue)["messages"] == []
    api.fill(queue, "c", account=account, **sent)
    assert [one["body"] for one in api.get("messages", queue=queue)["messages"]] == ["c"]
    api.sqs("PurgeQueue", account, QueueUrl=queue)


def test_a_name_can_be_used_at_once_after_a_reset(api, account):
    queue = api.queue("again", account)
    api.sqs("DeleteQueue", account, QueueUrl=queue)
    api.post("reset", account=account)
    api.queue("again", account)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"account": "1"}, 400, "account: must be an account id of 12 digits"),
        ({"accounts": []}, 400, "accounts: there is no such member"),
        ({"region": 1}, 400, "region: must be text, not a whole number"),
        (
            {"queue": "nope"},
            404,
            "queue: there is no queue nope in account 000000000000 and region us-east-1",
        ),
        (b"all", 400, "the body is not valid JSON: JSON is malformed: invalid character (byte 0)"),
    ],
)
def test_bad_input_to_reset_is_refused(api, body, status, text):
    assert refusal(api.ask("POST", "reset", body)) == (status, text)


def test_a_snapshot_is_a_data_file_with_everything_in_it(api, account, tmp_path):
    queue = api.queue("kept", account)
    api.fill(queue, "a", account=account)
    taken = api.ask("GET", "snapshot")
    assert (taken.status, taken.headers["content-type"]) == (200, SQLITE)
    path = tmp_path / "snapshot.db"
    path.write_bytes(taken.body)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_snapshot_is_restored_as_it_was(api, account):
    queue = api.queue("restored", account)
    api.fill(queue, "a", "b", account=account)
    (received,) = api.sqs("ReceiveMessage", account, QueueUrl=queue)["Messages"]
    snapshot = api.ask("GET", "snapshot").body
    api.post("reset", account=account)
    api.queue("later", account)
    answer = api.ask("PUT", "snapshot", snapshot)
    assert (answer.status, answer.body) == (204, b"")
    assert names(api, account) == ["restored"]
    assert api.get("journal", account=account)["events"] == []
    messages = api.get("messages", queue=queue)["messages"]
    assert [(one["body"], one["state"]) for one in messages] == [("a", "in-flight"), ("b", "visible")]
    api.sqs("DeleteMessage", account, QueueUrl=queue, ReceiptHandle=received["ReceiptHandle"])
    assert [one["body"] for one in api.get("messages", queue=queue)["messages"]] == ["b"]


@pytest.mark.parametrize("body", [b"", b"no database", b"SQLite format 3\0" + bytes(5000)])
def test_what_is_no_snapshot_is_refused_and_changes_nothing(api, account, body):
    api.queue("stays", account)
    status, text = refusal(api.ask("PUT", "snapshot", body))
    assert status == 400
    assert text.startswith("the body is no snapshot: ")
    assert names(api, account) == ["stays"]


def test_a_snapshot_may_be_larger_than_other_bodies(api, account):
    queue = api.queue("large", account)
    api.fill(queue, *["x" * 1_000_000] * 10, account=account)
    snapshot = api.ask("GET", "snapshot").body
    assert len(snapshot) > api.server.emulator.settings.max_body_bytes
    api.post("reset", account=account)
    assert api.ask("PUT", "snapshot", snapshot).status == 204
    (found,) = api.get("queues", account=account)["queues"]
    assert found["visible"] == 10


def test_a_move_task_goes_on_after_its_snapshot_is_restored(api, account):
    target = api.queue("target", account)
    dead = api.queue("dead", account)
    arn = f"arn:aws:sqs:us-east-1:{account}:"
    policy = {"RedrivePolicy": f'{{"deadLetterTargetArn": "{arn}dead", "maxReceiveCount": "1"}}'}
    api.sqs("SetQueueAttributes", account, QueueUrl=target, Attributes=policy)
    api.fill(dead, "a", "b", account=account)
    moving = {"SourceArn": f"{arn}dead", "DestinationArn": f"{arn}target", "MaxNumberOfMessagesPerSecond": 1}
    api.sqs("StartMessageMoveTask", account, **moving)
    snapshot = api.ask("GET", "snapshot").body
    api.post("reset", account=account)
    assert api.ask("PUT", "snapshot", snapshot).status == 204
    api.post("clock/advance", seconds=1)
    assert [one["body"] for one in api.get("messages", queue=target)["messages"]] == ["a", "b"]


def test_moto_s_reset_forgets_everything(api, account):
    api.queue("gone", account)
    assert good(api.ask("POST", "/moto-api/reset")) == {"status": "ok"}
    assert api.get("queues") == {"queues": []}


@pytest.fixture(autouse=True)
def the_servers_clock_stands_at_its_start(server):
    yield
    server.on_loop(lambda: server.emulator.clock.set(START_MS))
    server.on_loop(server.emulator.clock.freeze)


def names(api, account):
    return [queue["name"] for queue in api.get("queues", account=account)["queues"]]
