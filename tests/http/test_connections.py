"""What a real HTTP server does beside answering: many requests on a connection, and bad or broken ones."""

import hashlib
import json
import socket
import struct
from collections.abc import Callable
from contextlib import ExitStack
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from emulator.settings import Settings
from tests.http.connections import (
    JSON_TYPE,
    ask,
    ask_json,
    chunked,
    connection,
    form_of,
    json_headers,
    request_bytes,
)
from tests.support.server import TestServer, running_server

LIST = "/?Action=ListQueues"
METADATA = "ResponseMetadata/RequestId"


def test_a_connection_serves_many_requests(server: TestServer, queue: str):
    with connection(server.url) as opened:
        for number in range(20):
            body = json.dumps({"QueueUrl": queue, "MessageBody": str(number)}).encode()
            assert opened.request("POST", "/", body, json_headers("SendMessage")).status == 200
            assert opened.request("GET", LIST).status == 200
            assert opened.request("GET", "/").status == 404


def test_an_error_does_not_end_the_connection(server: TestServer):
    with connection(server.url) as opened:
        for body in (b"{", b"[]", b"\xff", b'{"QueueUrl":5}'):
            assert opened.request("POST", "/", body, json_headers("SendMessage")).status == 400
        assert opened.request("GET", LIST).status == 200


def test_connection_close_is_honoured(server: TestServer):
    with connection(server.url) as opened:
        answer = opened.request("GET", LIST, headers={"Connection": "close"})
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert opened.is_closed_by_server()


def test_http_1_0_is_answered_and_closed(server: TestServer):
    with connection(server.url) as opened:
        opened.send(f"GET {LIST} HTTP/1.0\r\n\r\n".encode())
        assert opened.read_answer().status == 200
        assert opened.is_closed_by_server()


def test_pipelined_requests_are_answered_in_order(server: TestServer, queue: str):
    def send(opened, number: int) -> bytes:
        fields = {"QueueUrl": queue, "MessageBody": str(number)}
        if number % 2:
            return request_bytes(opened.host, "POST", "/", form_of("SendMessage", fields).encode())
        return request_bytes(
            opened.host, "POST", "/", json.dumps(fields).encode(), json_headers("SendMessage")
        )

    with connection(server.url) as opened:
        opened.send(b"".join(send(opened, number) for number in range(30)))
        types = [opened.read_answer().headers["content-type"] for _ in range(30)]
    assert types == ["application/x-amz-json-1.0", "text/xml"] * 15
    found = []
    for _ in range(30):
        found += ask_json(server.url, "ReceiveMessage", {"QueueUrl": queue}).json["Messages"]
    assert [int(message["Body"]) for message in found] == list(range(30))


def test_a_request_behind_a_long_poll_is_answered_after_it(server: TestServer, clock, queue: str):
    wait = {"QueueUrl": queue, "WaitTimeSeconds": 20}
    with connection(server.url) as opened:
        opened.send(
            request_bytes(opened.host, "POST", "/", json.dumps(wait).encode(), json_headers("ReceiveMessage"))
            + request_bytes(opened.host, "GET", LIST)
        )
        server.wait_for_waiters(queue, 1)
        ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "x"})
        assert opened.read_answer().json["Messages"][0]["Body"] == "x"
        assert opened.read_answer().headers["content-type"] == "text/xml"


@pytest.mark.parametrize("target", [LIST, "/", "/?Action=FooBar"])
def test_head_has_the_headers_of_get_and_no_body(server: TestServer, target: str):
    with connection(server.url) as opened:
        head = opened.request("HEAD", target)
        get = opened.request("GET", target)
    assert head.status == get.status
    assert head.headers["content-length"] == get.headers["content-length"]
    assert head.headers["content-type"] == get.headers["content-type"]


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHo st: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\x00b\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_is_no_http_is_refused_and_the_server_goes_on(server: TestServer, data: bytes):
    with connection(server.url) as opened:
        opened.send(data)
        assert opened.read_answer().status == 400
        assert opened.is_closed_by_server()
    assert ask(server.url, "GET", LIST).status == 200


