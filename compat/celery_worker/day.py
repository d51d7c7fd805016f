"""A Celery app with the emulator as its broker: tasks are sent, workers run them, each run is looked at."""

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from broker import app_for
from celery import chain
from steps import between, equal, holds, run_steps, until

HERE = Path(__file__).resolve().parent
ATTRIBUTES = {"invoices": {}, "orders.fifo": {"FifoQueue": "true"}, "fragile": {"VisibilityTimeout": "3"}}
PATIENCE_SECONDS = 60
GREETING = 'Grüße 😀 <a b="c">&amp;</a>\r\n'


@dataclass(frozen=True)
class Sent:
    """A task that was sent, as a step: each run has noted the right value, and not too early."""

    title: str
    task_id: str
    values: tuple[object, ...]
    seconds: float = 0
    """Between sending and the first run, and between one run and the next."""
    at: float = field(default_factory=time.time)

    def __call__(self, world: "World") -> None:
        runs = world.runs(self.task_id)
        equal([run["value"] for run in runs], list(self.values), "values noted by the runs")
        times = [self.at, *(run["time"] for run in runs)]
        for earlier, later in itertools.pairwise(times):
            between(later - earlier, self.seconds - 0.1, PATIENCE_SECONDS, "seconds between runs")


class World:
    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.file = self.folder / "runs.jsonl"
        self.file.touch()
        self.client = boto3.client("sqs", endpoint_url=os.environ["SQS_ENDPOINT"])
        self.urls = {name: self.create(name, attributes) for name, attributes in ATTRIBUTES.items()}
        self.exit_codes: list[int] = []

    def create(self, name: str, attributes: dict[str, str]) -> str:
        return str(self.client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])

    def runs(self, *task_ids: str) -> list[dict[str, Any]]:
        return [run for run in self.all_runs() if run["id"] in task_ids]

    def all_runs(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]

    def wait_for(self, tasks: list[Sent]) -> None:
        ids = [task.task_id for task in tasks]
        wanted = sum(len(task.values) for task in tasks)
        try:
            until(lambda: len(self.runs(*ids)) >= wanted, PATIENCE_SECONDS, f"{wanted} runs")
        except AssertionError as error:
            raise AssertionError(f"{error}, only {self.runs(*ids)}; workers: {self.logs()}") from None

    def logs(self) -> str:
        return "\n".join(file.read_text(encoding="utf-8")[-4000:] for file in self.folder.glob("*.log"))

    def start(self, predefined: dict[str, str], queues: str, *options: str) -> "subprocess.Popen[bytes]":
        env = os.environ | {"PREDEFINED_QUEUES": json.dumps(predefined), "RUNS": str(self.file)}
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        command = [sys.executable, "-m", "celery", "-A", "tasks", "worker", "-Q", queues, *quiet, *options]
        with tempfile.NamedTemporaryFile("w", dir=self.folder, suffix=".log", delete=False) as log:
            return subprocess.Popen(command, cwd=HERE, env=env, stdout=log, stderr=subprocess.STDOUT)

    @contextmanager
    def worker(self, predefined: dict[str, str], queues: str, *options: str) -> Iterator[None]:
        """A worker that is told to stop at the end, as an init system does it."""
        process = self.start(predefined, queues, *options)
        try:
            yield
            process.send_signal(signal.SIGTERM)
            self.exit_codes.append(process.wait(PATIENCE_SECONDS))
        finally:
            process.kill()
            process.wait()


