"""The AWS Query protocol (spec 1.3): form parameters in, XML out, and its legacy JSON rendering."""

from typing import Any, TypeVar

import msgspec

from emulator.errors import InvalidAction, MalformedInput, SqsError, UnknownOperation
from emulator.wire import form, xml
from emulator.wire.faults import malformed
from emulator.wire.messages import WireRequest, WireResponse
from emulator.wire.shapes import Kind, Member, Shape, shape_of

XML_TYPE = b"text/xml"
JSON_TYPE = b"application/json"
NAMESPACE = "http://queue.amazonaws.com/doc/2012-11-05/"
PROLOGUE = '<?xml version="1.0"?>'
ROOT_ONLY = frozenset({"CreateQueue", "ListQueues"})
"""Actions that a queue's path does not serve (recorded, E1 row 53)."""
LEGACY_JSON_NAMES = {"Messages": "messages", "QueueUrls": "queueUrls"}

T = TypeVar("T", bound=msgspec.Struct)


class QueryCall:
    """One request, read on demand, and the answers to it."""

    def __init__(self, request: WireRequest) -> None:
        self._request = request
        self._fields: dict[str, str] = {}
        self._queue_path = request.path if request.path.strip("/") else None
        self._wants_json = request.headers.get("accept", "").startswith("application/json")
        self.operation = ""
        self.decoded: msgspec.Struct | None = None

    def read(self, body: bytes) -> None:
        """Query string and form body are read as one. Raises MalformedInput."""
        if self._request.query:
            self._fields = form.parse(self._request.query)
        if self._request.method == "POST":
            self._fields |= form.parse(_text(body))
        self.operation = self._fields.get("Action", "")

    def unknown_operation(self) -> SqsError:
        return InvalidAction(self.operation) if self.operation else UnknownOperation()

    def arguments(self, request_type: type[T]) -> T:
        shape = shape_of(request_type)
        values = form.values_of(self._fields, request_type)
        if "QueueUrl" in shape.by_query_name and "QueueUrl" not in values:
            if self._queue_path is None:
                raise InvalidAction(self.operation)
            values["QueueUrl"] = self._queue_path
        if self._queue_path is not None and self.operation in ROOT_ONLY:
            raise InvalidAction(self.operation)
        try:
            arguments = msgspec.convert(values, request_type)
        except msgspec.ValidationError as error:
            raise malformed(error) from error
        self.decoded = arguments
        return arguments

    def reply(self, response: msgspec.Struct | None, request_id: str) -> WireResponse:
        name = self.operation
        if self._wants_json:
            return _json_reply(name, response, request_id)
        result = ""
        if response is not None:
            members = xml.members(response)
            result = f"<{name}Result>{members}</{name}Result>" if members else f"<{name}Result/>"
        body = (
            f'{PROLOGUE}<{name}Response xmlns="{NAMESPACE}">{result}'
            f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata></{name}Response>"
        )
        return WireResponse(200, XML_TYPE, body.encode())

    def error(self, error: SqsError, request_id: str) -> WireResponse:
        if isinstance(error, UnknownOperation):
            return WireResponse(error.status, XML_TYPE, b"<UnknownOperationException/>")
        fault = "Sender" if error.sender_fault else "Receiver"
        if self._wants_json:
            detail = {"Type": fault, "Code": error.query_code, "Message": error.query_message, "Detail": None}
            body = msgspec.json.encode({"Error": detail, "RequestId": request_id})
            return WireResponse(error.status, JSON_TYPE, body)
        text = (
            f'{PROLOGUE}<ErrorResponse xmlns="{NAMESPACE}"><Error><Type>{fault}</Type>'
            f"{xml.element('Code', error.query_code)}{xml.element('Message', error.query_message)}"
            "<Detail/></Error>"
            f"<RequestId>{request_id}</RequestId></ErrorResponse>"
        )
        return WireResponse(error.status, XML_TYPE, text.encode())


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise MalformedInput("The request body is not valid UTF-8.") from error


def _json_reply(name: str, response: msgspec.Struct | None, request_id: str) -> WireResponse:
    """The XML document as JSON: members that XML leaves out are null, maps are lists of Name and Value."""
    answer: dict[str, Any] = {}
    if response is not None:
        answer[f"{name}Result"] = _legacy(msgspec.to_builtins(response), shape_of(type(response)))
    answer["ResponseMetadata"] = {"RequestId": request_id}
    return WireResponse(200, JSON_TYPE, msgspec.json.encode({f"{name}Response": answer}))


def _legacy(values: dict[str, Any], shape: Shape) -> dict[str, Any]:
    return {
        LEGACY_JSON_NAMES.get(member.json_name, member.json_name): _legacy_member(
            values.get(member.json_name), member
        )
        for member in shape.by_json_name.values()
    }


def _legacy_member(value: Any, member: Member) -> Any:
    if value is None:
        return None
    if member.kind is Kind.MAP:
        return [
            {member.key: key, member.value: _legacy_item(item, member.shape)} for key, item in value.items()
        ]
    if member.kind is Kind.LIST:
        return [_legacy_item(item, member.shape) for item in value]
    return _legacy_item(value, member.shape)


def _legacy_item(value: Any, shape: Shape | None) -> Any:
    return value if shape is None else _legacy(value, shape)
