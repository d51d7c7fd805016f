"""From what was sent to typed values; what does not fit becomes a problem that names the member."""

import functools
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request

from emulator.web.bodies import read_body, unpack
from emulator.web.kit.explaining import explained, is_list
from emulator.web.kit.problems import Problem

T = TypeVar("T", bound=msgspec.Struct)


def parameters_of(request: Request, into: type[T]) -> T:
    """Of the query string and the path. Lists are written with commas."""
    given: dict[str, Any] = dict(request.path_params)
    for name, text in request.query_params.multi_items():
        if name in given:
            raise Problem(400, f"{name}: is given more than once")
        given[name] = text
    for name in _lists_of(into) & given.keys():
        given[name] = [part for part in given[name].split(",") if part]
    try:
        return msgspec.convert(given, into, strict=False)
    except msgspec.ValidationError as error:
        raise Problem(400, explained(error, into, "parameter")) from error


async def bytes_of(request: Request, limit_bytes: int) -> bytes:
    headers = request.headers
    body = await read_body(request.receive, headers.get("content-length"), limit_bytes)
    return unpack(body, headers.get("content-encoding", ""), limit_bytes)


async def body_of(request: Request, into: Any, limit_bytes: int) -> Any:
    """The JSON body; none at all counts as an object without members."""
    body = await bytes_of(request, limit_bytes)
    try:
        return msgspec.json.decode(body or b"{}", type=into)
    except msgspec.ValidationError as error:
        raise Problem(400, explained(error, into, "member")) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(400, f"the body is not valid JSON: {error}") from error


@functools.cache
def _lists_of(struct: type[msgspec.Struct]) -> frozenset[str]:
    """The parameters that are lists, by name."""
    fields = msgspec.structs.fields(struct)
    return frozenset(field.encode_name for field in fields if is_list(field.type))
