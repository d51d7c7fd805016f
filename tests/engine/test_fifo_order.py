"""FIFO queues: groups and their order, by the cases recorded from AWS (spec 3.11)."""

import pytest

from emulator.domain.model import Claim, Counts, DeadLettered, Outcome, VisibilityChange
from tests.engine.factories import NOW_MS, SECOND_MS, bodies, draft, receipt, redrive_to

HALF_A_DAY_MS = 43_200_000


@pytest.fixture
def sent(engine, fifo):
    """Sends messages in the order of their names: "g1-m2" is one of group g1."""

    def send(*names, delay_ms=0, now_ms=NOW_MS):
        drafts = [draft(name, group=name.split("-")[0], delay_ms=delay_ms, sent_ms=now_ms) for name in names]
        return engine.append(fifo.id, drafts)

    return send


@pytest.fixture
def take(engine, fifo):
    """Claims messages; answers their names, and keeps their receipts."""

    def claim(limit=10, *, after_ms=0, **members):
        found = engine.take(fifo, limit=limit, now_ms=NOW_MS + after_ms, **members)
        claim.receipts |= {one.body: receipt(fifo, one) for one in found.deliveries}
        return bodies(found)

    claim.receipts = {}
    return claim


@pytest.fixture
def delete(engine, fifo, take):
    def delete_messages(*names, after_ms=0):
        held = [take.receipts[name] for name in names]
        return list(engine.delete(fifo, held, now_ms=NOW_MS + after_ms))

    return delete_messages


@pytest.fixture
def hide(engine, fifo, take):
    def set_visibility(name, timeout_ms, *, after_ms=0):
        change = VisibilityChange(take.receipts[name], timeout_ms)
        (outcome,) = engine.set_visibility(fifo, [change], now_ms=NOW_MS + after_ms)
        return outcome

    return set_visibility


# The recorded cases


def test_one_group_is_emptied_before_the_next(sent, take):
    sent("g1-m1", "g2-m1", "g1-m2", "g1-m3")
    assert take() == ["g1-m1", "g1-m2", "g1-m3", "g2-m1"]


def test_a_group_with_messages_in_flight_is_locked(sent, take):
    sent("g1-m1", "g1-m2", "g1-m3", "g1-m4", "g2-m1", "g3-m1")
    assert take(2) == ["g1-m1", "g1-m2"]
    assert take(1) == ["g2-m1"]


def test_groups_whose_timeouts_ended_come_after_the_one_that_was_there(sent, take):
    sent("g1-m1", "g1-m2", "g1-m3", "g1-m4", "g2-m1", "g3-m1")
    take(2, hide_ms=SECOND_MS)
    take(1, after_ms=1, hide_ms=SECOND_MS)
    assert take(after_ms=2_000) == ["g3-m1", "g1-m1", "g1-m2", "g1-m3", "g1-m4", "g2-m1"]


def test_a_group_whose_messages_in_flight_were_deleted_goes_on(sent, take, delete):
    sent("g1-m1", "g2-m1", "g1-m2", "g2-m2", "g1-m3", "g1-m4", "g3-m1")
    assert take(2) == ["g1-m1", "g1-m2"]
    assert delete("g1-m1", "g1-m2") == [Outcome.DONE, Outcome.DONE]
    assert take() == ["g2-m1", "g2-m2", "g1-m3", "g1-m4", "g3-m1"]


def test_a_group_of_which_only_the_first_message_was_deleted_stays_locked(sent, take, delete):
    sent("g1-m1", "g2-m1", "g1-m2", "g2-m2", "g1-m3", "g1-m4", "g3-m1")
    assert take(2) == ["g1-m1", "g1-m2"]
    delete("g1-m1")
    assert take() == ["g2-m1", "g2-m2", "g3-m1"]


def test_a_first_message_that_is_given_back_comes_alone_and_after_the_others(sent, take, hide):
    sent("g1-m1", "g1-m2", "g2-m1")
    assert take(2) == ["g1-m1", "g1-m2"]
    assert hide("g1-m1", 0, after_ms=1) is Outcome.DONE
    assert take(3, after_ms=1) == ["g2-m1", "g1-m1"]


