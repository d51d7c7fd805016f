"""Whoever watches an engine is told what happens to messages by time alone."""

import msgspec
import pytest

from emulator.domain.model import VisibilityChange
from tests.engine.factories import (
    DAY_MS,
    NOW_MS,
    RETENTION_MS,
    bodies,
    draft,
    receipt,
    with_attributes,
)


class Notes:
    """Takes down what it is told."""

    def __init__(self):
        self.taken = []

    def returned(self, queue_id, message_id, seq, at_ms):
        self.taken.append(("returned", queue_id, message_id, seq, at_ms))

    def expired(self, queue_id, message_id, seq, at_ms):
        self.taken.append(("expired", queue_id, message_id, seq, at_ms))

    def of(self, *messages):
        """Event and moment of each note about these accepted messages, by their places in the list."""
        found = []
        for event, _, message_id, seq, at_ms in self.taken:
            place = [(one.message_id, one.seq) for one in messages].index((message_id, seq))
            found.append((event, place, at_ms - NOW_MS))
        return found


@pytest.fixture
def notes(engine):
    notes = Notes()
    engine.engine.watch(notes)
    return notes


@pytest.mark.parametrize("kind", ["standard", "fifo"])
def test_a_message_whose_timeout_ends_has_returned_at_that_moment(engine, notes, kind):
    queue = engine.make("orders.fifo" if kind == "fifo" else "orders")
    members = {"group": "g"} if kind == "fifo" else {}
    (sent,) = engine.send(queue, "hello", **members)
    engine.take(queue, hide_ms=30_000)
    engine.touch(queue, now_ms=NOW_MS + 29_999)
    assert notes.taken == []
    engine.touch(queue, now_ms=NOW_MS + 90_000)
    engine.touch(queue, now_ms=NOW_MS + 90_000)
    assert notes.taken == [("returned", queue.id, sent.message_id, sent.seq, NOW_MS + 30_000)]


def test_a_claim_tells_what_it_finds(engine, queue, notes):
    (sent,) = engine.send(queue, "hello")
    engine.take(queue, hide_ms=1_000)
    assert bodies(engine.take(queue, now_ms=NOW_MS + 2_000)) == ["hello"]
    assert notes.of(sent) == [("returned", 0, 1_000)]


def test_the_moment_is_that_of_the_last_change_of_the_visibility(engine, queue, notes):
    (sent,) = engine.send(queue, "hello")
    (delivery,) = engine.take(queue, hide_ms=1_000).deliveries
    engine.set_visibility(queue, [VisibilityChange(receipt(queue, delivery), 9_000)], now_ms=NOW_MS)
    engine.touch(queue, now_ms=NOW_MS + 20_000)
    assert notes.of(sent) == [("returned", 0, 9_000)]


def test_what_a_call_makes_visible_has_not_returned_by_itself(engine, queue, notes):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue, hide_ms=1_000).deliveries
    engine.set_visibility(queue, [VisibilityChange(receipt(queue, delivery), 0)], now_ms=NOW_MS)
    engine.take(queue, hide_ms=0)
    engine.touch(queue, now_ms=NOW_MS + 20_000)
    assert notes.taken == []


def test_the_end_of_a_delay_is_no_return(engine, queue, notes):
    engine.send(queue, "hello", delay_ms=5_000)
    engine.touch(queue, now_ms=NOW_MS + 5_000)
    assert notes.taken == []


def test_messages_return_in_the_order_of_their_moments(engine, queue, notes):
    sent = engine.send(queue, *"ab")
    engine.take(queue, limit=1, hide_ms=20_000)
    engine.take(queue, limit=1, hide_ms=10_000)
    engine.touch(queue, now_ms=NOW_MS + 20_000)
    assert notes.of(*sent) == [("returned", 1, 10_000), ("returned", 0, 20_000)]


def test_a_message_expires_at_the_end_of_its_retention_period(engine, queue, notes):
    (sent,) = engine.send(queue, "hello")
    engine.touch(queue, now_ms=NOW_MS + RETENTION_MS - 1)
    assert notes.taken == []
    engine.touch(queue, now_ms=NOW_MS + RETENTION_MS + 5)
    engine.touch(queue, now_ms=NOW_MS + RETENTION_MS + 5)
    assert notes.taken == [("expired", queue.id, sent.message_id, sent.seq, NOW_MS + RETENTION_MS)]


def test_a_message_that_returned_unseen_before_it_expired_has_done_both(engine, queue, notes):
    sent = engine.send(queue, *"ab")
    engine.take(queue, limit=1, hide_ms=30_000)
    engine.take(queue, limit=1, hide_ms=2 * RETENTION_MS)
    engine.touch(queue, now_ms=NOW_MS + RETENTION_MS)
    assert notes.of(*sent) == [
        ("returned", 0, 30_000),
        ("expired", 0, RETENTION_MS),
        ("expired", 1, RETENTION_MS),
    ]


def test_a_shorter_period_lets_messages_expire_when_it_is_set(engine, queue, notes):
    (sent,) = engine.send(queue, "hello")
    change_ms = NOW_MS + 2 * DAY_MS

    def shorten(queue):
        return msgspec.structs.replace(
            with_attributes(queue, MessageRetentionPeriod="3600"), modified_ms=change_ms
        )

    queue = engine.update_queue(queue.id, shorten)
    engine.touch(queue, now_ms=change_ms + 10)
    assert notes.of(sent) == [("expired", 0, 2 * DAY_MS)]


def test_dead_letters_that_are_older_than_others_expire_at_their_own_moment(engine, queue, notes):
    (young,) = engine.send(queue, "young", sent_ms=NOW_MS + 10)
    (stray,) = engine.append(queue.id, [draft("stray", sent_ms=NOW_MS)])
    engine.touch(queue, now_ms=NOW_MS + RETENTION_MS)
    assert notes.of(young, stray) == [("expired", 1, RETENTION_MS)]


def test_deleted_and_purged_messages_neither_return_nor_expire(engine, queue, notes):
    engine.send(queue, *"abc")
    (delivery, _) = engine.take(queue, limit=2, hide_ms=1_000).deliveries
    engine.delete(queue, [receipt(queue, delivery)], now_ms=NOW_MS)
    engine.purge(queue.id, now_ms=NOW_MS, lock_ms=0)
    engine.touch(queue, now_ms=NOW_MS + 2 * RETENTION_MS)
    assert notes.taken == []


def test_a_look_tells_nothing(engine, queue, notes):
    engine.send(queue, "hello")
    engine.take(queue, hide_ms=1_000)
    engine.peek(queue, now_ms=NOW_MS + 2 * RETENTION_MS)
    assert notes.taken == []


def test_nobody_is_told_any_more_after_the_watch_ends(engine, queue, notes):
    engine.send(queue, "hello")
    engine.take(queue, hide_ms=1_000)
    engine.engine.watch(None)
    engine.touch(queue, now_ms=NOW_MS + 2_000)
    assert notes.taken == []


def test_the_watch_goes_on_over_a_restore(engine, queue, notes):
    (sent,) = engine.send(queue, "hello")
    engine.take(queue, hide_ms=1_000)
    engine.restore(engine.snapshot())
    engine.touch(queue, now_ms=NOW_MS + 2_000)
    assert notes.of(sent) == [("returned", 0, 1_000)]
