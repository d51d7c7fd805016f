"""Queues: creating, finding, listing, changing, deleting and purging them."""

import msgspec
import pytest

from emulator.domain.model import Counts, Created
from emulator.errors import InvalidAttributeValue, QueueDoesNotExist
from tests.engine.factories import (
    MINUTE_MS,
    NOW_MS,
    bodies,
    draft,
    key,
    order,
    receipt,
)


def create(engine, name="orders", attributes=None, *, now_ms=NOW_MS, lock_ms=MINUTE_MS):
    return engine.create_queue(key(name), attributes or {}, {}, now_ms=now_ms, name_lock_ms=lock_ms)


def test_a_new_queue_has_what_it_was_given(engine):
    given = {"DelaySeconds": "5"}
    created, queue = engine.create_queue(key(), given, {"team": "core"}, now_ms=NOW_MS, name_lock_ms=0)
    assert created is Created.NEW
    assert (queue.key, queue.attributes, queue.tags) == (key(), given, {"team": "core"})
    assert (queue.created_ms, queue.modified_ms, queue.purged_ms) == (NOW_MS, NOW_MS, None)


def test_a_name_that_is_taken_gives_the_queue_that_has_it_unchanged(engine):
    _, first = create(engine, attributes={"DelaySeconds": "5"})
    assert create(engine, attributes={"DelaySeconds": "6"}, now_ms=NOW_MS + 1) == (Created.EXISTING, first)
    assert engine.find_queue(key()) == first


def test_a_queue_is_found_by_account_region_and_name(engine, queue):
    assert engine.find_queue(key()) == queue
    for other in (key("Orders"), key(account="111122223333"), key(region="eu-west-1")):
        assert engine.find_queue(other) is None


def test_the_same_name_may_stand_in_another_account_or_region(engine, queue):
    ids = {queue.id}
    for other in (key(account="111122223333"), key(region="eu-west-1")):
        created, found = engine.create_queue(other, {}, {}, now_ms=NOW_MS, name_lock_ms=0)
        assert created is Created.NEW
        ids.add(found.id)
    assert len(ids) == 3


# The name lock


def test_a_name_is_locked_until_the_lock_is_over(engine, queue):
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    late_ms = NOW_MS + MINUTE_MS
    assert create(engine, now_ms=late_ms - 1) == (Created.DELETED_RECENTLY, None)
    assert engine.find_queue(key()) is None
    assert create(engine, now_ms=late_ms)[0] is Created.NEW


def test_without_a_lock_a_name_is_free_at_once(engine, queue):
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    assert create(engine, lock_ms=0)[0] is Created.NEW


def test_a_new_queue_never_has_the_id_of_an_old_one(engine, queue):
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    _, again = create(engine, lock_ms=0)
    assert again.id != queue.id


def test_the_latest_deletion_counts_for_the_lock(engine):
    for now_ms in (NOW_MS, NOW_MS + MINUTE_MS):
        _, queue = create(engine, now_ms=now_ms)
        engine.delete_queue(queue.id, now_ms=now_ms)
    assert create(engine, now_ms=NOW_MS + 2 * MINUTE_MS - 1)[0] is Created.DELETED_RECENTLY


# Listing


def names(engine, prefix="", after="", limit=100):
    return list(engine.list_queues("000000000000", "us-east-1", prefix=prefix, after=after, limit=limit))


def test_names_are_listed_in_order(engine):
    for name in ("b", "a", "c", "B", "a-", "a_", "a.fifo"):
        engine.make(name)
    assert names(engine) == sorted(["b", "a", "c", "B", "a-", "a_", "a.fifo"])


def test_names_are_listed_by_prefix_behind_a_name_and_up_to_a_limit(engine):
    for name in ("aa", "ab", "ac", "ad", "b", "Aa"):
        engine.make(name)
    assert names(engine, prefix="a") == ["aa", "ab", "ac", "ad"]
    assert names(engine, prefix="a", after="ab", limit=1) == ["ac"]
    assert names(engine, prefix="a", after="zz") == []


def test_a_prefix_is_taken_as_it_is(engine):
    for name in ("a_b", "aXb", "a-b"):
        engine.make(name)
    assert names(engine, prefix="a_") == ["a_b"]
    assert names(engine, prefix="a%") == names(engine, prefix="a*") == names(engine, prefix="a?") == []


def test_only_the_queues_of_the_account_and_region_are_listed(engine, queue):
    engine.create_queue(key("else", account="111122223333"), {}, {}, now_ms=NOW_MS, name_lock_ms=0)
    engine.create_queue(key("else", region="eu-west-1"), {}, {}, now_ms=NOW_MS, name_lock_ms=0)
    assert names(engine) == ["orders"]


def test_dead_letter_sources_are_listed_in_order_of_name(engine):
    dead = engine.make("dead")
    policy = f'{{"deadLetterTargetArn":"{dead.arn}","maxReceiveCount":1}}'
    other = policy.replace(dead.arn, dead.arn + "-not")
    for name, text in (("c", policy), ("a", policy), ("b", policy), ("x", other)):
        engine.make(name, RedrivePolicy=text)
    assert list(engine.dead_letter_sources(dead.arn, after="", limit=9)) == [key("a"), key("b"), key("c")]
    assert list(engine.dead_letter_sources(dead.arn, after="a", limit=1)) == [key("b")]


