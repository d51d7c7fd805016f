"""Waiting for a clock: what fires when, however the clock gets there."""

import asyncio

import pytest

from emulator.clock import AdjustableClock
from tests.kit.system import SYSTEM_MS

FAR_MS = 86_400_000


class Fired:
    """Sets timers and keeps what fired: its name and how long after the start the clock read then, in ms."""

    def __init__(self, clock, start_ms=SYSTEM_MS):
        self.clock = clock
        self.start_ms = start_ms
        self.all = []

    def wait(self, name, ms, clock=None):
        clock = clock or self.clock
        return clock.call_at(
            self.start_ms + ms, lambda: self.all.append((name, clock.now_ms() - self.start_ms))
        )

    @property
    def names(self):
        return [name for name, _ in self.all]


@pytest.fixture
def clock(system):
    return AdjustableClock()


@pytest.fixture
def fired(clock):
    return Fired(clock)


async def turn():
    """Lets everything happen that is due on the event loop now."""
    for _ in range(3):
        await asyncio.sleep(0)


# Clocks that are moved


def test_an_advance_fires_what_became_due_in_order_of_the_moments(system, clock, fired):
    async def work():
        clock.freeze()
        for name, ms in [("c", 3_000), ("a", 1_000), ("later", 5_001), ("b", 2_000), ("d", 5_000)]:
            fired.wait(name, ms)
        clock.advance(seconds=5)
        assert fired.all == [(name, 5_000) for name in "abcd"]
        clock.advance(ms=1)
        assert fired.all[4:] == [("later", 5_001)]

    system.run(work)


def test_timers_of_one_moment_fire_in_the_order_in_which_they_were_made(system, clock, fired):
    async def work():
        follower = clock.follower()
        clock.freeze()
        fired.wait("a", 1_000)
        fired.wait("b", 1_000, follower)
        fired.wait("c", 1_000)
        clock.advance(seconds=1)
        assert fired.names == ["a", "b", "c"]

    system.run(work)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize(
    "move", [lambda clock: clock.advance(seconds=43_200), lambda clock: clock.set(2**42)]
)
def test_a_clock_that_is_moved_forward_fires_at_once(system, clock, fired, frozen, move):
    async def work():
        if frozen:
            clock.freeze()
        fired.wait("a", 43_200_000)
        fired.wait("later", 2**43)
        move(clock)
        assert fired.all == [("a", clock.now_ms() - SYSTEM_MS)]

    system.run(work)


def test_a_clock_that_is_set_back_has_all_who_wait_look_again_in_their_order(system, clock, fired):
    async def work():
        clock.freeze()
        for name, ms in [("b", 2_000), ("a", 1_000), ("c", FAR_MS)]:
            fired.wait(name, ms)
        clock.set(SYSTEM_MS - 60_000)
        assert fired.all == [(name, -60_000) for name in "abc"]
        fired.wait("again", -59_000)
        clock.advance(seconds=1)
        assert fired.all[3:] == [("again", -59_000)]

    system.run(work)


@pytest.mark.parametrize("frozen", [False, True])
def test_what_is_due_already_fires_on_the_next_turn_of_the_loop(system, clock, fired, frozen):
    async def work():
        if frozen:
            clock.freeze()
        fired.wait("now", 0)
        fired.wait("before", -5_000)
        assert fired.all == []
        await turn()
        assert fired.names == ["before", "now"]

    system.run(work)


def test_a_timer_may_set_another_one_that_is_due_in_the_same_advance(system, clock, fired):
    async def work():
        clock.freeze()
        clock.call_at(SYSTEM_MS + 1_000, lambda: fired.wait("second", 2_000))
        clock.advance(seconds=5)
        assert fired.all == [("second", 5_000)]

    system.run(work)


def test_a_cancelled_timer_does_not_fire(system, clock, fired):
    async def work():
        clock.freeze()
        timers = [fired.wait(name, 1_000) for name in "abc"]
        timers[1].cancel()
        timers[1].cancel()
        clock.advance(seconds=1)
        timers[0].cancel()
        assert fired.names == ["a", "c"]
        assert clock._course._cancelled == 0

    system.run(work)


def test_a_timer_may_cancel_another_one(system, clock, fired):
    async def work():
        clock.freeze()
        clock.call_at(SYSTEM_MS + 1_000, lambda: other.cancel())
        other = fired.wait("other", 1_000)
        fired.wait("last", 1_000)
        clock.set(SYSTEM_MS - 1)
        assert fired.names == ["last"]

    system.run(work)


def test_a_timer_that_fails_keeps_no_other_from_firing(system, clock, fired):
    async def work():
        clock.freeze()
        clock.call_at(SYSTEM_MS + 1_000, lambda: 1 / 0)
        fired.wait("a", 2_000)
        with pytest.raises(ZeroDivisionError):
            clock.advance(seconds=5)
        await turn()
        assert fired.names == ["a"]

    system.run(work)


def test_timers_that_were_cancelled_are_forgotten(system, clock, fired):
    async def work():
        clock.freeze()
        stays = fired.wait("stays", FAR_MS)
        for _ in range(10_000):
            fired.wait("a", 1_000).cancel()
            assert len(clock._course._timers) < 200
        stays.cancel()
        assert clock._course._timers == []

    system.run(work)


# Clocks that run


