"""Messages of standard queues: order of claims, counts, expiry, receipts and dead letters."""

import pytest

from emulator.domain.model import (
    Claim,
    Counts,
    DeadLettered,
    MessageAttributeValue,
    Outcome,
    Receipt,
    VisibilityChange,
)
from tests.engine.factories import (
    MINUTE_MS,
    NOW_MS,
    RETENTION_MS,
    SECOND_MS,
    bodies,
    draft,
    order,
    receipt,
    redrive_to,
    with_attributes,
)

HALF_A_DAY_MS = 43_200_000


def test_appended_messages_are_accepted_in_order_under_their_ids(engine, queue):
    drafts = [draft("a"), draft("b"), draft("c")]
    accepted = engine.append(queue.id, drafts)
    assert [one.message_id for one in accepted] == [one.message_id for one in drafts]
    assert [one.duplicate for one in accepted] == [False] * 3
    seqs = [one.seq for one in accepted]
    assert seqs == sorted(set(seqs))


def test_a_delivery_has_all_that_was_sent(engine, queue):
    attributes = {
        "color": MessageAttributeValue(string_value="blue", data_type="String"),
        "blob": MessageAttributeValue(binary_value=b"\x00\xff", data_type="Binary.png"),
    }
    sent = draft("Grüße\r\n", attributes=attributes, trace_header="Root=1", group_id="g")
    engine.append(queue.id, [sent])
    (delivery,) = engine.take(queue, now_ms=NOW_MS + 5).deliveries
    assert (delivery.message_id, delivery.body, delivery.attributes) == (
        sent.message_id,
        sent.body,
        attributes,
    )
    assert (delivery.sender_id, delivery.trace_header, delivery.group_id) == ("AIDASENDER", "Root=1", "g")
    assert (delivery.sent_ms, delivery.first_received_ms, delivery.receive_count) == (NOW_MS, NOW_MS + 5, 1)
    assert delivery.dead_letter_source_arn is None


def test_messages_are_claimed_in_the_order_in_which_they_were_appended(engine, queue):
    engine.send(queue, *"abc")
    engine.send(queue, *"def", sent_ms=NOW_MS + 1)
    assert bodies(engine.take(queue, limit=4, now_ms=NOW_MS + 1)) == list("abcd")
    assert bodies(engine.take(queue, limit=4, now_ms=NOW_MS + 1)) == list("ef")


def test_a_claim_takes_no_more_than_its_limit(engine, queue):
    engine.send(queue, *"abc")
    assert bodies(engine.take(queue, limit=1)) == ["a"]
    assert bodies(engine.take(queue, limit=10)) == ["b", "c"]


def test_claimed_messages_are_hidden_for_as_long_as_was_said(engine, queue):
    engine.send(queue, "hello")
    engine.take(queue, hide_ms=5 * SECOND_MS)
    late_ms = NOW_MS + 5 * SECOND_MS
    assert bodies(engine.take(queue, now_ms=late_ms - 1)) == []
    assert bodies(engine.take(queue, now_ms=late_ms)) == ["hello"]


def test_messages_hidden_for_no_time_can_be_claimed_again_at_once(engine, queue):
    engine.send(queue, "hello")
    counted = [engine.take(queue, hide_ms=0).deliveries[0].receive_count for _ in range(3)]
    assert counted == [1, 2, 3]


def test_a_message_that_is_visible_again_comes_before_those_sent_in_the_meantime(engine, queue):
    engine.send(queue, "old")
    engine.take(queue, hide_ms=SECOND_MS)
    engine.send(queue, "new", sent_ms=NOW_MS + 1)
    assert bodies(engine.take(queue, now_ms=NOW_MS + SECOND_MS)) == ["old", "new"]


def test_the_first_receive_stays_and_the_count_grows(engine, queue):
    engine.send(queue, "hello")
    for count in (1, 2, 3):
        (delivery,) = engine.take(queue, now_ms=NOW_MS + count, hide_ms=0).deliveries
        assert (delivery.first_received_ms, delivery.receive_count) == (NOW_MS + 1, count)


def test_concurrent_claims_never_get_the_same_message(engine, queue):
    for number in range(5):
        engine.send(queue, *(f"{number}-{index}" for index in range(10)))
    claims = engine.together(*(engine.engine.claim(queue, order(limit=7)) for _ in range(10)))
    claimed = [body for claim in claims for body in bodies(claim)]
    assert len(claimed) == len(set(claimed)) == 50


