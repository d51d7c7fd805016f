"""Several engines on one database: what one node does holds for all."""

import asyncio
from collections import Counter, defaultdict

import msgspec
import pytest

from emulator.domain.model import Claim, Counts, Created, MoveStatus, MoveTask, Outcome
from emulator.engine.postgres.engine import open_postgres
from emulator.engine.postgres.notices import HEARD_S
from emulator.engine.postgres.queues import remove_orphans
from emulator.errors import QueueDoesNotExist
from emulator.ids import RandomIds
from tests.engine.factories import DAY_MS, MINUTE_MS, NOW_MS, bodies, draft, key, order, receipt, redrive_to
from tests.engine.postgres.ears import Ears, until


@pytest.fixture
def nodes(open_node):
    return open_node(), open_node()


async def drain(engine, queue, taken, senders, *, hide_ms=60_000, now_ms=NOW_MS, limit=10, **members):
    """Receives and deletes until the senders are done and nothing is left."""
    while True:
        done = all(sender.done() for sender in senders)
        claim = await engine.claim(queue, order(limit=limit, hide_ms=hide_ms, now_ms=now_ms, **members))
        taken(claim.deliveries)
        if claim.deliveries:
            held = [receipt(queue, one) for one in claim.deliveries]
            assert set(await engine.delete(queue, held, now_ms=now_ms)) == {Outcome.DONE}
        elif done and not claim.dead_lettered:
            return


def test_each_message_is_received_once_whoever_sends_and_receives(nodes):
    ours, _ = nodes
    queue = ours.make()
    received = Counter()

    async def send(engine, name):
        for number in range(30):
            await engine.append(queue.id, [draft(f"{name}-{number}-{one}") for one in range(3)])

    async def work():
        loop = asyncio.get_running_loop()
        senders = [
            loop.create_task(send(node.engine, f"{place}-{one}"))
            for place, node in enumerate(nodes)
            for one in range(4)
        ]
        receivers = [
            drain(node.engine, queue, lambda found: received.update(one.body for one in found), senders)
            for node in nodes
            for _ in range(4)
        ]
        await asyncio.gather(*senders, *receivers)

    ours.run(work())
    assert len(received) == 8 * 30 * 3
    assert set(received.values()) == {1}
    for node in nodes:
        assert node.counts(queue, now_ms=NOW_MS) == Counts(0, 0, 0)
    tally = ours.history(queue, from_ms=0, now_ms=NOW_MS)[-1].tally
    assert (tally.received, tally.deleted) == (720, 720)


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_the_order_of_each_group_is_kept_whoever_sends_and_receives(nodes, limit, caplog):
    caplog.set_level("INFO", "emulator.engine.postgres")
    ours, _ = nodes
    queue = ours.make("orders.fifo")
    seqs = defaultdict(list)
    by_sender = defaultdict(list)
    in_work = set()

    async def send(engine, name):
        for number in range(30):
            batch = [draft(f"{name} {number}", group=f"g{group}") for group in range(3)]
            accepted = await engine.append(queue.id, batch)
            assert not any(one.duplicate for one in accepted)

    async def receive(engine, senders):
        while True:
            done = all(sender.done() for sender in senders)
            claim = await engine.claim(queue, order(limit=limit, hide_ms=60_000))
            groups = {one.group_id for one in claim.deliveries}
            assert not groups & in_work, "a group was open although it had messages in flight"
            in_work.update(groups)
            for one in claim.deliveries:
                seqs[one.group_id].append(one.seq)
                name, number = one.body.split()
                by_sender[one.group_id, name].append(int(number))
            in_work.difference_update(groups)  # before the delete arrives
            held = [receipt(queue, one) for one in claim.deliveries]
            if held:
                assert set(await engine.delete(queue, held, now_ms=NOW_MS)) == {Outcome.DONE}
            elif done:
                return

    async def work():
        loop = asyncio.get_running_loop()
        senders = [
            loop.create_task(send(node.engine, f"{place}-{one}"))
            for place, node in enumerate(nodes)
            for one in range(3)
        ]
        receivers = [receive(node.engine, senders) for node in nodes for _ in range(3)]
        await asyncio.gather(*senders, *receivers)

    ours.run(work())
    assert sum(map(len, seqs.values())) == 6 * 30 * 3
    for found in seqs.values():
        assert found == sorted(set(found))
    assert len(by_sender) == 18
    assert all(found == list(range(30)) for found in by_sender.values())
    assert "deadlock" not in caplog.text
    assert ours.counts(queue, now_ms=NOW_MS) == Counts(0, 0, 0)


def test_a_duplicate_is_known_on_every_node(nodes):
    ours, _ = nodes
    queue = ours.make("orders.fifo")
    sends = [
        node.engine.append(queue.id, [draft(group=f"g{number % 3}", dedup=f"same-{number % 4}")])
        for number in range(24)
        for node in nodes
    ]
    accepted = [one for (one,) in ours.together(*sends)]
    assert sum(not one.duplicate for one in accepted) == 4
    assert len({(one.message_id, one.seq) for one in accepted}) == 4
    assert ours.counts(queue, now_ms=NOW_MS) == Counts(4, 0, 0)


def test_a_name_is_given_once(nodes):
    made = nodes[0].together(
        *(node.engine.create_queue(key(), {}, {}, now_ms=NOW_MS, name_lock_ms=0) for node in nodes * 5)
    )
    assert len({queue.id for _, queue in made}) == 1
    assert sum(created is Created.NEW for created, _ in made) == 1


def test_nodes_may_start_together_on_an_empty_database(database_url, schema, loop):
    async def open_all():
        return await asyncio.gather(
            *(open_postgres(database_url, RandomIds(), schema=schema, connections=2) for _ in range(5))
        )

    engines = loop.run_until_complete(open_all())
    assert len({engine.handle_key for engine in engines}) == 1
    for engine in engines:
        loop.run_until_complete(engine.close())


def test_a_change_of_a_queue_is_known_on_other_nodes_when_it_is_answered(nodes):
    ours, theirs = nodes
    queue = ours.make()
    assert theirs.find_queue(key()) == queue
    ears = Ears(theirs.engine)
    changed = ours.update_queue(
        queue.id, lambda one: msgspec.structs.replace(one, attributes={"DelaySeconds": "5"})
    )
    assert theirs.find_queue(key()) == changed
    assert ears.changed == [queue.id]
    ours.delete_queue(queue.id, now_ms=NOW_MS)
    assert theirs.find_queue(key()) is None
    assert ears.changed == [queue.id] * 2
    with pytest.raises(QueueDoesNotExist):
        theirs.send(queue, "hello")


@pytest.mark.parametrize("name", ["orders", "orders.fifo"])
def test_other_nodes_are_told_of_new_messages(nodes, name):
    ours, theirs = nodes
    queue = ours.make(name)
    told, told_ours = Ears(theirs.engine).told, Ears(ours.engine).told
    members = {"group": "g"} if name.endswith("fifo") else {}
    ours.send(queue, "a", "b", **members)
    # The second one of a group is not anybody's turn before the first one is gone.
    ours.run(until(lambda: told[queue.id] == (1 if queue.is_fifo else 2)))
    (one, _) = ours.take(queue).deliveries
    ours.delete(queue, [receipt(queue, one)], now_ms=NOW_MS)
    assert not told_ours


def test_other_nodes_are_told_of_dead_letters(nodes):
    ours, theirs = nodes
    queue, dead = ours.make(), ours.make("dead")
    told = Ears(theirs.engine).told
    ours.send(queue, "poison")
    ours.take(queue, hide_ms=0)
    ours.take(queue, redrive=redrive_to(dead))
    ours.run(until(lambda: told[dead.id] == 1))


def test_an_open_group_that_somebody_adds_to_is_waited_for(nodes):
    ours, theirs = nodes
    queue = ours.make("orders.fifo")
    ours.send(queue, "first", group="g")

    async def work():
        async with theirs.engine._node.database._pool.acquire() as connection:
            transaction = connection.transaction()
            await transaction.start()
            await connection.execute("SELECT 1 FROM message_group FOR UPDATE")
            asked = asyncio.ensure_future(ours.engine.claim(queue, order()))
            await asyncio.sleep(0.1)
            assert not asked.done()
            await transaction.commit()
            return await asked

    assert bodies(ours.run(work())) == ["first"]


def test_spent_messages_move_once_and_nothing_is_lost_while_queues_are_purged(nodes):
    ours, _ = nodes
    for suffix in ("", ".fifo"):
        queue, dead, other = ours.make(f"o{suffix}"), ours.make(f"dead{suffix}"), ours.make(f"x{suffix}")
        members = {"group": "g"} if suffix else {}
        for number in range(20):
            ours.send(queue, *(f"{number}-{one}" for one in range(10)), **members)
        ours.take(queue, limit=500, hide_ms=0)
        claims = ours.together(
            *(
                work
                for node in nodes
                for _ in range(5)
                for work in (
                    node.engine.claim(queue, order(redrive=redrive_to(dead))),
                    node.engine.purge(other.id, now_ms=NOW_MS, lock_ms=0),
                    node.engine.append(other.id, [draft(**members)]),
                    node.engine.counts(dead, now_ms=NOW_MS),
                )
            )
        )
        assert not [one for one in claims if isinstance(one, Exception)]
        while ours.take(queue, redrive=redrive_to(dead)).dead_lettered:
            pass
        assert ours.counts(dead, now_ms=NOW_MS) == Counts(200, 0, 0)
        seen = [one.delivery.body for one in ours.peek(dead, now_ms=NOW_MS, limit=500)]
        assert len(set(seen)) == 200


def end_leases(node):
    """As if the nodes that drive tasks were gone for long."""

    async def end(work):
        await work.connection.execute("UPDATE move_task SET leased_until = clock_timestamp()")

    node.run(node.engine._node.do(end))


def test_a_move_task_is_driven_by_one_node_and_goes_on_on_another_when_that_is_gone(nodes):
    ours, theirs = nodes
    source, target = ours.make("source"), ours.make("target")
    ours.send(source, *"abcdef")
    task = MoveTask(
        task_id="task",
        source_arn=source.arn,
        destination_arn=target.arn,
        max_per_second=None,
        started_ms=NOW_MS,
    )
    ours.start_move_task(task, now_ms=NOW_MS)
    assert len(ours.move_batch("task", ["1", "2"], now_ms=NOW_MS).moved) == 2
    assert theirs.active_move_tasks() == []
    assert theirs.move_batch("task", ["3", "4"], now_ms=NOW_MS) is None
    end_leases(ours)
    (found,) = theirs.active_move_tasks()
    assert found.moved == 2
    assert ours.move_batch("task", ["3", "4"], now_ms=NOW_MS) is None
    assert len(theirs.move_batch("task", ["3", "4"], now_ms=NOW_MS).moved) == 2
    assert theirs.move_batch("task", ["5", "6", "7"], now_ms=NOW_MS).task.status is MoveStatus.COMPLETED
    assert sorted(bodies(ours.take(target))) == list("abcdef")


def test_any_node_ends_a_move_task_that_is_cancelled(nodes):
    ours, theirs = nodes
    source = ours.make("source")
    ours.send(source, "a")
    task = MoveTask(
        task_id="task", source_arn=source.arn, destination_arn=None, max_per_second=1, started_ms=NOW_MS
    )
    ours.start_move_task(task, now_ms=NOW_MS)
    assert theirs.cancel_move_task("task", source.arn).status is MoveStatus.CANCELLING
    assert theirs.move_batch("task", [], now_ms=NOW_MS).task.status is MoveStatus.CANCELLED
    assert ours.move_batch("task", ["1"], now_ms=NOW_MS).task.status is MoveStatus.CANCELLED


def test_a_node_that_has_died_is_not_waited_for(nodes, loop):
    ours, theirs = nodes
    queue = ours.make()
    theirs.engine._node.notices._words.clear()
    theirs.engine._node.notices._say = lambda connection: asyncio.sleep(3600)  # it hears, and says nothing
    began = loop.time()
    ours.update_queue(queue.id, lambda one: one)
    assert HEARD_S / 2 < loop.time() - began < HEARD_S + 2


def test_minutes_of_several_nodes_are_added_up(nodes):
    ours, theirs = nodes
    queue = ours.make()
    for node, sizes in ((ours, (5, 7)), (theirs, (3,))):
        node.append(queue.id, [draft(size_bytes=size) for size in sizes])
        node.engine.count_empty_receive(queue.id)
        node.history(queue, from_ms=0, now_ms=NOW_MS)
    later_ms = NOW_MS + MINUTE_MS
    looks = ours.together(*(node.engine.history(queue, from_ms=0, now_ms=later_ms) for node in nodes * 3))
    assert len({msgspec.json.encode(list(one)) for one in looks}) == 1
    first, _ = looks[0]
    tally = first.tally
    assert (tally.sent, tally.sent_bytes, tally.smallest_bytes, tally.largest_bytes) == (3, 15, 3, 7)
    assert tally.empty_receives == 2


def test_a_reset_and_a_restore_are_known_on_other_nodes(nodes):
    ours, theirs = nodes
    ours.send(ours.make(), "kept")
    snapshot = ours.snapshot()
    ours.reset()
    assert theirs.find_queue(key()) is None
    theirs.restore(snapshot)
    assert bodies(ours.take(ours.find_queue(key()))) == ["kept"]
    assert ours.handle_key == theirs.handle_key


