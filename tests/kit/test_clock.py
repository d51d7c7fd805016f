"""What an adjustable clock shows, in every manner in which time can go."""

import sys

import pytest

from emulator.clock import MAX_MS, AdjustableClock
from tests.kit.system import SYSTEM_MS


@pytest.fixture
def clock(system):
    return AdjustableClock()


def manner(clock):
    return clock.frozen, clock.speed, clock.is_real


def test_a_new_clock_is_the_systems(system, clock):
    assert (clock.now_ms(), clock.offset_ms, *manner(clock)) == (SYSTEM_MS, 0, False, 1, True)
    system.wait(seconds=5)
    assert clock.now_ms() == SYSTEM_MS + 5_000


def test_the_systems_time_costs_one_reading_and_no_other_call():
    clock, calls = AdjustableClock(), []
    sys.setprofile(lambda frame, kind, argument: calls.append(kind))
    clock.now_ms()
    sys.setprofile(None)
    assert calls[:4] == ["call", "c_call", "c_return", "return"]
    assert calls[4:] == ["c_call"]  # the end of the profile


def test_a_clock_may_start_at_another_time_and_goes_on_from_there(system):
    clock = AdjustableClock(1_000)
    system.wait(seconds=5)
    assert (clock.now_ms(), clock.offset_ms, *manner(clock)) == (6_000, 1_000 - SYSTEM_MS, False, 1, False)


def test_a_clock_may_start_frozen(system):
    there, here = AdjustableClock(1_000, frozen=True), AdjustableClock(frozen=True)
    system.wait(seconds=5)
    assert (there.now_ms(), here.now_ms()) == (1_000, SYSTEM_MS)
    assert manner(there) == manner(here) == (True, 1, False)


def test_a_frozen_clock_stands_still(system, clock):
    clock.freeze()
    system.wait(seconds=5)
    assert (clock.now_ms(), clock.offset_ms, *manner(clock)) == (SYSTEM_MS, -5_000, True, 1, False)


def test_a_frozen_clock_goes_on_from_where_it_stood(system, clock):
    clock.freeze()
    system.wait(seconds=5)
    clock.resume()
    system.wait(seconds=2)
    assert (clock.now_ms(), *manner(clock)) == (SYSTEM_MS + 2_000, False, 1, False)


def test_freezing_a_frozen_clock_and_resuming_a_running_one_change_nothing(system, clock):
    clock.resume()
    assert clock.is_real
    clock.freeze()
    system.wait(seconds=5)
    clock.freeze()
    assert clock.now_ms() == SYSTEM_MS


def test_a_running_clock_is_advanced_and_goes_on(system, clock):
    clock.advance(seconds=43_200)
    system.wait(seconds=1)
    assert (clock.now_ms(), clock.offset_ms) == (SYSTEM_MS + 43_201_000, 43_200_000)
    assert manner(clock) == (False, 1, False)


def test_a_frozen_clock_is_advanced_and_stands(system, clock):
    clock.freeze()
    clock.advance(seconds=1.5, ms=7)
    system.wait(seconds=1)
    assert (clock.now_ms(), clock.frozen) == (SYSTEM_MS + 1_507, True)


def test_advancing_by_nothing_changes_nothing(clock):
    clock.advance()
    assert (clock.now_ms(), clock.is_real) == (SYSTEM_MS, True)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("moment_ms", [0, 5_000, SYSTEM_MS - 1, SYSTEM_MS + 86_400_000, MAX_MS])
def test_a_clock_is_set_forward_and_back(clock, frozen, moment_ms):
    if frozen:
        clock.freeze()
    clock.set(moment_ms)
    assert (clock.now_ms(), clock.offset_ms, clock.frozen) == (moment_ms, moment_ms - SYSTEM_MS, frozen)


def test_a_clock_that_is_set_to_the_systems_time_follows_it_exactly(clock):
    clock.advance(seconds=5)
    clock.set(SYSTEM_MS)
    assert clock.is_real


@pytest.mark.parametrize(("speed", "passed_ms"), [(10, 20_000), (0.5, 1_000), (86_400, 172_800_000)])
def test_a_clock_runs_at_another_speed(system, clock, speed, passed_ms):
    clock.run_at(speed)
    system.wait(seconds=2)
    assert (clock.now_ms() - SYSTEM_MS, *manner(clock)) == (passed_ms, False, speed, False)


def test_a_change_of_speed_counts_from_now_on(system, clock):
    clock.run_at(10)
    system.wait(seconds=1)
    clock.run_at(2)
    system.wait(seconds=1)
    clock.run_at(1)
    system.wait(seconds=1)
    assert (clock.now_ms() - SYSTEM_MS, clock.is_real) == (13_000, False)