# When to look again


def test_an_empty_queue_has_nothing_to_wait_for(engine, queue):
    assert engine.take(queue) == Claim()


def test_an_empty_claim_says_when_the_next_message_is_due(engine, queue):
    engine.send(queue, "late", delay_ms=9_000)
    engine.send(queue, "soon", delay_ms=5_000)
    assert engine.take(queue) == Claim(next_due_ms=NOW_MS + 5_000)


def test_an_empty_claim_knows_of_messages_in_flight(engine, queue):
    engine.send(queue, "a", "b")
    engine.take(queue, limit=1, hide_ms=9_000)
    engine.take(queue, limit=1, hide_ms=5_000)
    assert engine.take(queue) == Claim(next_due_ms=NOW_MS + 5_000)


def test_a_claim_that_got_something_says_nothing_about_later(engine, queue):
    engine.send(queue, "now")
    engine.send(queue, "late", delay_ms=5_000)
    claim = engine.take(queue)
    assert (bodies(claim), claim.next_due_ms) == (["now"], None)


# Delays and counts


def test_a_delayed_message_is_claimed_when_it_is_due(engine, queue):
    engine.send(queue, "hello", delay_ms=5_000)
    assert bodies(engine.take(queue, now_ms=NOW_MS + 4_999)) == []
    assert bodies(engine.take(queue, now_ms=NOW_MS + 5_000)) == ["hello"]


def test_every_message_is_counted_once(engine, queue):
    engine.send(queue, *"abc")
    engine.send(queue, "delayed", delay_ms=5_000)
    engine.take(queue, limit=1, hide_ms=7_000)
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(visible=2, in_flight=1, delayed=1)
    assert engine.counts(queue, now_ms=NOW_MS + 5_000) == Counts(visible=3, in_flight=1, delayed=0)
    assert engine.counts(queue, now_ms=NOW_MS + 7_000) == Counts(visible=4, in_flight=0, delayed=0)


def test_deletes_are_counted_once_each(engine, queue):
    engine.send(queue, "a", "b")
    first, _ = engine.take(queue).deliveries
    for outcome in (Outcome.DONE, Outcome.GONE):
        assert list(engine.delete(queue, [receipt(queue, first)], now_ms=NOW_MS)) == [outcome]
        assert engine.counts(queue, now_ms=NOW_MS) == Counts(0, 1, 0)


# Expiry


def test_messages_go_when_the_retention_period_is_over(engine, queue):
    engine.send(queue, "old")
    engine.send(queue, "new", sent_ms=NOW_MS + 1)
    late_ms = NOW_MS + RETENTION_MS
    assert engine.counts(queue, now_ms=late_ms - 1) == Counts(2, 0, 0)
    assert engine.counts(queue, now_ms=late_ms) == Counts(1, 0, 0)
    assert bodies(engine.take(queue, now_ms=late_ms)) == ["new"]


def test_messages_in_flight_and_delayed_ones_go_too(engine, queue):
    brief = with_attributes(queue, MessageRetentionPeriod="60")
    engine.send(queue, "in flight")
    engine.take(brief, hide_ms=MINUTE_MS * 2)
    engine.send(queue, "delayed", delay_ms=MINUTE_MS * 2)
    assert engine.counts(brief, now_ms=NOW_MS + MINUTE_MS) == Counts(0, 0, 0)
    assert engine.take(brief, now_ms=NOW_MS + MINUTE_MS) == Claim()


def test_a_great_many_messages_go_at_once(engine, queue):
    engine.append(queue.id, [draft() for _ in range(1_501)])
    assert engine.take(queue, now_ms=NOW_MS + RETENTION_MS) == Claim()
    assert engine.counts(queue, now_ms=NOW_MS + RETENTION_MS) == Counts(0, 0, 0)


def test_an_expired_message_is_gone_for_deletes_and_changes(engine, queue):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue).deliveries
    held, late_ms = receipt(queue, delivery), NOW_MS + RETENTION_MS
    assert list(engine.set_visibility(queue, [VisibilityChange(held, 0)], now_ms=late_ms)) == [Outcome.GONE]
    assert list(engine.delete(queue, [held], now_ms=late_ms)) == [Outcome.GONE]


