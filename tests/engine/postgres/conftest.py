"""The behaviour suite and tests of its own for the PostgreSQL engine, on one server for the whole session."""

import itertools
import os

import pytest

from emulator.engine.postgres.engine import open_postgres
from emulator.ids import SeededIds
from tests.engine.conftest import Waiting
from tests.engine.conftest import fifo as fifo
from tests.engine.conftest import loop as loop
from tests.engine.conftest import queue as queue
from tests.support import postgres

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def database_url():
    with postgres.database_url() as url:
        yield url


@pytest.fixture
def schema(database_url):
    """An empty schema of the test's own."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    yield name
    postgres.drop_schema(database_url, name)


@pytest.fixture
def open_node(database_url, schema, loop):
    """Opens one more engine on the database of the test."""
    opened = []

    def open_one(**members):
        engine = loop.run_until_complete(
            open_postgres(database_url, SeededIds(), schema=schema, **{"connections": 8, **members})
        )
        opened.append(engine)
        return Waiting(engine, loop)

    yield open_one
    for engine in opened:
        loop.run_until_complete(engine.close())


@pytest.fixture
def engine(open_node):
    return open_node()
