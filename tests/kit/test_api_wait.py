"""Waiting: nobody polls, and no test here sleeps. A wait that hangs fails by the timeouts of the sockets."""

import json
import threading
from contextlib import contextmanager

import pytest

from tests.http.connections import Connection, request_bytes
from tests.kit.api import Api, good, refusal
from tests.support.server import running_server

LONG_S = 3_000


@contextmanager
def waiting(api, **asked):
    """A wait that has begun. Gives the connection from which its answer is read."""
    before = waits(api)
    connection = Connection(api.url)
    body = json.dumps({"timeout_s": LONG_S, **asked}).encode()
    connection.send(request_bytes(connection.host, "POST", "/_emulator/wait", body))
    until(api, lambda: waits(api) > before)
    try:
        yield connection
    finally:
        connection.close()
        until(api, lambda: waits(api) <= before)


def waits(api):
    return api.server.on_loop(lambda: len(api.server.emulator.journal._waiters))


def until(api, is_so):
    """Asks again once the server had its turn."""
    for _ in range(10_000):
        if is_so():
            return
    raise AssertionError("it did not come about")


def test_a_wait_ends_with_the_event_that_it_is_for(api, account):
    queue = api.queue("events", account)
    with waiting(api, event={"account": account, "kind": "sent", "text": "right"}) as connection:
        api.fill(queue, "wrong", account=account)
        (message_id,) = api.fill(queue, "right", account=account)
        event = good(connection.read_answer())["event"]
    assert (event["kind"], event["message_id"], event["queue"]) == ("sent", message_id, "events")


def test_an_event_of_the_past_does_not_count_by_default(api, account):
    api.fill(api.queue("past", account), "a", account=account)
    asked = {"event": {"account": account, "kind": "sent"}, "timeout_s": 0}
    assert refusal(api.ask("POST", "wait", asked)) == (408, "it did not happen within timeout_s")


def test_an_event_of_the_past_counts_on_request(api, account):
    api.fill(api.queue("past-too", account), "a", account=account)
    found = api.post(
        "wait", event={"account": account, "kind": ["sent", "deleted"]}, include_past=True, timeout_s=0
    )
    assert found["event"]["kind"] == "sent"


def test_a_message_that_is_named_may_have_got_there_already(api, account):
    (message_id,) = api.fill(api.queue("named", account), "a", account=account)
    event = {"message_id": message_id, "kind": "sent"}
    assert api.post("wait", event=event, timeout_s=0)["event"]["message_id"] == message_id
    refused = api.ask("POST", "wait", {"event": event, "include_past": False, "timeout_s": 0})
    assert refusal(refused)[0] == 408


def test_a_wait_can_go_on_after_an_event(api, account):
    queue = api.queue("numbers", account)
    api.fill(queue, "a", "b", account=account)
    filters = {"account": account, "kind": "sent"}
    first = api.post("wait", event=filters, include_past=True)["event"]
    second = api.post("wait", event={**filters, "after": first["number"]})["event"]
    assert second["number"] > first["number"]
    last = api.ask("POST", "wait", {"event": {**filters, "after": second["number"]}, "timeout_s": 0})
    assert refusal(last)[0] == 408


def test_a_wait_for_a_return_ends_when_the_clock_gets_there(api, account):
    queue = api.queue("returns", account)
    api.fill(queue, "a", account=account)
    api.post("clock/freeze", account=account)
    api.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=43_200)
    with waiting(api, event={"account": account, "kind": "returned"}) as connection:
        api.post("clock/advance", seconds=43_199, account=account)
        api.post("clock/advance", seconds=1, account=account)
        assert good(connection.read_answer())["event"]["kind"] == "returned"


def test_a_wait_for_a_return_notices_receives_that_come_after_it(api, account):
    queue = api.queue("returns-later", account)
    with waiting(api, event={"queue": queue, "kind": "returned"}) as connection:
        api.fill(queue, "a", account=account)
        api.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=60)
        api.post("clock/advance", seconds=60, account=account)
        assert good(connection.read_answer())["event"]["kind"] == "returned"


def test_a_wait_for_an_expiry_ends_when_the_clock_gets_there(api, account):
    queue = api.queue("expires", account, MessageRetentionPeriod="60")
    api.fill(queue, "a", account=account)
    with waiting(api, event={"account": account, "kind": "expired"}) as connection:
        api.post("clock/advance", seconds=60, account=account)
        assert good(connection.read_answer())["event"]["kind"] == "expired"


def test_a_wait_goes_by_the_clock_that_the_account_gets_meanwhile(api, account):
    queue = api.queue("new-clock", account)
    api.fill(queue, "a", account=account)
    api.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=60)
    with waiting(api, event={"account": account, "kind": "returned"}) as connection:
        api.post("clock/speed", account=account, speed=1_000_000)
        assert good(connection.read_answer())["event"]["kind"] == "returned"


def test_an_empty_queue_is_drained(api, account):
    queue = api.queue("empty", account)
    assert api.post("wait", drained=queue, timeout_s=0) == {"drained": True}
    assert api.post("wait", drained="empty", account=account, timeout_s=0) == {"drained": True}


