"""A commit that fails takes its own requests with it and no others."""

import asyncio
import contextlib
import sqlite3
import threading

import pytest

from emulator.domain.model import Counts, Created, Outcome
from emulator.engine.local import LocalEngine
from emulator.engine.sqlite.database import Database, open_file
from emulator.engine.sqlite.store import SqliteStore
from emulator.errors import QueueDoesNotExist, ServiceUnavailable
from emulator.ids import RandomIds
from tests.crash.files import check_file
from tests.engine.conftest import Waiting
from tests.engine.factories import MINUTE_MS, NOW_MS, bodies, draft, key, order, receipt


class FailingDatabase(Database):
    """Fails at a COMMIT if told to. Then it rolls back by itself, as SQLite may, or leaves that to us."""

    commits_to_failure = 0
    rolls_back_itself = False
    statement_to_fail = ""

    def __init__(self, connection):
        super().__init__(connection)
        self.at_commit, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def many(self, name, rows):
        if rows and name == self.statement_to_fail:
            self.statement_to_fail = ""
            raise sqlite3.OperationalError("database or disk is full")
        super().many(name, rows)

    def control(self, statement):
        if statement == "COMMIT":
            self.at_commit.set()
            assert self.go_on.wait(10)
            if self.commits_to_failure:
                self.commits_to_failure -= 1
                if not self.commits_to_failure:
                    if self.rolls_back_itself:
                        super().control("ROLLBACK")
                    raise sqlite3.OperationalError("disk I/O error")
        super().control(statement)


class Engine(Waiting):
    def __init__(self, path, loop):
        self.database = FailingDatabase(open_file(path)._connection)
        super().__init__(LocalEngine(SqliteStore(self.database, RandomIds())), loop)

    def in_one_group(self, *work, fails=False):
        """Awaits all of it. It comes in together, so it shares one commit."""
        self.database.commits_to_failure = 1 if fails else 0
        return self.together(*work)


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture(params=["rolled back by us", "rolled back by SQLite"])
def engine(request, tmp_path, loop):
    engine = Engine(tmp_path / "sqs.db", loop)
    engine.database.rolls_back_itself = request.param == "rolled back by SQLite"
    with contextlib.closing(engine):
        yield engine
    check_file(tmp_path / "sqs.db")


@pytest.fixture
def queue(engine):
    return engine.make()


@pytest.fixture
def fifo(engine):
    return engine.make("orders.fifo")


def sends(engine, queue, *texts, **members):
    return [engine.engine.append(queue.id, [draft(text, **members)]) for text in texts]


def kinds(answers):
    return [type(answer) for answer in answers]


def test_a_failing_commit_fails_exactly_the_requests_in_it(engine, queue):
    engine.in_one_group(*sends(engine, queue, "a", "b"))
    failed = engine.in_one_group(*sends(engine, queue, "c", "d", "e"), fails=True)
    engine.in_one_group(*sends(engine, queue, "f"))
    assert kinds(failed) == [ServiceUnavailable] * 3
    assert bodies(engine.take(queue)) == ["a", "b", "f"]


def test_requests_that_wait_together_share_one_commit(engine, queue):
    answers = engine.in_one_group(*sends(engine, queue, "a", "b", "c"))
    assert [len(answer) for answer in answers] == [1, 1, 1]
    assert bodies(engine.take(queue)) == ["a", "b", "c"]


def test_a_request_that_is_refused_fails_alone(engine, queue, fifo):
    nowhere = engine.engine.append(999, [draft("nowhere")])
    before, after = sends(engine, queue, "a", "b")
    answers = engine.in_one_group(before, nowhere, after)
    assert kinds(answers) == [list, QueueDoesNotExist, list]
    assert bodies(engine.take(queue)) == ["a", "b"]


def test_a_statement_that_fails_takes_its_group_with_it(engine, queue):
    engine.database.statement_to_fail = "insert_message"
    assert kinds(engine.in_one_group(*sends(engine, queue, "a", "b"))) == [ServiceUnavailable] * 2
    assert kinds(engine.in_one_group(*sends(engine, queue, "c"))) == [list]
    assert bodies(engine.take(queue)) == ["c"]


