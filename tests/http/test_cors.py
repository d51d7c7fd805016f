"""Any page may call the AWS endpoint, as with AWS's own front end; our own pages are another matter."""

import pytest

from tests.http.connections import ask, ask_json, ask_query
from tests.support.server import TestServer

ORIGIN = "https://example.com"


@pytest.mark.parametrize("target", ["/", "/000000000000/orders"])
def test_a_preflight_allows_the_call(server: TestServer, target: str):
    headers = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-amz-target,authorization",
    }
    answer = ask(server.url, "OPTIONS", target, headers=headers)
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "POST" in answer.headers["access-control-allow-methods"]
    allowed = answer.headers["access-control-allow-headers"].split(",")
    assert {"content-type", "x-amz-target", "authorization"} <= set(allowed)
    assert "x-amzn-requestid" in answer.headers["access-control-expose-headers"]
    assert int(answer.headers["access-control-max-age"]) > 0


def test_options_without_an_origin_is_answered(server: TestServer):
    assert ask(server.url, "OPTIONS", "/").status == 200


def test_an_answer_to_a_page_says_that_the_page_may_read_it(server: TestServer):
    for answer in (
        ask_json(server.url, "ListQueues", Origin=ORIGIN),
        ask_query(server.url, "ListQueues", Origin=ORIGIN),
        ask_json(server.url, "ListQueueTags", {"QueueUrl": "nowhere"}, Origin=ORIGIN),
        ask(server.url, "GET", "/", headers={"Origin": ORIGIN}),
    ):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "x-amzn-query-error" in answer.headers["access-control-expose-headers"]


def test_other_answers_have_no_such_headers(server: TestServer):
    answer = ask_json(server.url, "ListQueues")
    assert [name for name in answer.headers if name.startswith("access-control")] == []


def test_our_own_pages_are_not_open_to_other_pages(server: TestServer):
    answer = ask(server.url, "GET", "/_emulator/health", headers={"Origin": ORIGIN})
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers
