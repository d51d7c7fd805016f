"""Looks at every raw answer beside the client: botocore forgives much that other clients do not."""

import json
from typing import Any
from xml.etree import ElementTree

from steps import UUID, equal, holds, matches

XML = "{http://queue.amazonaws.com/doc/2012-11-05/}"
JSON_TYPE = "application/x-amz-json-1.0"
ERROR_TYPES = ("com.amazonaws.sqs#", "com.amazon.coral.service#")


def watch(client: Any, check: Any) -> None:
    """Have `check(status, headers, body, operation model)` see each answer and a fresh request id on it."""
    seen: set[str] = set()

    def after_call(http_response: Any, model: Any, **_: Any) -> None:
        request_id = http_response.headers.get("x-amzn-RequestId")
        matches(request_id, UUID, "header x-amzn-RequestId")
        holds(request_id not in seen, f"request id {request_id} was used before")
        seen.add(request_id)
        check(http_response.status_code, http_response.headers, http_response.content, model)

    client.meta.events.register("after-call.sqs.*", after_call)


def check_json(status: int, headers: Any, body: bytes, model: Any) -> None:
    equal(headers.get("Content-Type"), JSON_TYPE, "content type")
    if status != 200:
        check_json_error(headers, json.loads(body))
    elif model.output_shape is None:
        equal(body, b"", f"body of {model.name}, which has no output")
    else:
        answer = json.loads(body)
        holds(set(answer) <= set(model.output_shape.members), f"unknown members in {sorted(answer)}")
        holds_nothing_empty(answer)


def check_json_error(headers: Any, error: dict[str, str]) -> None:
    equal(sorted(error), ["__type", "message"], "members of the error")
    holds(error["__type"].startswith(ERROR_TYPES), f"prefix of {error['__type']}")
    matches(headers.get("x-amzn-query-error"), r"[A-Za-z.]+;Sender", "header x-amzn-query-error")


def holds_nothing_empty(value: Any) -> None:
    """AWS leaves out empty lists and maps, and never sends null."""
    holds(value is not None, "null in the answer")
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        holds(child not in ([], {}), f"an empty list or map in {value!r}")
        holds_nothing_empty(child)


def check_xml(status: int, headers: Any, body: bytes, model: Any) -> None:
    matches(headers.get("Content-Type"), r"text/xml(;.*)?", "content type")
    root = ElementTree.fromstring(body)
    if status != 200:
        equal(root.tag, f"{XML}ErrorResponse", "root element")
        check_xml_error(root)
        request_id = root.findtext(f"{XML}RequestId")
    else:
        equal(root.tag, f"{XML}{model.name}Response", "root element")
        result = [] if model.output_shape is None else [f"{XML}{model.name}Result"]
        equal([child.tag for child in root], [*result, f"{XML}ResponseMetadata"], "elements of the answer")
        request_id = root.findtext(f"{XML}ResponseMetadata/{XML}RequestId")
    equal(request_id, headers.get("x-amzn-RequestId"), "request id in the document")


def check_xml_error(root: ElementTree.Element) -> None:
    error = root.find(f"{XML}Error")
    holds(error is not None, "no element Error")
    assert error is not None
    equal(
        sorted(child.tag.removeprefix(XML) for child in error), ["Code", "Detail", "Message", "Type"], "Error"
    )
    equal(error.findtext(f"{XML}Type"), "Sender", "Type")
