"""Snapshots: the whole state as a data file, restored into an engine of either kind."""

import sqlite3
from contextlib import closing

import pytest

from emulator.domain.handles import handle_of, receipt_of
from emulator.domain.model import Counts, Created, MessageAttributeValue, MoveTask, Outcome
from emulator.engine.local import open_local
from emulator.engine.postgres.engine import open_postgres
from emulator.engine.sqlite.database import APPLICATION_ID
from emulator.errors import InvalidSnapshot
from emulator.ids import RandomIds
from tests.engine.conftest import Waiting
from tests.engine.factories import MINUTE_MS, NOW_MS, bodies, draft, key, order, receipt
from tests.engine.test_migrations import SCHEMA_1, WRITTEN_BY_1
from tests.support import postgres


def opened(path, loop):
    return Waiting(open_local(path and str(path), RandomIds()), loop)


@pytest.fixture
def another_database(database_url, schema, loop):
    """An engine on PostgreSQL that shares nothing with others."""
    name = f"{schema}_other"
    engine = loop.run_until_complete(open_postgres(database_url, RandomIds(), schema=name, connections=4))
    yield Waiting(engine, loop)
    postgres.drop_schema(database_url, name)


@pytest.fixture(params=["into memory", "into a file", "into postgres"])
def other(request, tmp_path, loop):
    """Another engine, which has something of its own."""
    if request.param == "into postgres":
        engine = request.getfixturevalue("another_database")
    else:
        engine = opened(tmp_path / "other.db" if request.param == "into a file" else None, loop)
    engine.send(engine.make("of-the-other"), "of the other")
    yield engine
    engine.close()


def edited(snapshot, *statements):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(snapshot)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        return connection.serialize()


def test_queues_are_restored_with_all_they_have(engine, other):
    queue = engine.make(tags={"team": "core"}, DelaySeconds="5")
    engine.purge(queue.id, now_ms=NOW_MS + 1, lock_ms=0)
    deleted = engine.make("deleted")
    engine.delete_queue(deleted.id, now_ms=NOW_MS)
    other.restore(engine.snapshot())
    assert list(other.all_queues()) == list(engine.all_queues())
    assert other.find_queue(key()).purged_ms == NOW_MS + 1
    made, _ = other.create_queue(key("deleted"), {}, {}, now_ms=NOW_MS, name_lock_ms=MINUTE_MS)
    assert made is Created.DELETED_RECENTLY


def test_a_restore_replaces_everything(engine, other, queue):
    theirs = other.find_queue(key("of-the-other"))
    other.delete_queue(other.make("deleted").id, now_ms=NOW_MS)
    task = MoveTask(
        task_id="task",
        source_arn=theirs.arn,
        destination_arn=None,
        max_per_second=None,
        started_ms=NOW_MS,
    )
    other.start_move_task(task, now_ms=NOW_MS)
    other.restore(engine.snapshot())
    assert [one.name for one in other.all_queues()] == ["orders"]
    assert list(other.active_move_tasks()) == []
    assert other.move_batch("task", ["new-id"], now_ms=NOW_MS) is None
    made, _ = other.create_queue(key("deleted"), {}, {}, now_ms=NOW_MS, name_lock_ms=MINUTE_MS)
    assert made is Created.NEW


def test_messages_are_restored_with_all_they_have_and_in_their_states(engine, other, queue):
    attributes = {"blob": MessageAttributeValue(binary_value=b"\x00\xff", data_type="Binary")}
    sent = draft("Grüße 😀\r\n", attributes=attributes, trace_header="Root=1", group_id="g")
    engine.append(queue.id, [draft("taken"), sent, draft("delayed", delay_ms=5_000)])
    engine.take(queue, limit=1, hide_ms=30_000)
    other.restore(engine.snapshot())
    for now_ms in (NOW_MS, NOW_MS + 5_000, NOW_MS + 30_000):
        assert list(other.peek(queue, now_ms=now_ms)) == list(engine.peek(queue, now_ms=now_ms))
    assert other.counts(queue, now_ms=NOW_MS) == Counts(1, 1, 1)
    assert other.claim(queue, order()) == engine.claim(queue, order())


