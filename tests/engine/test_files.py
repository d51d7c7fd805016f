"""Data files: what is kept over a restart, and which files are refused."""

import sqlite3
from contextlib import closing

import pytest

from emulator.domain.model import Counts, Created, MessageAttributeValue, Outcome
from emulator.engine.local import open_local
from emulator.ids import RandomIds
from emulator.settings import StartError
from tests.engine.conftest import Waiting
from tests.engine.factories import (
    MINUTE_MS,
    NOW_MS,
    bodies,
    draft,
    key,
    receipt,
    redrive_to,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data.db"


class Server:
    """Opens the file anew at each call, as if a server were restarted."""

    def __init__(self, path, loop):
        self._path = path
        self._loop = loop
        self._engine = None

    def __call__(self):
        self.stop()
        self._engine = Waiting(open_local(str(self._path), RandomIds()), self._loop)
        return self._engine

    def stop(self):
        if self._engine is not None:
            self._engine.close()
            self._engine = None


@pytest.fixture
def opened(path, loop):
    server = Server(path, loop)
    yield server
    server.stop()


def test_queues_are_kept_with_all_they_have(opened):
    engine = opened()
    queue = engine.make(tags={"team": "core"}, DelaySeconds="5")
    engine.purge(queue.id, now_ms=NOW_MS + 1, lock_ms=0)
    before = engine.find_queue(key())
    engine = opened()
    assert engine.find_queue(key()) == before
    assert engine.purge(queue.id, now_ms=NOW_MS + 2, lock_ms=MINUTE_MS) is False


def test_messages_are_kept_with_all_they_have(opened):
    engine = opened()
    queue = engine.make()
    attributes = {"blob": MessageAttributeValue(binary_value=b"\x00\xff", data_type="Binary")}
    sent = draft("Grüße 😀\r\n", attributes=attributes, trace_header="Root=1", group_id="g")
    engine.append(queue.id, [sent, draft("b"), draft("delayed", delay_ms=5_000)])
    engine = opened()
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(2, 0, 1)
    first, second = engine.take(queue).deliveries
    assert (first.message_id, first.body, first.attributes) == (sent.message_id, sent.body, attributes)
    assert (first.sent_ms, first.trace_header, first.group_id) == (NOW_MS, "Root=1", "g")
    assert second.body == "b"


def test_messages_in_flight_stay_in_flight_and_their_receipts_hold(opened):
    engine = opened()
    queue, secret = engine.make(), engine.handle_key
    engine.send(queue, "a", "b")
    first, _ = engine.take(queue, hide_ms=30_000).deliveries
    engine = opened()
    assert engine.handle_key == secret
    assert bodies(engine.take(queue, now_ms=NOW_MS + 29_999)) == []
    assert list(engine.delete(queue, [receipt(queue, first)], now_ms=NOW_MS)) == [Outcome.DONE]
    (again,) = engine.take(queue, now_ms=NOW_MS + 30_000).deliveries
    assert (again.body, again.receive_count, again.first_received_ms) == ("b", 2, NOW_MS)


def test_deleted_messages_and_queues_stay_deleted(opened):
    engine = opened()
    queue = engine.make()
    gone = engine.make("gone")
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue, hide_ms=0).deliveries
    engine.delete(queue, [receipt(queue, delivery)], now_ms=NOW_MS)
    engine.delete_queue(gone.id, now_ms=NOW_MS)
    engine = opened()
    assert bodies(engine.take(queue)) == []
    assert engine.find_queue(key("gone")) is None
    created, _ = engine.create_queue(key("gone"), {}, {}, now_ms=NOW_MS + 1, name_lock_ms=MINUTE_MS)
    assert created is Created.DELETED_RECENTLY


def test_groups_and_deduplication_are_kept(opened):
    engine = opened()
    fifo = engine.make("orders.fifo")
    engine.append(fifo.id, [draft("g1-m1", group="g1", dedup="same"), draft("g2-m1", group="g2")])
    engine.append(fifo.id, [draft("g1-m2", group="g1")])
    assert bodies(engine.take(fifo, limit=1)) == ["g1-m1"]
    engine = opened()
    (again,) = engine.append(fifo.id, [draft("g3-m1", group="g3", dedup="same", sent_ms=NOW_MS + 1)])
    assert again.duplicate
    assert bodies(engine.take(fifo, now_ms=NOW_MS + 1)) == ["g2-m1"]
    assert bodies(engine.take(fifo, now_ms=NOW_MS + 30_000)) == ["g1-m1", "g1-m2"]


