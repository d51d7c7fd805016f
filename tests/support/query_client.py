"""A thin client for the AWS Query protocol with the surface of boto3's SQS client.

`query-members.json` says how every member is named and wrapped; nothing about single operations is coded
here. Unlike boto3, this client lets requests through that lack members or break limits: judging is the
server's part.
"""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import urllib3
from botocore.exceptions import ClientError

MODEL = json.loads(Path(__file__).with_name("query-members.json").read_text("utf-8"))
OPERATIONS: dict[str, Any] = MODEL["operations"]
READ_TIMEOUT_S = 30

Members = dict[str, Any]
Field = tuple[str, str]


class QueryClient:
    """Safe to share between threads: urllib3's pool is, and there is no other state."""

    def __init__(self, url: str, account: str = "test", region: str = "us-east-1") -> None:
        self._url = url.rstrip("/") + "/"
        credential = f"Credential={account}/20260101/{region}/sqs/aws4_request"
        self._headers = {
            "Authorization": f"AWS4-HMAC-SHA256 {credential}, SignedHeaders=host, Signature=0",
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
        }
        self._pool = urllib3.PoolManager(maxsize=30, retries=False, timeout=READ_TIMEOUT_S)

    def __getattr__(self, name: str) -> Callable[..., Members]:
        operation = "".join(word.capitalize() for word in name.split("_"))
        if operation not in OPERATIONS:
            raise AttributeError(name)
        return lambda **members: self._call(operation, members)

    def _call(self, operation: str, members: Members) -> Members:
        model = OPERATIONS[operation]
        # A dictionary, as in botocore: of two members with one wire name, the later one wins.
        fields = dict(_structure_fields("", model["input"], members))
        form = {"Action": operation, "Version": MODEL["version"], **fields}
        answer = self._pool.request("POST", self._url, body=urlencode(form), headers=self._headers)
        document = ElementTree.fromstring(answer.data)
        metadata = {
            "HTTPStatusCode": answer.status,
            "HTTPHeaders": {name.lower(): value for name, value in answer.headers.items()},
            "RequestId": _find_text(document, "RequestId"),
            "RetryAttempts": 0,
        }
        if answer.status >= 300:
            raise ClientError(_error(document, metadata), operation)
        return _result(document, operation, model["output"]) | {"ResponseMetadata": metadata}


def _structure_fields(prefix: str, models: Members, members: Members) -> Iterator[Field]:
    unknown = set(members) - set(models)
    if unknown:
        raise TypeError(f"no such members: {', '.join(sorted(unknown))}")
    for name, model in models.items():
        if members.get(name) is not None:
            yield from _fields(prefix + model["wire"], model, members[name])


def _fields(wire: str, model: Members, value: Any) -> Iterator[Field]:
    """The form fields of one value; `{n}` in `wire` stands for the number of a list's or map's entry."""
    kind = model["kind"]
    if kind == "list":
        for number, item in enumerate(value, 1):
            yield from _fields(wire.replace("{n}", str(number)), model["item"], item)
    elif kind == "map":
        for number, (key, item) in enumerate(value.items(), 1):
            entry = wire.replace("{n}", str(number))
            yield f"{entry}.{model['key']}", key
            yield from _fields(f"{entry}.{model['value']}", model["item"], item)
    elif kind == "structure":
        yield from _structure_fields(f"{wire}.", model["members"], value)
    else:
        yield wire, _text_of(kind, value)


def _text_of(kind: str, value: Any) -> str:
    if kind == "blob(base64)":
        return base64.b64encode(value.encode() if isinstance(value, str) else value).decode()
    if kind == "boolean":
        return "true" if value else "false"
    return str(value)


def _result(document: ElementTree.Element, operation: str, model: Members | None) -> Members:
    assert _name(document) == f"{operation}Response", f"a {_name(document)} answers {operation}"
    if model is None:
        return {}
    result = next(child for child in document if _name(child) == model["resultElement"])
    return _structure(result, model["members"])


def _structure(element: ElementTree.Element, models: Members) -> Members:
    children: dict[str, list[ElementTree.Element]] = {}
    for child in element:
        children.setdefault(_name(child), []).append(child)
    return {name: _value(children[m["wire"]], m) for name, m in models.items() if m["wire"] in children}


def _value(elements: list[ElementTree.Element], model: Members) -> Any:
    """Lists and maps are flattened: all their entries are siblings of one name."""
    kind = model["kind"]
    if kind == "list":
        return [_value([element], model["item"]) for element in elements]
    if kind == "map":
        pair = {
            "key": {"kind": "string", "wire": model["key"]},
            "value": {**model["item"], "wire": model["value"]},
        }
        entries = [_structure(element, pair) for element in elements]
        return {entry["key"]: entry["value"] for entry in entries}
    (element,) = elements
    return _structure(element, model["members"]) if kind == "structure" else _scalar(kind, element.text or "")


def _scalar(kind: str, text: str) -> str | int | bool | bytes:
    if kind == "blob(base64)":
        return base64.b64decode(text, validate=True)
    if kind == "boolean":
        return {"true": True, "false": False}[text]
    return int(text) if kind in {"integer", "long"} else text


def _error(document: ElementTree.Element, metadata: Members) -> Members:
    error = next((child for child in document if _name(child) == "Error"), None)
    if error is None:
        return {"Error": {"Code": _name(document), "Message": ""}, "ResponseMetadata": metadata}
    members = {_name(child): child.text or "" for child in error}
    members.pop("Detail", None)
    return {"Error": members, "ResponseMetadata": metadata}


def _find_text(document: ElementTree.Element, name: str) -> str | None:
    return next((element.text for element in document.iter() if _name(element) == name), None)


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
