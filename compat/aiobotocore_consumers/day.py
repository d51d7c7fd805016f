"""Ten consumers of aiobotocore that wait on one queue at a time: who gets what, and how soon."""

import asyncio
import collections
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiobotocore.config import AioConfig
from aiobotocore.session import get_session
from steps import between, equal, fresh_name, holds, run_steps

CONSUMERS = 10
MESSAGES = 300
WAIT_SECONDS = 20
# Not a measurement: far more than waking takes, and far less than the time of a poll.
SOON_SECONDS = 1.5
CONFIG = AioConfig(retries={"total_max_attempts": 1}, read_timeout=30, max_pool_connections=50)


@dataclass
class Consumers:
    """Ten tasks that receive with long polling, delete what they got, and keep a record of it."""

    client: Any
    url: str
    polls: int = 0
    empty: int = 0
    received: list[tuple[int, float, dict[str, Any]]] = field(default_factory=list)
    deleted: int = 0
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    async def consume(self, number: int, most: int) -> None:
        while True:
            self.polls += 1
            arguments = {"MaxNumberOfMessages": most, "MessageSystemAttributeNames": ["All"]}
            answer = await self.client.receive_message(
                QueueUrl=self.url, WaitTimeSeconds=WAIT_SECONDS, **arguments
            )
            messages = answer.get("Messages", [])
            self.empty += not messages
            self.received += [(number, time.monotonic(), message) for message in messages]
            await self.delete(messages)

    async def delete(self, messages: Sequence[dict[str, Any]]) -> None:
        if not messages:
            return
        entries = [{"Id": f"n{n}", "ReceiptHandle": m["ReceiptHandle"]} for n, m in enumerate(messages)]
        answer = await self.client.delete_message_batch(QueueUrl=self.url, Entries=entries)
        equal(len(answer.get("Successful", [])), len(entries), "number of messages deleted")
        self.deleted += len(entries)

    def bodies(self) -> list[str]:
        return [message["Body"] for _, _, message in self.received]

    async def until_deleted(self, number: int) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while self.deleted < number:
            for task in self.tasks:
                if task.done() and not task.cancelled():
                    task.result()
            holds(time.monotonic() < deadline, f"{self.deleted} of {number} messages deleted")
            await asyncio.sleep(0.02)


@asynccontextmanager
async def consumers(client: Any, url: str, most: int = 10) -> AsyncIterator[Consumers]:
    crowd = Consumers(client, url)
    crowd.tasks = [asyncio.create_task(crowd.consume(number, most)) for number in range(CONSUMERS)]
    try:
        # All of them wait on the server before anything is sent.
        await asyncio.sleep(0.5)
        equal(crowd.polls, CONSUMERS, "requests to receive")
        yield crowd
    finally:
        for task in crowd.tasks:
            task.cancel()
        await asyncio.gather(*crowd.tasks, return_exceptions=True)


async def queue(client: Any, **attributes: str) -> str:
    name = fresh_name("consumed") + (".fifo" if "FifoQueue" in attributes else "")
    return str((await client.create_queue(QueueName=name, Attributes=attributes))["QueueUrl"])


async def send(client: Any, url: str, bodies: Sequence[str], **more: Any) -> None:
    entries = [{"Id": f"n{n}", "MessageBody": body} | more for n, body in enumerate(bodies)]
    answer = await client.send_message_batch(QueueUrl=url, Entries=entries)
    equal(len(answer["Successful"]), len(bodies), "number of messages sent")


async def nothing_left(client: Any, url: str) -> None:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    answer = await client.get_queue_attributes(QueueUrl=url, AttributeNames=names)
    equal(answer["Attributes"], dict.fromkeys(names, "0"), "messages left")


async def each_message_is_received_and_deleted_once(client: Any) -> None:
    """Sent in bursts and one by one while ten consumers wait."""
    url = await queue(client)
    wanted = [f"message {n}" for n in range(MESSAGES)]
    async with consumers(client, url) as crowd:
        for n in range(0, MESSAGES, 15):
            await send(client, url, wanted[n : n + 10])
            for body in wanted[n + 10 : n + 15]:
                await client.send_message(QueueUrl=url, MessageBody=body)
        await crowd.until_deleted(MESSAGES)
        equal(collections.Counter(crowd.bodies()), collections.Counter(wanted), "messages received")
        equal({m["Attributes"]["ApproximateReceiveCount"] for _, _, m in crowd.received}, {"1"}, "counts")
        equal(crowd.empty, 0, "answers without messages")
        await nothing_left(client, url)


