"""What the kit answers when it refuses: `application/problem+json` (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from starlette.responses import Response

PROBLEM_TYPE = "application/problem+json"


class Problem(Exception):
    """A refusal. `detail` says in one sentence what is wrong, and names the member if there is one."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class ProblemDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call was refused (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


def problem_response(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    details = ProblemDetails(title=HTTPStatus(status).phrase, status=status, detail=detail)
    return Response(msgspec.json.encode(details), status, headers, PROBLEM_TYPE)
