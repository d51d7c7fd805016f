"""What a kept AWS request asked for, in whichever protocol it was spoken."""

import re
from typing import Any
from urllib.parse import unquote, unquote_plus

import msgspec

from emulator.errors import SqsError
from emulator.operations import OPERATIONS
from emulator.traffic import MAX_BODY_BYTES
from emulator.web.bodies import unpack
from emulator.wire import form, json10
from emulator.wire.messages import WireRequest
from emulator.wire.shapes import shape_of

MAX_UNPACKED_BYTES = 16 * MAX_BODY_BYTES
"""A body that was sent compressed is longer than what was kept of it."""
CLOUDWATCH = "GraniteServiceVersion20100801"
CLOUDWATCH_VERSION = re.compile(r"(?:^|[&?])Version=2010-08-01(?:&|$)")
_CBOR_PATH = re.compile(rf"/service/{CLOUDWATCH}/operation/\w+/?")
_JSON_PLACE = re.compile(rb'"(QueueUrl|QueueName|SourceArn)"\s*:\s*"([^"\\]+)"')
_FORM_PLACE = re.compile(rb"(?:^|&)(QueueUrl|QueueName|SourceArn)=([^&]*)")

JSON, QUERY, CBOR = "AWS JSON 1.0", "Query", "RPC v2 CBOR"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    service: str
    """As the aws CLI names it: `sqs` or `cloudwatch`."""
    protocol: str
    action: str
    values: dict[str, Any] | None
    """The members by their names in JSON. None: they cannot be read, or there is no such action."""


def opened(request: WireRequest) -> WireRequest:
    """With its body unpacked, if it was compressed and can be."""
    encoding = request.headers.get("content-encoding")
    if encoding is None:
        return request
    try:
        body = unpack(request.body, encoding, MAX_UNPACKED_BYTES)
    except SqsError:
        return request
    return msgspec.structs.replace(request, body=body)


def protocol_of(request: WireRequest) -> str:
    if _CBOR_PATH.fullmatch(request.path):
        return CBOR
    is_json = json10.speaks(request) or request.headers.get("x-amz-target", "").startswith(CLOUDWATCH)
    return JSON if is_json else QUERY


def asked_of(action: str, request: WireRequest) -> Asked:
    """`action`: as Traffic kept it. `request`: opened."""
    protocol = protocol_of(request)
    service = "cloudwatch" if _is_cloudwatch(action, request, protocol) else "sqs"
    try:
        values = _cloudwatch_values(action, request) if service == "cloudwatch" else _values(action, request)
    except (msgspec.MsgspecError, ValueError, RecursionError, SqsError):
        values = None
    return Asked(service=service, protocol=protocol, action=action, values=values)


def _is_cloudwatch(action: str, request: WireRequest, protocol: str) -> bool:
    if action in OPERATIONS:
        return False
    if protocol == QUERY:
        is_form = request.method == "POST"
        text = request.body.decode("latin-1") if is_form else request.query
        return CLOUDWATCH_VERSION.search(text) is not None or action != "-"
    return protocol == CBOR or request.headers.get("x-amz-target", "").startswith(CLOUDWATCH)


def _values(action: str, request: WireRequest) -> dict[str, Any] | None:
    if action not in OPERATIONS:
        return None
    kind = OPERATIONS[action].request
    shape = shape_of(kind)
    if protocol_of(request) == JSON:
        found = msgspec.json.decode(request.body or b"{}", type=dict[str, Any])
        return {name: value for name, value in found.items() if name in shape.by_json_name}
    values = form.values_of(fields_of(request), kind)
    if "QueueUrl" in shape.by_query_name and request.path.strip("/"):
        values.setdefault("QueueUrl", request.path)
    return values


def _cloudwatch_values(action: str, request: WireRequest) -> dict[str, Any] | None:
    from emulator.cloudwatch import door, protocols  # only if there is such a request
    from emulator.cloudwatch.errors import CloudWatchError

    if action not in door.ACTIONS:
        return None
    try:
        values = protocols.codec_of(request, request.body).read()
        if protocol_of(request) == QUERY:  # numbers are texts there
            typed = msgspec.convert(values, door.ACTIONS[action][0], strict=False)
            values = {name: msgspec.to_builtins(typed).get(name, value) for name, value in values.items()}
    except (CloudWatchError, msgspec.MsgspecError):
        return None
    return values


def fields_of(request: WireRequest) -> dict[str, str]:
    """The parameters of a Query request."""
    fields = form.parse(request.query) if request.query else {}
    if request.method == "POST":
        fields |= form.parse(request.body.decode("utf-8", "replace"))
    return fields


def queue_name(request: WireRequest) -> str:
    """The queue that a request names; empty if it names none. Cheap: lists ask it of every request."""
    if protocol_of(request) == JSON:
        found = _JSON_PLACE.search(request.body)
        text = "" if found is None else found[2].decode("utf-8", "replace")
    else:
        body = request.body if request.method == "POST" else b""
        found = _FORM_PLACE.search(body) or _FORM_PLACE.search(request.query.encode("latin-1", "replace"))
        is_other = _CBOR_PATH.fullmatch(request.path)
        path = "" if is_other else unquote(request.path)
        text = path if found is None else unquote_plus(found[2].decode("latin-1"))
    return re.split("[/:]", text.rstrip("/"))[-1]
