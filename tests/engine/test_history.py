"""What an engine knows of the past of a queue, minute by minute."""

import pytest

from emulator.domain.activity import Gauges, Minute, Tally
from emulator.engine.local import open_local
from emulator.ids import SeededIds
from tests.engine.conftest import Waiting
from tests.engine.factories import (
    DAY_MS,
    MINUTE_MS,
    NOW_MS,
    bodies,
    draft,
    receipt,
    redrive_to,
)

START_MS = 960_000
"""Of the minute of NOW_MS, in which the queues here are created."""
LATER_MS = START_MS + 2 * MINUTE_MS
"""The beginning of the next minute but one."""


def history(engine, queue, now_ms=NOW_MS, from_ms=0):
    return list(engine.history(queue, from_ms=from_ms, now_ms=now_ms))


def messages_of_sizes(*sizes_bytes, **members):
    return [draft("x" * size_bytes, size_bytes=size_bytes, **members) for size_bytes in sizes_bytes]


def test_the_running_minute_has_what_callers_did_so_far(engine, queue):
    engine.append(queue.id, messages_of_sizes(7, 3, 5))
    first, _, _ = engine.take(queue).deliveries
    engine.delete(queue, [receipt(queue, first)] * 2, now_ms=NOW_MS)
    engine.engine.count_empty_receive(queue.id)
    tally = Tally(
        sent=3,
        sent_bytes=15,
        smallest_bytes=3,
        largest_bytes=7,
        received=3,
        empty_receives=1,
        deleted=2,
    )
    assert history(engine, queue) == [Minute(START_MS, tally, Gauges(in_flight=2, oldest_ms=NOW_MS), True)]
    assert engine.engine.totals(queue.id) == tally


def test_a_minute_stands_as_it_was_at_its_end(engine, queue):
    engine.append(queue.id, messages_of_sizes(5, 5))
    engine.take(queue, limit=1, hide_ms=30_000)
    (message, _) = engine.take(queue, now_ms=LATER_MS).deliveries
    engine.delete(queue, [receipt(queue, message)], now_ms=LATER_MS)
    first, second, now = history(engine, queue, now_ms=LATER_MS)
    assert (first.start_ms, first.gauges) == (START_MS, Gauges(visible=1, in_flight=1, oldest_ms=NOW_MS))
    assert (second.start_ms, second.gauges) == (START_MS + MINUTE_MS, Gauges(visible=2, oldest_ms=NOW_MS))
    assert (now.start_ms, now.tally) == (LATER_MS, Tally(received=2, deleted=1))


def test_minutes_in_which_nothing_changed_are_left_out(engine, queue):
    engine.append(queue.id, messages_of_sizes(5))
    two_hours_later_ms = NOW_MS + 120 * MINUTE_MS
    before, now = history(engine, queue, now_ms=two_hours_later_ms)
    assert (before.start_ms, before.gauges) == (START_MS, Gauges(visible=1, oldest_ms=NOW_MS))
    assert (now.start_ms, now.gauges, now.called) == (START_MS + 120 * MINUTE_MS, before.gauges, False)


def test_what_time_alone_does_is_in_the_minute_in_which_it_happened(engine, queue):
    engine.send(queue, "delayed", delay_ms=10 * MINUTE_MS)
    engine.send(queue, "soon gone", sent_ms=NOW_MS)
    minutes = history(engine, queue, now_ms=NOW_MS + 5 * DAY_MS)
    assert [
        (minute.start_ms - START_MS, minute.gauges.messages, minute.gauges.delayed) for minute in minutes
    ] == [
        (0, 2, 1),
        (10 * MINUTE_MS, 2, 0),
        (4 * DAY_MS, 0, 0),
        (5 * DAY_MS, 0, 0),
    ]
    assert [minute.called for minute in minutes] == [True, False, False, False]


def test_history_begins_with_how_things_stood_before(engine, queue):
    for number in range(5):
        at_ms = NOW_MS + number * MINUTE_MS
        engine.append(queue.id, messages_of_sizes(1, sent_ms=at_ms))
    found = history(engine, queue, now_ms=NOW_MS + 4 * MINUTE_MS, from_ms=START_MS + 3 * MINUTE_MS)
    assert [minute.start_ms - START_MS for minute in found] == [2 * MINUTE_MS, 3 * MINUTE_MS, 4 * MINUTE_MS]
    assert [minute.gauges.visible for minute in found] == [3, 4, 5]


