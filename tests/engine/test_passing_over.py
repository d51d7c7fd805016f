"""Claims that leave some visible messages of a standard queue where they are."""

import pytest

from emulator.domain.model import Counts, DeadLettered
from tests.engine.factories import NOW_MS, bodies, draft, redrive_to

MAX_PASSED = 10_000


def seqs(accepted, *places):
    return frozenset(accepted[place].seq for place in places)


def test_messages_that_are_passed_over_keep_their_place(engine, queue):
    accepted = engine.send(queue, *"abcde")
    passed = seqs(accepted, 0, 2)
    assert bodies(engine.take(queue, limit=2, passes_over=passed.__contains__)) == ["b", "d"]
    engine.send(queue, "f")
    assert bodies(engine.take(queue)) == ["a", "c", "e", "f"]


def test_a_claim_that_passes_over_everything_is_empty(engine, queue):
    engine.send(queue, *"abc")
    assert bodies(engine.take(queue, passes_over=lambda seq: True)) == []
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(3, 0, 0)
    assert bodies(engine.take(queue)) == list("abc")


def test_messages_that_are_passed_over_count_no_receive(engine, queue):
    (accepted,) = engine.send(queue, "hello")
    for _ in range(3):
        engine.take(queue, passes_over=lambda seq: True)
    (delivery,) = engine.take(queue).deliveries
    assert (delivery.seq, delivery.receive_count) == (accepted.seq, 1)


def test_messages_that_have_returned_are_passed_over_too(engine, queue):
    accepted = engine.send(queue, *"abc")
    engine.take(queue, hide_ms=1_000)
    late = {"now_ms": NOW_MS + 1_000, "hide_ms": 0}
    assert bodies(engine.take(queue, passes_over=seqs(accepted, 1).__contains__, **late)) == ["a", "c"]
    assert bodies(engine.take(queue, **late)) == ["a", "b", "c"]


def test_messages_that_are_passed_over_do_not_move_to_the_dead_letter_queue(engine, queue):
    dead = engine.make("dead")
    accepted = engine.send(queue, *"ab")
    engine.take(queue, hide_ms=0)
    claim = engine.take(queue, redrive=redrive_to(dead), passes_over=seqs(accepted, 0).__contains__)
    assert claim.dead_lettered == (DeadLettered(accepted[1].message_id, dead.id),)
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(1, 0, 0)


def test_a_fair_queue_passes_over_messages_of_noisy_and_of_quiet_tenants(engine, queue):
    engine.append(queue.id, [draft(f"noisy-{number}", group_id="noisy") for number in range(31)])
    engine.take(queue, limit=30)
    accepted = engine.append(queue.id, [draft(f"quiet-{number}", group_id="quiet") for number in range(2)])
    passed = seqs(accepted, 0)
    assert bodies(engine.take(queue, hide_ms=0, passes_over=passed.__contains__)) == ["quiet-1", "noisy-30"]
    assert bodies(engine.take(queue, hide_ms=0)) == ["quiet-0", "quiet-1", "noisy-30"]


def test_a_claim_looks_past_no_more_than_so_many(engine, queue):
    passed = engine.append(queue.id, [draft("passed") for _ in range(MAX_PASSED)])
    engine.send(queue, "beyond")
    numbers = {one.seq for one in passed}
    assert bodies(engine.take(queue, passes_over=numbers.__contains__)) == []
    numbers.remove(passed[-1].seq)
    assert bodies(engine.take(queue, passes_over=numbers.__contains__)) == ["passed", "beyond"]


@pytest.mark.parametrize("passes_over", [lambda seq: True, None])
def test_a_fifo_queue_passes_over_nothing(engine, fifo, passes_over):
    engine.append(fifo.id, [draft(body, group="g") for body in "ab"])
    assert bodies(engine.take(fifo, passes_over=passes_over)) == ["a", "b"]
