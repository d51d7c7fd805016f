"""Long polls: how soon a message reaches one of 1,000 receivers that wait, and what they cost meanwhile.

`python -m bench.polls`
"""

import argparse
import asyncio
import functools
import json
import os
import time
from pathlib import Path
from typing import Any, cast

import uvloop

from bench import servers
from bench.client import Client
from bench.processes import LOAD_CORE, Process
from bench.wire import MESSAGE, queue_url, request_of

CLIENTS = 1_000
SENDS = 200
IDLE_S = 5
WAIT_S = 20
SETTLE_S = 2.0
DELIVERY_S = 5
POLITE_S = 0.01
"""Between two sends: time for the receiver to wait again."""


class Receiver(asyncio.Protocol):
    """A connection that is always in a long poll. It tells the board when a message came."""

    def __init__(self, request: bytes, board: "Board") -> None:
        self._request, self._board, self._answer = request, board, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._answer += data
        head, found, body = self._answer.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]):
            return
        self._answer = b""
        if b"ReceiptHandle" in body:
            self._board.delivered(time.perf_counter())
        elif b" 200 " not in head:
            self._board.failed(head)
        self._transport.write(self._request)


class Board:
    def __init__(self) -> None:
        self.waiting: asyncio.Future[float] | None = None

    def delivered(self, at_s: float) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(at_s)

    def failed(self, head: bytes) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(RuntimeError(head.decode(errors="replace")))


class Sender(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)


async def measure(process: Process, queues: list[str], sends: int) -> dict[str, float]:
    loop, port, board = asyncio.get_running_loop(), process.port, Board()
    transports = []
    for number in range(CLIENTS):
        queue = queues[number % len(queues)]
        members: dict[str, Any] = {
            "QueueUrl": queue_url(port, queue),
            "MaxNumberOfMessages": 1,
            "WaitTimeSeconds": WAIT_S,
        }
        request = request_of("json", "ReceiveMessage", members, port, members["QueueUrl"]).encode()
        transport, _ = await loop.create_connection(
            functools.partial(Receiver, request, board), "127.0.0.1", port
        )
        transports.append(transport)
    transport, sender = await loop.create_connection(Sender, "127.0.0.1", port)
    await asyncio.sleep(SETTLE_S)
    before_ns = process.running_ns()
    await asyncio.sleep(IDLE_S)
    idle_ns = process.running_ns() - before_ns
    times_ms = []
    for number in range(sends):
        queue = queues[number * 7 % len(queues)]
        members = {"QueueUrl": queue_url(port, queue), "MessageBody": MESSAGE}
        request = request_of("json", "SendMessage", members, port, members["QueueUrl"]).encode()
        board.waiting = loop.create_future()
        start_s = time.perf_counter()
        sender.transport.write(request)
        at_s = await asyncio.wait_for(board.waiting, DELIVERY_S)
        times_ms.append((at_s - start_s) * 1000)
        await asyncio.sleep(POLITE_S)
    for one in [*transports, transport]:
        one.close()
    times_ms.sort()
    return {
        "p50_ms": times_ms[len(times_ms) // 2],
        "p99_ms": times_ms[int(len(times_ms) * 0.99) - 1],
        "max_ms": times_ms[-1],
        "idle_cpu_ms": idle_ns / 1e6,
        "idle_s": IDLE_S,
    }


def run(tree: Path = servers.ROOT, sends: int = SENDS) -> dict[str, Any]:
    os.sched_setaffinity(0, {LOAD_CORE})
    result = {}
    for title, count in (("one queue", 1), (f"{CLIENTS:,} queues", CLIENTS)):
        with servers.emulator(tree) as process:
            queues = [f"poll-{number}" for number in range(count)]
            client = Client(process.port)
            for queue in queues:
                client.create_queue(queue)
            result[title] = uvloop.run(measure(process, queues, sends))
    return result


def lines_of(result: dict[str, Any]) -> list[str]:
    lines = ["| receivers wait on | p50, ms | p99, ms | slowest, ms | server CPU while idle |"]
    lines.append("|---|---:|---:|---:|---:|")
    for title, row in result.items():
        lines.append(
            f"| {title} | {row['p50_ms']:.2f} | {row['p99_ms']:.2f} | {row['max_ms']:.2f} | "
            f"{row['idle_cpu_ms']:.1f} ms in {row['idle_s']} s |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.polls", description=__doc__)
    parser.add_argument("--sends", type=int, default=SENDS)
    parser.add_argument("--tree", type=Path, default=servers.ROOT, help="folder with the package to measure")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    result = run(arguments.tree, arguments.sends)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")
    print("\n".join(lines_of(result)))


if __name__ == "__main__":
    main()
