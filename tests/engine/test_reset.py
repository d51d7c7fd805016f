"""Forgetting: everything, an account, a region, or what one queue has."""

import pytest

from emulator.domain.model import Counts, Created, Moved, MoveStatus, MoveTask, Outcome
from emulator.errors import QueueDoesNotExist
from tests.engine.factories import MINUTE_MS, NOW_MS, bodies, key, receipt

OURS, THEIRS = "000000000000", "111122223333"
HERE, THERE = "us-east-1", "eu-west-1"
PLACES = [(OURS, THERE), (OURS, HERE), (THEIRS, THERE), (THEIRS, HERE)]


def make(engine, account, region, name="orders"):
    where = key(name, account, region)
    _, queue = engine.create_queue(where, {}, {}, now_ms=NOW_MS, name_lock_ms=0)
    engine.send(queue, "hello")
    return queue


def start(engine, source, task_id="task", **members):
    task = MoveTask(
        task_id=task_id,
        source_arn=source.arn,
        started_ms=NOW_MS,
        **{"destination_arn": None, "max_per_second": None, **members},
    )
    return engine.start_move_task(task, now_ms=NOW_MS)


@pytest.fixture
def queues(engine):
    """One queue of the same name in each account and region."""
    return {place: make(engine, *place) for place in reversed(PLACES)}


def test_all_queues_are_listed_in_order_of_account_region_and_name(engine, queues):
    other = make(engine, OURS, HERE, "another")
    listed = list(engine.all_queues())
    assert listed == sorted([*queues.values(), other], key=lambda queue: queue.key)
    assert list(engine.all_queues(account=OURS, region=HERE)) == [other, queues[OURS, HERE]]
    assert list(engine.all_queues(account=THEIRS)) == [queues[THEIRS, THERE], queues[THEIRS, HERE]]
    assert list(engine.all_queues(region=THERE)) == [queues[OURS, THERE], queues[THEIRS, THERE]]
    assert list(engine.all_queues(account="999999999999")) == []


@pytest.mark.parametrize(
    ("scope", "gone"),
    [
        ({}, PLACES),
        ({"account": OURS}, PLACES[:2]),
        ({"region": HERE}, [PLACES[1], PLACES[3]]),
        ({"account": THEIRS, "region": HERE}, PLACES[3:]),
        ({"account": "999999999999"}, []),
    ],
)
def test_a_reset_forgets_the_queues_of_its_account_and_region(engine, queues, scope, gone):
    assert list(engine.reset(**scope)) == [queues[place].id for place in gone]
    for place, queue in queues.items():
        assert (engine.find_queue(queue.key) is None) == (place in gone)
        if place not in gone:
            assert bodies(engine.take(queue)) == ["hello"]
            assert list(engine.list_queues(*place, prefix="", after="", limit=9)) == ["orders"]


def test_what_a_reset_forgot_is_gone_for_every_call(engine, queue):
    engine.reset()
    with pytest.raises(QueueDoesNotExist):
        engine.send(queue, "hello")
    with pytest.raises(QueueDoesNotExist):
        engine.reset_queue(queue.id)


@pytest.mark.parametrize("scope", [{}, {"account": OURS}])
def test_names_can_be_used_again_at_once_and_their_queues_are_new(engine, queue, scope):
    (accepted,) = engine.send(queue, "hello")
    (delivery,) = engine.take(queue).deliveries
    engine.make("deleted")
    engine.delete_queue(engine.find_queue(key("deleted")).id, now_ms=NOW_MS)
    engine.reset(**scope)
    for name in ("orders", "deleted"):
        made, new = engine.create_queue(key(name), {}, {}, now_ms=NOW_MS, name_lock_ms=MINUTE_MS)
        assert made is Created.NEW
        assert new.id > queue.id
    new = engine.find_queue(key("orders"))
    assert engine.counts(new, now_ms=NOW_MS) == Counts(0, 0, 0)
    (again,) = engine.send(new, "hello")
    assert again.seq > accepted.seq
    assert list(engine.delete(new, [receipt(new, delivery)], now_ms=NOW_MS)) == [Outcome.GONE]