def test_requests_that_come_while_a_commit_fails_fail_with_it(engine, queue):
    """They may have seen what that commit did not store."""

    async def overlapping():
        first = asyncio.create_task(engine.engine.append(queue.id, [draft("a")]))
        await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, engine.database.at_commit.wait, 10)
        second = asyncio.create_task(engine.engine.claim(queue, order()))
        await asyncio.sleep(0)
        engine.database.go_on.set()
        return await asyncio.gather(first, second, return_exceptions=True)

    engine.database.commits_to_failure = 1
    engine.database.at_commit.clear()
    engine.database.go_on.clear()
    assert kinds(engine.run(overlapping())) == [ServiceUnavailable] * 2
    engine.send(queue, "b")
    assert bodies(engine.take(queue)) == ["b"]


def test_counts_are_right_after_a_failing_commit(engine, queue):
    engine.send(queue, "a", "b", "c")
    (first, *_) = engine.take(queue, limit=1).deliveries
    engine.in_one_group(
        *sends(engine, queue, "d", "e"),
        engine.engine.delete(queue, [receipt(queue, first)], now_ms=NOW_MS),
        engine.engine.claim(queue, order(limit=1)),
        fails=True,
    )
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(visible=2, in_flight=1, delayed=0)
    assert list(engine.delete(queue, [receipt(queue, first)], now_ms=NOW_MS)) == [Outcome.DONE]
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(visible=2, in_flight=0, delayed=0)


def test_a_delayed_message_comes_although_a_commit_failed(engine, queue):
    """What a claim knows of hidden messages is right after a commit that failed."""
    engine.send(queue, "delayed", delay_ms=5_000)
    assert bodies(engine.take(queue)) == []
    engine.in_one_group(engine.engine.claim(queue, order(now_ms=NOW_MS + 5_000)), fails=True)
    assert bodies(engine.take(queue, now_ms=NOW_MS + 5_000)) == ["delayed"]


def test_a_claim_whose_commit_failed_hides_nothing(engine, queue, fifo):
    engine.send(queue, "a")
    engine.send(fifo, "b", group="g")
    for one in (queue, fifo):
        failed = engine.in_one_group(engine.engine.claim(one, order()), fails=True)
        assert kinds(failed) == [ServiceUnavailable]
    assert [bodies(engine.take(one)) for one in (queue, fifo)] == [["a"], ["b"]]


def test_a_fifo_send_whose_commit_failed_can_be_repeated(engine, fifo):
    message = draft("once", group="g", dedup="same")
    failed = engine.in_one_group(engine.engine.append(fifo.id, [message]), fails=True)
    assert kinds(failed) == [ServiceUnavailable]
    (first,) = engine.append(fifo.id, [message])
    (second,) = engine.append(fifo.id, [message])
    assert (first.duplicate, second.duplicate) == (False, True)
    assert bodies(engine.take(fifo)) == ["once"]


def test_numbers_are_not_used_twice_after_a_failing_commit(engine, queue, fifo):
    engine.in_one_group(*sends(engine, fifo, "a", group="g"), fails=True)
    (first,) = engine.send(fifo, "b", group="g")
    engine.in_one_group(*sends(engine, fifo, "c", group="g"), fails=True)
    (second,) = engine.send(fifo, "d", group="g")
    assert first.seq < second.seq
    assert bodies(engine.take(fifo)) == ["b", "d"]


def test_a_queue_whose_creation_failed_can_be_created(engine):
    def create():
        return engine.engine.create_queue(key("new"), {}, {}, now_ms=NOW_MS, name_lock_ms=MINUTE_MS)

    assert kinds(engine.in_one_group(create(), fails=True)) == [ServiceUnavailable]
    assert engine.find_queue(key("new")) is None
    created, queue = engine.run(create())
    assert created is Created.NEW
    engine.send(queue, "hello")
    assert bodies(engine.take(queue)) == ["hello"]


def test_a_queue_whose_deletion_failed_still_works(engine, queue):
    engine.send(queue, "hello")
    failed = engine.in_one_group(engine.engine.delete_queue(queue.id, now_ms=NOW_MS), fails=True)
    assert kinds(failed) == [ServiceUnavailable]
    assert engine.find_queue(queue.key) == queue
    engine.send(queue, "again")
    assert bodies(engine.take(queue)) == ["hello", "again"]


def test_a_purge_that_failed_removed_nothing(engine, queue):
    engine.send(queue, "hello")
    engine.in_one_group(engine.engine.purge(queue.id, now_ms=NOW_MS, lock_ms=MINUTE_MS), fails=True)
    assert engine.purge(queue.id, now_ms=NOW_MS, lock_ms=MINUTE_MS)
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(0, 0, 0)
