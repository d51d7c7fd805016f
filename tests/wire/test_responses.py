import json
from typing import Any
from xml.etree import ElementTree

import pytest

from emulator.operations import OPERATIONS
from tests.wire.golden_responses import RESPONSES, Response
from tests.wire.structs import build, response_type
from tests.wire.wire_requests import json_call, query_call

ROWS = [pytest.param(row, id=row.operation) for row in RESPONSES]
WITHOUT_OUTPUT = [
    "AddPermission",
    "ChangeMessageVisibility",
    "DeleteMessage",
    "DeleteQueue",
    "PurgeQueue",
    "RemovePermission",
    "SetQueueAttributes",
    "TagQueue",
    "UntagQueue",
]
EMPTY_RESULTS = [
    "ChangeMessageVisibilityBatch",
    "DeleteMessageBatch",
    "GetQueueAttributes",
    "ListDeadLetterSourceQueues",
    "ListMessageMoveTasks",
    "ListQueueTags",
    "ListQueues",
    "ReceiveMessage",
    "SendMessageBatch",
]
REQUEST_ID = "6b1f0d3e-8a4c-4d0e-9f58-2f0b6f1c7a11"
NAMESPACE = "http://queue.amazonaws.com/doc/2012-11-05/"


@pytest.mark.parametrize("row", ROWS)
def test_a_response_in_json(row: Response):
    answer = json_call(row.operation).reply(_typed(row), REQUEST_ID)
    assert (answer.status, answer.content_type) == (200, b"application/x-amz-json-1.0")
    assert json.loads(answer.body) == row.json_body


@pytest.mark.parametrize("row", ROWS)
def test_a_response_in_xml(row: Response):
    answer = query_call(row.operation).reply(_typed(row), REQUEST_ID)
    assert (answer.status, answer.content_type) == (200, b"text/xml")
    assert answer.body.startswith(b'<?xml version="1.0"?>')
    assert _tree(answer.body.decode()) == _tree(_document(row.operation, row.result_xml))


@pytest.mark.parametrize("row", [row for row in ROWS if row.values[0].legacy_result is not None])
def test_a_response_in_the_legacy_json_of_query(row: Response):
    answer = query_call(row.operation, accept="application/json").reply(_typed(row), REQUEST_ID)
    assert (answer.status, answer.content_type) == (200, b"application/json")
    assert _without_nulls(json.loads(answer.body)) == {
        f"{row.operation}Response": {
            f"{row.operation}Result": row.legacy_result,
            "ResponseMetadata": {"RequestId": REQUEST_ID},
        }
    }


@pytest.mark.parametrize("operation", WITHOUT_OUTPUT)
def test_an_operation_without_output_has_an_empty_json_body_and_no_result_element(operation: str):
    assert response_type(operation) is None
    assert json_call(operation).reply(None, REQUEST_ID).body == b""
    xml = query_call(operation).reply(None, REQUEST_ID).body.decode()
    assert _tree(xml) == _tree(_document(operation, ""))
    legacy = query_call(operation, accept="application/json").reply(None, REQUEST_ID).body
    assert json.loads(legacy) == {f"{operation}Response": {"ResponseMetadata": {"RequestId": REQUEST_ID}}}


@pytest.mark.parametrize("operation", EMPTY_RESULTS)
def test_a_result_with_nothing_to_say_is_an_empty_object_and_an_empty_element(operation: str):
    response = response_type(operation)
    assert response is not None
    assert json_call(operation).reply(response(), REQUEST_ID).body == b"{}"
    xml = query_call(operation).reply(response(), REQUEST_ID).body.decode()
    assert f"<{operation}Result/>" in xml


def test_an_empty_receive_in_legacy_json_has_null_messages():
    response = response_type("ReceiveMessage")
    assert response is not None
    answer = query_call("ReceiveMessage", accept="application/json").reply(response(), REQUEST_ID)
    result = json.loads(answer.body)["ReceiveMessageResponse"]["ReceiveMessageResult"]
    assert result == {"messages": None}


def test_every_operation_has_a_golden_response_or_no_output():
    assert sorted({row.operation for row in RESPONSES} | set(WITHOUT_OUTPUT)) == sorted(OPERATIONS)


def _typed(row: Response) -> Any:
    response = response_type(row.operation)
    assert response is not None
    return build(response, row.fields)


def _document(operation: str, result: str) -> str:
    metadata = f"<ResponseMetadata><RequestId>{REQUEST_ID}</RequestId></ResponseMetadata>"
    return f'<{operation}Response xmlns="{NAMESPACE}">{result}{metadata}</{operation}Response>'


def _tree(xml: str) -> Any:
    """Tags, texts and children. The order of different tags means nothing, that of equal ones does."""

    def walk(node: ElementTree.Element) -> Any:
        children = sorted(node, key=lambda child: child.tag)
        return (node.tag, node.attrib, (node.text or ""), [walk(child) for child in children])

    return walk(ElementTree.fromstring(xml))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value