def test_deleted_names_of_others_stay_locked(engine):
    theirs = make(engine, THEIRS, HERE)
    engine.delete_queue(theirs.id, now_ms=NOW_MS)
    engine.reset(account=OURS)
    made, _ = engine.create_queue(theirs.key, {}, {}, now_ms=NOW_MS, name_lock_ms=MINUTE_MS)
    assert made is Created.DELETED_RECENTLY


def test_a_reset_forgets_the_move_tasks_of_its_account_and_region(engine, queues):
    for account, region in PLACES:
        start(engine, queues[account, region], f"{account} {region}")
    engine.reset(account=OURS, region=HERE)
    left = {f"{account} {region}" for account, region in PLACES} - {f"{OURS} {HERE}"}
    assert {task.task_id for task in engine.active_move_tasks()} == left
    assert list(engine.move_tasks(queues[OURS, HERE].arn, limit=9)) == []
    assert engine.move_batch(f"{OURS} {HERE}", ["new-id"], now_ms=NOW_MS) is None
    engine.reset()
    assert list(engine.active_move_tasks()) == []


# One queue


def test_a_queue_that_is_reset_is_empty_and_keeps_what_it_is(engine):
    queue = engine.make(tags={"team": "core"}, VisibilityTimeout="5")
    engine.send(queue, "in flight")
    engine.take(queue)
    engine.send(queue, "visible")
    engine.send(queue, "delayed", delay_ms=5_000)
    engine.reset_queue(queue.id)
    assert engine.find_queue(queue.key) == queue
    assert list(engine.peek(queue, now_ms=NOW_MS)) == []
    assert engine.touch(queue, now_ms=NOW_MS) is None


def test_a_reset_of_a_queue_lifts_the_lock_of_its_purge_and_sets_none(engine, queue):
    engine.purge(queue.id, now_ms=NOW_MS, lock_ms=MINUTE_MS)
    engine.reset_queue(queue.id)
    engine.reset_queue(queue.id)
    assert engine.find_queue(queue.key).purged_ms is None
    assert engine.purge(queue.id, now_ms=NOW_MS, lock_ms=MINUTE_MS) is True


def test_a_reset_of_a_queue_makes_it_forget_duplicates_and_attempts(engine, fifo):
    engine.send(fifo, "first", group="g", dedup="same")
    engine.take(fifo, attempt_id="attempt")
    engine.reset_queue(fifo.id)
    (accepted,) = engine.send(fifo, "second", group="g", dedup="same")
    assert not accepted.duplicate
    assert bodies(engine.take(fifo, attempt_id="attempt")) == ["second"]


def test_a_reset_of_a_queue_leaves_the_others_alone(engine, queue):
    other = engine.make("other")
    engine.send(other, "hello")
    engine.reset_queue(queue.id)
    assert bodies(engine.take(other)) == ["hello"]


# What move tasks say they moved


def test_a_step_of_a_move_task_names_what_it_moved(engine, queue):
    dead = engine.make("dead")
    accepted = engine.send(dead, "a", "b")
    start(engine, dead, destination_arn=queue.arn)
    step = engine.move_batch("task", ["new-1", "new-2", "new-3"], now_ms=NOW_MS)
    assert step.task.status is MoveStatus.COMPLETED
    assert step.received == {queue.id: 2}
    assert step.moved == (
        Moved(accepted[0].message_id, "new-1", dead.id, queue.id),
        Moved(accepted[1].message_id, "new-2", dead.id, queue.id),
    )
    assert [one.message_id for one in engine.take(queue).deliveries] == ["new-1", "new-2"]


def test_a_step_that_moves_nothing_names_nothing(engine, queue):
    start(engine, queue, destination_arn=queue.arn)
    assert engine.move_batch("task", ["new-1"], now_ms=NOW_MS).moved == ()


def test_a_step_moves_fifo_messages_group_by_group(engine):
    dead, orders = engine.make("dead.fifo"), engine.make("orders.fifo")
    for name, group in (("r1", "red"), ("b1", "blue"), ("r2", "red"), ("b2", "blue")):
        engine.send(dead, name, group=group)
    sent = {one.body: one.message_id for one in engine.take(dead, hide_ms=0).deliveries}
    start(engine, dead, destination_arn=orders.arn)
    step = engine.move_batch("task", ["1", "2", "3"], now_ms=NOW_MS)
    assert [one.message_id for one in step.moved] == [sent["r1"], sent["r2"], sent["b1"]]
