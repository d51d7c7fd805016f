"""LocalStack's developer endpoint: the messages of a queue in the shape of ReceiveMessage, untouched.

Suites written for LocalStack ask for it, with an HTTP client or through boto3 with it as endpoint URL.
"""

import re
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from emulator.domain.digests import md5_of_attributes, md5_of_text
from emulator.domain.model import MessageState, Peeked, Queue, QueueKey
from emulator.domain.system_attributes import SYSTEM_ATTRIBUTES, system_attributes_of
from emulator.errors import UNMODELLED, QueueDoesNotExist, SqsError
from emulator.operations.lookup import key_of_url
from emulator.operations.receive_message import Message, ReceiveMessageRequest, ReceiveMessageResponse
from emulator.web.kit.calls import Parts
from emulator.web.kit.places import now_ms
from emulator.web.kit.reading import bytes_of
from emulator.wire import form, json10
from emulator.wire.json10 import JsonCall
from emulator.wire.messages import WireRequest, WireResponse
from emulator.wire.query import JSON_TYPE, QueryCall
from emulator.wire.signature import signature_of

PATH = "/_aws/sqs/messages"
REQUEST_ID = "00000000-0000-0000-0000-000000000000"
"""Of every answer: a look must not use up one of the ids that a seed makes."""
RECEIPT_HANDLE = "SQS/BACKDOOR/ACCESS"
"""LocalStack's: these messages were not received, so nothing can be done with a handle."""
PLAIN = WireRequest(method="GET", path="/", query="", headers={}, body=b"")
"""Makes an answer in XML: without what AWS's own rules for Accept and for paths look at."""
_REGION_IN_HOST = re.compile(r"sqs\.([a-z0-9-]+)\..+|([a-z0-9-]+)\.queue\..+")
_SHOWN_AS = {
    MessageState.IN_FLIGHT: 0,
    MessageState.LOCKED: 1,
    MessageState.VISIBLE: 2,
    MessageState.DELAYED: 3,
}
"""The order of LocalStack's answer."""


class InvalidRequest(SqsError):
    json_type = UNMODELLED + "InvalidRequest"
    query_code = "InvalidRequest"
    message = "This endpoint only accepts ReceiveMessage calls"


class InvalidAddress(SqsError):
    json_type = UNMODELLED + "InvalidAddress"
    query_code = "InvalidAddress"
    status = 404
    message = "The address https://queue.amazonaws.com/ is not valid for this endpoint."


async def list_messages(parts: Parts, request: Request) -> Response:
    """Answers in AWS JSON, in XML, or in that XML turned to JSON, as the request wants it."""
    wire = WireRequest(
        method=request.method,
        path=request.url.path,
        query=request.url.query,
        headers=request.headers,
        body=await bytes_of(request, parts.settings.max_body_bytes),
    )
    speaks_json = json10.speaks(wire)
    call = JsonCall(wire) if speaks_json else QueryCall(PLAIN)
    try:
        fields = _fields(wire, speaks_json)
        found = await _messages(parts, await _queue(parts, request, wire, fields), fields)
        call.operation = "ReceiveMessage"
        answer = call.reply(ReceiveMessageResponse(messages=found or None), REQUEST_ID)
    except SqsError as error:
        answer = call.error(error, REQUEST_ID)
    if not speaks_json and _wants_json(request):
        answer = _as_json(answer)
    return Response(
        answer.body,
        answer.status,
        {"x-amzn-requestid": REQUEST_ID, "content-type": answer.content_type.decode()}
        | {name.decode(): value.decode() for name, value in answer.headers},
    )


def _fields(wire: WireRequest, speaks_json: bool) -> dict[str, str]:
    """The parameters by name. Whoever names an action must call ReceiveMessage."""
    fields = form.parse(wire.query)
    if speaks_json:
        fields["Action"] = wire.headers.get("x-amz-target", "").rpartition(".")[2]
    elif wire.method == "POST":
        fields |= form.parse(wire.body.decode(errors="replace"))
    if fields.get("Action", "ReceiveMessage") != "ReceiveMessage":
        raise InvalidRequest
    if speaks_json:
        fields["QueueUrl"] = json10.decode(wire.body or b"{}", ReceiveMessageRequest).queue_url or ""
    return fields


