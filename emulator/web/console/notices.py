"""What every page says at its top: time is not real, or faults are planned."""

from collections.abc import Iterable

import msgspec

from emulator.clock import AdjustableClock
from emulator.web.console.formats import duration
from emulator.web.kit.calls import Parts
from emulator.web.kit.clock import iso
from emulator.worlds import World

SLACK_MS = 1_000
"""A clock that is off by less than this is called on time."""


class Notice(msgspec.Struct, frozen=True):
    kind: str
    """`clock` or `faults`."""
    whose: str
    text: str


def notices(parts: Parts, accounts: Iterable[str]) -> list[Notice]:
    """The server's first, then those of accounts that differ."""
    server = parts.worlds.server
    found = _of_world("The server", server)
    for account in accounts:
        world = parts.worlds.of(account)
        own_clock = [] if world.clock.follows else _of_clock(f"Account {account}", world.clock)
        own_faults = [] if world.faults is None else _of_faults(f"Account {account}", world)
        found += [*own_clock, *own_faults]
    return found


def fault_count(parts: Parts, accounts: Iterable[str]) -> int:
    """Rules that are set, the server's and those of accounts."""
    worlds = [parts.worlds.server, *(parts.worlds.of(account) for account in accounts)]
    return sum(len(world.faults.rules()) for world in worlds if world.faults is not None)


def _of_world(whose: str, world: World) -> list[Notice]:
    return [*_of_clock(whose, world.clock), *_of_faults(whose, world)]


def _of_clock(whose: str, clock: AdjustableClock) -> list[Notice]:
    if clock.is_real:
        return []
    if clock.frozen:
        return [Notice("clock", whose, f"the clock stands still at {iso(clock.now_ms())}")]
    if clock.speed != 1:
        return [Notice("clock", whose, f"the clock runs {clock.speed:g} times as fast as real time")]
    if abs(clock.offset_ms) < SLACK_MS:
        return []
    direction = "ahead of" if clock.offset_ms > 0 else "behind"
    return [
        Notice("clock", whose, f"the clock is {duration(abs(clock.offset_ms) / 1000)} {direction} real time")
    ]


def _of_faults(whose: str, world: World) -> list[Notice]:
    rules = [] if world.faults is None else world.faults.rules()
    if not rules:
        return []
    kinds = sorted({planned.rule.kind for planned in rules})
    noun = "fault is" if len(rules) == 1 else "faults are"
    return [Notice("faults", whose, f"{len(rules)} {noun} planned: {', '.join(kinds)}")]
