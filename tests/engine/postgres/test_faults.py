"""The database goes away and comes back: requests fail as they should, nothing acknowledged is lost."""

import asyncio

import asyncpg
import pytest

from emulator.engine.postgres.engine import open_postgres
from emulator.errors import ServiceUnavailable
from emulator.ids import SeededIds
from emulator.settings import StartError
from tests.engine.conftest import Waiting
from tests.engine.factories import NOW_MS, bodies, draft, key, order
from tests.engine.postgres.ears import Ears, until
from tests.support import postgres


@pytest.fixture
def server():
    """One of the test's own, which it may kill; it keeps what it has acknowledged."""
    with postgres.running({**postgres.FAST, "synchronous_commit": "on", "fsync": "on"}) as server:
        yield server


@pytest.fixture
def open_on(loop):
    opened = []

    def open_one(url, **members):
        engine = loop.run_until_complete(
            open_postgres(url, SeededIds(), **{"connections": 4, "patience_s": 2.0, **members})
        )
        opened.append(engine)
        return Waiting(engine, loop)

    yield open_one
    for engine in opened:
        loop.run_until_complete(engine.close())


async def until_it_answers(work, *, tries=400):
    """What `work` answers once it does; how often it was refused."""
    for refused in range(tries):
        try:
            return await work(), refused
        except ServiceUnavailable:
            await asyncio.sleep(0.05)
    raise AssertionError("it did not come back")


def end_all_sessions(loop, url):
    async def end():
        connection = await asyncpg.connect(url)
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'sqs-emulator%' AND pid <> pg_backend_pid()"
        )
        await connection.close()

    loop.run_until_complete(end())


def test_idle_connections_that_are_ended_are_replaced_without_an_error(database_url, engine, queue, loop):
    for number in range(3):
        engine.together(*(engine.engine.counts(queue, now_ms=NOW_MS) for _ in range(6)))
        end_all_sessions(loop, database_url)
        loop.run_until_complete(asyncio.sleep(0.1))
        engine.send(queue, f"{number}")
    assert bodies(engine.take(queue)) == ["0", "1", "2"]


def test_a_listener_that_was_lost_listens_again_and_has_everybody_look(database_url, open_node, loop):
    ours, theirs = open_node(), open_node()
    queue = ours.make()
    ears = Ears(theirs.engine)
    end_all_sessions(loop, database_url)
    loop.run_until_complete(asyncio.wait_for(ears.blind.wait(), 10))
    assert ears.clocks == 1
    ours.send(queue, "hello")
    loop.run_until_complete(until(lambda: ears.told[queue.id] == 1))
    assert theirs.find_queue(key()) == queue


def test_a_server_that_is_killed_comes_back_with_all_that_was_acknowledged(server, open_on, loop):
    engine = open_on(server.url)
    queue = engine.make()
    acknowledged, refused = [], 0

    async def send(number):
        nonlocal refused
        try:
            await engine.engine.append(queue.id, [draft(f"{number}")])
            acknowledged.append(f"{number}")
        except ServiceUnavailable:
            refused += 1
            await asyncio.sleep(0.02)

    async def send_all():
        killed = None
        for number in range(400):
            await asyncio.gather(*(send(f"{number}-{one}") for one in range(4)))
            if number == 20:
                killed = loop.run_in_executor(None, server.kill)
            if killed is not None and killed.done() and refused:
                break

    loop.run_until_complete(send_all())
    assert refused
    with pytest.raises(ServiceUnavailable):
        engine.check()
    server.start()
    counts, _ = loop.run_until_complete(until_it_answers(lambda: engine.engine.counts(queue, now_ms=NOW_MS)))
    found = [one.delivery.body for one in engine.peek(queue, now_ms=NOW_MS, limit=10_000)]
    assert set(acknowledged) <= set(found)
    assert len(found) == len(set(found)) == counts.visible
    engine.check()


