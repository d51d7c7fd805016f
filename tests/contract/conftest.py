"""Every sentence in this folder runs twice: with boto3 (AWS JSON 1.0) and with our thin Query client."""

import itertools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import boto3
import pytest
from botocore.config import Config

from emulator.settings import Settings
from tests.support import postgres
from tests.support.query_client import QueryClient
from tests.support.server import TestServer, running_server

_numbers = itertools.count(1)
MakeQueue = Callable[..., str]
ENGINES = os.environ.get("SQS_EMULATOR_TEST_ENGINES", "memory,postgres" if os.environ.get("CI") else "memory")
"""Where the state is, of those servers that all tests of this folder are run against."""


@pytest.fixture(scope="session", params=ENGINES.split(","))
def server(request: pytest.FixtureRequest) -> Iterator[TestServer]:
    """One for all tests of a worker. Tests use queues of their own and so never meet."""
    with ExitStack() as stack:
        url = stack.enter_context(postgres.database_url()) if request.param == "postgres" else None
        schema = f"contract_{os.getpid()}"
        yield stack.enter_context(running_server(Settings(data=url, postgres_schema=schema)))


def json_client(url: str, account: str = "test", region: str = "us-east-1") -> Any:
    return boto3.client(
        "sqs",
        endpoint_url=url,
        region_name=region,
        aws_access_key_id=account,
        aws_secret_access_key="secret",
        config=Config(retries={"total_max_attempts": 1}, max_pool_connections=30, read_timeout=30),
    )


@pytest.fixture(scope="session")
def clients(server: TestServer) -> dict[str, Any]:
    return {"json": json_client(server.url), "query": QueryClient(server.url)}


@pytest.fixture(params=["json", "query"])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def sqs(protocol: str, clients: dict[str, Any]) -> Any:
    return clients[protocol]


@pytest.fixture
def make_queue(sqs: Any) -> MakeQueue:
    """Makes a queue with a fresh name: `make_queue(DelaySeconds=5)`, `make_queue(fifo=True)`."""

    def make(*, fifo: bool = False, tags: dict[str, str] | None = None, **attributes: object) -> str:
        name = f"queue-{next(_numbers)}" + (".fifo" if fifo else "")
        if fifo:
            attributes = {"FifoQueue": "true", **attributes}
        given = {key: value if isinstance(value, str) else str(value) for key, value in attributes.items()}
        url: str = sqs.create_queue(QueueName=name, Attributes=given, **({"tags": tags} if tags else {}))[
            "QueueUrl"
        ]
        return url

    return make


@pytest.fixture
def queue(make_queue: MakeQueue) -> str:
    return make_queue()


@pytest.fixture
def arn_of(sqs: Any) -> Callable[[str], str]:
    def arn(url: str) -> str:
        answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        return str(answer["Attributes"]["QueueArn"])

    return arn


@pytest.fixture
def with_dead_letters(make_queue: MakeQueue, arn_of: Callable[[str], str]) -> Callable[..., tuple[str, str]]:
    """Makes a queue and its dead-letter queue: (source, dead letters)."""

    def make(max_receive_count: int = 1, *, fifo: bool = False, **attributes: object) -> tuple[str, str]:
        dead = make_queue(fifo=fifo)
        policy = {"deadLetterTargetArn": arn_of(dead), "maxReceiveCount": max_receive_count}
        return make_queue(fifo=fifo, RedrivePolicy=json.dumps(policy), **attributes), dead

    return make
