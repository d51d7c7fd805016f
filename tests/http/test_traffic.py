"""The last requests, as the console shows them."""

import msgspec
import pytest

from emulator import traffic
from emulator.clock import AdjustableClock
from emulator.traffic import BUCKETS_S, KEPT_A_SECOND, MAX_BODY_BYTES, Traffic, without_secrets
from emulator.web.endpoint import Answer
from emulator.wire.messages import WireRequest

NOW_MS = 1_767_225_600_000


class Caller(msgspec.Struct):
    request_id: str = "request-1"
    account: str = "000000000000"
    region: str = "us-east-1"
    sender_id: str = "AIDA"
    clock: AdjustableClock = msgspec.field(default_factory=lambda: AdjustableClock(NOW_MS, frozen=True))


class Stopwatch:
    def __init__(self, monkeypatch):
        self.shows_s = 0.0
        monkeypatch.setattr(traffic, "stopwatch_s", lambda: self.shows_s)


@pytest.fixture
def stopwatch(monkeypatch):
    return Stopwatch(monkeypatch)


def request_of(body=b"{}", **members):
    return WireRequest(**{"method": "POST", "path": "/", "query": "", "headers": {}, "body": body} | members)


def answer_of(body=b"{}", status=200):
    return Answer(status, body, "request-1", b"application/x-amz-json-1.0")


def add(kept, number, *, action="SendMessage", status=200, took_s=0.0):
    caller = Caller(request_id=f"request-{number}")
    kept.add(action, caller, request_of(), answer_of(status=status), traffic.stopwatch_s() - took_s)


def test_the_latest_requests_come_first_and_the_oldest_leave(stopwatch):
    kept = Traffic(3)
    for number in range(1, 4):
        add(kept, number)
    stopwatch.shows_s = 1.0
    add(kept, 4)
    assert [(one.number, one.request_id) for one in kept.latest(10)] == [
        (4, "request-4"),
        (3, "request-3"),
        (2, "request-2"),
    ]
    assert [one.number for one in kept.latest(1)] == [4]
    assert [one.number for one in kept.latest(10, before=4)] == [3, 2]


def test_a_busy_server_keeps_only_some_of_its_requests_but_counts_all(stopwatch):
    kept = Traffic(10_000)
    for number in range(KEPT_A_SECOND + 50):
        add(kept, number)
    assert kept.last_number == KEPT_A_SECOND
    stopwatch.shows_s = 1.0
    for number in range(2):
        add(kept, number)
    assert kept.last_number == KEPT_A_SECOND + 2
    assert [figures.count for figures in kept.figures()] == [KEPT_A_SECOND + 52]


def test_a_request_is_found_by_its_id_with_what_came_in_and_went_out(stopwatch):
    kept = Traffic(10)
    add(kept, 7, took_s=0.25)
    found = kept.find("request-7")
    assert (found.action, found.status, found.duration_ms, found.at_ms) == ("SendMessage", 200, 250.0, NOW_MS)
    assert (found.account, found.region, found.sender_id) == ("000000000000", "us-east-1", "AIDA")
    assert (found.request.body, found.answer, found.content_type) == (
        b"{}",
        b"{}",
        "application/x-amz-json-1.0",
    )
    assert kept.find("request-8") is None


def test_long_bodies_are_cut():
    kept = Traffic(10)
    kept.add("SendMessage", Caller(), request_of(b"x" * 100_000), answer_of(b"y" * 100_000), 0.0)
    (found,) = kept.latest(1)
    assert (found.request.body, found.answer) == (b"x" * MAX_BODY_BYTES, b"y" * MAX_BODY_BYTES)


def test_without_room_nothing_is_kept_but_the_figures():
    kept = Traffic(0)
    kept.add("SendMessage", Caller(), request_of(), answer_of(), 0.0)
    assert kept.latest(10) == []
    assert [(one.action, one.status, one.count) for one in kept.figures()] == [("SendMessage", 200, 1)]


def test_durations_are_counted_by_action_and_status(stopwatch):
    kept = Traffic(10)
    add(kept, 1, took_s=0.001)
    add(kept, 2, took_s=30.0)
    add(kept, 3, action="-", status=400, took_s=0.002)
    sent, failed = kept.figures()
    assert (sent.action, sent.status, sent.count, sent.sum_s) == ("SendMessage", 200, 2, 30.001)
    assert sent.buckets[BUCKETS_S.index(0.001)] == 1
    assert sent.buckets[-1] == 1
    assert (failed.action, failed.status, failed.count) == ("-", 400, 1)


def test_signatures_and_tokens_are_hidden():
    shown = without_secrets(
        request_of(
            b"Action=ListQueues&SecurityToken=secret&Version=2012-11-05",
            query="X-Amz-Credential=AKIA&X-Amz-Signature=secret&X-Amz-Security-Token=secret",
            headers={
                "authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/sqs/aws4_request, "
                "SignedHeaders=host, Signature=secret",
                "x-amz-security-token": "secret",
                "host": "localhost",
            },
        )
    )
    assert "secret" not in f"{shown}"
    assert shown.body == b"Action=ListQueues&SecurityToken=***&Version=2012-11-05"
    assert shown.headers["authorization"].endswith("Signature=***")
    assert shown.headers["host"] == "localhost"
