"""AWS JSON 1.0 (spec 1.2)."""

import json
from typing import Any, TypeVar

import msgspec

from emulator.errors import InvalidAction, InvalidMessageContents, SqsError
from emulator.wire.faults import malformed, not_json
from emulator.wire.messages import WireRequest, WireResponse

CONTENT_TYPE = b"application/x-amz-json-1.0"
TARGET_PREFIX = "AmazonSQS."

T = TypeVar("T", bound=msgspec.Struct)
_encoder = msgspec.json.Encoder()
_decoders: dict[type, msgspec.json.Decoder[msgspec.Struct]] = {}


def speaks(request: WireRequest) -> bool:
    headers = request.headers
    return headers.get("x-amz-target", "").startswith(TARGET_PREFIX) or headers.get(
        "content-type", ""
    ).lower().startswith("application/x-amz-json-1.")


class JsonCall:
    """One request, decoded on demand, and the answers to it."""

    __slots__ = ("_body", "decoded", "operation")

    def __init__(self, request: WireRequest) -> None:
        self._body = b""
        self.decoded: msgspec.Struct | None = None
        target = request.headers.get("x-amz-target", "")
        self.operation = target.removeprefix(TARGET_PREFIX) if target.startswith(TARGET_PREFIX) else ""

    def read(self, body: bytes) -> None:
        self._body = body

    def unknown_operation(self) -> SqsError:
        return InvalidAction(self.operation)

    def arguments(self, request_type: type[T]) -> T:
        arguments = decode(self._body or b"{}", request_type)
        self.decoded = arguments
        return arguments

    def reply(self, response: msgspec.Struct | None, request_id: str) -> WireResponse:
        body = b"" if response is None else _encoder.encode(response)
        return WireResponse(200, CONTENT_TYPE, body)

    def error(self, error: SqsError, request_id: str) -> WireResponse:
        fault = "Sender" if error.sender_fault else "Receiver"
        body = _encoder.encode({"__type": error.json_type, "message": error.message})
        headers = ((b"x-amzn-query-error", f"{error.query_code};{fault}".encode()),)
        return WireResponse(error.status, CONTENT_TYPE, body, headers)


def decode(body: bytes, request_type: type[T]) -> T:
    """Raises MalformedInput, or InvalidMessageContents for text that is no Unicode."""
    decoder = _decoders.get(request_type)
    if decoder is None:
        decoder = _decoders[request_type] = msgspec.json.Decoder(request_type)
    try:
        return decoder.decode(body)  # type: ignore[return-value]
    except msgspec.ValidationError as error:
        if "got `float`" not in str(error):
            raise malformed(error, body) from error
        return _decode_whole_floats(body, request_type)
    except (msgspec.DecodeError, RecursionError) as error:
        if _has_lone_surrogate(body):
            raise InvalidMessageContents from error
        raise not_json() from error


def _decode_whole_floats(body: bytes, request_type: type[T]) -> T:
    """5.0 is taken for 5 (spec U4)."""
    try:
        return msgspec.convert(_with_whole_numbers(msgspec.json.decode(body)), request_type)
    except msgspec.ValidationError as error:
        raise malformed(error, body) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise not_json() from error


def _with_whole_numbers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {name: _with_whole_numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(item) for item in value]
    return value


def _has_lone_surrogate(body: bytes) -> bool:
    """Half a surrogate pair is the one thing in JSON that Python's decoder takes and msgspec refuses."""
    try:
        json.loads(body.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
