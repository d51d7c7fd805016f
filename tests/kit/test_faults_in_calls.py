"""Faults as an SDK meets them. Each test has an account of its own on the server that all tests share."""

import itertools

import boto3
import botocore.exceptions
import pytest
from botocore.config import Config

from tests.kit.planned import planned
from tests.support.server import DOOR

_accounts = itertools.count(700_000_000_000)
cuts = pytest.mark.skipif(DOOR == "asgi", reason="what an ASGI server says instead is its own business")


class Sdk:
    def __init__(self, server):
        self.server = server
        self.account = f"{next(_accounts)}"
        self.world = server.emulator.worlds.of(self.account)
        self.sqs = self.client()
        self.queue = self.sqs.create_queue(QueueName="orders")["QueueUrl"]

    def client(self, attempts=1, **config):
        return boto3.client(
            "sqs",
            endpoint_url=self.server.url,
            region_name="us-east-1",
            aws_access_key_id=self.account,
            aws_secret_access_key="secret",
            config=Config(retries={"total_max_attempts": attempts}, **config),
        )

    def plan(self, *rules):
        def plan():
            self.world.faults = planned(*rules) if rules else None

        self.server.on_loop(plan)

    def counters(self):
        return [(one.matched, one.acted) for one in self.world.faults.rules()]

    def send(self, *bodies):
        for body in bodies:
            self.sqs.send_message(QueueUrl=self.queue, MessageBody=body)

    def receive(self, **members):
        members = {"MaxNumberOfMessages": 10, **members}
        return self.sqs.receive_message(QueueUrl=self.queue, **members).get("Messages", [])

    def bodies(self, **members):
        return [message["Body"] for message in self.receive(**members)]

    def delete(self, message):
        self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])

    def counts(self):
        (count,) = self.sqs.get_queue_attributes(
            QueueUrl=self.queue, AttributeNames=["ApproximateNumberOfMessages"]
        )["Attributes"].values()
        return count


@pytest.fixture
def sdk(server):
    sdk = Sdk(server)
    yield sdk
    sdk.plan()


def test_a_consumer_that_deletes_what_it_has_done_gets_the_duplicate_all_the_same(sdk):
    sdk.plan({"kind": "duplicate"})
    sdk.send("a")
    (first,) = sdk.receive()
    sdk.delete(first)
    (second,) = sdk.receive()
    assert second["MessageId"] == first["MessageId"]
    assert second["ReceiptHandle"] != first["ReceiptHandle"]
    sdk.delete(second)
    assert sdk.receive() == []


def test_a_duplicate_ends_a_long_poll_as_soon_as_it_is_due(sdk):
    sdk.plan({"kind": "duplicate", "after_s": 5})
    sdk.send("a")
    assert sdk.bodies(WaitTimeSeconds=20) == ["a"]
    sdk.server.clock.advance(seconds=5)
    assert sdk.bodies(WaitTimeSeconds=20) == ["a"]


def test_a_delete_is_acknowledged_and_the_message_comes_back(sdk):
    sdk.plan({"kind": "lost-delete", "match": {"body": "a"}, "after_s": 0})
    sdk.send("a", "b")
    messages = sdk.receive()
    entries = [{"Id": m["Body"], "ReceiptHandle": m["ReceiptHandle"]} for m in messages]
    answer = sdk.sqs.delete_message_batch(QueueUrl=sdk.queue, Entries=entries)
    assert [one["Id"] for one in answer["Successful"]] == ["a", "b"]
    (message,) = sdk.receive()
    sdk.delete(message)
    assert sdk.bodies() == ["a"]


def test_a_delete_that_got_lost_is_no_deletion_in_the_history(sdk):
    sdk.plan({"kind": "lost-delete"})
    sdk.send("a")
    (message,) = sdk.receive()
    sdk.delete(message)
    assert kinds(sdk, message["MessageId"]) == ["sent", "received", "fault"]


def test_the_history_tells_the_life_of_a_duplicate_with_that_of_its_message(sdk):
    sdk.plan({"kind": "duplicate"})
    sdk.send("a")
    message_id = ""
    for _ in range(2):
        (message,) = sdk.receive()
        message_id = message["MessageId"]
        sdk.delete(message)
    assert sorted(kinds(sdk, message_id)) == [
        "deleted", "deleted", "fault", "received", "received", "sent",
    ]  # fmt: skip


def test_a_short_poll_is_empty_and_a_long_poll_is_not(sdk):
    sdk.plan({"kind": "partial-poll", "sampled": 0})
    sdk.send("a")
    assert sdk.bodies() == []
    assert sdk.bodies(WaitTimeSeconds=1) == ["a"]


def test_a_batch_is_received_in_another_order(sdk):
    sdk.plan({"kind": "reorder"})
    sdk.send(*"abcdefghij")
    assert sorted(received := sdk.bodies()) == [*"abcdefghij"] != received


