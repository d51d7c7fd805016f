"""Every action that does something to messages tells the journal."""

import asyncio
from typing import Any

import msgspec
import pytest

from emulator.app import Emulator
from emulator.journal import Caller, Filter
from emulator.signals import ClientGone
from emulator.wire.messages import WireRequest
from tests.kit.accounts import A, run, settled

MONTH_S = 30 * 86_400


class Client:
    """Sends requests as a caller of the account does."""

    def __init__(self, emulator: Emulator, account: str = A) -> None:
        self.emulator = emulator
        self.clock = emulator.clock
        self.request_ids: list[str] = []
        credential = f"Credential={account}/20260101/us-east-1/sqs/aws4_request"
        self._headers = {"host": "localhost", "authorization": f"AWS4-HMAC-SHA256 {credential}"}

    async def call(self, action: str, **members: Any) -> Any:
        headers = {**self._headers, "x-amz-target": f"AmazonSQS.{action}"}
        body = msgspec.json.encode(members)
        request = WireRequest(method="POST", path="/", query="", headers=headers, body=body)
        answer = await self.emulator.endpoint.handle(request, ClientGone())
        self.request_ids.append(answer.request_id)
        return msgspec.json.decode(answer.body or b"{}")

    async def queue(self, name: str, dead_letter_queue: str | None = None, **attributes: str) -> str:
        if dead_letter_queue is not None:
            arn = f"arn:aws:sqs:us-east-1:{A}:{dead_letter_queue}"
            policy = {"deadLetterTargetArn": arn, "maxReceiveCount": 1}
            attributes["RedrivePolicy"] = msgspec.json.encode(policy).decode()
        answer = await self.call("CreateQueue", QueueName=name, Attributes=attributes)
        return str(answer["QueueUrl"])

    async def send(self, queue: str, body: str, **members: Any) -> str:
        answer = await self.call("SendMessage", QueueUrl=queue, MessageBody=body, **members)
        return str(answer["MessageId"])

    async def receive(self, queue: str, **members: Any) -> list[str]:
        """Receipt handles."""
        answer = await self.call("ReceiveMessage", QueueUrl=queue, MaxNumberOfMessages=10, **members)
        return [message["ReceiptHandle"] for message in answer.get("Messages", [])]

    def told(self, **wanted: Any) -> list[str]:
        """What happened, with the queue and, if there is one, the number that belongs to it."""
        return [
            " ".join(
                str(part)
                for part in (
                    event.kind,
                    event.queue,
                    event.details.target_queue,
                    event.details.receive_count,
                    event.details.timeout_s,
                )
                if part is not None
            )
            for event in self.events(**wanted)
        ]

    def events(self, **wanted: Any) -> Any:
        assert self.emulator.journal is not None
        return self.emulator.journal.query(Filter(**wanted))


def test_single_calls():
    async def work(emulator):
        client = Client(emulator)
        queue = await client.queue("orders", VisibilityTimeout="7")
        await client.send(queue, "hello")
        (handle,) = await client.receive(queue)
        await client.call(
            "ChangeMessageVisibility", QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=60
        )
        await client.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=handle)
        assert client.told() == [
            "sent orders",
            "received orders 1 7",
            "visibility-changed orders 1 60",
            "deleted orders 1",
        ]
        assert [event.request_id for event in client.events()] == client.request_ids[1:]
        (caller,) = {event.caller for event in client.events()}
        assert caller == Caller(A, emulator.context(A, "us-east-1").sender_id)

    run(work)


def test_batches():
    async def work(emulator):
        client = Client(emulator)
        queue = await client.queue("orders")
        sends = [{"Id": body, "MessageBody": body} for body in "ab"]
        bad = {"Id": "bad", "MessageBody": "c", "DelaySeconds": 901}
        await client.call("SendMessageBatch", QueueUrl=queue, Entries=[*sends, bad])
        handles = await client.receive(queue)
        entries = [{"Id": str(number), "ReceiptHandle": one} for number, one in enumerate(handles)]
        hidden = [{**entry, "VisibilityTimeout": 60 + int(entry["Id"])} for entry in entries]
        await client.call("ChangeMessageVisibilityBatch", QueueUrl=queue, Entries=hidden)
        await client.call("DeleteMessageBatch", QueueUrl=queue, Entries=entries)
        assert client.told() == [
            "sent orders",
            "sent orders",
            "received orders 1 30",
            "received orders 1 30",
            "visibility-changed orders 1 60",
            "visibility-changed orders 1 61",
            "deleted orders 1",
            "deleted orders 1",
        ]

    run(work)


def test_a_long_poll_that_gets_a_message_later():
    async def work(emulator):
        client = Client(emulator)
        queue = await client.queue("orders")
        await client.send(queue, "hello", DelaySeconds=5)
        poll = asyncio.ensure_future(client.receive(queue, WaitTimeSeconds=20))
        await settled()
        client.clock.advance(seconds=5)
        assert len(await poll) == 1
        sent, received = client.events()
        assert (received.at_ms - sent.at_ms, sent.details.delay_s) == (5_000, 5)

    run(work)