def test_numbers_and_ids_are_never_used_again(opened):
    seqs, ids = [], []
    for number in range(3):
        engine = opened()
        queue = engine.make(f"queue-{number}")
        ids.append(queue.id)
        seqs += [one.seq for one in engine.send(queue, "a", "b")]
        engine.delete_queue(queue.id, now_ms=NOW_MS)
    assert seqs == sorted(set(seqs))
    assert ids == sorted(set(ids))


def test_dead_letters_are_kept(opened):
    engine = opened()
    queue, dead = engine.make(), engine.make("dead")
    engine.send(queue, "hello")
    engine.take(queue, hide_ms=0)
    engine.take(queue, redrive=redrive_to(dead))
    engine = opened()
    (moved,) = engine.take(dead).deliveries
    assert (moved.receive_count, moved.dead_letter_source_arn) == (2, queue.arn)


def test_every_new_file_has_its_own_secret(tmp_path, loop):
    secrets = set()
    for name in ("one.db", "two.db"):
        engine = Waiting(open_local(str(tmp_path / name), RandomIds()), loop)
        secrets.add(engine.handle_key)
        engine.close()
    assert len(secrets) == 2
    assert all(len(secret) >= 32 for secret in secrets)


# Refused files


def refusal_to_open(path):
    """Why the file is not opened. It is left as it was, byte for byte, and nothing is put beside it."""
    before = path.read_bytes(), sorted(path.parent.iterdir())
    with pytest.raises(StartError) as caught:
        open_local(str(path), RandomIds())
    assert (path.read_bytes(), sorted(path.parent.iterdir())) == before
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.fixture
def written(opened, path):
    """A closed data file with a few hundred messages in it."""
    engine = opened()
    queue = engine.make()
    engine.append(queue.id, [draft("x" * 1_000) for _ in range(300)])
    opened.stop()
    return path


@pytest.mark.parametrize("content", [b"hello", b"{}" * 500, b"SQLite format 3\0", b"\0" * 4096])
def test_a_file_that_is_no_database_is_refused(path, content):
    path.write_bytes(content)
    assert "not an SQLite database" in refusal_to_open(path)


def test_the_database_of_another_program_is_refused(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE mine (x); INSERT INTO mine VALUES (1);")
    assert "another program" in refusal_to_open(path)


def test_a_file_of_a_newer_version_is_refused(written):
    with closing(sqlite3.connect(written)) as connection:
        connection.execute("PRAGMA user_version = 999")
    assert "newer" in refusal_to_open(written)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_file_that_was_cut_short_is_refused(written, part):
    content = written.read_bytes()
    written.write_bytes(content[: int(len(content) * part)])
    assert "damaged" in refusal_to_open(written)


def test_a_damaged_file_is_refused(written):
    content = bytearray(written.read_bytes())
    middle = len(content) // 2
    content[4096:middle] = b"\xaa" * (middle - 4096)
    written.write_bytes(content)
    assert "damaged" in refusal_to_open(written)


def test_an_empty_file_becomes_a_data_file(path, opened):
    path.write_bytes(b"")
    opened().make()
    assert opened().find_queue(key()) is not None


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    path = tmp_path / "no" / "such" / "data.db"
    with pytest.raises(StartError, match=r"data\.db"):
        open_local(str(path), RandomIds())


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(StartError):
        open_local(str(tmp_path), RandomIds())


def test_a_file_that_is_in_use_is_refused(path, opened):
    engine = opened()
    queue = engine.make()
    with pytest.raises(StartError, match="in use"):
        open_local(str(path), RandomIds())
    engine.send(queue, "still works")
    assert bodies(engine.take(queue)) == ["still works"]


def test_a_file_can_be_opened_again_after_it_was_closed(opened):
    for _ in range(3):
        opened()


def test_a_file_left_in_the_middle_of_a_checkpoint_is_taken_up(path, opened, loop):
    """Killed once the first page, with the new size, was moved out of the log, and the last ones were not."""
    engine = opened()
    queue = engine.make()
    engine.send(queue, *(f"{number} {'x' * 1_000}" for number in range(100)))
    left = path.with_name("left.db")
    left.write_bytes(path.read_bytes())
    left.with_name("left.db-wal").write_bytes(path.with_name("data.db-wal").read_bytes())
    opened.stop()
    complete = path.read_bytes()
    left.write_bytes(complete[:4096] + left.read_bytes()[4096:])
    assert left.stat().st_size < len(complete)
    again = Waiting(open_local(str(left), RandomIds()), loop)
    assert again.counts(queue, now_ms=NOW_MS) == Counts(100, 0, 0)
    again.close()
