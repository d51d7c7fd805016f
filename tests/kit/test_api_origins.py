"""A page in somebody's browser can reach the port. It must neither read nor act."""

import pytest

from emulator.web.kit.app import CALLS
from emulator.web.kit.origins import refusal as reason
from tests.kit.api import refusal

IN_PATH = {"message_id": "x", "name": "x", "region": "r", "account": "a"}
GUARDED = [(call.method, call.path.format_map(IN_PATH)) for call in CALLS if not call.is_open]


@pytest.mark.parametrize(("method", "path"), GUARDED)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "rebound.example"},
    ],
    ids=lambda headers: "-".join(*headers.items()),
)
def test_no_call_serves_pages_of_other_origins(api, method, path, headers):
    answer = api.ask(method, path, headers=headers)
    assert refusal(answer)[0] == 403
    assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_a_refused_call_has_done_nothing(api, account):
    api.queue("still-here", account)
    refusal(api.ask("POST", "reset", {}, {"Origin": "http://evil.example"}))
    assert api.get("queues", account=account)["queues"]


@pytest.mark.parametrize("path", ["/_emulator/clock/advance", "/_aws/sqs/messages", "/moto-api/reset"])
def test_no_page_is_told_that_it_might_ask(api, path):
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = api.ask("OPTIONS", path, headers=asked)
    assert answer.status == 405
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Host": "localhost:9324", "Origin": "http://localhost:9324"},
        {"Host": "LOCALHOST:9324", "Origin": "http://localhost:9324"},
    ],
)
def test_our_own_pages_and_programs_are_served(api, headers):
    assert api.ask("GET", "clock", headers=headers).status == 200


@pytest.mark.parametrize("path", ["health", "ready"])
def test_probes_are_answered_whoever_asks(api, path):
    assert api.ask("GET", path, headers={"Host": "lb.example", "Origin": "http://evil.example"}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:9324", "[::1]:9324", "10.1.2.3", "[fe80::1%25eth0]:9324", "localhost", "sqs", "sqs:9324",
        "host.docker.internal", "sqs.default.svc", "sqs.default.svc.cluster.local", "my.localhost",
        "localhost.localstack.cloud:4566", "sqs.eu-west-1.localhost.localstack.cloud", "",
    ],
)  # fmt: skip
def test_hosts_that_nobody_else_can_own_are_ours(host):
    assert reason({"host": host}, None) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil.example:9324",
        "127.0.0.1.evil.example",
        "[::1",
        "a.b:x",
    ],
)
def test_other_hosts_are_not(host):
    assert reason({"host": host}, None) is not None


def test_the_host_of_the_setting_base_url_is_ours():
    assert reason({"host": "sqs.example.com"}, "https://sqs.example.com/queues") is None
    assert reason({"host": "other.example.com"}, "https://sqs.example.com") is not None