@pytest.mark.parametrize(
    ("change", "passed_ms"),
    [
        (lambda clock: None, 20_000),
        (lambda clock: clock.advance(seconds=5), 15_000),
        (lambda clock: clock.run_at(10), 2_000),
        (lambda clock: clock.run_at(0.5), 40_000),
        (lambda clock: clock.run_at(1_000_000), 0),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_running_clock_fires_when_it_gets_there_and_never_before(
    system, clock, fired, change, passed_ms, before
):
    async def work():
        done = asyncio.Event()
        if before:
            change(clock)
        fired.wait("a", 20_000)
        clock.call_at(SYSTEM_MS + 20_000, done.set)
        if not before:
            change(clock)
        await done.wait()
        assert fired.all[0][1] >= 20_000
        assert passed_ms <= system.now_ms() - SYSTEM_MS <= passed_ms + 2

    system.run(work)


def test_a_timer_waits_while_the_clock_is_frozen(system, clock, fired):
    async def work():
        done = asyncio.Event()
        clock.call_at(SYSTEM_MS + 20_000, done.set)
        fired.wait("a", 20_000)
        clock.freeze()
        assert clock._course._alarm is None  # the event loop may sleep
        system.wait(seconds=3_600)
        await turn()
        assert fired.all == []
        clock.resume()
        await done.wait()
        assert 20_000 <= fired.all[0][1] <= 20_002
        assert 3_620_000 <= system.now_ms() - SYSTEM_MS <= 3_620_002

    system.run(work)


def test_an_earlier_timer_does_not_wait_for_a_later_one(system, clock, fired):
    async def work():
        done = asyncio.Event()
        fired.wait("late", 20_000)
        clock.call_at(SYSTEM_MS + 1_000, done.set)
        fired.wait("early", 500)
        await done.wait()
        assert (fired.names, system.now_ms() - SYSTEM_MS <= 1_002) == (["early"], True)

    system.run(work)


def test_a_wait_may_be_longer_than_the_loop_sleeps_at_once(system, clock, fired):
    async def work():
        done = asyncio.Event()
        clock.call_at(SYSTEM_MS + 30 * FAR_MS, done.set)
        await done.wait()
        assert 0 <= system.now_ms() - SYSTEM_MS - 30 * FAR_MS <= 2

    system.run(work)


# Clocks of their own


def test_timers_fire_in_order_for_a_clock_and_its_followers(system, clock, fired):
    async def work():
        clock.freeze()
        first, second = clock.follower(), clock.follower()
        for name, ms, on in [
            ("d", 4_000, clock),
            ("c", 3_000, second),
            ("b", 2_000, first),
            ("a", 1_000, second),
        ]:
            fired.wait(name, ms, on)
        clock.advance(seconds=5)
        assert fired.names == ["a", "b", "c", "d"]

    system.run(work)


def test_the_timers_of_a_follower_come_along_when_it_goes_its_own_way(system, clock, fired):
    async def work():
        follower, other = clock.follower(), clock.follower()
        fired.wait("mine", 5_000, follower)
        fired.wait("others", 5_000, other)
        fired.wait("leaders", 5_000)
        follower.advance(seconds=5)
        assert fired.names == ["mine"]
        clock.advance(seconds=5)
        assert fired.names == ["mine", "others", "leaders"]

    system.run(work)


def test_a_timer_that_came_along_can_be_cancelled(system, clock, fired):
    async def work():
        follower = clock.follower()
        timers = [fired.wait(name, 1_000, follower) for name in "abc"]
        timers[0].cancel()
        follower.freeze()
        timers[1].cancel()
        follower.advance(seconds=1)
        assert fired.names == ["c"]
        later = [fired.wait("d", 2_000, follower) for _ in range(10)]
        clock.advance(seconds=1)
        follower.restore()
        for timer in later:
            timer.cancel()
        assert clock._course._timers == []

    system.run(work)


def test_a_clock_does_not_fire_timers_of_a_follower_that_left(system, clock, fired):
    async def work():
        follower = clock.follower()
        fired.wait("before", 5_000, follower)
        follower.freeze()
        fired.wait("after", 5_000, follower)
        clock.advance(seconds=5)
        await turn()
        assert fired.names == []
        follower.advance(seconds=5)
        assert fired.names == ["before", "after"]

    system.run(work)


def test_a_follower_that_leaves_a_frozen_clock_can_run(system, clock, fired):
    async def work():
        clock.freeze()
        follower, done = clock.follower(), asyncio.Event()
        follower.call_at(SYSTEM_MS + 1_000, done.set)
        follower.resume()
        await done.wait()
        assert clock.now_ms() == SYSTEM_MS

    system.run(work)


def test_the_timers_of_a_restored_follower_go_on_by_the_clock_that_it_follows(system, clock, fired):
    async def work():
        clock.freeze()
        follower = clock.follower()
        follower.advance()
        clock.advance(seconds=3)
        fired.wait("due", 2_000, follower)
        fired.wait("later", 5_000, follower)
        follower.restore()
        assert fired.all == [("due", 3_000)]
        clock.advance(seconds=2)
        assert fired.all[1:] == [("later", 5_000)]

    system.run(work)


def test_a_restored_follower_that_was_ahead_has_all_who_wait_there_look_again(system, clock, fired):
    async def work():
        clock.freeze()
        follower = clock.follower()
        follower.advance(seconds=43_200)
        for name, ms in [("b", FAR_MS + 1), ("a", FAR_MS)]:
            fired.wait(name, ms, follower)
        fired.wait("leaders", 1_000)
        follower.restore()
        assert fired.all == [("a", 0), ("b", 0)]

    system.run(work)


def test_a_restored_clock_that_was_ahead_has_all_who_wait_look_again(system, clock, fired):
    async def work():
        clock.advance(seconds=43_200)
        fired.wait("a", FAR_MS)
        clock.restore()
        assert fired.all == [("a", 0)]

    system.run(work)