@pytest.mark.parametrize(
    "request_line", ["GET http:// HTTP/1.1", "CONNECT localhost:80 HTTP/1.1", "GET * HTTP/1.1"]
)
def test_what_only_a_proxy_could_serve_is_refused(server: TestServer, request_line: str):
    with connection(server.url) as opened:
        opened.send(f"{request_line}\r\nHost: x\r\n\r\n".encode())
        assert opened.read_answer().status in (400, 404)
    assert ask(server.url, "GET", LIST).status == 200


def test_options_may_ask_about_the_whole_server(server: TestServer):
    assert ask(server.url, "OPTIONS", "*").status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"P",
        b"POST / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
    ],
)
@pytest.mark.parametrize("reset", [False, True])
def test_a_client_may_leave_in_the_middle_of_a_request(server: TestServer, data: bytes, reset: bool):
    for _ in range(5):
        with connection(server.url) as opened:
            opened.send(data)
            if reset:
                linger = struct.pack("ii", 1, 0)
                opened.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    assert ask(server.url, "GET", LIST).status == 200


def test_half_a_request_consumes_nothing(server: TestServer, queue: str):
    body = json.dumps({"QueueUrl": queue, "MessageBody": "x"}).encode()
    with connection(server.url) as opened:
        opened.send(request_bytes(opened.host, "POST", "/", body, json_headers("SendMessage"))[:-1])
    assert ask_json(server.url, "ReceiveMessage", {"QueueUrl": queue}).json == {}


@pytest.mark.parametrize("size", [1_000, 30_000, 60_000, 1_000_000])
def test_huge_headers_are_read_or_refused(server: TestServer, size: int):
    with connection(server.url) as opened:
        try:
            answer = opened.request("GET", LIST, headers={"X-Huge": "x" * size})
            assert answer.status in (200, 400, 431)
        except ConnectionError:
            assert size > 60_000
    assert ask(server.url, "GET", LIST).status == 200


@pytest.mark.parametrize("count", [100, 5_000])
def test_very_many_headers_are_read_or_refused(server: TestServer, count: int):
    with connection(server.url) as opened:
        try:
            headers = {f"X-Number-{number}": "x" for number in range(count)}
            assert opened.request("GET", LIST, headers=headers).status in (200, 400, 431)
        except ConnectionError:
            assert count > 1_000
    assert ask(server.url, "GET", LIST).status == 200


def test_a_very_long_target_is_read_or_refused(server: TestServer):
    answer = ask(server.url, "GET", f"{LIST}&X={'x' * 60_000}")
    assert answer.status in (200, 400, 414)
    assert ask(server.url, "GET", LIST).status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_another_method_is_answered_as_aws_answers(server: TestServer, method: str):
    answer = ask(server.url, method, "/")
    assert (answer.status, answer.headers["content-type"]) == (404, "text/xml")


def test_a_header_given_twice_does_no_harm(server: TestServer):
    with connection(server.url) as opened:
        opened.send(f"GET {LIST} HTTP/1.1\r\nHost: a\r\nAccept: a\r\nAccept: b\r\nHost: b\r\n\r\n".encode())
        assert opened.read_answer().status in (200, 400)
    assert ask(server.url, "GET", LIST).status == 200


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title, str.swapcase])
def test_names_of_headers_are_read_in_any_spelling(server: TestServer, spell: Callable[[str], str]):
    headers = {spell(name): value for name, value in json_headers("ListQueues", Origin="x").items()}
    answer = ask(server.url, "POST", "/", b"{}", headers)
    assert (answer.status, answer.headers["content-type"]) == (200, JSON_TYPE)
    assert answer.headers["access-control-allow-origin"] == "*"


def test_of_a_header_in_two_spellings_the_last_one_counts(server: TestServer):
    headers = {"X-Amz-Target": "AmazonSQS.Nothing", "x-amz-target": "AmazonSQS.ListQueues"}
    assert ask(server.url, "POST", "/", b"{}", headers).status == 200