def test_an_empty_receive_counts_in_the_minute_in_which_it_was(nodes):
    ours, theirs = nodes
    queue = ours.make()
    for node in nodes:
        node.find_queue(key())
        node.engine.count_empty_receive(queue.id)
    later_ms = NOW_MS + MINUTE_MS
    first, running = ours.history(queue, from_ms=0, now_ms=later_ms)
    assert (first.tally.empty_receives, running.tally.empty_receives) == (1, 0)
    # What another node did not store in time counts in the minute that runs then.
    (*_, running) = theirs.history(queue, from_ms=0, now_ms=later_ms)
    assert running.tally.empty_receives == 1


def test_what_no_text_in_postgresql_can_be_is_not_found(engine):
    name = "no\0name"
    assert engine.find_queue(key(name)) is None
    assert list(engine.list_queues(*key(name)[:2], prefix=name, after="", limit=10)) == []
    assert list(engine.dead_letter_sources(name, after="", limit=10)) == []
    assert list(engine.move_tasks(name, limit=10)) == []
    assert engine.cancel_move_task(name, name) is None
    assert list(engine.all_queues(account=name, region=name)) == []
    assert list(engine.reset(account=name)) == []
    engine.delete_alarms(name, name, [name])


def test_an_attempt_is_given_once_to_nodes_that_ask_together(nodes):
    ours, _ = nodes
    queue = ours.make("orders.fifo")
    ours.send(queue, *"abc", group="g")
    claims = ours.together(
        *(node.engine.claim(queue, order(attempt_id="same", limit=1)) for node in nodes * 3)
    )
    assert {tuple(bodies(one)) for one in claims} == {("a",)}
    assert ours.counts(queue, now_ms=NOW_MS) == Counts(2, 1, 0)


def test_what_is_left_of_a_queue_that_is_gone_is_removed(open_node, loop):
    engine = open_node()
    queue = engine.make()
    engine.send(queue, *"abc")

    async def count(work):
        row = await work.connection.fetchrow(
            "SELECT (SELECT COUNT(*) FROM message), (SELECT COUNT(*) FROM tally)"
        )
        return tuple(row)

    async def leave_behind(work):
        await work.connection.execute("DELETE FROM queue")

    node = engine.engine._node
    loop.run_until_complete(node.do(leave_behind))
    assert loop.run_until_complete(node.do(count)) == (3, 1)

    loop.run_until_complete(node.do(remove_orphans))
    assert loop.run_until_complete(node.do(count)) == (0, 0)


class Notes:
    def __init__(self):
        self.returned_seqs = Counter()
        self.expired_seqs = Counter()

    def returned(self, queue_id, message_id, seq, at_ms):
        self.returned_seqs[seq] += 1

    def expired(self, queue_id, message_id, seq, at_ms):
        self.expired_seqs[seq] += 1


@pytest.mark.parametrize("name", ["orders", "orders.fifo"])
def test_what_time_does_is_done_and_told_once_although_all_nodes_look(nodes, name):
    ours, _ = nodes
    queue = ours.make(name)
    notes = Notes()
    for node in nodes:
        node.engine.watch(notes)
    groups = [{"group": f"g{number % 20}"} if name.endswith("fifo") else {} for number in range(200)]
    ours.append(queue.id, [draft(f"{number}", **members) for number, members in enumerate(groups)])
    ours.take(queue, limit=200, hide_ms=1_000)
    later_ms = NOW_MS + 1_000

    def looks(now_ms):
        for node in nodes * 3:
            yield node.engine.claim(queue, order(limit=20, now_ms=now_ms))
            yield node.engine.touch(queue, now_ms=now_ms)
            yield node.engine.counts(queue, now_ms=now_ms)

    found = ours.together(*looks(later_ms))
    claims = [one for one in found if isinstance(one, Claim)]
    taken = [delivery.seq for claim in claims for delivery in claim.deliveries]
    assert len(taken) == len(set(taken))
    if queue.is_fifo:  # groups that another claim looks at are passed by
        assert all(claim.deliveries for claim in claims)
    else:
        assert len(taken) == 120
    assert not [one for one in found if isinstance(one, Exception)]
    assert len(notes.returned_seqs) == 200
    assert set(notes.returned_seqs.values()) == {1}
    assert ours.counts(queue, now_ms=later_ms) == Counts(200 - len(taken), len(taken), 0)
    found = ours.together(*looks(NOW_MS + 4 * DAY_MS))
    assert not [one for one in found if isinstance(one, Exception)]
    assert len(notes.expired_seqs) == 200
    assert set(notes.expired_seqs.values()) == {1}
    assert ours.counts(queue, now_ms=NOW_MS + 4 * DAY_MS) == Counts(0, 0, 0)
