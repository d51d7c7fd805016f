"""Looking on: what a queue has, in which state, with nothing changed by the look."""

import pytest

from emulator.domain.model import Counts, MessageState, VisibilityChange
from emulator.errors import QueueDoesNotExist
from tests.engine.factories import NOW_MS, RETENTION_MS, bodies, draft, order, receipt, redrive_to

VISIBLE, IN_FLIGHT, DELAYED, LOCKED = MessageState


def peek(engine, queue, *, now_ms=NOW_MS, **members):
    """Bodies with their states."""
    return [(one.delivery.body, one.state) for one in engine.peek(queue, now_ms=now_ms, **members)]


def test_messages_are_seen_in_order_with_their_states_and_when_they_become_visible(engine, queue):
    engine.send(queue, "taken")
    engine.take(queue, hide_ms=30_000)
    engine.send(queue, "delayed", delay_ms=5_000)
    engine.send(queue, "visible")
    seen = engine.peek(queue, now_ms=NOW_MS)
    assert [(one.delivery.body, one.state, one.due_ms) for one in seen] == [
        ("taken", IN_FLIGHT, NOW_MS + 30_000),
        ("delayed", DELAYED, NOW_MS + 5_000),
        ("visible", VISIBLE, None),
    ]


def test_a_message_is_seen_with_all_it_has(engine, queue):
    sent = draft("hello", trace_header="Root=1", group_id="tenant")
    (accepted,) = engine.append(queue.id, [sent])
    (seen,) = engine.peek(queue, now_ms=NOW_MS)
    assert (seen.delivery.receive_count, seen.delivery.first_received_ms) == (0, 0)
    assert (seen.delivery.message_id, seen.delivery.seq) == (sent.message_id, accepted.seq)
    assert (seen.delivery.trace_header, seen.delivery.group_id) == ("Root=1", "tenant")
    (taken,) = engine.take(queue).deliveries
    (seen,) = engine.peek(queue, now_ms=NOW_MS)
    assert seen.delivery == taken


def test_a_look_changes_nothing(engine, queue):
    engine.send(queue, *"ab")
    engine.take(queue, limit=1, hide_ms=1_000)
    before = engine.snapshot()
    for now_ms in (NOW_MS, NOW_MS + 1_000, NOW_MS + RETENTION_MS):
        engine.peek(queue, now_ms=now_ms)
    assert engine.snapshot() == before
    assert engine.take(queue, now_ms=NOW_MS + 999, limit=2).deliveries[0].body == "b"
    (again,) = engine.take(queue, now_ms=NOW_MS + 1_000).deliveries
    assert (again.body, again.receive_count) == ("a", 2)


def test_what_time_alone_changes_is_seen_as_changed(engine, queue):
    engine.send(queue, "taken")
    engine.take(queue, hide_ms=30_000)
    engine.send(queue, "delayed", delay_ms=5_000, sent_ms=NOW_MS + 1)
    assert peek(engine, queue, now_ms=NOW_MS + 5_000) == [("taken", IN_FLIGHT), ("delayed", DELAYED)]
    assert peek(engine, queue, now_ms=NOW_MS + 5_001) == [("taken", IN_FLIGHT), ("delayed", VISIBLE)]
    assert peek(engine, queue, now_ms=NOW_MS + 30_000) == [("taken", VISIBLE), ("delayed", VISIBLE)]
    assert peek(engine, queue, now_ms=NOW_MS + RETENTION_MS) == [("delayed", VISIBLE)]
    assert peek(engine, queue, now_ms=NOW_MS + RETENTION_MS + 1) == []


def test_only_the_states_that_are_asked_for_are_seen(engine, queue):
    engine.send(queue, "taken")
    engine.take(queue)
    engine.send(queue, "visible")
    engine.send(queue, "delayed", delay_ms=5_000)
    assert peek(engine, queue, states=[VISIBLE]) == [("visible", VISIBLE)]
    assert peek(engine, queue, states=[DELAYED, IN_FLIGHT]) == [("taken", IN_FLIGHT), ("delayed", DELAYED)]
    assert peek(engine, queue, states=[]) == []


def test_pages_go_on_after_the_last_number(engine, queue):
    engine.send(queue, *"abcde")
    first = engine.peek(queue, now_ms=NOW_MS, limit=2)
    assert [one.delivery.body for one in first] == ["a", "b"]
    second = engine.peek(queue, now_ms=NOW_MS, limit=2, after_seq=first[-1].delivery.seq)
    assert [one.delivery.body for one in second] == ["c", "d"]
    third = engine.peek(queue, now_ms=NOW_MS, limit=2, after_seq=second[-1].delivery.seq)
    assert [one.delivery.body for one in third] == ["e"]
    assert engine.peek(queue, now_ms=NOW_MS, limit=0) == []


