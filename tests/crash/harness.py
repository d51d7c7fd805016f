"""Starts a server on one file, kills it under load, and does so again."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.cli.servers import Server, clean_environment, running
from tests.crash.clients import (
    ARNS,
    DEAD,
    FIFO,
    MOVED,
    STANDARD,
    Client,
    Consumer,
    Drainer,
    Producer,
    Redriver,
)
from tests.crash.files import Numbers, check_copy, check_file
from tests.crash.ledger import Ledger

PRODUCERS, CONSUMERS = 3, 4
LOAD_S = (0.02, 0.25)
"""How long a server is under load before it is killed."""
ANSWERS = (None, "Send", "Receive", "Delete")
PATIENCE_S = 1
ATTRIBUTES = {
    STANDARD: {"RedrivePolicy": json.dumps({"deadLetterTargetArn": ARNS[DEAD], "maxReceiveCount": "2"})},
    FIFO: {"FifoQueue": "true"},
}


class Harness:
    def __init__(self, folder: Path, seed: int) -> None:
        self.path = folder / "sqs.db"
        self.ledger = Ledger()
        self._seed = seed
        self._random = Random(seed)
        self._flags = ("--data", str(self.path), "--no-cooldowns")
        self._copies = folder / "copies"
        self._numbers = Numbers()
        self._clients: list[Client] = [
            *(Producer(number, seed, self.ledger) for number in range(PRODUCERS)),
            *(Consumer(number, seed, self.ledger) for number in range(CONSUMERS)),
            Redriver(0, seed, self.ledger),
        ]

    def cycle(self) -> None:
        if self._random.random() < 0.1:
            self._kill_while_starting()
        with running(*self._flags) as server:
            create_queues(server)
            killer = Killer(server, self._random.uniform(*LOAD_S), self._random.choice(ANSWERS))
            for client in self._clients:
                client.on_answer = killer
            threads = _run(self._clients, server.port)
            killer.wait()
            code, _, log = server.stop(signal.SIGKILL)
            for thread in threads:
                thread.join()
        assert code == -signal.SIGKILL, f"the server ended by itself: {code}, {log}"
        self._note(log)
        self._numbers = check_copy(self.path, self._copies, self._numbers)

    def drain(self) -> None:
        """One last server: all queues are emptied, all tasks come to their end."""
        with running(*self._flags) as server:
            for thread in _run(
                [Drainer(number, self._seed, self.ledger) for number in range(2)], server.port
            ):
                thread.join()
            tasks = server.call("ListMessageMoveTasks", SourceArn=ARNS[DEAD], MaxResults=10)
            self.ledger.tasks_ended = [task["Status"] for task in tasks.get("Results", ())]
            _, _, log = server.stop()
            self._note(log)
        check_file(self.path, self._numbers)

    def _kill_while_starting(self) -> None:
        command = [sys.executable, "-m", "emulator", "serve", *self._flags, "--port", "0"]
        with subprocess.Popen(
            command, env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(self._random.uniform(0.1, 0.5))
            process.kill()

    def _note(self, log: str) -> None:
        if log:
            self.ledger.surprises.append(f"the server logged {log[-2_000:]!r}")


class Killer:
    """Kills the server after a time or, still later, right after one of its answers: that must be stored."""

    def __init__(self, server: Server, after_s: float, answer: str | None) -> None:
        self._process = server.process
        self._after_s = after_s
        self._from_s = time.monotonic() + after_s
        self._answer = answer
        self._done = threading.Event()

    def __call__(self, action: str) -> None:
        if self._answer is not None and action.startswith(self._answer) and time.monotonic() >= self._from_s:
            self._process.kill()
            self._done.set()

    def wait(self) -> None:
        self._done.wait(self._after_s + (0 if self._answer is None else PATIENCE_S))


def create_queues(server: Server) -> None:
    for name in (DEAD, MOVED, STANDARD, FIFO):
        server.call("CreateQueue", QueueName=name, Attributes=ATTRIBUTES.get(name, {}))


def _run(clients: Sequence[Client], port: int) -> list[threading.Thread]:
    threads = [threading.Thread(target=one.run, args=(port,), daemon=True) for one in clients]
    for thread in threads:
        thread.start()
    return threads