def test_messages_keep_the_order_in_which_they_are_handed_out(engine, other, queue):
    engine.send(queue, *"abc")
    for _ in range(3):
        engine.take(queue, limit=1, hide_ms=0)
    other.restore(engine.snapshot())
    assert bodies(other.take(queue)) == bodies(engine.take(queue)) == ["b", "c", "a"]


def test_old_receipt_handles_work_after_a_restore(engine, other, queue):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue).deliveries
    handle = handle_of(engine.handle_key, receipt(queue, delivery))
    assert receipt_of(other.handle_key, handle) is None
    other.restore(engine.snapshot())
    found = receipt_of(other.handle_key, handle)
    assert list(other.delete(queue, [found], now_ms=NOW_MS)) == [Outcome.DONE]


def test_groups_duplicates_and_attempts_are_restored(engine, other, fifo):
    engine.append(fifo.id, [draft(name, group=name[:2], dedup=name) for name in ("g1-a", "g1-b", "g2-a")])
    taken = engine.take(fifo, limit=1, attempt_id="attempt")
    other.restore(engine.snapshot())
    assert other.take(fifo, limit=1, attempt_id="attempt") == taken
    assert bodies(other.take(fifo)) == ["g2-a"]
    (again,) = other.send(fifo, "repeated", group="g1", dedup="g1-b")
    assert again.duplicate
    assert bodies(other.take(fifo, now_ms=NOW_MS + 30_000)) == ["g1-a", "g1-b", "g2-a"]


def test_a_fair_queue_is_restored_as_one(engine, other, queue):
    engine.append(queue.id, [draft("hello", group_id="tenant")])
    snapshot = engine.snapshot()
    other.restore(snapshot)
    assert other.snapshot().count(b"tenant") == snapshot.count(b"tenant") > 0
    assert other.gauges(queue, now_ms=NOW_MS).quiet_visible == 1


def test_move_tasks_are_restored_in_their_order(engine, other, queue):
    for number in range(3):
        task = MoveTask(
            task_id=f"task-{number}",
            source_arn=queue.arn,
            destination_arn=queue.arn,
            max_per_second=7,
            started_ms=NOW_MS,
        )
        engine.start_move_task(task, now_ms=NOW_MS)
        if number < 2:
            engine.move_batch(task.task_id, ["new-id"], now_ms=NOW_MS)
    other.restore(engine.snapshot())
    assert list(other.move_tasks(queue.arn, limit=9)) == list(engine.move_tasks(queue.arn, limit=9))
    assert [task.task_id for task in other.active_move_tasks()] == ["task-2"]


def test_later_numbers_are_new_to_both(engine, other, queue):
    ours = [one.seq for one in engine.send(queue, *"abc")]
    snapshot = engine.snapshot()
    theirs = [one.seq for one in other.send(other.find_queue(key("of-the-other")), *"abcdef")]
    made = other.make("made-later")
    other.restore(snapshot)
    later = [one.seq for one in other.send(queue, *"xyz")]
    assert min(later) > max(ours + theirs)
    assert other.make("new").id > max(made.id, queue.id)


def test_an_engine_goes_back_to_its_own_snapshot_and_on_with_new_numbers(engine, queue):
    engine.send(queue, "kept")
    snapshot = engine.snapshot()
    for _ in range(3):
        (lost,) = engine.send(queue, "lost")
        engine.make("lost")
        engine.restore(snapshot)
        assert bodies(engine.take(queue, hide_ms=0, limit=10)) == ["kept"]
        assert engine.find_queue(key("lost")) is None
        (new,) = engine.send(queue, "new")
        assert new.seq > lost.seq


def test_a_snapshot_of_what_was_restored_is_the_same_snapshot(engine, other, queue, fifo):
    engine.send(queue, *"abc")
    engine.send(fifo, *"abc", group="g")
    engine.take(fifo, limit=1, attempt_id="attempt")
    other.reset()
    with_numbers = [engine.snapshot(), None]
    other.restore(with_numbers[0])
    with_numbers[1] = other.snapshot()
    assert with_numbers[0] == with_numbers[1]


