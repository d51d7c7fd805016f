"""The tasks that the workers run. Each run leaves a line in a file, so that runs can be counted."""

import json
import os
import signal
import time
from typing import Any

from broker import app_for

app = app_for(json.loads(os.environ["PREDEFINED_QUEUES"]))


def note(task: Any, value: object) -> None:
    """Values are short, so that each line is written at once."""
    line = {"id": task.request.id, "value": value, "time": time.time()}
    with open(os.environ["RUNS"], "a", encoding="utf-8") as runs:
        runs.write(json.dumps(line) + "\n")


def receive_count(task: Any) -> int:
    message = task.request.properties["delivery_info"]["sqs_message"]
    return int(message["Attributes"]["ApproximateReceiveCount"])


@app.task(bind=True)
def add(self: Any, first: int, second: int) -> int:
    note(self, first + second)
    return first + second


@app.task(bind=True)
def echo(self: Any, text: str) -> None:
    note(self, text)


@app.task(bind=True)
def measure(self: Any, text: str) -> None:
    note(self, len(text))


@app.task(bind=True)
def succeed_after(self: Any, failures: int) -> None:
    """Retries by itself: Celery sends the task again, to be run a second later."""
    note(self, self.request.retries)
    if self.request.retries < failures:
        raise self.retry(countdown=1)


@app.task(bind=True, acks_late=True, acks_on_failure_or_timeout=False)
def fail_until_received(self: Any, times: int) -> None:
    """Retried by the queue: the message is not deleted, and its visibility timeout is set by the policy."""
    note(self, receive_count(self))
    if receive_count(self) < times:
        raise RuntimeError("fails on purpose")


@app.task(bind=True, acks_late=True)
def kill_the_first_worker(self: Any) -> None:
    note(self, receive_count(self))
    if receive_count(self) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