async def _queue(parts: Parts, request: Request, wire: WireRequest, fields: dict[str, str]) -> Queue:
    named = request.path_params
    key: QueueKey | None
    if named:
        key = QueueKey(named["account"], named["region"], named["name"])
    elif not fields.get("QueueUrl"):
        raise QueueDoesNotExist
    else:
        region = _region_of(fields["QueueUrl"]) or signature_of(wire.headers, wire.query).region
        key = key_of_url(fields["QueueUrl"], parts.settings.account, region or parts.settings.region)
        if key is None:
            raise InvalidAddress
    queue = await parts.engine.find_queue(key)
    if queue is None:
        raise QueueDoesNotExist
    return queue


def _region_of(url: str) -> str | None:
    """As the host of the URL names it, in two of LocalStack's spellings; the third has it in the path."""
    try:
        found = _REGION_IN_HOST.fullmatch(urlsplit(url).hostname or "")
    except ValueError:
        return None
    return found and (found[1] or found[2])


async def _messages(parts: Parts, queue: Queue, fields: dict[str, str]) -> list[Message]:
    shows_invisible, shows_delayed = _is_true(fields, "ShowInvisible"), _is_true(fields, "ShowDelayed")
    states = {MessageState.VISIBLE}
    if shows_invisible:
        states |= {MessageState.IN_FLIGHT, MessageState.LOCKED}
    if shows_delayed:
        states.add(MessageState.DELAYED)
    found: list[Peeked] = []
    moment_ms, after = now_ms(parts, queue.key.account), 0
    while page := await parts.engine.peek(
        queue, now_ms=moment_ms, states=states, after_seq=after, limit=1000
    ):
        found += page
        after = page[-1].delivery.seq
    found.sort(key=lambda peeked: _SHOWN_AS[peeked.state])
    return [_message(queue, peeked, shows_invisible, shows_delayed) for peeked in found]


def _is_true(fields: dict[str, str], name: str) -> bool:
    return fields.get(name, "").lower() in ("true", "1")


def _message(queue: Queue, peeked: Peeked, shows_invisible: bool, shows_delayed: bool) -> Message:
    message = peeked.delivery
    attributes = system_attributes_of(message, SYSTEM_ATTRIBUTES, is_fifo=queue.is_fifo)
    attributes["SenderId"] = queue.key.account  # LocalStack's senders are accounts
    if shows_invisible:
        # LocalStack says of a message that only its group locks that it is visible.
        attributes["IsVisible"] = "false" if peeked.state is MessageState.IN_FLIGHT else "true"
    if shows_delayed:
        attributes["IsDelayed"] = "true" if peeked.state is MessageState.DELAYED else "false"
    return Message(
        message_id=message.message_id,
        receipt_handle=RECEIPT_HANDLE,
        md5_of_body=md5_of_text(message.body),
        body=message.body,
        attributes=attributes,
        md5_of_message_attributes=md5_of_attributes(message.attributes or {}),
        message_attributes=message.attributes or None,
    )


def _wants_json(request: Request) -> bool:
    """By Accept or, without a choice there, by the content type of the request."""
    accept = request.headers.get("accept", "*/*")
    if accept == "*/*":
        accept = request.headers.get("content-type", "")
    return "application/json" in accept and "xml" not in accept


def _as_json(answer: WireResponse) -> WireResponse:
    root = ElementTree.fromstring(answer.body)
    document = {_name_of(root): _json_of(root)}
    return WireResponse(answer.status, JSON_TYPE, msgspec.json.encode(document), answer.headers)


def _name_of(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _json_of(element: ElementTree.Element) -> Any:
    """A text, or children by name: those that there are several of as a list, a single one as it is."""
    if not len(element):
        return element.text
    members: dict[str, Any] = {}
    for child in element:
        name, value = _name_of(child), _json_of(child)
        if name not in members:
            members[name] = value
        elif isinstance(members[name], list):
            members[name].append(value)
        else:
            members[name] = [members[name], value]
    return members