def test_messages_are_seen_in_order_of_number_although_claims_have_another(engine, queue):
    engine.send(queue, *"ab")
    for _ in range(3):
        engine.take(queue, limit=1, hide_ms=0)
    assert bodies(engine.take(queue, hide_ms=0)) == ["b", "a"]
    assert peek(engine, queue) == [("a", VISIBLE), ("b", VISIBLE)]


def test_dead_letters_are_seen_with_their_source_and_count(engine, queue):
    dead = engine.make("dead")
    engine.send(queue, "poison")
    engine.take(queue, hide_ms=0)
    engine.take(queue, redrive=redrive_to(dead))
    (seen,) = engine.peek(dead, now_ms=NOW_MS)
    assert (seen.delivery.body, seen.state, seen.delivery.receive_count) == ("poison", VISIBLE, 1)
    assert seen.delivery.dead_letter_source_arn == queue.arn


def test_messages_of_a_group_are_locked_behind_one_in_flight(engine, fifo):
    engine.append(fifo.id, [draft(name, group=name[:2]) for name in ("g1-a", "g2-a", "g1-b", "g1-c")])
    (first,) = engine.take(fifo, limit=1, hide_ms=30_000).deliveries
    assert peek(engine, fifo) == [
        ("g1-a", IN_FLIGHT),
        ("g2-a", VISIBLE),
        ("g1-b", LOCKED),
        ("g1-c", LOCKED),
    ]
    locked = engine.peek(fifo, now_ms=NOW_MS, states=[LOCKED], after_seq=first.seq, limit=1)
    assert [(one.delivery.body, one.due_ms) for one in locked] == [("g1-b", None)]
    assert [state for _, state in peek(engine, fifo, now_ms=NOW_MS + 30_000)] == [VISIBLE] * 4


def test_messages_of_a_group_are_locked_behind_a_delayed_one(engine, fifo):
    engine.append(fifo.id, [draft("first", group="g", delay_ms=5_000), draft("second", group="g")])
    assert peek(engine, fifo) == [("first", DELAYED), ("second", LOCKED)]


def test_messages_before_the_one_in_flight_are_not_locked(engine, fifo):
    engine.append(fifo.id, [draft(body, group="g") for body in "abc"])
    first, _ = engine.take(fifo, limit=2).deliveries
    engine.set_visibility(fifo, [VisibilityChange(receipt(fifo, first), 0)], now_ms=NOW_MS)
    assert peek(engine, fifo) == [("a", VISIBLE), ("b", IN_FLIGHT), ("c", LOCKED)]


def test_an_expired_message_locks_no_group(engine, fifo):
    engine.send(fifo, "old", group="g", sent_ms=NOW_MS)
    engine.take(fifo, hide_ms=2 * RETENTION_MS)
    engine.send(fifo, "young", group="g", sent_ms=NOW_MS + 1)
    assert peek(engine, fifo, now_ms=NOW_MS + 1) == [("old", IN_FLIGHT), ("young", LOCKED)]
    assert peek(engine, fifo, now_ms=NOW_MS + RETENTION_MS) == [("young", VISIBLE)]


def test_a_fair_queue_locks_no_message(engine, queue):
    engine.append(queue.id, [draft(body, group_id="tenant") for body in "ab"])
    engine.take(queue, limit=1)
    assert peek(engine, queue) == [("a", IN_FLIGHT), ("b", VISIBLE)]


def test_a_queue_that_is_gone_cannot_be_looked_at(engine, queue):
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    for look in (engine.peek, engine.touch):
        with pytest.raises(QueueDoesNotExist):
            look(queue, now_ms=NOW_MS)


# Touching


def test_a_touch_says_when_the_next_hidden_message_becomes_visible(engine, queue):
    assert engine.touch(queue, now_ms=NOW_MS) is None
    engine.send(queue, "visible")
    assert engine.touch(queue, now_ms=NOW_MS) is None
    engine.take(queue, hide_ms=30_000)
    engine.send(queue, "delayed", delay_ms=5_000)
    assert engine.touch(queue, now_ms=NOW_MS) == NOW_MS + 5_000
    assert engine.touch(queue, now_ms=NOW_MS + 5_000) == NOW_MS + 30_000
    assert engine.touch(queue, now_ms=NOW_MS + 30_000) is None
    assert engine.counts(queue, now_ms=NOW_MS + 30_000) == Counts(2, 0, 0)


def test_a_touch_counts_no_receive(engine, queue):
    engine.send(queue, "hello")
    engine.take(queue, hide_ms=1_000)
    engine.touch(queue, now_ms=NOW_MS + 1_000)
    (delivery,) = engine.claim(queue, order(now_ms=NOW_MS + 1_000)).deliveries
    assert delivery.receive_count == 2
