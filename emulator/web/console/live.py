"""What changes while a page is open: one stream of server-sent events for each page that can be seen."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Any

import msgspec
from starlette.responses import Response, StreamingResponse

from emulator.clock import stopwatch_s
from emulator.domain.activity import Gauges, Tally
from emulator.domain.model import Queue
from emulator.errors import ServiceUnavailable
from emulator.web.console.actions import place_of
from emulator.web.console.notices import fault_count, notices
from emulator.web.console.rendering import Page, clock_of, live_key
from emulator.web.kit.calls import Parts
from emulator.web.kit.places import WAITS_OF_THE_KIT, now_ms

PERIOD_S = 0.5
"""In real time: what happens in between is told as one change."""
REST = 5
"""So many times as long as a look took it waits for the next one: many queues in a database take long."""
SILENCE_S = 15
"""A stream without news says so much as that it is there."""
JUMP_MS = 250
"""A clock that is off by more than this was adjusted."""

Figures = tuple[int, int, int, int | None, int, int, int, int, int]
"""visible, in_flight, delayed, oldest_ms; since the server started sent, received, deleted, empty receives;
modified_ms, when the attributes of the queue changed."""


async def stream(page: Page) -> Response:
    account, _ = place_of(page)
    return StreamingResponse(_events(page, account), media_type="text/event-stream")


async def _events(page: Page, account: str) -> AsyncIterator[bytes]:
    """Ends when the server stops. The first event has all queues, the others those that changed."""
    parts, teller = page.parts, Teller(page, account)
    told_s = stopwatch_s()
    with parts.signals.watch(WAITS_OF_THE_KIT) as call:
        while not parts.signals.closing:
            call.clear()
            looked_s = stopwatch_s()
            try:
                news = await teller.news()
            except ServiceUnavailable:  # the database is away: there is nothing new until it is back
                news = None
            took_s = stopwatch_s() - looked_s
            if news is not None:
                told_s = stopwatch_s()
                yield b"data: " + msgspec.json.encode(news) + b"\n\n"
            elif stopwatch_s() - told_s > SILENCE_S:
                told_s = stopwatch_s()
                yield b": nothing new\n\n"
            with suppress(TimeoutError):
                async with asyncio.timeout(max(PERIOD_S, took_s * REST)):
                    await call.wait()


class Teller:
    """Remembers what one page was told, and says what is new."""

    def __init__(self, page: Page, account: str) -> None:
        self._page = page
        self._account = account
        """Whose clock the page shows."""
        self._told: dict[str, Figures] = {}
        self._rest: dict[str, int] | None = None
        self._clock: dict[str, Any] = {}
        self._clock_s = 0.0

    async def news(self) -> dict[str, Any] | None:
        """None: nothing changed since the last time."""
        parts = self._page.parts
        now, accounts = await figures(parts)
        changed = {key: one for key, one in now.items() if self._told.get(key) != one}
        gone = [key for key in self._told if key not in now]
        rest = self._figures_beside_queues(accounts)
        clock_changed = self._clock_changed()
        is_first = self._rest is None
        if not (changed or gone or clock_changed or rest != self._rest):
            return None
        self._told, self._rest = now, rest
        self._remember_clock()
        return {"first": is_first, "queues": changed, "gone": gone, "clock": self._clock, **rest}

    def _figures_beside_queues(self, accounts: Iterable[str]) -> dict[str, int]:
        parts = self._page.parts
        texts = "|".join(f"{one.whose}{one.text}" for one in notices(parts, accounts))
        return {
            "requests": parts.traffic.last_number,
            "journal": 0 if parts.journal is None else parts.journal.last_number,
            "faults": fault_count(parts, accounts),
            "notices": zlib.crc32(texts.encode()),
        }

    def _clock_changed(self) -> bool:
        """Whether it shows anything but what it would show had it gone on as it was."""
        if not self._clock:
            return True
        now, then = clock_of(self._page, self._account), self._clock
        passed_ms = 0 if then["frozen"] else (stopwatch_s() - self._clock_s) * 1000 * then["speed"]
        off_ms: float = abs(now["now_ms"] - then["now_ms"] - passed_ms)
        manner = ("real", "frozen", "speed")
        return off_ms > JUMP_MS * max(1, then["speed"]) or any(now[one] != then[one] for one in manner)

    def _remember_clock(self) -> None:
        self._clock, self._clock_s = clock_of(self._page, self._account), stopwatch_s()


async def figures(parts: Parts) -> tuple[dict[str, Figures], list[str]]:
    """How all queues stand, by their live keys, and the accounts that have any, the default one included."""
    engine = parts.engine
    accounts = {parts.settings.account}
    found: dict[str, Figures] = {}
    moments = [(queue, now_ms(parts, queue.key.account)) for queue in await engine.all_queues()]
    for (queue, _), look in zip(moments, await engine.looks(moments), strict=True):
        accounts.add(queue.key.account)
        if look is not None:
            found[live_key(queue.key)] = figures_of(queue, look.gauges, engine.totals(queue.id))
    return found, sorted(accounts)


def figures_of(queue: Queue, gauges: Gauges, totals: Tally) -> Figures:
    return (
        gauges.visible,
        gauges.in_flight,
        gauges.delayed,
        gauges.oldest_ms,
        totals.sent,
        totals.received,
        totals.deleted,
        totals.empty_receives,
        queue.modified_ms,
    )


ROUTES = (("/_emulator/console/live", ("GET",), stream),)
