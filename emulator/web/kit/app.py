"""All calls of the kit, and the application that answers them."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.errors import SqsError
from emulator.web.bodies import Disconnected
from emulator.web.kit import (
    clock,
    compat,
    faults,
    journal,
    metrics,
    openapi,
    origins,
    probes,
    queues,
    state,
    wait,
)
from emulator.web.kit.calls import Call, Parts, Visit
from emulator.web.kit.problems import Problem, problem_response
from emulator.web.kit.reading import body_of, bytes_of, parameters_of

log = logging.getLogger(__name__)
MAX_SNAPSHOT_BYTES = 1 << 30


async def describe(visit: Visit) -> Response:
    return Response(msgspec.json.encode(openapi.document(CALLS)), media_type="application/json")


PROBES = probes.CALLS
CALLS: tuple[Call, ...] = (
    *PROBES,
    *clock.CALLS,
    *state.CALLS,
    *queues.CALLS,
    *journal.CALLS,
    *wait.CALLS,
    *faults.CALLS,
    *metrics.CALLS,
    Call(
        method="GET",
        path="/_emulator/openapi.json",
        run=describe,
        reads_itself=True,
        answers=dict[str, Any],
        summary="This document",
    ),
    *compat.CALLS,
)


def application(
    parts: Parts, calls: Sequence[Call], aws_port: int | None, more: Sequence[Route] = ()
) -> Starlette:
    """`aws_port`: where AWS requests are answered, if that is another port. `more`: what are no calls."""
    by_path: dict[str, dict[str, Call]] = {}
    for call in calls:
        by_path.setdefault(call.path, {})[call.method] = call
    routes = [
        Route(path, _endpoint(parts, by_method, aws_port), methods=list(by_method))
        for path, by_method in by_path.items()
    ]
    app = Starlette(routes=[*routes, *more], exception_handlers={HTTPException: _no_such_call})
    app.router.redirect_slashes = False
    return app


async def _no_such_call(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = f"{request.method} {request.url.path}: there is no such call; see /_emulator/openapi.json"
    return problem_response(error.status_code, detail, error.headers)


def _endpoint(
    parts: Parts, by_method: dict[str, Call], aws_port: int | None
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        call = by_method["GET" if request.method == "HEAD" else request.method]
        try:
            if not call.is_open:
                _keep_out(parts, request)
            return await _answer(call, Visit(parts, request, _base_url(parts, request, aws_port)))
        except Problem as problem:
            return problem_response(problem.status, problem.detail)
        except SqsError as error:  # of the engine, such as a full disk
            return problem_response(error.status, error.message)
        except Disconnected:
            return Response(status_code=400)  # nobody reads it
        except Exception:
            log.exception("%s %s failed", request.method, request.url.path)
            return problem_response(500, "an error of the emulator; its log says more")

    return endpoint


def _keep_out(parts: Parts, request: Request) -> None:
    reason = origins.refusal(request.headers, parts.settings.base_url)
    if reason is not None:
        raise Problem(403, reason)


async def _answer(call: Call, visit: Visit) -> Response:
    given: list[Any] = []
    if call.parameters is not None and not call.reads_itself:
        given.append(parameters_of(visit.request, call.parameters))
    elif call.parameters is None and visit.request.query_params and not call.is_open:
        raise Problem(400, f"{next(iter(visit.request.query_params))}: there is no such parameter")
    if call.body is bytes:
        given.append(await bytes_of(visit.request, MAX_SNAPSHOT_BYTES))
    elif call.body is not None:
        given.append(
            await body_of(visit.request, call.decodes or call.body, visit.parts.settings.max_body_bytes)
        )
    answer = await call.run(visit, *given)
    if isinstance(answer, Response):
        return answer
    if answer is None:
        return Response(status_code=204)
    if isinstance(answer, bytes):
        return Response(answer, media_type=call.media_type)
    return Response(msgspec.json.encode(answer), media_type="application/json")


def _base_url(parts: Parts, request: Request, aws_port: int | None) -> str:
    if parts.settings.base_url is not None:
        return parts.settings.base_url
    url = request.url if aws_port is None else request.url.replace(port=aws_port)
    return f"{url.scheme}://{url.netloc}"