def test_an_empty_engine_has_a_snapshot(engine, other):
    other.restore(engine.snapshot())
    assert list(other.all_queues()) == []
    queue = other.make()
    other.send(queue, "hello")
    assert bodies(other.take(queue)) == ["hello"]


def test_requests_that_come_in_together_with_a_restore_happen_before_or_after_it(engine, other, queue):
    snapshot = engine.snapshot()
    theirs = other.find_queue(key("of-the-other"))
    before, restored, after = other.together(
        other.engine.append(theirs.id, [draft("before")]),
        other.engine.restore(snapshot),
        other.engine.append(queue.id, [draft("after")]),
    )
    assert restored is None
    assert before[0].seq < after[0].seq
    assert bodies(other.take(queue)) == ["after"]


# Data files


def test_a_snapshot_is_a_data_file(engine, queue, tmp_path, loop):
    engine.send(queue, "hello")
    path = tmp_path / "snapshot.db"
    path.write_bytes(engine.snapshot())
    with closing(opened(path, loop)) as server:
        assert server.handle_key == engine.handle_key
        assert server.find_queue(key()) == queue
        assert bodies(server.take(queue)) == ["hello"]


def test_the_data_file_of_a_server_that_was_stopped_is_a_snapshot(tmp_path, loop, other):
    path = tmp_path / "data.db"
    with closing(opened(path, loop)) as server:
        queue = server.make()
        server.send(queue, "hello")
    other.restore(path.read_bytes())
    assert bodies(other.take(queue)) == ["hello"]


def test_a_file_that_is_opened_again_has_what_was_restored_and_what_came_later(engine, queue, tmp_path, loop):
    engine.send(queue, "restored")
    path = tmp_path / "restored.db"
    with closing(opened(path, loop)) as server:
        server.send(server.make("of-the-other"), "of the other")
        server.restore(engine.snapshot())
        (late,) = server.send(queue, "late")
        made = server.make("made-later")
    with closing(opened(path, loop)) as server:
        assert server.handle_key == engine.handle_key
        assert [one.name for one in server.all_queues()] == ["made-later", "orders"]
        assert bodies(server.take(queue)) == ["restored", "late"]
        (later,) = server.send(queue, "later")
        assert later.seq > late.seq
        assert server.make("new").id > made.id


@pytest.mark.parametrize("scope", [{}, {"account": "000000000000"}])
def test_a_file_that_is_opened_again_is_still_reset(tmp_path, loop, scope):
    path = tmp_path / "reset.db"
    with closing(opened(path, loop)) as server:
        queue, fifo = server.make(), server.make("orders.fifo")
        (sent,) = server.send(queue, "hello")
        server.send(fifo, "hello", group="g")
        server.take(fifo, attempt_id="attempt")
        secret = server.handle_key
        server.reset(**scope)
    with closing(opened(path, loop)) as server:
        assert list(server.all_queues()) == []
        assert server.handle_key == secret
        new = server.make()
        assert new.id > fifo.id
        assert server.send(new, "hello")[0].seq > sent.seq
    with closing(sqlite3.connect(path)) as file:
        left = {table: file.execute(f"SELECT count(*) FROM {table}").fetchone() for table in TABLES}
        assert left == {table: (1,) if table in ("queue", "message") else (0,) for table in TABLES}


TABLES = ("queue", "deleted_queue", "message", "deduplication", "receive_attempt", "move_task")


def test_a_snapshot_of_an_earlier_version_is_brought_up_to_date(other):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1; {SCHEMA_1} {WRITTEN_BY_1}"
        )
        snapshot = connection.serialize()
    other.restore(snapshot)
    orders = other.find_queue(key())
    assert bodies(other.take(orders)) == ["fresh", "moved to the back"]


# Refused snapshots


