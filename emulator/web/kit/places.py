"""Whose, where, which queue: the members that many calls share, and what they name."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from emulator.domain.model import Queue, QueueKey, key_of_arn
from emulator.operations.lookup import key_of_url
from emulator.web.kit.calls import Parts
from emulator.web.kit.explaining import ACCOUNT, REGION
from emulator.web.kit.problems import Problem

Account = Annotated[
    str, Meta(pattern=ACCOUNT, description="An account id of 12 digits.", examples=["000000000000"])
]
Region = Annotated[
    str,
    Meta(pattern=REGION, description="The name of a region.", examples=["us-east-1"]),
]
QueueName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        description="A queue: its name, URL or ARN. A name alone is of `account` and `region`, or of those "
        "that the server has as defaults.",
    ),
]
WAITS_OF_THE_KIT = -1
"""Where they stand in line, among the ids of queues: to be told of what no event tells, such as a reset."""


def key_of(parts: Parts, queue: str, account: str | None, region: str | None) -> QueueKey:
    """Raises a 400 problem for what is no name, URL or ARN of a queue."""
    if queue.startswith("arn:"):
        key = key_of_arn(queue)
    else:
        key = key_of_url(queue, account or parts.settings.account, region or parts.settings.region)
    if key is None:
        raise Problem(400, f"queue: {queue!r} is no name, URL or ARN of a queue")
    return key


async def find(parts: Parts, queue: str, account: str | None, region: str | None) -> Queue:
    """Raises a 404 problem if there is no such queue."""
    key = key_of(parts, queue, account, region)
    found = await parts.engine.find_queue(key)
    if found is None:
        raise Problem(
            404, f"queue: there is no queue {key.name} in account {key.account} and region {key.region}"
        )
    return found


async def queues_of(
    parts: Parts, queue: str | None, account: str | None, region: str | None
) -> Sequence[Queue]:
    """One queue, or all of an account, a region, or the server."""
    if queue is None:
        return await parts.engine.all_queues(account=account, region=region)
    found = await parts.engine.find_queue(key_of(parts, queue, account, region))
    return [] if found is None else [found]


def now_ms(parts: Parts, account: str) -> int:
    return parts.worlds.of(account).clock.now_ms()
