"""The routes of the console, and what every view of it shares: who may look, headers, pages for errors."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from emulator.errors import SqsError
from emulator.web.bodies import Disconnected
from emulator.web.console import actions, assets, charts, live, message, overview, queue, requests, time
from emulator.web.console.rendering import Page, render
from emulator.web.kit import origins
from emulator.web.kit.calls import Parts
from emulator.web.kit.problems import Problem, problem_response

log = logging.getLogger(__name__)
View = Callable[[Page], Awaitable[Response]]
Entry = tuple[str, Sequence[str], View]
"""Path, methods, view."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


async def _to_overview(page: Page) -> Response:
    return RedirectResponse("/_emulator/")


async def _banner(page: Page) -> Response:
    return render(page, "_banner.html")


async def _nothing_here(page: Page) -> Response:
    raise Problem(404, f"There is no page {page.request.url.path}.")


ENTRIES: tuple[Entry, ...] = (
    ("/_emulator", ("GET",), _to_overview),
    ("/_emulator/console", ("GET",), _to_overview),
    ("/_emulator/console/banner", ("GET",), _banner),
    *assets.ROUTES,
    *live.ROUTES,
    *actions.ROUTES,
    *overview.ROUTES,
    *queue.ROUTES,
    *message.ROUTES,
    *requests.ROUTES,
    *charts.ROUTES,
    *time.ROUTES,
    ("/_emulator/console/{rest:path}", ("GET",), _nothing_here),
)


def routes(parts: Parts, aws_port: int | None = None) -> list[BaseRoute]:
    """`aws_port`: where AWS requests are answered, if that is another port."""
    return [
        Route(path, _endpoint(parts, view, aws_port), methods=list(methods))
        for path, methods, view in ENTRIES
    ]


def _endpoint(parts: Parts, view: View, aws_port: int | None) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        page = Page(parts, request, _base_url(parts, request, aws_port), aws_port)
        try:
            response = await _answer(page, view)
        except Disconnected:
            return Response(status_code=400)  # nobody reads it
        except Exception:
            log.exception("%s %s failed", request.method, request.url.path)
            response = _refused(page, 500, "An error of the emulator. Its log says more.")
        for name, value in HEADERS.items():
            response.headers[name] = value
        response.headers.setdefault("cache-control", "no-store")
        return response

    return endpoint


async def _answer(page: Page, view: View) -> Response:
    request, parts = page.request, page.parts
    reason = origins.refusal(request.headers, parts.settings.base_url)
    if reason is not None:
        return problem_response(403, reason)
    try:
        page = Page(page.parts, request, page.base_url, page.aws_port, await _accounts(parts))
        return await view(page)
    except Problem as problem:
        return _refused(page, problem.status, problem.detail)
    except SqsError as error:  # of the engine, such as a full disk
        return _refused(page, error.status, error.message)


async def _accounts(parts: Parts) -> tuple[str, ...]:
    found = {queue.key.account for queue in await parts.engine.all_queues()}
    return tuple(sorted(found | {parts.settings.account}))


def _refused(page: Page, status: int, detail: str) -> Response:
    """A page for whoever looks, a problem document for scripts."""
    wants_page = page.request.method in ("GET", "HEAD") and "text/html" in page.request.headers.get(
        "accept", ""
    )
    if not wants_page:
        return problem_response(status, detail)
    return render(
        page, "error.html", status=status, code=status, title=HTTPStatus(status).phrase, detail=detail
    )


def _base_url(parts: Parts, request: Request, aws_port: int | None) -> str:
    if parts.settings.base_url is not None:
        return parts.settings.base_url
    url = request.url if aws_port is None else request.url.replace(port=aws_port)
    return f"{url.scheme}://{url.netloc}"