async def ten_consumers_are_woken_by_ten_messages(client: Any) -> None:
    """Each gets one, at once, and nobody asked in the meantime."""
    url = await queue(client)
    async with consumers(client, url, most=1) as crowd:
        await asyncio.sleep(1.5)
        equal(
            (crowd.polls, crowd.empty), (CONSUMERS, 0), "requests and empty answers while there was nothing"
        )
        started = time.monotonic()
        await send(client, url, [str(n) for n in range(CONSUMERS)])
        await crowd.until_deleted(CONSUMERS)
        equal(sorted(number for number, _, _ in crowd.received), list(range(CONSUMERS)), "who got one")
        last = max(when for _, when, _ in crowd.received)
        between(last - started, 0, SOON_SECONDS, "seconds until the last consumer had its message")


async def a_message_wakes_one_consumer_and_leaves_nine_waiting(client: Any) -> None:
    url = await queue(client)
    async with consumers(client, url) as crowd:
        started = time.monotonic()
        await client.send_message(QueueUrl=url, MessageBody="for one")
        await crowd.until_deleted(1)
        between(crowd.received[0][1] - started, 0, SOON_SECONDS, "seconds until it was received")
        await asyncio.sleep(0.3)
        equal((crowd.polls, crowd.empty), (CONSUMERS + 1, 0), "requests and empty answers")


async def what_comes_back_wakes_a_consumer(client: Any) -> None:
    """A delay, a visibility timeout and a change of it end while ten consumers wait."""
    url = await queue(client)
    await client.send_message(QueueUrl=url, MessageBody="held")
    held = await client.receive_message(QueueUrl=url, VisibilityTimeout=2)
    await client.send_message(QueueUrl=url, MessageBody="freed")
    freed = await client.receive_message(QueueUrl=url, VisibilityTimeout=60)
    await client.send_message(QueueUrl=url, MessageBody="delayed", DelaySeconds=1)
    equal([len(held["Messages"]), len(freed["Messages"])], [1, 1], "messages received")
    async with consumers(client, url) as crowd:
        handle = freed["Messages"][0]["ReceiptHandle"]
        await client.change_message_visibility(QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=0)
        await crowd.until_deleted(3)
        equal(sorted(crowd.bodies()), ["delayed", "freed", "held"], "messages")
        equal(crowd.empty, 0, "answers without messages")


async def a_consumer_that_hangs_up_takes_no_message(client: Any) -> None:
    url = await queue(client)
    async with consumers(client, url) as crowd:
        for task in crowd.tasks[1:]:
            task.cancel()
        await asyncio.gather(*crowd.tasks[1:], return_exceptions=True)
        await asyncio.sleep(0.3)
        await send(client, url, [str(n) for n in range(10)])
        await crowd.until_deleted(10)
        equal({number for number, _, _ in crowd.received}, {0}, "who got messages")
        await nothing_left(client, url)


async def fifo_groups_are_shared_and_stay_in_order(client: Any) -> None:
    url = await queue(client, FifoQueue="true", ContentBasedDeduplication="true")
    groups = [f"group-{n}" for n in range(5)]
    async with consumers(client, url, most=3) as crowd:
        for n in range(0, 20, 5):
            for group in groups:
                bodies = [f"{group} {n + m:02}" for m in range(5)]
                await send(client, url, bodies, MessageGroupId=group)
        await crowd.until_deleted(100)
        for group in groups:
            mine = [m for _, _, m in crowd.received if m["Attributes"]["MessageGroupId"] == group]
            equal([m["Body"] for m in mine], [f"{group} {n:02}" for n in range(20)], f"order in {group}")
            numbers = [m["Attributes"]["SequenceNumber"] for m in mine]
            equal(numbers, sorted(numbers), "sequence numbers")
        holds(len({number for number, _, _ in crowd.received}) > 1, "more than one consumer got messages")
        equal(crowd.empty, 0, "answers without messages")


STEPS = (
    each_message_is_received_and_deleted_once,
    ten_consumers_are_woken_by_ten_messages,
    a_message_wakes_one_consumer_and_leaves_nine_waiting,
    what_comes_back_wakes_a_consumer,
    a_consumer_that_hangs_up_takes_no_message,
    fifo_groups_are_shared_and_stay_in_order,
)


@dataclass(frozen=True)
class InALoop:
    """A step with an event loop and a client of its own."""

    step: Callable[[Any], Awaitable[None]]

    @property
    def title(self) -> str:
        return self.step.__name__

    def __call__(self, endpoint: str) -> None:
        asyncio.run(self.run(endpoint))

    async def run(self, endpoint: str) -> None:
        async with get_session().create_client("sqs", endpoint_url=endpoint, config=CONFIG) as client:
            await self.step(client)


if __name__ == "__main__":
    sys.exit(run_steps("aiobotocore_consumers", [*map(InALoop, STEPS)], os.environ["SQS_ENDPOINT"]))