@pytest.mark.parametrize(
    ("extended", "expected"),
    [("g1-m1", []), ("g1-m2", ["g1-m1"]), ("g1-m3", ["g1-m1", "g1-m2"])],
)
def test_a_run_ends_before_the_message_whose_timeout_was_extended(sent, take, hide, extended, expected):
    sent("g1-m1", "g1-m2", "g1-m3")
    take(hide_ms=SECOND_MS)
    hide(extended, 4 * SECOND_MS)
    assert take(after_ms=2_500) == expected


def test_with_timeouts_of_0_groups_take_turns(sent, take):
    sent("g1-m1", "g2-m1", "g2-m2", "g3-m1", "g1-m2")
    assert take(3, after_ms=1, hide_ms=0) == ["g1-m1", "g1-m2", "g2-m1"]
    assert take(after_ms=2, hide_ms=0) == ["g3-m1", "g1-m1", "g1-m2", "g2-m1", "g2-m2"]


def test_a_new_message_does_not_open_its_group_and_a_delete_does(engine, fifo, sent, take, delete):
    sent("g1-m1")
    take(hide_ms=30_000)
    sent("g1-m2", now_ms=NOW_MS + 1)
    assert engine.take(fifo, now_ms=NOW_MS + 1) == Claim(next_due_ms=NOW_MS + 30_000)
    delete("g1-m1")
    assert take(after_ms=1) == ["g1-m2"]


def test_messages_of_a_locked_group_count_as_visible(engine, fifo, sent, take):
    sent("g1-m1", "g1-m2", "g1-m3", "g2-m1")
    take(1)
    assert engine.counts(fifo, now_ms=NOW_MS) == Counts(visible=3, in_flight=1, delayed=0)


# More of the two rules behind them


def test_messages_whose_timeouts_end_together_come_in_their_order(sent, take):
    sent("g1-m1", "g1-m2", "g1-m3")
    take(hide_ms=SECOND_MS)
    assert take(after_ms=1_000) == ["g1-m1", "g1-m2", "g1-m3"]


def test_a_limit_may_cut_a_group_in_two_and_the_rest_waits(sent, take, delete):
    sent("g1-m1", "g1-m2", "g1-m3")
    assert take(2) == ["g1-m1", "g1-m2"]
    assert take() == []
    delete("g1-m2")
    assert take() == []
    delete("g1-m1")
    assert take() == ["g1-m3"]


def test_an_emptied_group_works_again(sent, take, delete):
    for number in (1, 2, 3):
        sent(f"g1-m{number}")
        assert take() == [f"g1-m{number}"]
        delete(f"g1-m{number}")
        assert take() == []


def test_a_delayed_message_holds_up_its_group(sent, take):
    sent("g1-m1", delay_ms=5_000)
    sent("g1-m2", "g2-m1")
    assert take(hide_ms=0) == ["g2-m1"]
    assert take(after_ms=5_000) == ["g2-m1", "g1-m1", "g1-m2"]


def test_an_empty_claim_says_when_the_next_group_opens(engine, fifo, sent, take):
    sent("g1-m1", "g2-m1")
    take(1, hide_ms=9_000)
    take(1, hide_ms=5_000)
    assert engine.take(fifo) == Claim(next_due_ms=NOW_MS + 5_000)


def test_an_empty_queue_has_nothing_to_wait_for(engine, fifo, sent, take, delete):
    sent("g1-m1")
    take()
    delete("g1-m1")
    assert engine.take(fifo) == Claim()


def test_more_groups_than_the_limit_are_served_in_order(sent, take):
    sent(*(f"g{number}-m1" for number in range(25)))
    assert take() == [f"g{number}-m1" for number in range(10)]
    assert take() == [f"g{number}-m1" for number in range(10, 20)]
    assert take() == [f"g{number}-m1" for number in range(20, 25)]


def test_an_expired_first_message_does_not_hold_up_its_group(engine, fifo, sent, take):
    sent("g1-m1")
    sent("g1-m2", now_ms=NOW_MS + 5_000)
    take(hide_ms=HALF_A_DAY_MS)
    assert take(after_ms=4 * 86_400_000) == ["g1-m2"]
    assert engine.counts(fifo, now_ms=NOW_MS + 4 * 86_400_000) == Counts(0, 1, 0)