def test_minutes_older_than_fifteen_days_are_forgotten_but_for_the_last_before(engine, queue):
    for day in range(20):
        engine.append(queue.id, messages_of_sizes(1, sent_ms=NOW_MS + day * DAY_MS))
    found = history(engine, queue, now_ms=NOW_MS + 20 * DAY_MS)
    assert min(minute.start_ms for minute in found[1:]) >= START_MS + 4 * DAY_MS


def test_a_clock_that_is_set_back_undoes_the_minutes_to_come(engine, queue):
    engine.append(queue.id, messages_of_sizes(5))
    engine.append(queue.id, messages_of_sizes(5, sent_ms=LATER_MS))
    found = history(engine, queue, now_ms=NOW_MS)
    assert [minute.start_ms for minute in found] == [START_MS]
    assert engine.engine.totals(queue.id).sent == 2


def test_deduplicated_messages_count_as_such_and_not_as_sent(engine, fifo):
    engine.append(fifo.id, messages_of_sizes(5, 5, group="g", dedup="same"))
    (minute,) = history(engine, fifo)
    assert (minute.tally.sent, minute.tally.sent_bytes, minute.tally.deduplicated) == (1, 5, 1)


def test_copies_that_nobody_sent_do_not_count(engine, queue):
    engine.append(queue.id, [draft("copy", size_bytes=0)])
    assert history(engine, queue)[0].tally == Tally()


def test_many_messages_in_a_minute_are_summed_up(engine, queue):
    engine.append(queue.id, messages_of_sizes(*[2] * 10_001, 1))
    engine.append(queue.id, messages_of_sizes(9))
    tally = history(engine, queue)[0].tally
    assert (tally.sent, tally.sent_bytes, tally.smallest_bytes, tally.largest_bytes) == (10_003, 20_012, 1, 9)


# Gauges


def test_an_empty_queue_has_no_age(engine, queue, fifo):
    assert engine.gauges(queue, now_ms=NOW_MS) == Gauges()
    assert engine.gauges(fifo, now_ms=NOW_MS) == Gauges(groups_in_flight=0)


def test_a_message_that_went_to_the_back_is_left_out_of_the_age(engine, queue):
    engine.send(queue, "poison")
    engine.send(queue, "fresh", sent_ms=NOW_MS + 1)
    for _ in range(2):
        engine.take(queue, limit=1, hide_ms=0, now_ms=NOW_MS + 1)
    assert engine.gauges(queue, now_ms=NOW_MS + 1).oldest_ms == NOW_MS
    engine.take(queue, limit=1, hide_ms=0, now_ms=NOW_MS + 1)
    assert engine.gauges(queue, now_ms=NOW_MS + 1).oldest_ms == NOW_MS + 1


@pytest.mark.parametrize("name", ["dead", "dead.fifo"])
def test_the_age_of_a_dead_letter_counts_from_its_move(engine, name):
    source = engine.make(name.replace("dead", "live"))
    dead = engine.make(name)
    members = {"group": "g"} if name.endswith(".fifo") else {}
    engine.send(source, "hello", **members)
    engine.take(source, hide_ms=0)
    moved_ms = NOW_MS + 10 * MINUTE_MS
    assert bodies(engine.take(source, now_ms=moved_ms, redrive=redrive_to(dead))) == []
    assert engine.gauges(dead, now_ms=moved_ms).oldest_ms == moved_ms
    assert engine.gauges(source, now_ms=moved_ms).oldest_ms is None


def test_groups_with_messages_in_flight_are_counted(engine, fifo):
    for group in ("a", "b", "b"):
        engine.send(fifo, "hello", group=group)
    engine.take(fifo, limit=1)
    assert engine.gauges(fifo, now_ms=NOW_MS).groups_in_flight == 1
    engine.take(fifo, limit=10)
    assert engine.gauges(fifo, now_ms=NOW_MS).groups_in_flight == 2


def test_quiet_groups_are_counted_without_the_noisy_ones(engine, queue):
    engine.append(queue.id, [draft(group_id="loud", sent_ms=NOW_MS - 1) for _ in range(40)])
    engine.take(queue, limit=35)
    engine.append(queue.id, [draft(group_id="quiet") for _ in range(3)])
    engine.append(queue.id, [draft(group_id="quiet", delay_ms=1_000)])
    found = engine.gauges(queue, now_ms=NOW_MS)
    assert (found.visible, found.in_flight, found.delayed) == (8, 35, 1)
    assert (found.noisy_groups, found.quiet_visible, found.quiet_in_flight, found.quiet_delayed) == (
        1,
        3,
        0,
        1,
    )
    assert (found.oldest_ms, found.quiet_oldest_ms) == (NOW_MS - 1, NOW_MS)