def test_dead_letters_and_move_tasks():
    async def work(emulator):
        client = Client(emulator)
        dead = await client.queue("dead")
        queue = await client.queue("orders", dead_letter_queue="dead")
        message_id = await client.send(queue, "hello")
        await client.receive(queue)
        client.clock.advance(seconds=30)
        await client.receive(queue)
        await client.receive(dead, VisibilityTimeout=0)
        await client.call("StartMessageMoveTask", SourceArn=f"arn:aws:sqs:us-east-1:{A}:dead")
        await settled()
        (handle,) = await client.receive(queue)
        await client.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=handle)
        assert client.told() == [
            "sent orders",
            "received orders 1 30",
            "returned orders",
            "dead-lettered orders dead",
            "received dead 2 0",
            "moved dead orders",
            "received orders 1 30",
            "deleted orders 1",
        ]
        assert emulator.journal.history(message_id).events == client.events()

    run(work)


def test_purges_and_deleted_queues():
    async def work(emulator):
        client = Client(emulator)
        queue = await client.queue("orders")
        await client.send(queue, "a")
        await client.call("PurgeQueue", QueueUrl=queue)
        await client.call("PurgeQueue", QueueUrl=queue)  # refused
        await client.send(queue, "b")
        await client.call("DeleteQueue", QueueUrl=queue)
        assert client.told(text="a") == client.told(text="b") == ["sent orders", "purged orders"]
        assert [event.details.queue_deleted for event in client.events(kinds={"purged"})] == [False, True]

    run(work)


def test_what_is_refused_or_finds_nothing_is_no_event():
    async def work(emulator):
        client = Client(emulator)
        queue = await client.queue("orders")
        fifo = await client.queue("orders.fifo", FifoQueue="true")
        await client.receive(queue)
        await client.call("SendMessage", QueueUrl=queue)
        await client.send(queue, "hello", VisibilityTimeout=1)
        (handle,) = await client.receive(queue, VisibilityTimeout=1)
        await client.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=handle)
        await client.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=handle)
        await client.call("DeleteMessage", QueueUrl=queue, ReceiptHandle="garbage")
        await client.call(
            "ChangeMessageVisibility", QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=9
        )
        assert client.told() == ["sent orders", "received orders 1 1", "deleted orders 1"]
        members = {"MessageGroupId": "g", "MessageDeduplicationId": "d"}
        await client.send(fifo, "hello", **members)
        await client.send(fifo, "hello", **members)
        (handle,) = await client.receive(fifo, VisibilityTimeout=1)
        client.clock.advance(seconds=1)
        await client.call("DeleteMessage", QueueUrl=fifo, ReceiptHandle=handle)
        assert client.told(queue="orders.fifo") == [
            "sent orders.fifo",
            "deduplicated orders.fifo",
            "received orders.fifo 1 1",
            "returned orders.fifo",
        ]

    run(work)


def test_expiry_is_recorded_when_somebody_looks():
    async def work(emulator):
        client = Client(emulator)
        queue = await client.queue("orders")
        await client.send(queue, "hello")
        client.clock.advance(seconds=MONTH_S)
        await client.receive(queue)
        assert client.told() == ["sent orders", "expired orders"]

    run(work)


def test_without_a_journal_everything_else_goes_on():
    async def work(emulator):
        assert emulator.journal is None
        client = Client(emulator)
        dead = await client.queue("dead")
        queue = await client.queue("orders", dead_letter_queue="dead")
        await client.send(queue, "hello")
        (handle,) = await client.receive(queue, VisibilityTimeout=0)
        await client.call(
            "ChangeMessageVisibility", QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=0
        )
        await client.receive(queue)
        await client.call("StartMessageMoveTask", SourceArn=f"arn:aws:sqs:us-east-1:{A}:dead")
        await settled()
        (handle,) = await client.receive(queue)
        await client.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=handle)
        await client.call("PurgeQueue", QueueUrl=dead)
        await client.call("DeleteQueue", QueueUrl=dead)

    run(work, journal_size=0)


@pytest.mark.parametrize("size", [10_000, 20])
def test_two_runs_of_the_same_script_have_the_same_journal_to_the_byte(size):
    journals = []

    async def work(emulator):
        client = Client(emulator)
        dead = await client.queue("dead")
        queue = await client.queue("orders", dead_letter_queue="dead")
        for number in range(20):
            await client.send(queue, f"message {number}", DelaySeconds=number % 3)
            client.clock.advance(seconds=7)
            for handle in (await client.receive(queue, VisibilityTimeout=20))[::2]:
                await client.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=handle)
        await client.call("StartMessageMoveTask", SourceArn=f"arn:aws:sqs:us-east-1:{A}:dead")
        await settled()
        await client.call("PurgeQueue", QueueUrl=dead)
        journals.append(msgspec.json.encode(client.events()))

    run(work, journal_size=size)
    run(work, journal_size=size)
    assert journals[0] == journals[1]
    assert len(msgspec.json.decode(journals[0])) >= min(size - 1, 60)
