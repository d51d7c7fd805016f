"""How request bodies may arrive: in pieces, compressed, announced, too large (both protocols)."""

import gzip
import json
import zlib
from collections.abc import Callable
from typing import NamedTuple

import pytest

from emulator.settings import Settings
from tests.http.connections import (
    Answer,
    ask,
    ask_json,
    chunked,
    connection,
    form_of,
    json_headers,
    request_bytes,
)
from tests.support.server import TestServer, running_server

LIMIT = Settings().max_body_bytes
JSON = json_headers("SendMessage")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
Speech = tuple[bytes, dict[str, str]]


@pytest.fixture(params=["json", "query"])
def speech(request: pytest.FixtureRequest, queue: str) -> Speech:
    """Body and headers of a SendMessage in one of the protocols."""
    fields = {"QueueUrl": queue, "MessageBody": "hello"}
    if request.param == "json":
        return json.dumps(fields).encode(), JSON
    return form_of("SendMessage", fields).encode(), FORM


def bodies_in(server: TestServer, queue: str) -> list[str]:
    answer = ask_json(server.url, "ReceiveMessage", {"QueueUrl": queue, "MaxNumberOfMessages": 10})
    return [message["Body"] for message in answer.json.get("Messages", [])]


@pytest.mark.parametrize("piece_bytes", [1, 7, 1_000_000])
def test_a_chunked_body_is_read(server: TestServer, queue: str, speech: Speech, piece_bytes: int):
    body, headers = speech
    pieces = [body[start : start + piece_bytes] for start in range(0, len(body), piece_bytes)]
    answer = ask(server.url, "POST", "/", chunked(*pieces), {**headers, "Transfer-Encoding": "chunked"})
    assert answer.status == 200
    assert bodies_in(server, queue) == ["hello"]


def test_a_body_may_arrive_byte_by_byte(server: TestServer, queue: str, speech: Speech):
    body, headers = speech
    with connection(server.url) as opened:
        for byte in request_bytes(opened.host, "POST", "/", body, headers):
            opened.send(bytes([byte]))
        assert opened.read_answer().status == 200
    assert bodies_in(server, queue) == ["hello"]


class Packing(NamedTuple):
    name: str
    pack: Callable[[bytes], bytes]


def two_members(body: bytes) -> bytes:
    middle = len(body) // 2
    return gzip.compress(body[:middle]) + gzip.compress(body[middle:])


@pytest.mark.parametrize(
    "packing",
    [
        Packing("gzip", gzip.compress),
        Packing("GZIP", gzip.compress),
        Packing(" gzip ", gzip.compress),
        Packing("deflate", zlib.compress),
        Packing("identity", lambda body: body),
        Packing("", lambda body: body),
    ],
    ids=lambda packing: packing.name,
)
def test_a_compressed_body_is_unpacked(server: TestServer, queue: str, speech: Speech, packing: Packing):
    body, headers = speech
    answer = ask(server.url, "POST", "/", packing.pack(body), {**headers, "Content-Encoding": packing.name})
    assert answer.status == 200
    assert bodies_in(server, queue) == ["hello"]


def test_gzip_in_two_members_is_read_whole(server: TestServer, queue: str, speech: Speech):
    body, headers = speech
    answer = ask(server.url, "POST", "/", two_members(body), {**headers, "Content-Encoding": "gzip"})
    assert answer.status == 200
    assert bodies_in(server, queue) == ["hello"]


def test_a_chunked_body_may_be_compressed(server: TestServer, queue: str, speech: Speech):
    body, headers = speech
    more = {"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"}
    packed = gzip.compress(body)
    answer = ask(server.url, "POST", "/", chunked(packed[:20], packed[20:]), {**headers, **more})
    assert answer.status == 200
    assert bodies_in(server, queue) == ["hello"]