def test_a_wait_goes_on_where_a_reset_lets_the_numbers_begin_anew():
    with running_server() as server:
        api = Api(server)
        api.fill(api.queue("before"), *"abcdef")
        with waiting(api, event={"kind": "sent"}) as connection:
            api.post("reset")
            api.fill(api.queue("after"), "first")
            event = good(connection.read_answer())["event"]
        assert (event["number"], event["queue"]) == (1, "after")


@pytest.mark.parametrize("left", ["visible", "in-flight", "delayed"])
def test_a_queue_with_messages_in_any_state_is_not_drained(api, account, left):
    queue = api.queue(left, account)
    api.fill(queue, "a", account=account, DelaySeconds=5 if left == "delayed" else 0)
    if left == "in-flight":
        api.sqs("ReceiveMessage", account, QueueUrl=queue)
    answer = api.ask("POST", "wait", {"drained": queue, "timeout_s": 0})
    assert refusal(answer) == (408, "it did not happen within timeout_s")


def test_a_wait_ends_once_the_last_message_is_deleted(api, account):
    queue = api.queue("drains", account)
    api.fill(queue, "a", "b", account=account)
    handles = [
        api.sqs("ReceiveMessage", account, QueueUrl=queue)["Messages"][0]["ReceiptHandle"] for _ in range(2)
    ]
    with waiting(api, drained=queue) as connection:
        for handle in handles:
            api.sqs("DeleteMessage", account, QueueUrl=queue, ReceiptHandle=handle)
        assert good(connection.read_answer()) == {"drained": True}


EMPTIED_BY = {
    "a purge": lambda api, account, queue: api.sqs("PurgeQueue", account, QueueUrl=queue),
    "expiry": lambda api, account, queue: api.post("clock/advance", seconds=60, account=account),
    "a reset": lambda api, account, queue: api.post("reset", queue=queue),
}


@pytest.mark.parametrize("how", EMPTIED_BY)
def test_a_queue_is_drained_by_whatever_empties_it(api, account, how):
    queue = api.queue("emptied", account, MessageRetentionPeriod="60")
    api.fill(queue, "a", account=account)
    with waiting(api, drained=queue) as connection:
        EMPTIED_BY[how](api, account, queue)
        assert good(connection.read_answer()) == {"drained": True}


def test_a_wait_for_a_queue_that_is_deleted_ends(api, account):
    queue = api.queue("deleted", account)
    api.fill(queue, "a", account=account)
    with waiting(api, drained=queue) as connection:
        api.sqs("DeleteQueue", account, QueueUrl=queue)
        status, detail = refusal(connection.read_answer())
    assert status == 404
    assert detail.startswith("queue: there is no queue deleted in account")


def test_many_wait_at_once(api, account):
    queue = api.queue("crowd", account)
    answers = []

    def one():
        answers.append(
            api.ask("POST", "wait", {"event": {"queue": queue, "kind": "sent"}, "timeout_s": LONG_S})
        )

    before = waits(api)
    threads = [threading.Thread(target=one) for _ in range(20)]
    for thread in threads:
        thread.start()
    until(api, lambda: waits(api) == before + 20)
    api.fill(queue, "a", account=account)
    for thread in threads:
        thread.join(10)
    assert len({good(answer)["event"]["number"] for answer in answers}) == 1
    assert len(answers) == 20


def test_a_caller_that_hangs_up_is_waited_for_no_longer(api, account):
    queue = api.queue("gone", account)
    with waiting(api, event={"queue": queue}) as connection:
        connection.close()


def test_a_wait_ends_when_the_server_stops():
    with running_server() as server, waiting(Api(server), event={"kind": "sent"}) as connection:
        server.on_loop(server.emulator.stop_waiting)
        assert refusal(connection.read_answer()) == (503, "the server is stopping")


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({}, 400, "event, drained: one of them must be given, and include_past with event only"),
        ({"event": {}, "drained": "a"}, 400,
         "event, drained: one of them must be given, and include_past with event only"),
        ({"drained": "a", "include_past": True}, 400,
         "event, drained: one of them must be given, and include_past with event only"),
        ({"event": {}, "account": "000000000000"}, 400, "account, region: belong into `event`"),
        ({"drained": "nope"}, 404,
         "queue: there is no queue nope in account 000000000000 and region us-east-1"),
        ({"drained": ""}, 400, "drained: must be text that is not empty"),
        ({"event": {"kind": "lost"}}, 400,
         "event.kind: 'lost' is none of sent, deduplicated, received, visibility-changed, returned, "
         "dead-lettered, moved, deleted, expired, purged, fault"),
        ({"event": {"color": "red"}}, 400, "event.color: there is no such member"),
        ({"event": {"queue": "arn:x"}}, 400, "queue: 'arn:x' is no name, URL or ARN of a queue"),
        ({"event": {}, "timeout_s": -1}, 400, "timeout_s: must be a number >= 0.0"),
        ({"event": {}, "timeout_s": 3601}, 400, "timeout_s: must be a number <= 3600.0"),
        ({"event": {}, "timeout_s": "long"}, 400, "timeout_s: must be a number, not text"),
        ({"event": {}, "include_past": 1}, 400, "include_past: must be true or false, not a whole number"),
        ({"event": 7}, 400, "event: must be an object, not a whole number"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(api, body, status, text):
    assert refusal(api.ask("POST", "wait", body)) == (status, text)