@pytest.fixture
def refused(other):
    """Why a snapshot is refused, and that it changes nothing."""

    def refusal_of(snapshot):
        before = other.snapshot(), other.handle_key
        with pytest.raises(InvalidSnapshot) as caught:
            other.restore(snapshot)
        assert (other.snapshot(), other.handle_key) == before
        queue = other.find_queue(key("of-the-other"))
        assert bodies(other.take(queue, hide_ms=0)) == ["of the other"]
        return str(caught.value)

    return refusal_of


@pytest.fixture
def snapshot(engine, queue, fifo):
    engine.send(queue, *("x" * 1_000 for _ in range(30)))
    engine.send(fifo, "hello", group="g")
    engine.take(fifo, attempt_id="attempt")
    engine.make("more")
    return engine.snapshot()


@pytest.mark.parametrize("content", [b"", b"hello", b"{}" * 500, b"SQLite format 3\0", b"\0" * 4096])
def test_what_is_no_database_is_refused(refused, content):
    assert refused(content) == "The snapshot is not an SQLite database."


def test_the_database_of_another_program_is_refused(refused):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE mine (x)")
        assert refused(connection.serialize()) == "The snapshot is a database of another program."


def test_a_snapshot_of_a_newer_version_is_refused(refused, snapshot):
    assert "newer" in refused(edited(snapshot, "PRAGMA user_version = 999"))


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_snapshot_that_was_cut_short_is_refused(refused, snapshot, part):
    assert "cut short" in refused(snapshot[: int(len(snapshot) * part)])


@pytest.mark.parametrize("part", [(0.02, 0.1), (0.1, 0.5), (0.5, 0.99)])
def test_a_snapshot_with_garbage_in_it_is_refused(refused, snapshot, part):
    first, last = (int(len(snapshot) * one) for one in part)
    assert "damaged" in refused(snapshot[:first] + b"\xaa" * (last - first) + snapshot[last:])


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE move_task",
        "ALTER TABLE message DROP COLUMN place",
        "ALTER TABLE queue ADD COLUMN colour TEXT",
        "DELETE FROM meta",
        "DELETE FROM meta WHERE name = 'handle_key'",
        "UPDATE meta SET value = 'text' WHERE name = 'handle_key'",
        "UPDATE meta SET value = zeroblob(65) WHERE name = 'handle_key'",
        "UPDATE meta SET value = 'text' WHERE name = 'next_seq'",
        "UPDATE meta SET value = 1 WHERE name = 'next_seq'",
        "UPDATE meta SET value = 9223372036854775807 WHERE name = 'next_seq'",
        "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'queue'",
        "UPDATE sqlite_sequence SET seq = 'text' WHERE name = 'queue'",
        "UPDATE sqlite_sequence SET seq = NULL WHERE name = 'queue'",
        "DELETE FROM sqlite_sequence",
        "DELETE FROM queue WHERE name = 'orders'",
        "UPDATE queue SET attributes = 'no JSON'",
        "UPDATE queue SET tags = '[]'",
        "UPDATE queue SET name = x'00' WHERE name = 'more'",
        "UPDATE queue SET created_ms = 'yesterday'",
        "UPDATE message SET queue_id = 999",
        "UPDATE message SET due_ms = 'later'",
        "UPDATE message SET body = x'00'",
        "UPDATE message SET body = CAST(x'ff' AS TEXT)",
        "UPDATE message SET attributes = 5",
        "UPDATE message SET attributes = '[]'",
        "UPDATE deduplication SET queue_id = 1",
        "UPDATE receive_attempt SET messages = '[1]'",
        "INSERT INTO move_task VALUES (1, 'id', 'arn', NULL, NULL, 'ASLEEP', 0, 0, NULL, 0)",
    ],
)
def test_a_snapshot_with_values_that_no_engine_writes_is_refused(refused, snapshot, statement):
    assert "damaged" in refused(edited(snapshot, statement))


def test_tables_of_somebody_else_in_a_snapshot_do_no_harm(other, snapshot):
    other.restore(edited(snapshot, "CREATE TABLE mine (x)", "CREATE INDEX faster ON message (sent_ms)"))
    assert len(other.all_queues()) == 3
