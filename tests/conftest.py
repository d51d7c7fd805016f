from collections.abc import Iterator

import pytest

from tests.support import postgres
from tests.support.server import TestClock, TestServer, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[TestServer]:
    """One server for all tests of a worker. Tests use queues of their own and so never meet."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    """Of a PostgreSQL server for all tests of a worker. Tests use schemas of their own."""
    with postgres.database_url() as url:
        yield url


@pytest.fixture
def clock(server: TestServer) -> TestClock:
    return server.clock