# What lasts


def test_a_queue_that_was_reset_or_created_anew_has_no_past(engine, queue):
    engine.append(queue.id, messages_of_sizes(5))
    history(engine, queue, now_ms=LATER_MS)
    engine.reset_queue(queue.id)
    (minute,) = history(engine, queue, now_ms=LATER_MS)
    assert (minute.start_ms, minute.tally, minute.gauges) == (LATER_MS, Tally(), Gauges())
    engine.delete_queue(queue.id, now_ms=NOW_MS)
    assert engine.engine.totals(queue.id) == Tally()
    assert [minute.start_ms for minute in history(engine, engine.make(), now_ms=NOW_MS)] == [START_MS]


def test_history_and_alarms_survive_a_restart_and_a_snapshot(tmp_path, loop):
    def opened(name):
        return Waiting(open_local(str(tmp_path / name), SeededIds()), loop)

    engine = opened("data.db")
    queue = engine.make()
    engine.append(queue.id, messages_of_sizes(5))
    engine.append(queue.id, messages_of_sizes(6, sent_ms=LATER_MS))
    before = history(engine, queue, now_ms=LATER_MS)
    engine.close()
    engine = opened("data.db")
    assert history(engine, queue, now_ms=LATER_MS) == before
    engine.append(queue.id, messages_of_sizes(7, sent_ms=LATER_MS + 1))
    *_, last = history(engine, queue, now_ms=LATER_MS + 1)
    assert (last.start_ms, last.tally.sent, last.tally.sent_bytes) == (LATER_MS, 2, 13)
    other = opened("other.db")
    other.restore(engine.snapshot())
    assert history(other, queue, now_ms=LATER_MS + MINUTE_MS)[:1] == before[:1]
    other.close()
    engine.close()


def test_a_discarded_message_is_gone_whatever_its_state(engine, queue, fifo):
    for one, members in ((queue, {}), (fifo, {"group": "g"})):
        visible, hidden = engine.send(one, "a", "b", **members)
        engine.take(one, limit=1)
        found = engine.discard(one, [visible.seq, hidden.seq, 99], now_ms=NOW_MS)
        assert [outcome.value for outcome in found] == ["done", "done", "gone"]
        assert engine.gauges(one, now_ms=NOW_MS).messages == 0


def test_an_engine_in_memory_has_no_commits_and_one_on_a_file_counts_them(engine, queue):
    engine.send(queue, "hello")
    figures = engine.engine.figures()
    if figures.size_bytes is None:
        assert (figures.commits, figures.commit_requests) == (0, 0)
    else:
        assert figures.commits == sum(figures.commit_sizes.values()) >= 2
        assert figures.commit_requests >= figures.commits
        assert figures.size_bytes > 0


def test_many_queues_are_looked_at_together_as_each_alone(engine, queue, fifo):
    fair, spare, quiet = engine.make("fair"), engine.make("spare"), engine.make("quiet")
    engine.send(queue, *"abc")
    engine.take(queue, limit=1)
    engine.send(fifo, *"ab", group="g")
    engine.take(fifo, limit=1)
    engine.send(fair, "a", group="tenant")
    engine.engine.count_empty_receive(quiet.id)
    engine.delete_queue(spare.id, now_ms=NOW_MS)
    made = [queue, fifo, fair, spare, quiet]
    for now_ms in (NOW_MS, NOW_MS + 10_000, LATER_MS, LATER_MS + 5 * DAY_MS):
        plain = engine.looks([(one, now_ms) for one in made])
        full = engine.looks([(one, now_ms) for one in made], from_ms=lambda now_ms: now_ms - 300_000)
        assert plain[3] is full[3] is None
        for one, look, long_look in zip(made, plain, full, strict=True):
            if look is not None:
                gauges = engine.gauges(one, now_ms=now_ms)
                assert (look.gauges, long_look.gauges, list(look.minutes)) == (gauges, gauges, [])
                assert list(long_look.minutes) == history(engine, one, now_ms, now_ms - 300_000)
    assert engine.looks([]) == []
