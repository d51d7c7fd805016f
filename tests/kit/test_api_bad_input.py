"""Whatever is sent, the answer is an answer: never an error of the server."""

import json
from urllib.parse import quote, urlencode

import msgspec
import pytest

from emulator.web.kit.app import CALLS
from tests.http.connections import ask
from tests.kit.api import PROBLEM

JUNK = [None, True, 7, -1, 10**30, 0.5, "", "x", "\0", "é" * 3000, "null", [], ["x"], {}, {"x": 1}, [[[]]]]
TEXTS = [
    "", "x", "-1", "1e999", "9" * 40, "null", "true", ",", "a,b", "\0", "%ff", "é" * 3000, "arn:", "http://[",
    "/", "//",
]  # fmt: skip
BODIES = [
    b"", b"{", b"null", b"[]", b"7", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 5000, b"\0",
    b'{"a":"\\ud800"}',
]  # fmt: skip
IN_PATH = {"message_id": "x", "name": "x", "region": "us-east-1", "account": "000000000000"}


def members(struct):
    return [field.encode_name for field in msgspec.structs.fields(struct)]


WITH_MEMBERS = [call for call in CALLS if hasattr(call.body, "__struct_config__")]
WITH_BODY = [call for call in CALLS if call.body is not None or call.reads_itself]
WITH_PARAMETERS = [call for call in CALLS if call.parameters is not None]


def name(call):
    return f"{call.method} {call.path}"


@pytest.fixture(autouse=True)
def nothing_is_left(api):
    yield
    for path in ("faults", "clock"):
        api.ask("DELETE", path)


@pytest.mark.parametrize("call", WITH_MEMBERS, ids=name)
def test_no_value_of_a_member_makes_the_server_fail(api, call):
    for member in members(call.body):
        for value in JUNK:
            body = {"timeout_s": 0} if call.path.endswith("wait") else {}
            if member == "timeout_s" and value in (7, 0.5):
                continue  # good ones: they would be waited for
            check(send(api, call, json.dumps({**body, member: value}).encode()))


@pytest.mark.parametrize("call", WITH_BODY, ids=name)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:8].hex() or "none")
def test_no_body_makes_the_server_fail(api, call, body):
    check(send(api, call, body))


@pytest.mark.parametrize("call", WITH_PARAMETERS, ids=name)
def test_no_value_of_a_parameter_makes_the_server_fail(api, call):
    for parameter in members(call.parameters):
        for text in TEXTS:
            target = call.path.format_map(IN_PATH | {parameter: quote(text, safe="") or "x"})
            asked = {"queue": "x"} | ({} if f"{{{parameter}}}" in call.path else {parameter: text})
            check(send(api, call, b"", f"{target}?{urlencode(asked)}"))
            check(send(api, call, b"", f"{target}?{parameter}=%ff"))


def send(api, call, body, target=None):
    return ask(api.url, call.method, target or call.path.format_map(IN_PATH), body)


def check(answer):
    assert answer.status < 500, (answer.status, answer.body)
    if answer.status >= 400 and answer.headers["content-type"] not in (
        "text/xml",
        "application/x-amz-json-1.0",
    ):
        assert answer.headers["content-type"] == PROBLEM
        assert answer.json["detail"]
