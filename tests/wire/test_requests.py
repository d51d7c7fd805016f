from urllib.parse import urlencode

import pytest

from emulator.operations import OPERATIONS
from emulator.wire.query import QueryCall
from tests.wire.golden_requests import REQUESTS, Request
from tests.wire.structs import build, request_type
from tests.wire.wire_requests import json_call, query_call, wire_request

ROWS = [pytest.param(row, id=row.operation) for row in REQUESTS]


@pytest.mark.parametrize("row", ROWS)
def test_both_protocols_decode_to_the_same_request(row: Request):
    request = request_type(row.operation)
    assert json_call(row.operation, row.json_body).arguments(request) == build(request, row.fields)
    typed = build(request, row.fields | (row.form_fields or {}))
    assert query_call(row.operation, row.form).arguments(request) == typed


@pytest.mark.parametrize("row", ROWS)
def test_a_query_string_decodes_like_a_form_body(row: Request):
    request = request_type(row.operation)
    by_post = query_call(row.operation, row.form).arguments(request)
    call = QueryCall(wire_request(method="GET", query=urlencode({"Action": row.operation, **row.form})))
    call.read(b"")
    assert call.arguments(request) == by_post


def test_every_operation_has_a_golden_request():
    assert {row.operation for row in REQUESTS} == set(OPERATIONS)
