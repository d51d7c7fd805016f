import itertools
from collections.abc import Callable

import pytest

from tests.http.connections import ask_json
from tests.support.server import TestServer

_numbers = itertools.count(1)


@pytest.fixture
def make_queue(server: TestServer) -> Callable[..., str]:
    """Makes a queue with a fresh name and returns its URL."""

    def make(**attributes: str) -> str:
        body = {"QueueName": f"http-{next(_numbers)}", "Attributes": attributes}
        return str(ask_json(server.url, "CreateQueue", body).json["QueueUrl"])

    return make


@pytest.fixture
def queue(make_queue: Callable[..., str]) -> str:
    return make_queue()


@pytest.fixture
def path(queue: str, server: TestServer) -> str:
    return queue.removeprefix(server.url)
