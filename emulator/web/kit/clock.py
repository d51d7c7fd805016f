"""Time: the clocks of accounts, and the server's, which all others follow. And seeds."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from emulator.clock import MAX_MS, MAX_SPEED
from emulator.nodes import Operation
from emulator.web.kit.calls import Call, Parts, Visit
from emulator.web.kit.places import Account
from emulator.web.kit.problems import Problem

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


class ClockState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a clock shows, and how it goes."""

    now_ms: Annotated[int, Meta(description="Milliseconds since the epoch.")]
    now: Annotated[str, Meta(description="The same in ISO 8601.", examples=["2026-01-01T00:00:00.000Z"])]
    frozen: bool
    speed: Annotated[float, Meta(description="Seconds in a second of the system, unless it is frozen.")]
    real: Annotated[bool, Meta(description="It shows the time of the system.")]
    account: Annotated[
        str | None, Meta(description="Whose own clock it is; absent for the server's, which others follow.")
    ] = None


class WhoseClock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    account: Account | None = None


class Advance(WhoseClock, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By `seconds` or by `ms`."""

    seconds: Annotated[float, Meta(ge=0, le=MAX_MS / 1000)] | None = None
    ms: Annotated[int, Meta(ge=0, le=MAX_MS)] | None = None


class Moment(WhoseClock, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`now_ms` or `now`, forward or back."""

    now_ms: Annotated[int, Meta(ge=0, le=MAX_MS, description="Since the epoch.")] | None = None
    now: Annotated[datetime, Meta(tz=True, description="ISO 8601 with a time zone.")] | None = None


class Speed(WhoseClock, frozen=True, kw_only=True, forbid_unknown_fields=True):
    speed: Annotated[float, Meta(gt=0, le=MAX_SPEED)]


class Seed(WhoseClock, frozen=True, kw_only=True, forbid_unknown_fields=True):
    seed: int


class SeedSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    seed: int
    account: str | None = None


async def read(visit: Visit, whose: WhoseClock) -> ClockState:
    return _state(visit.parts, whose)


async def advance(visit: Visit, step: Advance) -> ClockState:
    _require_one(seconds=step.seconds, ms=step.ms)
    return await _adjust(
        visit.parts, step, lambda clock: clock.advance(seconds=step.seconds or 0, ms=step.ms or 0)
    )


async def set_to(visit: Visit, moment: Moment) -> ClockState:
    _require_one(now_ms=moment.now_ms, now=moment.now)
    now_ms = moment.now_ms
    if moment.now is not None:
        now_ms = (moment.now - EPOCH) // MILLISECOND
    assert now_ms is not None
    return await _adjust(visit.parts, moment, lambda clock: clock.set(now_ms), "now: ")


async def freeze(visit: Visit, whose: WhoseClock) -> ClockState:
    return await _adjust(visit.parts, whose, lambda clock: clock.freeze())


async def resume(visit: Visit, whose: WhoseClock) -> ClockState:
    return await _adjust(visit.parts, whose, lambda clock: clock.resume())


async def run_at(visit: Visit, speed: Speed) -> ClockState:
    return await _adjust(visit.parts, speed, lambda clock: clock.run_at(speed.speed))


async def restore(visit: Visit, whose: WhoseClock) -> ClockState:
    return await _adjust(visit.parts, whose, lambda clock: clock.restore())


async def reseed(visit: Visit, seed: Seed) -> SeedSet:
    worlds = visit.parts.worlds
    world = worlds.server if seed.account is None else worlds.of(seed.account)
    worlds.reseed(world, seed.seed)
    if world.faults is not None:
        world.faults.restart(world.chance)
    return SeedSet(seed=seed.seed, account=seed.account)


def _require_one(**given: object) -> None:
    one, other = given
    if (given[one] is None) == (given[other] is None):
        raise Problem(400, f"{one}, {other}: one of them must be given")


async def _adjust(parts: Parts, whose: WhoseClock, operation: Operation, member: str = "") -> ClockState:
    try:
        await parts.adjust_clock(whose.account, operation)
    except ValueError as error:
        raise Problem(400, f"{member}{error}") from error
    await parts.mover.settle()  # what became due has happened when we answer
    return _state(parts, whose)


def _state(parts: Parts, whose: WhoseClock) -> ClockState:
    clock = parts.worlds.clock_of(whose.account)
    now_ms = clock.now_ms()
    return ClockState(
        now_ms=now_ms,
        now=iso(now_ms),
        frozen=clock.frozen,
        speed=clock.speed,
        real=clock.is_real,
        account=None if clock.follows else whose.account,
    )


def iso(ms: int) -> str:
    return (EPOCH + ms * MILLISECOND).isoformat(timespec="milliseconds").replace("+00:00", "Z")


CALLS = (
    Call(
        method="GET",
        path="/_emulator/clock",
        run=read,
        parameters=WhoseClock,
        answers=ClockState,
        summary="What the clock of an account, or the server's, shows",
    ),
    Call(
        method="DELETE",
        path="/_emulator/clock",
        run=restore,
        parameters=WhoseClock,
        answers=ClockState,
        summary="Back to the server's clock; the server's own goes back to the time of the system",
    ),
    *(
        Call(
            method="POST",
            path=f"/_emulator/clock/{what}",
            run=run,
            body=body,
            answers=ClockState,
            summary=summary,
        )
        for what, run, body, summary in (
            ("advance", advance, Advance, "Move forward; who waits for a moment that has come is woken"),
            ("set", set_to, Moment, "Show another time, and go on from there"),
            ("freeze", freeze, WhoseClock, "Stand still"),
            ("resume", resume, WhoseClock, "Go on from where it stands"),
            ("speed", run_at, Speed, "Go on from where it stands, so many times as fast as the system's"),
        )
    ),
    Call(
        method="POST",
        path="/_emulator/seed",
        run=reseed,
        body=Seed,
        answers=SeedSet,
        summary="Make ids and chances of an account, or of all without a seed of their own, repeatable",
    ),
)
