"""Waiting for what shall happen, so that no test has to ask again and again.

The timeout is real time, whatever the clocks do. Nobody polls: an event wakes, or a moment of a clock.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request

from emulator.clock import Clock
from emulator.journal import Event, Filter, Journal
from emulator.signals import Arrival
from emulator.web.bodies import Disconnected
from emulator.web.kit.calls import Call, Parts, Visit
from emulator.web.kit.journal import (
    EventFilter,
    comes_by_time,
    filter_of,
    next_change,
    require_journal,
    settle,
)
from emulator.web.kit.places import WAITS_OF_THE_KIT, Account, QueueName, Region, find, now_ms
from emulator.web.kit.problems import Problem

MAX_TIMEOUT_S = 3_600
AGAIN_S = 0.2
"""How often a queue is looked at that other nodes may drain: they do not tell of what they delete."""


class Wait(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For an `event`, or until a queue is `drained`: nothing in it is visible, in flight or delayed."""

    event: EventFilter | None = None
    include_past: Annotated[
        bool | None,
        Meta(
            description="Whether an event counts that happened before this call. By default it does if the "
            "filter names a `message_id` or says `after` which event to look, else it does not."
        ),
    ] = None
    drained: QueueName | None = None
    account: Annotated[Account, Meta(description="Of the queue to be drained.")] | None = None
    region: Region | None = None
    timeout_s: Annotated[float, Meta(ge=0, le=MAX_TIMEOUT_S, description="In real seconds.")] = 10


class EventHappened(msgspec.Struct, frozen=True, kw_only=True):
    event: Event


class Drained(msgspec.Struct, frozen=True, kw_only=True):
    drained: Literal[True] = True


async def wait(visit: Visit, asked: Wait) -> EventHappened | Drained:
    journal = require_journal(visit.parts)
    if asked.event is not None and asked.drained is None:
        if asked.account is not None or asked.region is not None:
            raise Problem(400, "account, region: belong into `event`")
        return await _wait_for_event(visit, journal, asked, asked.event)
    if asked.drained is not None and asked.event is None and asked.include_past is None:
        return await _wait_for_drained(visit, journal, asked, asked.drained)
    raise Problem(400, "event, drained: one of them must be given, and include_past with event only")


async def _wait_for_event(visit: Visit, journal: Journal, asked: Wait, event: EventFilter) -> EventHappened:
    parts, wanted = visit.parts, filter_of(visit.parts, event)
    looks_back = asked.include_past
    if looks_back is None:
        looks_back = event.message_id is not None or event.after is not None
    await settle(parts, wanted)  # what is over by now belongs to the past
    after = (event.after or 0) if looks_back else max(event.after or 0, journal.last_number)
    # With nothing that time could do, only what is wanted is news; else whatever may have hidden a message.
    news = wanted
    if comes_by_time(wanted):
        news = msgspec.structs.replace(wanted, kinds=frozenset(), from_ms=None, to_ms=None)
    async with _Watch.of(visit, journal, asked.timeout_s) as watch:
        while True:
            seen = journal.last_number
            after = after if after <= seen else 0  # the journal was reset: numbers begin anew
            dues = await settle(parts, wanted)
            found = journal.query(wanted, after=after, limit=1)
            if found:
                return EventHappened(event=found[0])
            await watch.wait(news, seen, dues)


async def _wait_for_drained(visit: Visit, journal: Journal, asked: Wait, name: str) -> Drained:
    parts = visit.parts
    queue = await find(parts, name, asked.account, asked.region)
    account, region, name = queue.key
    news = Filter(queue=name, account=account, region=region)
    async with _Watch.of(visit, journal, asked.timeout_s) as watch:
        while True:
            seen = journal.last_number
            queue = await find(parts, name, account, region)
            due_ms = await next_change(parts, queue)
            counts = await parts.engine.counts(queue, now_ms=now_ms(parts, account))
            if counts.visible == counts.in_flight == counts.delayed == 0:
                return Drained()
            dues = [] if due_ms is None else [(parts.worlds.of(account).clock, due_ms)]
            await watch.wait(news, seen, dues)


class _Watch:
    """Wakes one call: by events, by clocks, by a reset, or for good."""

    def __init__(
        self, parts: Parts, journal: Journal, deadline: float, gone: "asyncio.Task[None]", call: Arrival
    ) -> None:
        self._parts = parts
        self._journal = journal
        self._deadline = deadline
        self._gone = gone
        self._call = call

    @classmethod
    @asynccontextmanager
    async def of(cls, visit: Visit, journal: Journal, timeout_s: float) -> AsyncIterator["_Watch"]:
        loop = asyncio.get_running_loop()
        gone = loop.create_task(_hang_up(visit.request))
        try:
            with visit.parts.signals.watch(WAITS_OF_THE_KIT) as call:
                yield cls(visit.parts, journal, loop.time() + timeout_s, gone, call)
        finally:
            gone.cancel()

    async def wait(self, news: Filter, after: int, dues: Sequence[tuple[Clock, int]]) -> None:
        """Until an event that fits, or one of these moments. Raises if the caller shall wait no longer."""
        loop, call = asyncio.get_running_loop(), self._call
        left_s = self._deadline - loop.time()
        if left_s <= 0:
            raise Problem(408, "it did not happen within timeout_s")
        timers = [clock.call_at(due_ms, call.wake) for clock, due_ms in dues]
        event = loop.create_task(self._journal.wait(news, timeout_s=left_s, after=after))
        waits: list[asyncio.Task[Any]] = [event, loop.create_task(call.wait())]
        try:
            again_s = left_s if self._parts.nodes is None else min(left_s, AGAIN_S)
            await asyncio.wait([*waits, self._gone], timeout=again_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for timer in timers:
                timer.cancel()
            for task in waits:
                task.cancel()
            call.clear()
        if self._gone.done():
            raise Disconnected
        if self._parts.signals.closing:
            raise Problem(503, "the server is stopping")


async def _hang_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


CALLS = (
    Call(
        method="POST",
        path="/_emulator/wait",
        run=wait,
        body=Wait,
        answers=(EventHappened, Drained),
        summary="Answer once a message has reached an event, or a queue is drained",
        problems=(404, 408, 409, 503),
    ),
)
