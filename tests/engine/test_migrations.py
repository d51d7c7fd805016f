"""Files that an earlier version wrote are brought up to date when they are opened."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from emulator.domain.model import Counts, Outcome
from emulator.engine.local import open_local
from emulator.engine.sqlite.database import APPLICATION_ID, SCHEMA_VERSION
from emulator.ids import RandomIds
from tests.engine.conftest import Waiting
from tests.engine.factories import NOW_MS, bodies, draft, key, receipt

SCHEMA_1 = Path(__file__).with_name("schema_1.sql").read_text()
WRITTEN_BY_1 = f"""
INSERT INTO meta VALUES ('next_seq', 10001), ('handle_key', x'{"ab" * 32}');
INSERT INTO queue (id, account, region, name, created_ms, modified_ms, attributes, tags) VALUES
    (3, '000000000000', 'us-east-1', 'orders', {NOW_MS}, {NOW_MS}, '{{}}', '{{"team":"core"}}'),
    (4, '000000000000', 'us-east-1', 'orders.fifo', {NOW_MS}, {NOW_MS}, '{{"FifoQueue":"true"}}', '{{}}');
INSERT INTO message (seq, queue_id, message_id, body, sender_id, group_id, sent_ms, due_ms, place,
                     received_ms, first_received_ms, receive_count, sequenced) VALUES
    (1, 3, 'id-1', 'moved to the back', 'AIDA', NULL, {NOW_MS}, 0, 9, {NOW_MS}, {NOW_MS}, 3, 0),
    (2, 3, 'id-2', 'in flight', 'AIDA', NULL, {NOW_MS}, {NOW_MS + 30_000}, 2, {NOW_MS}, {NOW_MS}, 1, 0),
    (3, 3, 'id-3', 'fresh', 'AIDA', NULL, {NOW_MS}, 0, 3, NULL, NULL, 0, 0),
    (4, 4, 'id-4', 'g1-m1', 'AIDA', 'g1', {NOW_MS}, {NOW_MS}, 4, NULL, NULL, 0, 1),
    (5, 4, 'id-5', 'g1-m2', 'AIDA', 'g1', {NOW_MS}, {NOW_MS}, 5, NULL, NULL, 0, 1);
INSERT INTO message_group VALUES (4, 'g1', 4, {NOW_MS});
INSERT INTO deduplication VALUES (4, 'same', 'id-4', 4, {NOW_MS + 300_000});
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1; {SCHEMA_1} {WRITTEN_BY_1}"
        )
    return path


@pytest.fixture
def engine(path, loop):
    engine = Waiting(open_local(str(path), RandomIds()), loop)
    yield engine
    engine.close()


def test_a_file_of_version_1_keeps_its_queues_and_messages(engine):
    orders, fifo = engine.find_queue(key("orders")), engine.find_queue(key("orders.fifo"))
    assert (orders.id, orders.tags) == (3, {"team": "core"})
    assert engine.handle_key == b"\xab" * 32
    assert engine.counts(orders, now_ms=NOW_MS) == Counts(2, 1, 0)
    assert bodies(engine.take(orders)) == ["fresh", "moved to the back"]
    (again,) = engine.take(orders, now_ms=NOW_MS + 30_000, limit=1).deliveries
    assert (again.body, again.receive_count) == ("in flight", 2)
    first, _ = engine.take(fifo).deliveries
    assert first.body == "g1-m1"
    assert list(engine.delete(fifo, [receipt(fifo, first)], now_ms=NOW_MS)) == [Outcome.DONE]


def test_a_file_of_version_1_keeps_its_numbers_and_what_deduplication_remembers(engine):
    fifo = engine.find_queue(key("orders.fifo"))
    repeated, new = engine.append(fifo.id, [draft("x", group="g1", dedup="same"), draft("y", group="g1")])
    assert (repeated.duplicate, repeated.message_id) == (True, "id-4")
    assert new.seq >= 10_001
    assert engine.make("new").id == 5


def tables(path):
    """Each table with its columns, and each index."""
    with closing(sqlite3.connect(path)) as connection:
        named = connection.execute("SELECT name FROM sqlite_master").fetchall()
        return {name: sorted(connection.execute(f"PRAGMA table_info({name})"), key=str) for (name,) in named}


def test_a_file_of_version_1_ends_up_with_the_tables_of_a_new_one(path, engine, tmp_path, loop):
    engine.close()
    new = Waiting(open_local(str(tmp_path / "new.db"), RandomIds()), loop)
    new.close()
    migrated, fresh = tables(path), tables(tmp_path / "new.db")
    assert {name: {column[1:] for column in columns} for name, columns in migrated.items()} == {
        name: {column[1:] for column in columns} for name, columns in fresh.items()
    }
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