def send_to_queues_made_by_celery() -> list[Sent]:
    app = app_for({})

    def sent(title: str, name: str, arguments: list[Any], *values: object, **more: Any) -> Sent:
        seconds = more.pop("seconds", 0)
        return Sent(title, app.send_task(f"tasks.{name}", arguments, **more).id, values, seconds)

    first, second = app.signature("tasks.add", (1, 2)), app.signature("tasks.add", (3,))
    last = chain(first, second).apply_async()
    return [
        *(sent(f"plain {n}", "add", [n, 1], n + 1) for n in range(6)),
        sent("any text", "echo", [GREETING], GREETING),
        sent("a large body", "measure", ["x" * 300_000], 300_000),
        Sent("first of a chain", last.parent.id, (3,)),
        Sent("second of a chain", last.id, (6,)),
        sent("retried once", "succeed_after", [1], 0, 1),
        sent("retried twice", "succeed_after", [2], 0, 1, 2),
        sent("countdown of 1 s", "add", [1, 1], 2, seconds=1, countdown=1),
        sent("countdown of 2 s", "add", [2, 2], 4, seconds=2, countdown=2),
        sent("DelaySeconds of 1", "add", [3, 3], 6, seconds=1, DelaySeconds=1),
    ]


def send_to_predefined_queues(urls: dict[str, str]) -> list[Sent]:
    app = app_for(urls)

    def sent(title: str, queue: str, name: str, argument: Any, *values: object, **more: Any) -> Sent:
        seconds = more.pop("seconds", 0)
        return Sent(title, app.send_task(f"tasks.{name}", argument, queue=queue, **more).id, values, seconds)

    ordered = [
        sent(f"FIFO, {body}", "orders.fifo", "echo", [body], body, MessageGroupId=body[0])
        for body in ("a1", "b1", "a2", "b2", "a3")
    ]
    return [
        sent("predefined queue", "invoices", "add", [20, 22], 42),
        sent("retried by the queue", "invoices", "fail_until_received", [3], 1, 2, 3),
        *ordered,
    ]


def send_to_a_fragile_worker(urls: dict[str, str]) -> Sent:
    sent = app_for(urls).send_task("tasks.kill_the_first_worker", queue="fragile")
    return Sent("worker killed, run again after the visibility timeout", sent.id, (1, 2))


def work(world: World) -> list[Sent]:
    """Workers for both kinds of queues. One is killed by the last task, and another takes over."""
    made = send_to_queues_made_by_celery()
    named = send_to_predefined_queues(world.urls)
    everywhere = ",".join(world.urls)
    with world.worker({}, "celery", "--concurrency=2"):
        victim = world.start(world.urls, everywhere, "--pool=solo")
        try:
            world.wait_for(named)
            killer = send_to_a_fragile_worker(world.urls)
            equal(victim.wait(PATIENCE_SECONDS), -signal.SIGKILL, "how the first worker ended")
        finally:
            victim.kill()
            victim.wait()
        with world.worker(world.urls, everywhere, "--pool=solo"):
            world.wait_for([*made, killer])
    return [*made, *named, killer]


def fifo_order(world: World) -> None:
    values = [run["value"] for run in world.all_runs()]
    for group in "ab":
        mine = [value for value in values if isinstance(value, str) and value.startswith(group)]
        equal(mine, sorted(mine), f"order of group {group}")


def workers_stopped_when_told(world: World) -> None:
    equal(world.exit_codes, [0, 0], "exit codes")


def queue_made_by_celery(world: World) -> None:
    url = world.client.get_queue_url(QueueName="made-by-celery-celery")["QueueUrl"]
    answer = world.client.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])
    equal(answer["Attributes"], {"VisibilityTimeout": "60"}, "attributes")


def nothing_left(world: World) -> None:
    """Each message was deleted once its task was done."""
    for url in world.client.list_queues()["QueueUrls"]:
        found = world.client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        counts = {name: count for name, count in found.items() if name.startswith("ApproximateNumber")}
        equal(set(counts.values()), {"0"}, f"{counts} in {url}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder)
        tasks = work(world)
        holds(len({task.task_id for task in tasks}) == len(tasks), "task ids are distinct")
        checks = (fifo_order, workers_stopped_when_told, queue_made_by_celery, nothing_left)
        checked = run_steps("celery_worker", checks, world)
        return run_steps("celery_worker", tasks, world, unit="tasks") or checked


if __name__ == "__main__":
    sys.exit(main())