def test_while_the_server_is_away_requests_fail_soon_and_a_new_node_cannot_start(
    server, open_on, loop, caplog
):
    engine = open_on(server.url)
    queue = engine.make()
    server.stop()
    for work in (
        engine.engine.append(queue.id, [draft()]),
        engine.engine.claim(queue, order()),
        engine.engine.counts(queue, now_ms=NOW_MS),
    ):
        (outcome,) = engine.together(asyncio.wait_for(work, 8))
        assert isinstance(outcome, ServiceUnavailable)
    with pytest.raises(StartError, match=r"^PostgreSQL cannot be used: .*$"):
        open_on(server.url)
    server.start()
    loop.run_until_complete(until_it_answers(lambda: engine.engine.append(queue.id, [draft("back")])))
    assert bodies(engine.take(queue)) == ["back"]
    said = [(one.levelname, one.message) for one in caplog.records if one.name.endswith("postgres.database")]
    assert [level for level, _ in said] == ["ERROR", "WARNING"], "an outage is said when it begins and ends"
    assert said[1][1].startswith("PostgreSQL answers again")


def test_a_server_that_does_not_answer_holds_nobody_up_for_long(server, open_on, loop):
    engine = open_on(server.url, statement_s=1.0)
    queue = engine.make()

    async def relay(reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
        except OSError:
            pass

    async def behind_a_relay():
        """A network that can be cut without anybody noticing."""
        hung = asyncio.Event()

        over = asyncio.Event()

        async def serve(reader, writer):
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", server.port)
            tasks = [
                asyncio.ensure_future(relay(reader, up_writer)),
                asyncio.ensure_future(relay(up_reader, writer)),
            ]
            await hung.wait()
            for task in tasks:
                task.cancel()
            await over.wait()
            writer.close()
            up_writer.close()

        door = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = door.sockets[0].getsockname()[1]
        node = await open_postgres(
            server.url.replace(str(server.port), str(port)),
            SeededIds(),
            connections=2,
            statement_s=1.0,
            patience_s=2.0,
        )
        assert await node.find_queue(key()) == queue
        hung.set()
        await asyncio.sleep(0.05)
        started = loop.time()
        with pytest.raises(ServiceUnavailable):
            await node.append(queue.id, [draft()])
        assert loop.time() - started < 15
        door.close()
        node._node.database._pool.terminate()
        await node.close()
        over.set()
        await asyncio.sleep(0.01)

    loop.run_until_complete(behind_a_relay())
    assert bodies(engine.take(queue)) == []


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://postgres@127.0.0.1:1/postgres",
        "postgresql://postgres@127.0.0.1:1,127.0.0.1:2/postgres?target_session_attrs=read-write",
        "postgresql://postgres@host.invalid/postgres",
        "postgresql://postgres@127.0.0.1:port/postgres",
        "postgresql://?port=x",
    ],
)
def test_a_database_that_cannot_be_reached_is_said_in_one_line(url, open_on):
    with pytest.raises(StartError) as caught:
        open_on(url)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("PostgreSQL cannot be used: ")


def test_a_database_that_is_not_there_or_not_ours_is_said(database_url, open_on):
    with pytest.raises(StartError, match="does not exist"):
        open_on(database_url.replace("/postgres", "/nowhere"))


def test_a_server_without_a_connection_to_spare_is_said_in_one_line(open_on):
    with postgres.running({**postgres.FAST, "max_connections": "5"}) as server:
        for _ in range(2):
            open_on(server.url, connections=1)  # each takes two: one listens
        with pytest.raises(StartError, match=r"^PostgreSQL cannot be used: .*too many clients"):
            open_on(server.url, connections=1)


def test_a_schema_of_a_newer_version_is_refused(database_url, schema, open_node, loop):
    open_node()

    async def write():
        connection = await asyncpg.connect(database_url)
        await connection.execute(f"UPDATE {schema}.meta SET value = '\\x0900' WHERE name = 'schema_version'")
        await connection.close()

    loop.run_until_complete(write())
    with pytest.raises(StartError, match="newer version"):
        open_node()


@pytest.mark.parametrize("before", [[], ["earlier"]], ids=["the longer way", "the short way"])
def test_one_message_that_cannot_be_stored_does_not_take_others_with_it(engine, queue, before):
    for body in before:
        engine.send(queue, body)
    good, bad = engine.together(
        engine.engine.append(queue.id, [draft("good")]),
        engine.engine.append(queue.id, [draft("no \0 in PostgreSQL")]),
    )
    assert good[0].seq
    assert isinstance(bad, Exception)
    assert bodies(engine.take(queue)) == [*before, "good"]
