"""What deduplication remembers, and for how long."""

import pytest

from emulator.domain.fifo import deduplication_key
from emulator.domain.model import Counts
from tests.engine.factories import MINUTE_MS, NOW_MS, bodies, draft, receipt, redrive_to

WINDOW_MS = 5 * MINUTE_MS


def send_same(engine, queue, body="hello", *, after_ms=0, group="g", **members):
    (accepted,) = engine.send(queue, body, sent_ms=NOW_MS + after_ms, group=group, dedup="same", **members)
    return accepted


def test_a_duplicate_is_answered_with_the_original_and_not_stored(engine, fifo):
    original = send_same(engine, fifo, "first")
    duplicate = send_same(engine, fifo, "second", after_ms=1)
    assert (duplicate.message_id, duplicate.seq) == (original.message_id, original.seq)
    assert (original.duplicate, duplicate.duplicate) == (False, True)
    assert bodies(engine.take(fifo, now_ms=NOW_MS + 1)) == ["first"]
    assert engine.counts(fifo, now_ms=NOW_MS + 1) == Counts(0, 1, 0)


def test_the_window_is_five_minutes_from_the_original(engine, fifo):
    send_same(engine, fifo)
    assert send_same(engine, fifo, after_ms=WINDOW_MS - 1).duplicate
    assert not send_same(engine, fifo, after_ms=WINDOW_MS).duplicate
    assert send_same(engine, fifo, after_ms=WINDOW_MS + 1).duplicate


def test_duplicates_do_not_lengthen_the_window(engine, fifo):
    send_same(engine, fifo)
    for minute in range(1, 5):
        assert send_same(engine, fifo, after_ms=minute * MINUTE_MS).duplicate
    assert not send_same(engine, fifo, after_ms=WINDOW_MS).duplicate


def test_a_deleted_original_is_still_remembered(engine, fifo):
    original = send_same(engine, fifo)
    (delivery,) = engine.take(fifo).deliveries
    engine.delete(fifo, [receipt(fifo, delivery)], now_ms=NOW_MS)
    again = send_same(engine, fifo, after_ms=1)
    assert (again.duplicate, again.message_id) == (True, original.message_id)
    assert bodies(engine.take(fifo, now_ms=NOW_MS + 1)) == []


def test_an_original_that_moved_to_the_dead_letter_queue_is_still_remembered(engine, fifo):
    dead = engine.make("dead.fifo")
    send_same(engine, fifo)
    engine.take(fifo, hide_ms=0)
    engine.take(fifo, redrive=redrive_to(dead))
    assert send_same(engine, fifo, after_ms=1).duplicate


def test_a_batch_may_repeat_itself(engine, fifo):
    drafts = [draft(body, group="g", dedup="same") for body in ("a", "b")] + [draft("c", group="g")]
    first, second, third = engine.append(fifo.id, drafts)
    assert [one.duplicate for one in (first, second, third)] == [False, True, False]
    assert second.message_id == first.message_id
    assert bodies(engine.take(fifo)) == ["a", "c"]


def test_groups_do_not_matter_when_the_key_is_the_id(engine, fifo):
    send_same(engine, fifo, group="g1")
    assert send_same(engine, fifo, group="g2").duplicate


def test_each_group_has_its_own_ids_when_the_key_holds_the_group(engine, fifo):
    for group in ("g1", "g2"):
        key = deduplication_key("messageGroup", group, "same")
        assert not send_same(engine, fifo, group=group, deduplication_key=key).duplicate
    assert send_same(engine, fifo, group="g1", deduplication_key=key).duplicate


def test_each_queue_has_its_own_ids(engine, fifo):
    send_same(engine, fifo)
    assert not send_same(engine, engine.make("other.fifo")).duplicate


@pytest.mark.parametrize("body", ["a", "b"])
def test_standard_queues_remember_nothing(engine, queue, body):
    engine.send(queue, "a", group_id="g")
    engine.send(queue, body, group_id="g")
    assert bodies(engine.take(queue)) == ["a", body]


def test_sequence_numbers_grow(engine, fifo):
    seqs = [engine.send(fifo, "x", group=f"g{number % 2}")[0].seq for number in range(20)]
    assert seqs == sorted(set(seqs))