def test_a_frozen_clock_keeps_its_speed_for_later(system, clock):
    clock.run_at(10)
    clock.freeze()
    system.wait(seconds=1)
    assert manner(clock) == (True, 10, False)
    clock.resume()
    system.wait(seconds=1)
    assert (clock.now_ms() - SYSTEM_MS, clock.speed) == (10_000, 10)


def test_running_at_a_speed_ends_a_freeze(system, clock):
    clock.freeze()
    clock.run_at(10)
    system.wait(seconds=1)
    assert (clock.now_ms() - SYSTEM_MS, clock.frozen) == (10_000, False)


def test_a_fast_clock_is_advanced_and_stays_fast(system, clock):
    clock.run_at(10)
    clock.advance(seconds=60)
    system.wait(seconds=1)
    assert clock.now_ms() - SYSTEM_MS == 70_000


def test_a_restored_clock_is_the_systems_again(system, clock):
    clock.run_at(10)
    clock.freeze()
    clock.advance(seconds=43_200)
    system.wait(seconds=1)
    clock.restore()
    assert (clock.now_ms(), clock.offset_ms, *manner(clock)) == (SYSTEM_MS + 1_000, 0, False, 1, True)


@pytest.mark.parametrize(
    "change",
    [
        lambda clock: clock.advance(seconds=-1),
        lambda clock: clock.advance(ms=-1),
        lambda clock: clock.advance(seconds=float("nan")),
        lambda clock: clock.advance(seconds=float("inf")),
        lambda clock: clock.advance(seconds=MAX_MS / 1000),
        lambda clock: clock.set(-1),
        lambda clock: clock.set(MAX_MS + 1),
        lambda clock: clock.run_at(0),
        lambda clock: clock.run_at(-1),
        lambda clock: clock.run_at(float("nan")),
        lambda clock: clock.run_at(1_000_001),
    ],
)
def test_a_change_that_makes_no_sense_is_refused_and_changes_nothing(clock, change):
    with pytest.raises(ValueError, match="clock"):
        change(clock)
    assert clock.is_real


# Followers


def test_a_follower_goes_with_the_clock_that_it_follows(system, clock):
    follower = clock.follower()
    assert follower.is_real
    clock.freeze()
    clock.advance(seconds=5)
    assert (follower.now_ms(), *manner(follower)) == (SYSTEM_MS + 5_000, True, 1, False)
    clock.run_at(10)
    system.wait(seconds=1)
    assert (follower.now_ms(), follower.speed) == (SYSTEM_MS + 15_000, 10)


@pytest.mark.parametrize(
    "change",
    [
        lambda clock: clock.advance(),
        lambda clock: clock.set(clock.now_ms()),
        lambda clock: clock.freeze(),
        lambda clock: clock.resume(),
        lambda clock: clock.run_at(2),
    ],
)
def test_a_follower_that_is_adjusted_goes_its_own_way_from_the_same_moment(clock, change):
    clock.set(1_000)
    follower = clock.follower()
    change(follower)
    clock.advance(seconds=60)
    assert (clock.now_ms(), follower.now_ms()) == (61_000, 1_000)


def test_a_follower_keeps_the_manner_that_it_had(system, clock):
    clock.run_at(10)
    follower = clock.follower()
    follower.advance(seconds=5)
    clock.freeze()
    system.wait(seconds=1)
    assert (clock.now_ms() - SYSTEM_MS, follower.now_ms() - SYSTEM_MS) == (0, 15_000)


def test_a_follower_moves_neither_the_clock_nor_other_followers(clock):
    first, second = clock.follower(), clock.follower()
    first.advance(seconds=5)
    second.set(1_000)
    assert [one.now_ms() for one in (clock, first, second)] == [SYSTEM_MS, SYSTEM_MS + 5_000, 1_000]


def test_a_restored_follower_follows_again(clock):
    follower = clock.follower()
    follower.advance(seconds=5)
    assert not follower.follows
    follower.restore()
    clock.advance(seconds=60)
    assert follower.now_ms() == clock.now_ms() == SYSTEM_MS + 60_000
    assert (follower.follows, clock.follows) == (True, False)


def test_a_clock_that_begins_frozen_shows_exactly_the_moment_it_was_given(monkeypatch):
    readings = iter(range(SYSTEM_MS * 1_000_000, (SYSTEM_MS + 1_000) * 1_000_000, 7_000_000))
    monkeypatch.setattr("emulator.clock.time_ns", lambda: next(readings))  # each reading takes its time
    assert AdjustableClock(SYSTEM_MS - 5_000, frozen=True).now_ms() == SYSTEM_MS - 5_000
