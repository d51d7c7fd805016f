"""The pages of AWS requests: the last ones, and what went in and out with each."""

from typing import Any

import msgspec
from starlette.responses import Response

from emulator.domain.model import QueueKey
from emulator.traffic import BUCKETS_S, Exchange, RequestFigures
from emulator.web.console.asked import asked_of, opened
from emulator.web.console.cli_commands import command_for
from emulator.web.console.exchanges import Row, outcome_of, row_of, shown, time_text
from emulator.web.console.rendering import Page, message_href, queue_href, render
from emulator.web.kit.problems import Problem

PAGE = 100
MAX_LOOKED_AT = 5_000
"""Requests that one search looks at; further ones are on the next page."""
OUTCOMES = (
    ("", "All"),
    ("ok", "Answered"),
    ("error", "4xx: refused"),
    ("failure", "5xx: failed"),
    ("cut", "Cut by a fault"),
)


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    action: str = ""
    outcome: str = ""
    queue: str = ""
    """Part of its name, in any case of its letters."""
    before: int | None = None
    """The number of the last one on the page before."""

    @property
    def is_any(self) -> bool:
        return bool(self.action or self.outcome or self.queue)


async def requests_page(page: Page) -> Response:
    filters = _filters(page)
    actions = sorted({one.action for one in page.parts.traffic.figures()})
    return render(
        page,
        "requests.html",
        nav="requests",
        actions=actions,
        outcomes=OUTCOMES,
        kept=page.parts.settings.requests_kept,
        **_rows(page, filters),
    )


async def rows(page: Page) -> Response:
    """The list alone, for the script that keeps it up to date."""
    return render(page, "_requests.html", **_rows(page, _filters(page)))


async def figures(page: Page) -> Response:
    return render(page, "_durations.html", durations=durations(page.parts.traffic.figures()))


async def request_page(page: Page) -> Response:
    exchange = page.parts.traffic.find(page.request.path_params["request_id"])
    if exchange is None:
        raise Problem(404, "The request is not kept any more, or there was none with this id.")
    asked = asked_of(exchange.action, opened(exchange.request))
    row = row_of(exchange)
    key = QueueKey(exchange.account, exchange.region, row.queue)
    queue = await page.parts.engine.find_queue(key) if row.queue else None
    what = shown(exchange)
    return render(
        page,
        "request.html",
        nav="requests",
        account=exchange.account,
        exchange=exchange,
        row=row,
        what=what,
        service=asked.service,
        queue_href=None if queue is None else queue_href(queue.key),
        messages=[(one, message_href(key, one)) for one in what.message_ids],
        command=command_for(
            asked, endpoint_url=page.base_url, account=exchange.account, region=exchange.region
        ),
    )


def _filters(page: Page) -> Filters:
    given = page.request.query_params
    before = given.get("before", "")
    return Filters(
        action=given.get("action", ""),
        outcome=given.get("outcome", ""),
        queue=given.get("queue", "").strip(),
        before=int(before) if before.isascii() and before.isdigit() and len(before) < 16 else None,
    )


def _rows(page: Page, filters: Filters) -> dict[str, Any]:
    looked_at = page.parts.traffic.latest(MAX_LOOKED_AT, before=filters.before)
    found: list[Row] = []
    older = looked_at[-1].number if len(looked_at) == MAX_LOOKED_AT else None
    for exchange in looked_at:
        if (row := _fitting(exchange, filters)) is None:
            continue
        if len(found) == PAGE:
            older = found[-1].exchange.number
            break
        found.append(row)
    return {"rows": found, "filters": filters, "older": older}


def _fitting(exchange: Exchange, filters: Filters) -> Row | None:
    if filters.action not in ("", exchange.action):
        return None
    if filters.outcome not in ("", outcome_of(exchange.status)):
        return None
    row = row_of(exchange)
    return row if filters.queue.lower() in row.queue.lower() else None


class Durations(msgspec.Struct, frozen=True, kw_only=True):
    """How long the requests of one action took, since the server started."""

    action: str
    count: int
    refused: int
    """Those that were not answered with 200."""
    mean: str
    half: str
    """Half of them took no longer."""
    most: str
    """Nineteen of twenty took no longer."""


def durations(figures: list[RequestFigures]) -> list[Durations]:
    """In order of action."""
    by_action: dict[str, list[RequestFigures]] = {}
    for one in figures:
        by_action.setdefault(one.action, []).append(one)
    return [_durations(action, found) for action, found in sorted(by_action.items())]


def _durations(action: str, found: list[RequestFigures]) -> Durations:
    buckets = [sum(counts) for counts in zip(*(one.buckets for one in found), strict=True)]
    count = sum(buckets)
    return Durations(
        action=action,
        count=count,
        refused=sum(one.count for one in found if one.status != 200),
        mean=time_text(sum(one.sum_s for one in found) / count),
        half=time_text(_bound(buckets, count * 0.5)),
        most=time_text(_bound(buckets, count * 0.95)),
    )


def _bound(buckets: list[int], wanted: float) -> float:
    """The upper bound of the bucket that the wanted one is in; infinite if it took longer than all bounds."""
    seen = 0
    for bound, count in zip((*BUCKETS_S, float("inf")), buckets, strict=True):
        seen += count
        if seen >= wanted:
            return bound
    return float("inf")


ROUTES = (
    ("/_emulator/console/requests", ("GET",), requests_page),
    ("/_emulator/console/requests/rows", ("GET",), rows),
    ("/_emulator/console/requests/durations", ("GET",), figures),
    ("/_emulator/console/requests/{request_id}", ("GET",), request_page),
)