# Receipts of FIFO queues


def test_a_receipt_ends_with_its_timeout(sent, take, delete, hide):
    sent("g1-m1")
    take(hide_ms=5_000)
    assert hide("g1-m1", 9_000, after_ms=5_000) is Outcome.EXPIRED
    assert delete("g1-m1", after_ms=5_000) == [Outcome.EXPIRED]
    assert take(after_ms=5_000) == ["g1-m1"]


def test_an_extension_counts_for_the_receipt(sent, take, delete, hide):
    sent("g1-m1")
    take(hide_ms=5_000)
    assert hide("g1-m1", 9_000, after_ms=4_000) is Outcome.DONE
    assert delete("g1-m1", after_ms=12_999) == [Outcome.DONE]


def test_the_receipt_of_an_earlier_receive_has_ended(engine, fifo, sent, take):
    sent("g1-m1")
    take(hide_ms=5_000)
    first = take.receipts["g1-m1"]
    take(after_ms=5_000)
    assert list(engine.delete(fifo, [first], now_ms=NOW_MS + 5_001)) == [Outcome.EXPIRED]


def test_deleting_twice_finds_the_message_gone(sent, take, delete):
    sent("g1-m1")
    take()
    assert delete("g1-m1", "g1-m1") == [Outcome.DONE, Outcome.GONE]


def test_no_message_is_hidden_for_more_than_twelve_hours(sent, take, hide):
    sent("g1-m1")
    take()
    assert hide("g1-m1", HALF_A_DAY_MS, after_ms=1) is Outcome.BEYOND_LIMIT
    assert hide("g1-m1", HALF_A_DAY_MS - 1, after_ms=1) is Outcome.DONE


# Dead letters of FIFO queues


@pytest.fixture
def dead(engine):
    return engine.make("dead.fifo")


def test_a_move_opens_the_group_for_its_next_message(engine, fifo, sent, take, dead):
    first, _ = sent("g1-m1", "g1-m2")
    take(1, hide_ms=0)
    claim = engine.take(fifo, redrive=redrive_to(dead))
    assert bodies(claim) == ["g1-m2"]
    assert claim.dead_lettered == (DeadLettered(first.message_id, dead.id),)


def test_a_moved_message_keeps_its_group_and_is_told_apart_by_its_message_id(engine, fifo, sent, take, dead):
    (accepted,) = sent("g1-m1")
    take(hide_ms=0)
    engine.take(fifo, now_ms=NOW_MS + 5, redrive=redrive_to(dead))
    (moved,) = engine.take(dead, now_ms=NOW_MS + 5).deliveries
    assert (moved.message_id, moved.group_id) == (accepted.message_id, "g1")
    assert moved.deduplication_id == accepted.message_id
    assert (moved.receive_count, moved.dead_letter_source_arn) == (2, fifo.arn)
    assert moved.sent_ms == NOW_MS + 5
    assert moved.seq > accepted.seq


def test_moved_messages_keep_the_order_of_their_group(engine, fifo, sent, take, dead):
    sent("g1-m1", "g1-m2", "g2-m1")
    take(hide_ms=0)
    assert bodies(engine.take(fifo, redrive=redrive_to(dead))) == []
    assert bodies(engine.take(dead)) == ["g1-m1", "g1-m2", "g2-m1"]
    assert engine.counts(fifo, now_ms=NOW_MS) == Counts(0, 0, 0)


def test_an_emptied_group_works_again_after_a_move(engine, fifo, sent, take, dead):
    sent("g1-m1")
    take(hide_ms=0)
    engine.take(fifo, redrive=redrive_to(dead))
    sent("g1-m2")
    assert take() == ["g1-m2"]


def test_at_the_limit_of_messages_in_flight_nothing_is_claimed(engine, fifo, sent, take):
    sent("g1-m1", "g2-m1", "g3-m1")
    take(2, hide_ms=5_000)
    assert engine.take(fifo, in_flight_limit=2) == Claim(over_limit=True, next_due_ms=NOW_MS + 5_000)
    assert take(after_ms=5_000, in_flight_limit=2) == ["g3-m1", "g1-m1"]