# Deleting and changing visibility


def test_outcomes_of_deletes_stand_in_order(engine, queue):
    engine.send(queue, "a", "b")
    first, second = (receipt(queue, one) for one in engine.take(queue).deliveries)
    unknown = Receipt(queue.id, 999_999, 1)
    outcomes = engine.delete(queue, [second, unknown, first, second], now_ms=NOW_MS)
    assert list(outcomes) == [Outcome.DONE, Outcome.GONE, Outcome.DONE, Outcome.GONE]


@pytest.mark.parametrize("later_ms", [0, 5_000, 60_000])
def test_any_receipt_of_a_message_deletes_it(engine, queue, later_ms):
    engine.send(queue, "hello")
    (first,) = engine.take(queue, hide_ms=5_000).deliveries
    engine.take(queue, now_ms=NOW_MS + later_ms)
    assert list(engine.delete(queue, [receipt(queue, first)], now_ms=NOW_MS + later_ms)) == [Outcome.DONE]
    assert bodies(engine.take(queue, now_ms=NOW_MS + 5 * MINUTE_MS)) == []


def test_a_receipt_of_another_queue_deletes_nothing(engine, queue):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue, hide_ms=0).deliveries
    other = engine.make("other")
    assert list(engine.delete(other, [receipt(other, delivery)], now_ms=NOW_MS)) == [Outcome.GONE]
    assert bodies(engine.take(queue)) == ["hello"]


def change(engine, queue, delivery, timeout_ms, now_ms=NOW_MS):
    changes = [VisibilityChange(receipt(queue, delivery), timeout_ms)]
    (outcome,) = engine.set_visibility(queue, changes, now_ms=now_ms)
    return outcome


def test_a_changed_timeout_counts_from_the_change(engine, queue):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue, hide_ms=5_000).deliveries
    assert change(engine, queue, delivery, 9_000, NOW_MS + 1_000) is Outcome.DONE
    assert engine.take(queue, now_ms=NOW_MS + 9_999) == Claim(next_due_ms=NOW_MS + 10_000)
    assert bodies(engine.take(queue, now_ms=NOW_MS + 10_000)) == ["hello"]


def test_a_timeout_of_0_shows_the_message_at_once(engine, queue):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue).deliveries
    change(engine, queue, delivery, 0)
    assert bodies(engine.take(queue)) == ["hello"]


def test_a_visible_message_can_be_hidden(engine, queue):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue, hide_ms=0).deliveries
    assert change(engine, queue, delivery, 5_000) is Outcome.DONE
    assert engine.take(queue) == Claim(next_due_ms=NOW_MS + 5_000)


def test_no_message_is_hidden_for_more_than_twelve_hours_from_its_receive(engine, queue):
    engine.send(queue, "hello")
    (delivery,) = engine.take(queue).deliveries
    later_ms = NOW_MS + 10_000
    assert change(engine, queue, delivery, HALF_A_DAY_MS - 10_000, later_ms) is Outcome.DONE
    assert change(engine, queue, delivery, HALF_A_DAY_MS - 9_999, later_ms) is Outcome.BEYOND_LIMIT
    assert engine.take(queue, now_ms=later_ms) == Claim(next_due_ms=NOW_MS + HALF_A_DAY_MS)


def test_outcomes_of_changes_stand_in_order(engine, queue):
    engine.send(queue, "a", "b")
    first, second = (receipt(queue, one) for one in engine.take(queue).deliveries)
    engine.delete(queue, [first], now_ms=NOW_MS)
    changes = [
        VisibilityChange(second, HALF_A_DAY_MS + 1),
        VisibilityChange(first, 0),
        VisibilityChange(second, 0),
    ]
    outcomes = engine.set_visibility(queue, changes, now_ms=NOW_MS)
    assert list(outcomes) == [Outcome.BEYOND_LIMIT, Outcome.GONE, Outcome.DONE]


# The limit of messages in flight


def test_at_the_limit_nothing_is_claimed(engine, queue):
    engine.send(queue, *"abcd")
    engine.take(queue, limit=2, hide_ms=5_000)
    assert engine.take(queue, in_flight_limit=2) == Claim(over_limit=True, next_due_ms=NOW_MS + 5_000)
    assert bodies(engine.take(queue, in_flight_limit=3)) != []


