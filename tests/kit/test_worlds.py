"""What accounts have of their own, and what they share with the server."""

import pytest

from emulator.clock import AdjustableClock
from emulator.faults import Faults, rule_of
from emulator.faults.faults import Occasion
from emulator.faults.rules import Throttle
from emulator.ids import SeededIds, seeded_chance
from emulator.worlds import Worlds
from tests.support.clocks import START_MS, frozen_clock

A, B = "111111111111", "222222222222"


@pytest.fixture
def worlds():
    return Worlds(frozen_clock(), SeededIds(7))


def times(worlds):
    """How far the server and the two accounts are from the start, in seconds."""
    clocks = [worlds.server.clock, worlds.of(A).clock, worlds.of(B).clock]
    return [(clock.now_ms() - START_MS) // 1000 for clock in clocks]


def draws(chance):
    return [chance.random() for _ in range(3)]


def ids(world):
    return [world.ids.uuid() for _ in range(3)]


def test_an_account_has_the_servers_time(worlds):
    worlds.server.clock.advance(seconds=5)
    assert times(worlds) == [5, 5, 5]
    worlds.of(A).clock.now_ms()
    worlds.server.clock.advance(seconds=5)
    assert times(worlds) == [10, 10, 10]


def test_two_accounts_never_move_each_others_time(worlds):
    worlds.of(A).clock.advance(seconds=43_200)
    assert times(worlds) == [0, 43_200, 0]
    worlds.of(B).clock.set(START_MS - 60_000)
    worlds.of(A).clock.advance(seconds=1)
    assert times(worlds) == [0, 43_201, -60]
    worlds.of(B).clock.run_at(10)
    assert [worlds.of(name).clock.frozen for name in (A, B)] == [True, False]


def test_the_server_does_not_move_an_account_that_has_its_own_time(worlds):
    worlds.of(A).clock.advance(seconds=1)
    worlds.server.clock.advance(seconds=60)
    assert times(worlds) == [60, 1, 60]


def test_a_seed_or_faults_of_its_own_leave_an_account_the_servers_time(worlds):
    worlds.reseed(worlds.of(A), 1)
    worlds.of(A).faults = faults(worlds.of(A))
    worlds.server.clock.advance(seconds=60)
    assert times(worlds) == [60, 60, 60]


def test_an_account_is_always_the_same_world_with_the_same_clock(worlds):
    world, clock = worlds.of(A), worlds.of(A).clock
    worlds.of(A).clock.advance(seconds=5)
    worlds.drop(A)
    assert (worlds.of(A) is world, world.clock is clock, worlds.of(B) is world) == (True, True, False)


def test_a_dropped_account_has_the_servers_time_again(worlds):
    for account in (A, B):
        worlds.of(account).clock.advance(seconds=5)
    worlds.drop(A)
    worlds.server.clock.advance(seconds=60)
    assert times(worlds) == [60, 60, 5]


def test_dropping_all_leaves_the_server_as_it_is(worlds):
    worlds.server.clock.advance(seconds=60)
    for account in (A, B):
        worlds.of(account).clock.advance(seconds=5)
    worlds.drop_all()
    assert times(worlds) == [60, 60, 60]
    assert worlds.server.clock.frozen


def test_an_account_that_was_never_seen_can_be_dropped(worlds):
    worlds.drop(A)
    assert times(worlds) == [0, 0, 0]


# Seeds


def test_accounts_share_the_servers_ids(worlds):
    assert worlds.of(A).ids is worlds.of(B).ids is worlds.server.ids


def test_the_same_seed_gives_the_same_ids_and_chances(worlds):
    worlds.of(B).chance.random()
    for account in (A, B):
        worlds.reseed(worlds.of(account), 42)
    assert ids(worlds.of(A)) == ids(worlds.of(B)) == ids(Worlds(frozen_clock(), SeededIds(42)).server)
    assert draws(worlds.of(A).chance) == draws(worlds.of(B).chance)


def test_one_accounts_draws_do_not_change_anothers(worlds):
    worlds.reseed(worlds.of(A), 42)
    expected = ids(worlds.of(A)), draws(worlds.of(A).chance)
    worlds.reseed(worlds.of(A), 42)
    ids(worlds.of(B))
    draws(worlds.of(B).chance)
    ids(worlds.server)
    assert (ids(worlds.of(A)), draws(worlds.of(A).chance)) == expected


def test_the_servers_seed_holds_for_accounts_that_have_none(worlds):
    worlds.of(B).chance.random()
    worlds.reseed(worlds.of(A), 1)
    own = worlds.of(A).ids
    worlds.reseed(worlds.server, 42)
    assert (worlds.of(A).ids, worlds.of(B).ids) == (own, worlds.server.ids)
    assert draws(worlds.of(B).chance) == draws(worlds.server.chance) == draws(seeded_chance(42))


def test_a_dropped_account_has_the_servers_ids_again(worlds):
    worlds.reseed(worlds.of(A), 42)
    worlds.drop(A)
    assert (worlds.of(A).ids is worlds.server.ids, worlds.of(A).seed) == (True, None)


def test_chances_without_a_seed_differ(worlds):
    assert draws(worlds.of(A).chance) != draws(worlds.of(B).chance)


# Faults


def faults(world):
    """A rule that acts half the time."""
    found = Faults(world.chance)
    found.add(rule_of({"kind": "throttle", "name": "slow", "when": {"probability": 0.5}}))
    return found


def test_an_account_has_the_servers_faults_unless_it_has_its_own(worlds):
    assert worlds.of(A).faults_here is None
    shared = worlds.server.faults = faults(worlds.server)
    assert (worlds.of(A).faults_here, worlds.of(A).faults) == (shared, None)
    own = worlds.of(A).faults = faults(worlds.of(A))
    assert [world.faults_here for world in (worlds.of(A), worlds.of(B), worlds.server)] == [
        own,
        shared,
        shared,
    ]
    worlds.drop(A)
    assert worlds.of(A).faults_here is shared


@pytest.mark.parametrize("has_own_rules", [True, False])
def test_an_account_with_a_seed_repeats_what_its_faults_do(worlds, has_own_rules):
    worlds.server.faults = faults(worlds.server)
    if has_own_rules:
        worlds.of(A).faults = faults(worlds.of(A))
    runs = []
    for _ in range(2):
        worlds.reseed(worlds.of(A), 42)
        worlds.server.chance.random()
        worlds.of(B).faults_here.chance.random()
        runs.append(draws(worlds.of(A).faults_here.chance))
    assert runs[0] == runs[1]


def test_a_seed_makes_the_faults_count_anew(worlds):
    own = worlds.of(A).faults = faults(worlds.of(A))
    own.strike(Throttle, Occasion("SendMessage", A, START_MS))
    worlds.reseed(worlds.of(A), 42)
    assert [(one.matched, one.acted) for one in own.rules()] == [(0, 0)]


def test_rules_that_the_server_gets_later_hold_for_an_account_with_a_seed(worlds):
    worlds.reseed(worlds.of(A), 42)
    worlds.server.faults = faults(worlds.server)
    worlds.server.faults.add(rule_of({"kind": "throttle", "name": "more"}))
    assert [one.rule.name for one in worlds.of(A).faults_here.rules()] == ["slow", "more"]
    worlds.server.faults = faults(worlds.server)
    assert [one.rule.name for one in worlds.of(A).faults_here.rules()] == ["slow"]
    worlds.server.faults = None
    assert worlds.of(A).faults_here is None


def test_a_world_of_real_time_stays_real(worlds):
    worlds = Worlds(AdjustableClock(), SeededIds())
    worlds.of(B).clock.advance(seconds=5)
    assert [worlds.server.clock.is_real, worlds.of(A).clock.is_real, worlds.of(B).clock.is_real] == [
        True,
        True,
        False,
    ]
