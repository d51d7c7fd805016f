"""The first page: all queues, how they hang together, and what deserves a look."""

from collections.abc import Iterable, Sequence
from typing import Any

from starlette.responses import Response

from emulator.domain.model import Queue
from emulator.web.console.relations import drawings, links_of
from emulator.web.console.rendering import Page, live_key, render
from emulator.web.console.standing import Standing, standings, worst_first
from emulator.web.kit.places import now_ms

ROWS = 50
"""In the page as it comes. The script asks for further ones, so that the first are there at once."""
MORE_ROWS = 100
MAX_DRAWINGS = 40
MAX_NAMES = 100
"""Of queues without a dead-letter queue."""
MAX_WARNINGS = 40
"""One by one; further ones are counted."""


async def overview(page: Page) -> Response:
    queues = await page.parts.engine.all_queues()
    return render(page, "overview.html", nav="overview", **await _contents(page, queues))


async def contents(page: Page) -> Response:
    """All between the heading and the end of the page, as it is now."""
    queues = await page.parts.engine.all_queues()
    return render(page, "_overview.html", **await _contents(page, queues))


async def rows(page: Page) -> Response:
    """Those behind the row with the live key `after`; or those of each `key` and of its dead-letter queue."""
    given = page.request.query_params
    queues = await page.parts.engine.all_queues()
    ordered = _ordered(queues)
    if "after" in given:
        after = given["after"]
        wanted = [queue for queue in ordered if _place(queue) > _place_of_key(after)][:MORE_ROWS]
    else:
        keys = set(given.getlist("key"))
        named = [queue for queue in ordered if live_key(queue.key) in keys]
        keys |= {live_key(link.target) for link in links_of(named, ())}
        wanted = [queue for queue in ordered if live_key(queue.key) in keys]
    found = await standings(page.parts, wanted, queues)
    return render(page, "_rows.html", standings=found, rows_hidden=True)


async def relations(page: Page) -> Response:
    return render(page, "_relations.html", **await _relations(page, await page.parts.engine.all_queues()))


async def warnings(page: Page) -> Response:
    queues = await page.parts.engine.all_queues()
    return render(page, "_warnings.html", **_warned(await standings(page.parts, queues, queues)))


async def _contents(page: Page, queues: Sequence[Queue]) -> dict[str, Any]:
    found = await standings(page.parts, _ordered(queues), queues)
    return {
        "standings": found[:ROWS],
        "rows_hidden": False,
        "queue_count": len(found),
        "visible": sum(one.gauges.visible for one in found),
        "in_flight": sum(one.gauges.in_flight for one in found),
        "delayed": sum(one.gauges.delayed for one in found),
        **await _relations(page, queues),
        **_warned(found),
    }


async def _relations(page: Page, queues: Sequence[Queue]) -> dict[str, Any]:
    by_key = {queue.key: queue for queue in queues}
    links = links_of(queues, by_key)
    drawn = drawings(links)
    keys = {box.key for drawing in drawn[:MAX_DRAWINGS] for box in drawing.boxes if not box.is_missing}
    moments = [(by_key[key], now_ms(page.parts, key.account)) for key in keys]
    looks = await page.parts.engine.looks(moments)
    visible_of = {
        queue.key: look.gauges.visible for (queue, _), look in zip(moments, looks, strict=True) if look
    }
    return {
        "drawings": drawn[:MAX_DRAWINGS],
        "drawings_left": max(0, len(drawn) - MAX_DRAWINGS),
        "visible_of": visible_of,
        "accounts": sorted({queue.key.account for queue in queues}),
        "regions": sorted({queue.key.region for queue in queues}),
    }


def _warned(found: Sequence[Standing]) -> dict[str, Any]:
    warned = worst_first(found)
    urgent = [warning for warning in warned if warning.level != "info"]
    infos = [warning for warning in warned if warning.level == "info"]
    return {
        "urgent": urgent[:MAX_WARNINGS],
        "urgent_left": max(0, len(urgent) - MAX_WARNINGS),
        "urgent_count": len(urgent),
        "infos": infos[:MAX_NAMES],
        "info_count": len(infos),
    }


def _ordered(queues: Iterable[Queue]) -> list[Queue]:
    """By name; the script sorts its rows in the same way."""
    return sorted(queues, key=_place)


def _place(queue: Queue) -> tuple[str, str]:
    return queue.name.lower(), live_key(queue.key)


def _place_of_key(key: str) -> tuple[str, str]:
    return key.rpartition("/")[2].lower(), key


ROUTES = (
    ("/_emulator/", ("GET",), overview),
    ("/_emulator/console/overview", ("GET",), contents),
    ("/_emulator/console/overview/rows", ("GET",), rows),
    ("/_emulator/console/overview/relations", ("GET",), relations),
    ("/_emulator/console/overview/warnings", ("GET",), warnings),
)
