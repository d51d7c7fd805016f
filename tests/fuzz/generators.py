"""Requests that are nearly right: made from botocore's model of SQS, then bent."""

import json
import random
from typing import Any
from urllib.parse import quote

import botocore.session

from emulator.wire.messages import WireRequest
from tests.fuzz.flattening import flattened
from tests.fuzz.material import (
    ATTRIBUTE_VALUES,
    CONTENT_TYPES,
    FORM_KEYS,
    HEADERS,
    JUNK,
    NAMED_TEXTS,
    ODD_NUMBERS,
    ODD_TEXTS,
    PATHS,
    TARGETS,
)

MODEL = botocore.session.Session().get_service_model("sqs")
RICH = [
    "SendMessage",
    "SendMessageBatch",
    "ReceiveMessage",
    "SetQueueAttributes",
    "CreateQueue",
    "StartMessageMoveTask",
]
OPERATIONS = [*sorted(MODEL.operation_names), *RICH * 4]
"""Those that can go wrong in many ways come more often."""
JSON_TYPE, FORM_TYPE = "application/x-amz-json-1.0", "application/x-www-form-urlencoded"
NEEDED = ("QueueUrl", "QueueName", "MessageBody", "Entries", "Id", "ReceiptHandle", "SourceArn", "DataType")


class Chance:
    """Wraps a source of randomness: one that hypothesis can shrink, or a plain and fast one."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def one_of(self, choices: Any) -> Any:
        return choices[self._source.randrange(len(choices))]

    def some_of(self, choices: Any, most: int) -> list[Any]:
        return [self.one_of(choices) for _ in range(self._source.randrange(most + 1))]

    def happens(self, percent: int) -> bool:
        """False is what hypothesis shrinks to."""
        return self._source.randrange(100) >= 100 - percent

    def text(self) -> str:
        characters = [chr(self._source.randrange(0x20, 0x300)) for _ in range(self._source.randrange(8))]
        return "".join(characters)


def json_request(source: random.Random) -> WireRequest:
    chance = Chance(source)
    operation, arguments = _call(chance)
    if chance.happens(5):
        arguments[chance.one_of(["Extra", "queueurl", "", "\x00"])] = chance.one_of(JUNK)
    headers = {"host": "localhost", "content-type": JSON_TYPE, "x-amz-target": f"AmazonSQS.{operation}"}
    if chance.happens(5):
        headers["x-amz-target"] = chance.one_of(TARGETS)
        headers["content-type"] = chance.one_of(CONTENT_TYPES)
    return WireRequest(
        method=chance.one_of(["POST"] * 20 + ["GET", "PUT", "HEAD"]),
        path=chance.one_of(PATHS),
        query="",
        headers=headers | chance.one_of(HEADERS),
        body=_bent(chance, json.dumps(arguments).encode()),
    )


def query_request(source: random.Random) -> WireRequest:
    chance = Chance(source)
    operation, arguments = _call(chance)
    fields = {"Action": operation, **flattened(operation, arguments)}
    if chance.happens(15):
        fields |= {name: chance.one_of(ODD_TEXTS) for name in chance.some_of(FORM_KEYS, 3)}
    text = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in fields.items())
    method = chance.one_of(["POST"] * 10 + ["GET"] * 5 + ["PUT", "HEAD"])
    headers = {"host": "localhost", "content-type": FORM_TYPE}
    if chance.happens(5):
        headers["content-type"] = chance.one_of(CONTENT_TYPES)
    return WireRequest(
        method=method,
        path=chance.one_of(PATHS),
        query="" if method == "POST" else text,
        headers=headers | chance.one_of(HEADERS),
        body=_bent(chance, text.encode()) if method == "POST" else b"",
    )


def _call(chance: Chance) -> tuple[str, dict[str, Any]]:
    operation = chance.one_of(OPERATIONS)
    shape = MODEL.operation_model(operation).input_shape
    return operation, _structure(chance, shape)


def _value(chance: Chance, name: str, shape: Any) -> Any:
    """Mostly what the member wants, sometimes junk."""
    return chance.one_of(JUNK) if chance.happens(4) else _proper(chance, name, shape)


def _proper(chance: Chance, name: str, shape: Any) -> Any:
    kind = shape.type_name
    if kind == "structure":
        return _structure(chance, shape)
    if kind == "list":
        return [_value(chance, "", shape.member) for _ in chance.some_of([0], 3)]
    if kind == "map":
        return _map(chance, shape)
    if kind in ("integer", "long"):
        return chance.one_of([0, 1, 2, 5, 10] if chance.happens(60) else ODD_NUMBERS)
    if kind == "blob":
        return chance.one_of(["AQID", "AQID", "", "@@@", "A", "x" * 40, "AQID\n"])
    if name in NAMED_TEXTS:
        return chance.one_of(NAMED_TEXTS[name])
    if getattr(shape, "enum", None):
        return chance.one_of([*shape.enum, *ODD_TEXTS[:4]])
    if chance.happens(60):
        return "hello"
    return chance.text() if chance.happens(30) else chance.one_of(ODD_TEXTS)


def _structure(chance: Chance, shape: Any) -> dict[str, Any]:
    return {
        name: _value(chance, name, member)
        for name, member in shape.members.items()
        if chance.happens(95 if name in NEEDED else 30)
    }


def _map(chance: Chance, shape: Any) -> dict[str, Any]:
    names = getattr(shape.key, "enum", None) or ["a", "b", "Tag_1", "a.b", "aws:x", *ODD_TEXTS[:8]]
    if "RedrivePolicy" not in names:
        return {name: _value(chance, "", shape.value) for name in chance.some_of(names, 2)}
    return {
        name: chance.one_of([*ATTRIBUTE_VALUES.get(name, ["0", "60", "1024", "x"]), ""])
        for name in chance.some_of(names, 2)
    }


def _bent(chance: Chance, body: bytes) -> bytes:
    if not chance.happens(6):
        return body
    return chance.one_of([body[: len(body) * 2 // 3], body + body, body + b"\xff\xfe", b"\x00\xff{["])


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"))
