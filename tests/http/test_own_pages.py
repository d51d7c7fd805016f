import pytest

import emulator
from tests.http.connections import ask
from tests.support.server import TestServer


def test_health_says_that_the_process_answers(server: TestServer):
    answer = ask(server.url, "GET", "/_emulator/health")
    assert (answer.status, answer.json) == (200, {"status": "ok", "version": emulator.__version__})


def test_ready_says_that_requests_are_served(server: TestServer):
    answer = ask(server.url, "GET", "/_emulator/ready")
    assert (answer.status, answer.json) == (200, {"status": "ready"})


@pytest.mark.parametrize("page", ["health", "ready"])
def test_a_probe_may_ask_with_head(server: TestServer, page: str):
    assert ask(server.url, "HEAD", f"/_emulator/{page}").status == 200


def test_a_page_that_is_not_there_is_not_aws_s_business(server: TestServer):
    answer = ask(server.url, "GET", "/_emulator/nothing?Action=ListQueues")
    assert answer.status == 404
    assert "x-amzn-requestid" not in answer.headers


def test_pages_are_not_posted_to(server: TestServer):
    assert ask(server.url, "POST", "/_emulator/health", b"{}").status == 405