def test_a_source_that_lost_its_policy_is_none(engine):
    dead = engine.make("dead")
    source = engine.make("a", RedrivePolicy=f'{{"deadLetterTargetArn":"{dead.arn}","maxReceiveCount":1}}')
    engine.update_queue(source.id, lambda queue: msgspec.structs.replace(queue, attributes={}))
    assert list(engine.dead_letter_sources(dead.arn, after="", limit=9)) == []


# Changing


def test_a_change_is_stored_and_returned(engine, queue):
    changed = msgspec.structs.replace(
        queue, attributes={"DelaySeconds": "5"}, tags={"team": "core"}, modified_ms=NOW_MS + 1
    )
    assert engine.update_queue(queue.id, lambda _: changed) == changed
    assert engine.find_queue(key()) == changed


def test_a_change_is_given_the_queue_as_it_is(engine, queue):
    for number in range(3):
        engine.update_queue(
            queue.id,
            lambda now, number=number: msgspec.structs.replace(now, tags={**now.tags, f"{number}": ""}),
        )
    assert engine.find_queue(key()).tags == {"0": "", "1": "", "2": ""}


@pytest.mark.parametrize("error", [InvalidAttributeValue("no"), ValueError("no")])
def test_what_a_change_raises_undoes_it_and_reaches_the_caller(engine, queue, error):
    def change(queue):
        raise error

    with pytest.raises(type(error)) as caught:
        engine.update_queue(queue.id, change)
    assert caught.value is error
    assert engine.find_queue(key()) == queue
    engine.send(queue, "still works")
    assert bodies(engine.take(queue)) == ["still works"]


def test_a_failing_change_leaves_work_beside_it_alone(engine, queue):
    def refuse(queue):
        raise InvalidAttributeValue("no")

    inner = engine.engine
    sent, failed, also_sent = engine.together(
        inner.append(queue.id, [draft("a")]),
        inner.update_queue(queue.id, refuse),
        inner.append(queue.id, [draft("b")]),
    )
    assert isinstance(failed, InvalidAttributeValue)
    assert sent[0].seq < also_sent[0].seq
    assert bodies(engine.take(queue)) == ["a", "b"]


# Deleting


def test_a_deleted_queue_is_gone_with_all_it_had(engine, queue):
    engine.send(queue, "hello")
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    assert engine.find_queue(key()) is None
    assert names(engine) == []
    _, again = create(engine, lock_ms=0)
    assert engine.counts(again, now_ms=NOW_MS) == Counts(0, 0, 0)
    assert bodies(engine.take(again)) == []


@pytest.mark.parametrize("name", ["orders", "orders.fifo"])
def test_whoever_names_a_queue_that_is_gone_is_told(engine, name):
    queue = engine.make(name)
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    inner = engine.engine
    for work in (
        inner.update_queue(queue.id, lambda queue: queue),
        inner.delete_queue(queue.id, now_ms=NOW_MS),
        inner.purge(queue.id, now_ms=NOW_MS, lock_ms=0),
        inner.append(queue.id, [draft()]),
        inner.claim(queue, order()),
        inner.counts(queue, now_ms=NOW_MS),
    ):
        (outcome,) = engine.together(work)
        assert isinstance(outcome, QueueDoesNotExist)


def test_messages_for_a_queue_that_is_gone_are_not_stored(engine, queue):
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    engine.together(engine.engine.append(queue.id, [draft()]))
    _, again = create(engine, lock_ms=0)
    assert engine.counts(again, now_ms=NOW_MS) == Counts(0, 0, 0)


# Purging


def test_a_purge_removes_all_messages(engine, queue):
    engine.send(queue, "in flight")
    engine.take(queue)
    engine.send(queue, "visible")
    engine.send(queue, "delayed", delay_ms=5_000)
    assert engine.purge(queue.id, now_ms=NOW_MS, lock_ms=MINUTE_MS) is True
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(0, 0, 0)
    assert bodies(engine.take(queue, now_ms=NOW_MS + MINUTE_MS)) == []


def test_a_purge_is_locked_until_the_lock_is_over(engine, queue):
    engine.purge(queue.id, now_ms=NOW_MS, lock_ms=MINUTE_MS)
    engine.send(queue, "hello")
    late_ms = NOW_MS + MINUTE_MS
    assert engine.purge(queue.id, now_ms=late_ms - 1, lock_ms=MINUTE_MS) is False
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(1, 0, 0)
    assert engine.purge(queue.id, now_ms=late_ms, lock_ms=MINUTE_MS) is True
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(0, 0, 0)


def test_without_a_lock_a_queue_can_be_purged_at_any_time(engine, queue):
    assert [engine.purge(queue.id, now_ms=NOW_MS, lock_ms=0) for _ in range(2)] == [True, True]


def test_a_purge_is_remembered_by_the_queue(engine, queue):
    engine.purge(queue.id, now_ms=NOW_MS + 5, lock_ms=0)
    assert engine.find_queue(key()).purged_ms == NOW_MS + 5


def test_a_purge_makes_deduplication_forget(engine, fifo):
    engine.send(fifo, "a", group="g", dedup="same")
    engine.purge(fifo.id, now_ms=NOW_MS, lock_ms=0)
    (accepted,) = engine.send(fifo, "b", group="g", dedup="same")
    assert not accepted.duplicate
    claim = engine.take(fifo)
    assert bodies(claim) == ["b"]
    assert receipt(fifo, claim.deliveries[0]).seq == accepted.seq
