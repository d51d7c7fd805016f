"""Requests as the codecs get them."""

import json
from typing import Any
from urllib.parse import urlencode

from emulator.wire.json10 import JsonCall
from emulator.wire.messages import WireRequest
from emulator.wire.query import QueryCall

VERSION = "2012-11-05"


def wire_request(
    *, method: str = "POST", path: str = "/", query: str = "", body: bytes = b"", **headers: str
) -> WireRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return WireRequest(method=method, path=path, query=query, headers=named, body=body)


def json_call(operation: str, body: Any = None) -> JsonCall:
    """`body`: bytes as they are, anything else as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
    request = wire_request(
        body=raw, content_type="application/x-amz-json-1.0", x_amz_target=f"AmazonSQS.{operation}"
    )
    call = JsonCall(request)
    call.read(raw)
    return call


def query_call(
    operation: str, form: dict[str, str] | str = "", *, path: str = "/", **headers: str
) -> QueryCall:
    """`form`: text as it is, fields percent-encoded."""
    text = form if isinstance(form, str) else urlencode(form)
    raw = f"Action={operation}&Version={VERSION}&{text}".encode()
    call = QueryCall(wire_request(path=path, body=raw, **headers))
    call.read(raw)
    return call
