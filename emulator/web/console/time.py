"""The page of clocks and planned faults, of the server or of one account."""

import re
from typing import Any

import msgspec
from starlette.responses import Response

from emulator.domain.model import Queue
from emulator.faults.rules import ACTIONS, FaultRule
from emulator.web.console import planned
from emulator.web.console.formats import duration
from emulator.web.console.rendering import Page, queue_href, render
from emulator.web.kit.explaining import ACCOUNT
from emulator.web.kit.journal import next_change
from emulator.web.kit.places import now_ms
from emulator.web.kit.problems import Problem
from emulator.worlds import World

STEPS: tuple[tuple[int, str], ...] = (
    (1, "1 s"), (30, "30 s"), (60, "1 min"), (300, "5 min"), (3600, "1 h"), (43_200, "12 h"), (86_400, "1 d"),
    (345_600, "4 d"),
)  # fmt: skip
"""Seconds, and what they are called."""
SPEEDS = (2, 10, 60, 3600)
MAX_DUE = 6
SLACK_MS = 1_000
"""A clock that is off by less is on time."""


class Due(msgspec.Struct, frozen=True):
    """What time will do next to a queue: a return, the end of a delay, an expiry."""

    queue: Queue
    href: str
    at_ms: int
    left_ms: int


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    rule: FaultRule
    what: str
    whom: str
    when: str
    matched: int
    acted: int


async def time_page(page: Page) -> Response:
    queues = sorted({queue.name for queue in await page.parts.engine.all_queues()})
    return render(
        page,
        "time.html",
        nav="time",
        account=_account(page),
        steps=STEPS,
        speeds=SPEEDS,
        kinds=planned.kinds(),
        actions=sorted(ACTIONS),
        queue_names=queues,
        accounts=sorted({*page.accounts, *([_account(page)] if _account(page) else [])}),
        **_clock(page),
        **_faults(page),
        due=await _due(page),
    )


async def clock_now(page: Page) -> Response:
    return render(page, "_clock.html", account=_account(page), **_clock(page), due=await _due(page))


async def faults_now(page: Page) -> Response:
    return render(page, "_faults.html", account=_account(page), **_faults(page))


def _account(page: Page) -> str | None:
    """Whose clock and faults; None: the server's."""
    given = page.request.query_params.get("account") or None
    if given is not None and not re.fullmatch(ACCOUNT, given):
        raise Problem(400, "account: is no account id of 12 digits")
    return given


def _world(page: Page) -> World:
    account = _account(page)
    return page.parts.worlds.server if account is None else page.parts.worlds.of(account)


def _clock(page: Page) -> dict[str, Any]:
    world, account = _world(page), _account(page)
    clock = world.clock
    return {
        "whose": account,
        "body": {} if account is None else {"account": account},
        "query": "" if account is None else f"?account={account}",
        "world_clock": clock,
        "world_now_ms": clock.now_ms(),
        "follows": account is not None and clock.follows,
        "state": state_of(frozen=clock.frozen, speed=clock.speed, offset_ms=clock.offset_ms),
        "is_real": clock.is_real,
    }


def state_of(*, frozen: bool, speed: float, offset_ms: int) -> str:
    """How a clock goes, in words."""
    parts = (
        ["stands still"] if frozen else [] if speed == 1 else [f"runs {speed:g} times as fast as real time"]
    )
    if abs(offset_ms) >= SLACK_MS:
        direction = "ahead of" if offset_ms > 0 else "behind"
        parts.append(f"{duration(abs(offset_ms) / 1000)} {direction} real time")
    return ", ".join(parts) or "real time"


async def _due(page: Page) -> list[Due]:
    """The next changes in queues whose time this is, the soonest first."""
    account, worlds = _account(page), page.parts.worlds
    found: list[Due] = []
    for queue in await page.parts.engine.all_queues(account=account):
        if account is None and not worlds.of(queue.key.account).clock.follows:
            continue
        due_ms = await next_change(page.parts, queue)
        if due_ms is not None:
            left_ms = due_ms - now_ms(page.parts, queue.key.account)
            found.append(Due(queue, queue_href(queue.key), due_ms, max(0, left_ms)))
    return sorted(found, key=lambda due: due.at_ms)[:MAX_DUE]


def _faults(page: Page) -> dict[str, Any]:
    world, account = _world(page), _account(page)
    rules = [] if world.faults_here is None else world.faults_here.rules()
    return {
        "fault_account": account,
        "fault_query": "" if account is None else f"?account={account}",
        "fault_body": {} if account is None else {"account": account},
        "profile": planned.profile_of([one.rule.name for one in rules]),
        "borrowed": account is not None and world.faults is None and bool(rules),
        "rules": [
            Rule(
                rule=one.rule,
                what=planned.what(one.rule),
                whom=planned.whom(one.rule),
                when=planned.when(one.rule),
                matched=one.matched,
                acted=one.acted,
            )
            for one in rules
        ],
    }


ROUTES = (
    ("/_emulator/console/time", ("GET",), time_page),
    ("/_emulator/console/time/clock", ("GET",), clock_now),
    ("/_emulator/console/time/faults", ("GET",), faults_now),
)
