"""Our structs and tables against botocore's model of SQS and the table of Query names.

A member, an operation or an enum value that AWS has and we have not fails here.
"""

import json
import pathlib
import typing
from typing import Any

import botocore.session
import msgspec
import pytest
from botocore.model import Shape, StructureShape

from emulator.domain.attributes import QUEUE_ATTRIBUTES
from emulator.domain.system_attributes import SYSTEM_ATTRIBUTES
from emulator.operations import OPERATIONS
from emulator.wire.shapes import Kind, shape_of
from tests.wire.structs import inner_struct, parts, request_type, response_type

MODEL = botocore.session.Session().get_service_model("sqs")
QUERY_FILE = pathlib.Path(__file__).parents[1] / "support" / "query-members.json"
QUERY: dict[str, Any] = json.loads(QUERY_FILE.read_text())["operations"]
OPERATION_NAMES = sorted(MODEL.operation_names)
SCALARS = {"string": str, "integer": int, "long": int, "boolean": bool, "blob": bytes, "timestamp": int}
SHARED_WIRE_NAMES = {
    # AWS's Query protocol has one name for both lists; Celery's old client sends this one (spec 4, row 52).
    ("ReceiveMessage", "MessageSystemAttributeNames"): "MessageSystemAttributeName",
}


def test_every_operation_of_the_model_is_there_and_no_other():
    assert sorted(OPERATIONS) == OPERATION_NAMES
    assert sorted(QUERY) == OPERATION_NAMES


@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_a_request_has_the_members_of_the_model(operation: str):
    _compare(operation, request_type(operation), MODEL.operation_model(operation).input_shape)


@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_a_response_has_the_members_of_the_model(operation: str):
    response = response_type(operation)
    shape = MODEL.operation_model(operation).output_shape
    if shape is None or not shape.members:
        assert response is None
    else:
        assert response is not None
        _compare(operation, response, shape)


@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_every_member_of_a_request_may_be_missing(operation: str):
    """Which member is required, and with which words, is a rule of the operation, not of the decoder."""
    assert request_type(operation)() is not None


@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_a_request_has_the_query_names_of_the_table(operation: str):
    _compare_query(operation, request_type(operation), QUERY[operation]["input"])


@pytest.mark.parametrize("operation", OPERATION_NAMES)
def test_a_response_has_the_query_names_of_the_table(operation: str):
    output = QUERY[operation]["output"]
    response = response_type(operation)
    if output is None:
        assert response is None
    else:
        assert output["resultElement"] == f"{operation}Result"
        assert response is not None
        _compare_query(operation, response, output["members"])


def test_every_queue_attribute_of_the_model_is_known():
    assert {*QUEUE_ATTRIBUTES, "All"} == _enum("QueueAttributeName")


def test_every_message_system_attribute_of_the_model_is_known():
    assert {*SYSTEM_ATTRIBUTES, "All"} == _enum("MessageSystemAttributeName")


def test_the_trace_header_is_the_only_system_attribute_that_can_be_sent():
    assert _enum("MessageSystemAttributeNameForSends") == {"AWSTraceHeader"}


def test_no_enum_of_the_model_is_left_out():
    """A new one needs a table here and a test above."""
    enums = {name for name in MODEL.shape_names if getattr(MODEL.shape_for(name), "enum", None)}
    assert enums == {"QueueAttributeName", "MessageSystemAttributeName", "MessageSystemAttributeNameForSends"}


def _enum(shape: str) -> set[str]:
    return set(MODEL.shape_for(shape).enum)  # type: ignore[attr-defined]


def _compare(where: str, struct: type[msgspec.Struct], shape: StructureShape | Shape | None) -> None:
    assert isinstance(shape, StructureShape), where
    fields = {field.encode_name: field.name for field in msgspec.structs.fields(struct)}
    assert sorted(fields) == sorted(shape.members), where
    hints = typing.get_type_hints(struct)
    for name, member in shape.members.items():
        _compare_member(f"{where}.{name}", hints[fields[name]], member)


def _compare_member(where: str, hint: Any, member: Any) -> None:
    (kind,) = parts(hint)
    if member.type_name == "structure":
        _compare(where, kind, member)
    elif member.type_name == "list":
        assert typing.get_origin(kind) is list, where
        _compare_item(where, kind, typing.get_args(kind)[0], member.member)
    elif member.type_name == "map":
        assert typing.get_origin(kind) is dict, where
        key, value = typing.get_args(kind)
        assert key is str, where
        _compare_item(where, kind, value, member.value)
    else:
        assert kind is SCALARS[member.type_name], where


def _compare_item(where: str, kind: Any, item: Any, member: Any) -> None:
    inner = inner_struct(kind)
    if inner is None:
        assert item is SCALARS[member.type_name], where
    else:
        _compare(where, inner, member)


def _compare_query(where: str, struct: type[msgspec.Struct], table: dict[str, Any]) -> None:
    shape = shape_of(struct)
    assert sorted(shape.by_json_name) == sorted(table), where
    for name, row in table.items():
        member = shape.by_json_name[name]
        wire = SHARED_WIRE_NAMES.get((where, name), row["wire"].removesuffix(".{n}"))
        assert (f"{where}.{name}", member.query_name) == (f"{where}.{name}", wire)
        assert shape.by_query_name[wire] is member, f"{where}.{name}"
        compound = {"list": Kind.LIST, "map": Kind.MAP, "structure": Kind.STRUCTURE}
        if row["kind"] in compound:
            assert member.kind is compound[row["kind"]], f"{where}.{name}"
        else:
            assert member.kind not in compound.values(), f"{where}.{name}"
        if member.kind in (Kind.LIST, Kind.MAP):
            assert row["flattened"] is True
        if member.kind is Kind.MAP:
            assert (member.key, member.value) == (row["key"], row["value"]), f"{where}.{name}"
        members = row.get("members") or row.get("item", {}).get("members")
        if members is not None:
            _compare_query(f"{where}.{name}", _struct_at(struct, name), members)


def _struct_at(struct: type[msgspec.Struct], json_name: str) -> type[msgspec.Struct]:
    names = {field.encode_name: field.name for field in msgspec.structs.fields(struct)}
    inner = inner_struct(typing.get_type_hints(struct)[names[json_name]])
    assert inner is not None
    return inner