def test_a_visibility_timeout_ends_before_its_time(sdk):
    sdk.plan({"kind": "early-expiry", "fraction": 0.5, "when": {"times": 1}})
    sdk.send("a")
    assert sdk.bodies(VisibilityTimeout=60) == ["a"]
    sdk.server.clock.advance(seconds=30)
    assert sdk.bodies(VisibilityTimeout=60) == ["a"]


def test_a_long_poll_gets_a_message_when_its_delay_is_over(sdk):
    sdk.plan({"kind": "delayed-send", "delay_s": 3})
    sdk.send("a")
    sdk.sqs.send_message_batch(QueueUrl=sdk.queue, Entries=[{"Id": "b", "MessageBody": "b"}])
    assert sdk.bodies() == []
    sdk.server.clock.advance(seconds=3)
    assert sdk.bodies(WaitTimeSeconds=20) == ["a", "b"]


def test_lists_are_late_with_new_queues_and_with_deleted_ones(sdk):
    sdk.server.clock.advance(seconds=60)
    sdk.plan({"kind": "stale-list", "lag_s": 60})
    for number in range(5):
        sdk.sqs.create_queue(QueueName=f"new-{number}")
    assert listed(sdk) == ["orders"]
    sdk.sqs.delete_queue(QueueUrl=sdk.queue)
    assert listed(sdk) == ["orders"]
    sdk.server.clock.advance(seconds=60)
    assert listed(sdk) == [f"new-{number}" for number in range(5)]


def test_attributes_and_counts_are_late(sdk):
    sdk.plan({"kind": "stale-attributes", "lag_s": 60})
    sdk.sqs.set_queue_attributes(QueueUrl=sdk.queue, Attributes={"DelaySeconds": "5"})
    asked = {"QueueUrl": sdk.queue, "AttributeNames": ["DelaySeconds"]}
    assert sdk.sqs.get_queue_attributes(**asked)["Attributes"] == {"DelaySeconds": "0"}
    sdk.server.clock.advance(seconds=60)
    assert sdk.sqs.get_queue_attributes(**asked)["Attributes"] == {"DelaySeconds": "5"}
    assert sdk.counts() == "0"
    sdk.sqs.send_message(QueueUrl=sdk.queue, MessageBody="a", DelaySeconds=0)
    assert sdk.counts() == "0"
    sdk.server.clock.advance(seconds=60)
    assert sdk.counts() == "1"


def test_a_throttled_call_has_no_effect_and_a_name_of_its_own(sdk):
    sdk.plan({"kind": "throttle", "match": {"actions": ["SendMessage"]}})
    with pytest.raises(sdk.sqs.exceptions.RequestThrottled) as caught:
        sdk.send("a")
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
    assert sdk.counts() == "0"


@pytest.mark.parametrize(("status", "code"), [(500, "InternalFailure"), (503, "ServiceUnavailable")])
def test_an_error_of_the_server_has_no_effect(sdk, status, code):
    sdk.plan({"kind": "error", "status": status, "when": {"nth": 1}})
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        sdk.send("a")
    assert caught.value.response["Error"]["Code"] == code
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert sdk.counts() == "0"


@cuts
@pytest.mark.parametrize(("at", "sent"), [("before", "0"), ("after", "1")])
def test_a_connection_is_cut(sdk, at, sent):
    sdk.plan({"kind": "drop-connection", "at": at, "when": {"nth": 1}})
    with pytest.raises(botocore.exceptions.ConnectionClosedError):
        sdk.send("a")
    assert sdk.counts() == sent


@cuts
def test_the_retry_of_a_call_whose_answer_was_cut_off_sends_a_second_message(sdk):
    sdk.plan({"kind": "drop-connection", "at": "after", "when": {"nth": 1}})
    sdk.client(attempts=2).send_message(QueueUrl=sdk.queue, MessageBody="a")
    assert len({message["MessageId"] for message in sdk.receive()}) == 2


def test_a_lost_reply_keeps_the_caller_waiting_until_it_gives_up(sdk):
    sdk.plan({"kind": "lost-reply", "when": {"nth": 1}})
    with pytest.raises(botocore.exceptions.ReadTimeoutError):
        sdk.client(read_timeout=0.1).send_message(QueueUrl=sdk.queue, MessageBody="a")
    assert sdk.counts() == "1"


def test_an_account_without_rules_notices_nothing(sdk):
    other = Sdk(sdk.server)
    sdk.plan({"kind": "throttle"})
    other.send("a")
    assert other.bodies() == ["a"]
    assert sdk.counters() == [(0, 0)]


def kinds(sdk, message_id):
    def history():
        return sdk.server.emulator.journal.history(message_id, account=sdk.account)

    return [event.kind for event in sdk.server.on_loop(history).events]


def listed(sdk):
    pages = sdk.sqs.get_paginator("list_queues").paginate(PaginationConfig={"PageSize": 2})
    return [url.rpartition("/")[2] for page in pages for url in page.get("QueueUrls", ())]
