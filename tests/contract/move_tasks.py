"""Starting move tasks and waiting for them: they run by themselves, so a test asks until it has happened."""

from collections.abc import Callable
from typing import Any

from tests.support.answers import Answer, queue_attributes

PATIENCE_CALLS = 2_000


def arn(sqs: Any, queue: str) -> str:
    return queue_attributes(sqs, queue, "QueueArn")["QueueArn"]


def start(sqs: Any, source: str, destination: str | None = None, rate: int | None = None) -> str:
    """Starts a task; one with a rate has then moved its first message. Returns the task's handle."""
    members = {
        "SourceArn": arn(sqs, source),
        "DestinationArn": None if destination is None else arn(sqs, destination),
        "MaxNumberOfMessagesPerSecond": rate,
    }
    given = {name: value for name, value in members.items() if value is not None}
    handle: str = sqs.start_message_move_task(**given)["TaskHandle"]
    if rate is not None:
        until_moved(sqs, source, 1)
    return handle


def newest(sqs: Any, source: str) -> Answer:
    """What the list says of the newest task of a source."""
    entry: Answer = sqs.list_message_move_tasks(SourceArn=arn(sqs, source))["Results"][0]
    return entry


def moved(sqs: Any, source: str) -> int:
    return int(newest(sqs, source)["ApproximateNumberOfMessagesMoved"])


def until_moved(sqs: Any, source: str, count: int) -> None:
    _until(sqs, source, lambda entry: entry["ApproximateNumberOfMessagesMoved"] >= count)


def ended(sqs: Any, source: str) -> Answer:
    """The newest task's entry, once the task has ended."""
    return _until(sqs, source, lambda entry: entry["Status"] not in {"RUNNING", "CANCELLING"})


def _until(sqs: Any, source: str, is_so: Callable[[Answer], bool]) -> Answer:
    for _ in range(PATIENCE_CALLS):
        entry = newest(sqs, source)
        if is_so(entry):
            return entry
    raise AssertionError(f"not even now: {entry}")