def test_very_many_spellings_are_read(server: TestServer):
    """The short path remembers spellings, within bounds."""
    with connection(server.url) as opened:
        for number in range(20):
            names = (f"X-{number}-{count}{'-long' * (count % 20)}" for count in range(100))
            headers = {**dict.fromkeys(names, "x"), **json_headers("ListQueues")}
            assert opened.request("POST", "/", b"{}", headers).headers["content-type"] == JSON_TYPE


def test_trailers_are_not_taken_for_headers(server: TestServer):
    trailers = b"X-Amz-Target: AmazonSQS.Nothing\r\nContent-Encoding: gzip\r\nX-Sum: 1\r\n\r\n"
    headers = {**json_headers("ListQueues"), "Transfer-Encoding": "chunked"}
    with connection(server.url) as opened:
        for _ in range(2):
            body = chunked(b"{", b"}").removesuffix(b"\r\n") + trailers
            assert opened.request("POST", "/", body, headers).status == 200
            assert opened.request("GET", LIST).headers["content-type"] == "text/xml"


def test_every_answer_has_a_date(server: TestServer):
    for answer in (
        ask_json(server.url, "ListQueues"),
        ask_json(server.url, "ListQueues", {"MaxResults": "x"}),
        ask(server.url, "GET", LIST),
        ask(server.url, "GET", "/"),
        ask(server.url, "OPTIONS", "/"),
    ):
        assert parsedate_to_datetime(answer.headers["date"]).tzinfo is not None


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_connection_close_is_honoured_with_every_method(server: TestServer, method: str):
    with connection(server.url) as opened:
        answer = opened.request(method, LIST, headers={"Connection": "close"})
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert opened.is_closed_by_server()


def test_a_caller_that_does_not_read_its_answers_gets_all_of_them_later(server: TestServer, queue: str):
    """More than a socket holds: the server stops serving, and goes on when the caller reads."""
    body = "x" * 200_000
    assert ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": body}).status == 200
    receive = json.dumps({"QueueUrl": queue, "VisibilityTimeout": 0}).encode()
    with connection(server.url) as opened:
        one = request_bytes(opened.host, "POST", "/", receive, json_headers("ReceiveMessage"))
        opened.send(one * 100)
        assert ask(server.url, "GET", LIST).status == 200
        for _ in range(100):
            assert opened.read_answer().json["Messages"][0]["Body"] == body
        assert opened.request("GET", LIST).status == 200


def test_pipelined_requests_to_a_data_file_are_answered_in_order(tmp_path: Path):
    """Each of them waits for the disk."""
    with running_server(Settings(data=tmp_path / "data.db")) as server, connection(server.url) as opened:
        create = json.dumps({"QueueName": "filed"}).encode()
        url = opened.request("POST", "/", create, json_headers("CreateQueue")).json["QueueUrl"]
        bodies = [str(number) for number in range(40)]
        for body in bodies:
            data = json.dumps({"QueueUrl": url, "MessageBody": body}).encode()
            opened.send(request_bytes(opened.host, "POST", "/", data, json_headers("SendMessage")))
        answers = [opened.read_answer().json for _ in bodies]
    sums = [hashlib.md5(body.encode()).hexdigest() for body in bodies]
    assert [answer["MD5OfMessageBody"] for answer in answers] == sums


@pytest.mark.parametrize("protocol", ["h2c", "websocket"])
@pytest.mark.parametrize("body", [b"", b"Action=ListQueues"], ids=["get", "post"])
@pytest.mark.parametrize("in_pieces", [False, True])
def test_an_offer_to_upgrade_is_ignored(server: TestServer, protocol: str, body: bytes, in_pieces: bool):
    """Java's client offers h2c with its first request. Exactly one answer, and the connection goes on."""
    headers = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": protocol, "HTTP2-Settings": "AAMAAABk"}
    with connection(server.url) as opened:
        method, target = ("POST", "/") if body else ("GET", LIST)
        data = request_bytes(opened.host, method, target, body, headers)
        if in_pieces and body:
            opened.send(data[: -len(body)])
            assert ask(server.url, "GET", LIST).status == 200
            data = body
        opened.send(data)
        answer = opened.read_answer()
        assert (answer.status, answer.xml.findtext(METADATA)) == (200, answer.headers["x-amzn-requestid"])
        assert opened.request("GET", "/").status == 404
        assert opened.request("GET", LIST).status == 200