def test_delayed_messages_are_not_in_flight(engine, queue):
    engine.send(queue, "visible")
    engine.send(queue, "x", "y", delay_ms=5_000)
    assert bodies(engine.take(queue, in_flight_limit=2)) == ["visible"]


# Dead letters


@pytest.fixture
def dead(engine):
    return engine.make("dead")


def test_a_message_is_delivered_as_often_as_allowed_and_then_moves(engine, queue, dead):
    (sent,) = engine.send(queue, "hello")
    redrive = redrive_to(dead, 2)
    for _ in range(2):
        assert bodies(engine.take(queue, hide_ms=0, redrive=redrive)) == ["hello"]
    assert engine.take(queue, redrive=redrive) == Claim(
        dead_lettered=(DeadLettered(sent.message_id, dead.id),)
    )
    assert engine.counts(queue, now_ms=NOW_MS) == Counts(0, 0, 0)
    assert engine.counts(dead, now_ms=NOW_MS) == Counts(1, 0, 0)


def test_a_moved_message_keeps_its_id_times_and_count_and_names_its_source(engine, queue, dead):
    engine.send(queue, "hello", trace_header="Root=1")
    (before,) = engine.take(queue, hide_ms=0).deliveries
    engine.take(queue, now_ms=NOW_MS + 5, redrive=redrive_to(dead))
    (after,) = engine.take(dead, now_ms=NOW_MS + 9).deliveries
    for name in (
        "message_id",
        "body",
        "attributes",
        "sender_id",
        "sent_ms",
        "first_received_ms",
        "trace_header",
    ):
        assert getattr(after, name) == getattr(before, name), name
    assert (after.receive_count, after.dead_letter_source_arn) == (2, queue.arn)


def test_messages_move_in_their_order_and_the_claim_goes_on_behind_them(engine, queue, dead):
    sent = engine.send(queue, *"abcdefghijklmno")
    for _ in range(2):
        engine.take(queue, hide_ms=0, limit=10)
    engine.send(queue, "fresh")
    claim = engine.take(queue, limit=10, redrive=redrive_to(dead, 2))
    assert bodies(claim) == ["k", "l", "m", "n", "o", "fresh"]
    assert [one.message_id for one in claim.dead_lettered] == [one.message_id for one in sent[:10]]
    assert bodies(engine.take(dead)) == list("abcdefghij")


def test_without_a_target_messages_stay(engine, queue, dead):
    engine.send(queue, "hello")
    engine.take(queue, hide_ms=0)
    engine.delete_queue(dead.id, now_ms=NOW_MS)
    assert bodies(engine.take(queue, redrive=redrive_to(dead))) == ["hello"]


def test_the_receipt_of_a_moved_message_is_of_no_use_any_more(engine, queue, dead):
    engine.send(queue, "hello")
    (before,) = engine.take(queue, hide_ms=0).deliveries
    engine.take(queue, redrive=redrive_to(dead))
    assert list(engine.delete(queue, [receipt(queue, before)], now_ms=NOW_MS)) == [Outcome.GONE]
    assert change(engine, queue, before, 5_000) is Outcome.GONE
    assert bodies(engine.take(dead)) == ["hello"]


def test_in_the_dead_letter_queue_retention_counts_from_the_first_sending(engine, queue, dead):
    engine.send(queue, "hello")
    engine.take(queue, hide_ms=0)
    engine.take(queue, now_ms=NOW_MS + 5_000, redrive=redrive_to(dead))
    assert engine.counts(dead, now_ms=NOW_MS + RETENTION_MS - 1) == Counts(1, 0, 0)
    assert engine.counts(dead, now_ms=NOW_MS + RETENTION_MS) == Counts(0, 0, 0)


def test_messages_in_flight_and_deleted_ones_do_not_move(engine, queue, dead):
    engine.send(queue, "in flight", "deleted")
    _, second = engine.take(queue, hide_ms=5_000).deliveries
    engine.delete(queue, [receipt(queue, second)], now_ms=NOW_MS)
    assert engine.take(queue, redrive=redrive_to(dead)) == Claim(next_due_ms=NOW_MS + 5_000)
    assert engine.counts(dead, now_ms=NOW_MS) == Counts(0, 0, 0)
