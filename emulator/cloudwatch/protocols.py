"""The protocols that CloudWatch speaks: RPC v2 CBOR (boto3), AWS JSON 1.0, and Query.

What a request says becomes plain dicts, lists and scalars with the names of the service model; Query's
scalars stay texts. Answers are made of the same, and of Moments.
"""

import re
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import parse_qsl

import cbor2
import msgspec

from emulator.cloudwatch.errors import CloudWatchError, SerializationError
from emulator.cloudwatch.values import Moment, date_of, double
from emulator.wire import xml
from emulator.wire.messages import Header, WireRequest, WireResponse

TARGET = "GraniteServiceVersion20100801"
CBOR_PATH = re.compile(rf"/service/{TARGET}/operation/(\w+)/?")
SHAPE_PREFIX = "com.amazonaws.cloudwatch#"
NAMESPACE = "http://monitoring.amazonaws.com/doc/2010-08-01/"
VERSION = "2010-08-01"
MAX_DEPTH = 32
"""More parts has no name of a parameter."""
Values = dict[str, Any]


class Codec(Protocol):
    """One protocol, for one request."""

    action: str

    def read(self) -> Values:
        """Raises SerializationError."""
        ...

    def reply(self, answer: Values | None, request_id: str) -> WireResponse: ...

    def error(self, error: CloudWatchError, request_id: str) -> WireResponse: ...


def codec_of(request: WireRequest, body: bytes) -> Codec:
    in_path = CBOR_PATH.fullmatch(request.path)
    if in_path is not None:
        return Cbor(in_path[1], body)
    target = request.headers.get("x-amz-target", "")
    if target.startswith(f"{TARGET}."):
        return Json(target.removeprefix(f"{TARGET}."), body)
    return Query(request, body)


def _error_members(error: CloudWatchError) -> Values:
    members = {"__type": SHAPE_PREFIX + error.shape}
    return members | {error.message_member: error.message} if error.message else members


def _query_error(error: CloudWatchError) -> Header:
    fault = "Sender" if error.is_senders else "Receiver"
    return b"x-amzn-query-error", f"{error.code};{fault}".encode()


class Cbor:
    """Smithy's RPC v2: the action stands in the path."""

    HEADERS = ((b"smithy-protocol", b"rpc-v2-cbor"),)
    TYPE = b"application/cbor"

    def __init__(self, action: str, body: bytes) -> None:
        self.action = action
        self._body = body

    def read(self) -> Values:
        try:
            return _object(cbor2.loads(self._body) if self._body else {})
        except (cbor2.CBORDecodeError, ValueError, RecursionError) as error:
            raise SerializationError("The request is not valid CBOR.") from error

    def reply(self, answer: Values | None, request_id: str) -> WireResponse:
        return WireResponse(200, self.TYPE, self._encode(answer or {}), self.HEADERS)

    def error(self, error: CloudWatchError, request_id: str) -> WireResponse:
        body = self._encode(_error_members(error))
        return WireResponse(error.status, self.TYPE, body, (*self.HEADERS, _query_error(error)))

    def _encode(self, answer: Values) -> bytes:
        return cbor2.dumps(
            _with_moments(answer, lambda moment: date_of(moment.ms)), datetime_as_timestamp=True
        )


class Json:
    """AWS JSON 1.0: the action stands in X-Amz-Target."""

    TYPE = b"application/x-amz-json-1.0"

    def __init__(self, action: str, body: bytes) -> None:
        self.action = action
        self._body = body

    def read(self) -> Values:
        try:
            return _object(msgspec.json.decode(self._body or b"{}"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise SerializationError("The request is not valid JSON.") from error

    def reply(self, answer: Values | None, request_id: str) -> WireResponse:
        return WireResponse(200, self.TYPE, self._encode(answer or {}))

    def error(self, error: CloudWatchError, request_id: str) -> WireResponse:
        body = self._encode(_error_members(error))
        return WireResponse(error.status, self.TYPE, body, (_query_error(error),))

    def _encode(self, answer: Values) -> bytes:
        return msgspec.json.encode(_with_moments(answer, lambda moment: moment.ms / 1000))


class Query:
    """Form parameters in, XML out. Lists are spelled `Name.member.1`, in both."""

    TYPE = b"text/xml"

    def __init__(self, request: WireRequest, body: bytes) -> None:
        text = request.query + ("&" + body.decode(errors="replace") if request.method == "POST" else "")
        self._fields = dict(parse_qsl(text, keep_blank_values=True))
        self.action = self._fields.get("Action", "")

    def read(self) -> Values:
        root: Values = {}
        for name, text in self._fields.items():
            if name not in ("Action", "Version") and not name.startswith("X-Amz-"):
                path = name.split(".", MAX_DEPTH)
                if len(path) > MAX_DEPTH:
                    raise SerializationError("A parameter is nested too deeply.")
                _put(root, path, text)
        return {name: _lists_of(value) for name, value in root.items()}

    def reply(self, answer: Values | None, request_id: str) -> WireResponse:
        result = "" if answer is None else f"<{self.action}Result>{_elements(answer)}</{self.action}Result>"
        metadata = f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata>"
        body = f'<{self.action}Response xmlns="{NAMESPACE}">{result}{metadata}</{self.action}Response>'
        return WireResponse(200, self.TYPE, body.encode())

    def error(self, error: CloudWatchError, request_id: str) -> WireResponse:
        kind = "Sender" if error.is_senders else "Receiver"
        message = {"Message": error.message} if error.message else {}
        inner = _elements({"Type": kind, "Code": error.code} | message)
        body = (
            f'<ErrorResponse xmlns="{NAMESPACE}"><Error>{inner}</Error>'
            f"<RequestId>{request_id}</RequestId></ErrorResponse>"
        )
        return WireResponse(error.status, self.TYPE, body.encode())


def _object(value: Any) -> Values:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ValueError("no map of names")
    return dict(value)


def _with_moments(value: Any, spell: Any) -> Any:
    if isinstance(value, Moment):
        return spell(value)
    if isinstance(value, dict):
        return {name: _with_moments(one, spell) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_moments(one, spell) for one in value]
    return value


def _put(into: Values, path: list[str], text: str) -> None:
    name, *rest = path
    if not rest:
        into[name] = text
        return
    inner = into.setdefault(name, {})
    if not isinstance(inner, dict):
        raise SerializationError(f"The parameter {name} is both a value and a structure.")
    _put(inner, rest, text)


def _lists_of(value: Any) -> Any:
    """Turns what has members into lists, in the order of their numbers."""
    if not isinstance(value, dict):
        return value
    members = value.get("member")
    if len(value) == 1 and isinstance(members, dict) and all(name.isdecimal() for name in members):
        in_order = sorted(members, key=lambda name: (len(name.lstrip("0")), name.lstrip("0")))
        return [_lists_of(members[name]) for name in in_order]
    if value.keys() == {"member"} and members == "":
        return []
    return {name: _lists_of(one) for name, one in value.items()}


def _elements(values: Values) -> str:
    return "".join(_element(name, value) for name, value in values.items())


def _element(name: str, value: Any) -> str:
    if isinstance(value, Moment):
        return f"<{name}>{value.iso}</{name}>"
    if isinstance(value, dict):
        return f"<{name}>{_elements(value)}</{name}>"
    if isinstance(value, list | tuple):
        return f"<{name}>{''.join(_element('member', one) for one in value)}</{name}>"
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, float):
        value = double(value)
    return f"<{name}>{xml.escape(str(value))}</{name}>"