def test_an_own_page_behind_a_long_poll_is_answered_after_it(server: TestServer, queue: str):
    wait = json.dumps({"QueueUrl": queue, "WaitTimeSeconds": 20}).encode()
    with connection(server.url) as opened:
        opened.send(request_bytes(opened.host, "POST", "/", wait, json_headers("ReceiveMessage")))
        server.wait_for_waiters(queue, 1)
        opened.send(request_bytes(opened.host, "GET", "/_emulator/health"))
        assert ask(server.url, "GET", LIST).status == 200
        ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "x"})
        assert opened.read_answer().json["Messages"][0]["Body"] == "x"
        assert opened.read_answer().json["status"] == "ok"
        assert opened.request("GET", LIST).status == 200


@pytest.mark.parametrize("behind", [LIST, "/_emulator/health"])
def test_a_caller_that_hangs_up_with_a_request_behind_its_long_poll_consumes_nothing(
    server: TestServer, queue: str, behind: str
):
    wait = json.dumps({"QueueUrl": queue, "WaitTimeSeconds": 20}).encode()
    with connection(server.url) as opened:
        opened.send(request_bytes(opened.host, "POST", "/", wait, json_headers("ReceiveMessage")))
        server.wait_for_waiters(queue, 1)
        opened.send(request_bytes(opened.host, "GET", behind))
        assert ask(server.url, "GET", LIST).status == 200
    server.wait_for_waiters(queue, 0)
    ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "x"})
    assert ask_json(server.url, "ReceiveMessage", {"QueueUrl": queue}).json["Messages"][0]["Body"] == "x"


def test_own_pages_and_aws_share_a_connection(server: TestServer):
    with connection(server.url) as opened:
        for target in (LIST, "/_emulator/health", LIST, "/_emulator/ready", "/_emulator/nothing", LIST):
            answer = opened.request("GET", target)
            assert answer.status == (404 if target == "/_emulator/nothing" else 200)


@pytest.mark.parametrize("in_chunks", [False, True])
def test_a_body_sent_to_an_own_page_is_read_to_its_end(server: TestServer, in_chunks: bool):
    with connection(server.url) as opened:
        headers = {"Transfer-Encoding": "chunked"} if in_chunks else {}
        body = chunked(b"one", b"two") if in_chunks else b"onetwo"
        assert opened.request("POST", "/_emulator/health", body, headers).status == 405
        assert opened.request("GET", LIST).status == 200


def test_an_own_page_is_served_without_a_host(server: TestServer):
    with connection(server.url) as opened:
        opened.send(b"GET /_emulator/health HTTP/1.0\r\n\r\n")
        assert opened.read_answer().json["status"] == "ok"


def test_an_own_page_honours_connection_close(server: TestServer):
    with connection(server.url) as opened:
        answer = opened.request("GET", "/_emulator/health?verbose", headers={"Connection": "close"})
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert opened.is_closed_by_server()


def test_own_pages_and_aws_share_a_pipeline(server: TestServer):
    targets = [LIST, "/_emulator/health", LIST, "/_emulator/ready", LIST]
    with connection(server.url) as opened:
        opened.send(b"".join(request_bytes(opened.host, "GET", target) for target in targets))
        types = [opened.read_answer().headers["content-type"] for _ in targets]
    assert types == ["text/xml", "application/json", "text/xml", "application/json", "text/xml"]


def test_hundreds_of_idle_connections_do_no_harm(server: TestServer):
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connection(server.url))
        assert ask(server.url, "GET", LIST).status == 200
