"""A restore whose commit fails has not happened, neither in memory nor in the file."""

import sqlite3
from contextlib import closing

import pytest

from emulator.engine.local import LocalEngine, open_local
from emulator.engine.sqlite.database import Database, open_file
from emulator.engine.sqlite.store import SqliteStore
from emulator.errors import ServiceUnavailable
from emulator.ids import RandomIds
from tests.engine.conftest import Waiting
from tests.engine.factories import bodies, draft, key


class FullDatabase(Database):
    """Fails at a COMMIT while it is told to."""

    is_full = False

    def control(self, statement):
        if statement == "COMMIT" and self.is_full:
            raise sqlite3.OperationalError("database or disk is full")
        super().control(statement)


@pytest.fixture
def database(tmp_path):
    opened = open_file(tmp_path / "data.db")
    return FullDatabase(opened._connection, opened._identity)


@pytest.fixture
def engine(database, loop):
    engine = Waiting(LocalEngine(SqliteStore(database, RandomIds())), loop)
    with closing(engine):
        yield engine


@pytest.fixture
def snapshot(loop):
    engine = Waiting(open_local(None, RandomIds()), loop)
    engine.send(engine.make("restored"), "restored")
    return engine.snapshot()


def test_a_restore_that_cannot_be_stored_has_not_happened(engine, database, snapshot, tmp_path, loop):
    queue, secret = engine.make(), engine.handle_key
    engine.send(queue, "hello")
    database.is_full = True
    with pytest.raises(ServiceUnavailable):
        engine.restore(snapshot)
    assert engine.handle_key == secret
    assert [one.name for one in engine.all_queues()] == ["orders"]
    database.is_full = False
    assert bodies(engine.take(queue, hide_ms=0)) == ["hello"]
    engine.send(queue, "more")
    engine.close()
    with closing(Waiting(open_local(str(tmp_path / "data.db"), RandomIds()), loop)) as again:
        assert again.handle_key == secret
        assert bodies(again.take(queue)) == ["hello", "more"]


def test_requests_that_share_the_commit_of_a_restore_fail_with_it(engine, database, snapshot):
    queue = engine.make()
    database.is_full = True
    before, restored, looked = engine.together(
        engine.engine.append(queue.id, [draft("hello")]),
        engine.engine.restore(snapshot),
        engine.engine.all_queues(),
    )
    assert all(isinstance(one, ServiceUnavailable) for one in (before, restored, looked))
    assert engine.find_queue(key("restored")) is None


def test_a_reset_that_cannot_be_stored_has_not_happened(engine, database):
    queue = engine.make()
    engine.send(queue, "hello")
    database.is_full = True
    for scope in ({}, {"account": queue.key.account}):
        with pytest.raises(ServiceUnavailable):
            engine.reset(**scope)
    database.is_full = False
    assert bodies(engine.take(queue)) == ["hello"]
