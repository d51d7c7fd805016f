"""Clients on one event loop: they send numbered messages through some nodes, and receive them through others.

What they saw is kept in arrays, so that a million messages fit.
"""

import asyncio
import itertools
import json
import time
from array import array
from collections.abc import Sequence
from typing import Any

BATCH = 10
WAIT_S = 2
GROUPS = 10
"""For each producer."""


class Connection:
    """To one node. HTTP by hand: the load must cost less than what it is put on."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, action: str, **members: Any) -> Any:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        body = json.dumps(members).encode()
        head = (
            f"POST / HTTP/1.1\r\nHost: sqs\r\nX-Amz-Target: AmazonSQS.{action}\r\n"
            f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.partition("content-length:")[2].partition("\r")[0])
        content = await reader.readexactly(length)
        assert answer.startswith("http/1.1 200 "), (action, answer, content)
        return json.loads(content) if content else {}

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


class Load:
    """`each`: how many messages each of the producers sends."""

    def __init__(
        self, ports: Sequence[int], queue: str, *, producers: int, consumers: int, each: int
    ) -> None:
        self._ports = itertools.cycle(ports)
        self._queue = queue
        self._is_fifo = queue.endswith(".fifo")
        self._producers, self._consumers, self._each = producers, consumers, each
        self.total = producers * each
        self.receives = array("B", bytes(self.total))
        """How often each message was received."""
        self._received = 0
        self.took_s = 0.0
        """Until the last message was received."""
        self._last = array("q", [-1]) * (producers * GROUPS)
        """By group, the number of the message that was received last."""
        self.overtaken: list[tuple[int, int]] = []

    async def run(self) -> None:
        self._began_s = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number in range(self._producers):
                group.create_task(self._produce(number))
            for _ in range(self._consumers):
                group.create_task(self._consume())

    async def _produce(self, producer: int) -> None:
        """Every other time alone, else ten together."""
        connection, number = Connection(next(self._ports)), 0
        while number < self._each:
            count = min(1 if number % (BATCH + 1) == 0 else BATCH, self._each - number)
            entries = [self._entry(producer, one) for one in range(number, number + count)]
            number += count
            if count == 1:
                (entry,) = entries
                del entry["Id"]
                await connection.ask("SendMessage", QueueUrl=self._queue, **entry)
            else:
                answer = await connection.ask("SendMessageBatch", QueueUrl=self._queue, Entries=entries)
                assert len(answer["Successful"]) == count, answer
        connection.close()

    def _entry(self, producer: int, number: int) -> dict[str, str]:
        entry = {"Id": str(number), "MessageBody": f"{producer * self._each + number} {'x' * 90}"}
        if self._is_fifo:
            entry["MessageGroupId"] = f"{producer}-{number % GROUPS}"
            entry["MessageDeduplicationId"] = f"{producer}-{number}"
        return entry

    async def _consume(self) -> None:
        connection = Connection(next(self._ports))
        while self._received < self.total:
            answer = await connection.ask(
                "ReceiveMessage", QueueUrl=self._queue, MaxNumberOfMessages=BATCH, WaitTimeSeconds=WAIT_S
            )
            messages = answer.get("Messages", ())
            for message in messages:
                self._note(int(message["Body"].partition(" ")[0]))
            if messages:
                entries = [
                    {"Id": str(place), "ReceiptHandle": message["ReceiptHandle"]}
                    for place, message in enumerate(messages)
                ]
                answer = await connection.ask("DeleteMessageBatch", QueueUrl=self._queue, Entries=entries)
                assert len(answer["Successful"]) == len(messages), answer
        connection.close()

    def _note(self, message: int) -> None:
        self._received += 1
        if self._received == self.total:
            self.took_s = time.monotonic() - self._began_s
        self.receives[message] += 1
        producer, number = divmod(message, self._each)
        group = producer * GROUPS + number % GROUPS
        if self._is_fifo and number <= self._last[group]:
            self.overtaken.append((self._last[group], number))
        self._last[group] = number