@pytest.mark.parametrize(
    "packing",
    [
        Packing("gzip", lambda body: body),
        Packing("gzip", lambda body: gzip.compress(body)[:-9]),
        Packing("gzip", lambda body: gzip.compress(body)[:-4] + b"\0\0\0\0"),
        Packing("gzip", lambda body: gzip.compress(body)[:15] + b"\xff" * 20),
        Packing("gzip", lambda body: b"\x1f\x8b"),
        Packing("deflate", lambda body: b"\x00\x01\x02"),
        Packing("br", lambda body: body),
        Packing("gzip, gzip", lambda body: gzip.compress(gzip.compress(body))),
        Packing("\xff", lambda body: body),
    ],
    ids=["plain", "cut", "wrong-size", "broken", "header-only", "no-deflate", "br", "twice", "garbage"],
)
def test_a_body_that_does_not_fit_its_encoding_is_malformed(
    server: TestServer, queue: str, speech: Speech, packing: Packing
):
    body, headers = speech
    answer = ask(server.url, "POST", "/", packing.pack(body), {**headers, "Content-Encoding": packing.name})
    assert (answer.status, answer.code) == (400, "MalformedInput")
    assert bodies_in(server, queue) == []


@pytest.mark.parametrize("headers", [JSON, FORM], ids=["json", "query"])
def test_a_small_body_that_unpacks_to_too_much_is_refused(server: TestServer, headers: dict[str, str]):
    bomb = gzip.compress(b"x" * (LIMIT * 8))
    assert len(bomb) < LIMIT / 50
    answer = ask(server.url, "POST", "/", bomb, {**headers, "Content-Encoding": "gzip"})
    assert_too_large(answer)


@pytest.mark.parametrize("expect", [{}, {"Expect": "100-continue"}], ids=["plain", "expect-100"])
@pytest.mark.parametrize("headers", [JSON, FORM], ids=["json", "query"])
def test_a_body_announced_too_large_is_refused_before_it_is_sent(
    server: TestServer, headers: dict[str, str], expect: dict[str, str]
):
    with connection(server.url) as opened:
        assert_too_large(opened.request(headers={**headers, **expect, "Content-Length": "1000000000"}))
    assert ask_json(server.url, "ListQueues").status == 200


@pytest.mark.parametrize("headers", [JSON, FORM], ids=["json", "query"])
def test_a_chunked_body_is_refused_as_soon_as_it_is_too_large(server: TestServer, headers: dict[str, str]):
    with connection(server.url) as opened:
        opened.send(
            request_bytes(opened.host, "POST", "/", headers={**headers, "Transfer-Encoding": "chunked"})
        )
        chunk = b"x" * 65_536
        for _ in range(LIMIT // len(chunk) + 1):
            opened.send(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        assert_too_large(opened.read_answer())
    assert ask_json(server.url, "ListQueues").status == 200


@pytest.mark.parametrize("headers", [JSON, FORM], ids=["json", "query"])
def test_a_client_that_sends_all_of_a_body_too_large_reads_the_answer(
    server: TestServer, headers: dict[str, str]
):
    body = b"x" * (LIMIT * 2)
    assert_too_large(ask(server.url, "POST", "/", body, headers))
    assert_too_large(ask(server.url, "POST", "/", chunked(body), {**headers, "Transfer-Encoding": "chunked"}))


def test_a_body_of_exactly_the_limit_is_read():
    body = b'{"Filler":"' + b"x" * 100 + b'"}'
    with running_server(Settings(max_body_bytes=len(body))) as server:
        assert ask_json(server.url, "ListQueues", body).status == 200
        assert_too_large(ask_json(server.url, "ListQueues", body + b" "))
        more = {"Transfer-Encoding": "chunked"}
        headers = {**json_headers("ListQueues"), **more}
        assert ask(server.url, "POST", "/", chunked(body[:50], body[50:]), headers).status == 200
        assert_too_large(ask(server.url, "POST", "/", chunked(body, b" "), headers))


def test_a_client_that_expects_100_is_told_to_go_on(server: TestServer, queue: str, speech: Speech):
    body, headers = speech
    with connection(server.url) as opened:
        more = {"Expect": "100-continue", "Content-Length": str(len(body))}
        opened.send(request_bytes(opened.host, "POST", "/", headers={**headers, **more}))
        assert opened.read_answer().status == 100
        opened.send(body)
        assert opened.read_answer().status == 200
    assert bodies_in(server, queue) == ["hello"]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_without_a_body_has_no_body(server: TestServer, method: str):
    assert ask(server.url, method, "/?Action=ListQueues").status == 200


def assert_too_large(answer: Answer) -> None:
    assert answer.status == 413
    assert answer.code == "RequestEntityTooLarge"
