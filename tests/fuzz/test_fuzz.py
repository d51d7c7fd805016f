"""Thousands of bent requests: each gets an answer in AWS's shape, none hangs, none is an internal failure.

FUZZ_EXAMPLES says how many for each protocol.
"""

import asyncio
import json
import os
import random
from collections.abc import Iterator
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from emulator.app import Emulator, open_emulator
from emulator.ids import SeededIds
from emulator.settings import Settings
from emulator.signals import ClientGone
from emulator.web.endpoint import Answer
from emulator.wire import json10
from emulator.wire.messages import WireRequest
from tests.fuzz.generators import json_request, query_request
from tests.fuzz.material import HANDLE, QUEUES
from tests.support.clocks import frozen_clock

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES") or (20_000 if os.environ.get("CI") == "true" else 500))
MANY = EXAMPLES > 1_000
REQUESTS_IN_A_ROW = 10 if MANY else 1
# A source that hypothesis can shrink costs a draw for every number. For many examples: plain ones, in rows.
SOURCES = st.integers(0, 2**64).map(random.Random) if MANY else st.randoms(use_true_random=False)
fuzzing = settings(
    max_examples=EXAMPLES // REQUESTS_IN_A_ROW,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
PATIENCE_TURNS = 50
REFRESH_EVERY = 25


class Target:
    """An emulator without a server. Its clock moves only when a request waits for it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._clock = frozen_clock()
        self._emulator: Emulator = self._loop.run_until_complete(
            open_emulator(Settings(cooldowns=False), clock=self._clock, ids=SeededIds())
        )
        self._asked = 0
        self._handle = ""

    def ask(self, request: WireRequest) -> Answer:
        if self._asked % REFRESH_EVERY == 0:
            self._refresh()
        self._asked += 1
        handle = self._handle.encode()
        body = request.body.replace(HANDLE.encode(), handle).replace(
            b"%7Bhandle%7D", handle.replace(b"+", b"%2B")
        )
        return self._loop.run_until_complete(self._answer(msgspec.structs.replace(request, body=body)))

    def close(self) -> None:
        self._loop.run_until_complete(self._emulator.close())
        self._loop.close()

    async def _answer(self, request: WireRequest) -> Answer:
        task = asyncio.ensure_future(self._emulator.endpoint.handle(request, ClientGone()))
        for _ in range(2):
            for _ in range(PATIENCE_TURNS):
                await asyncio.sleep(0)
                if task.done():
                    return task.result()
            self._clock.advance(seconds=20)
        task.cancel()
        raise AssertionError("the request hangs")

    def _refresh(self) -> None:
        """Queues that were deleted come back, and there is a receipt handle that is good."""
        for name in QUEUES:
            attributes = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
            self._call("CreateQueue", QueueName=name, Attributes=attributes)
        self._call("SendMessage", QueueUrl=QUEUES[0], MessageBody="x")
        answer = self._call("ReceiveMessage", QueueUrl=QUEUES[0], VisibilityTimeout=0)
        if answer.status == 200:
            for message in json.loads(answer.body).get("Messages", []):
                self._handle = message["ReceiptHandle"]

    def _call(self, operation: str, **arguments: object) -> Answer:
        headers = {"x-amz-target": f"AmazonSQS.{operation}", "host": "localhost"}
        request = WireRequest(
            method="POST", path="/", query="", headers=headers, body=json.dumps(arguments).encode()
        )
        return self._loop.run_until_complete(self._answer(request))


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    target = Target()
    yield target
    target.close()


@pytest.mark.timeout(300)
@fuzzing
@given(source=SOURCES)
def test_every_bent_json_request_gets_a_proper_answer(target: Target, source: random.Random):
    for _ in range(REQUESTS_IN_A_ROW):
        ask_and_check(target, json_request(source))


@pytest.mark.timeout(300)
@fuzzing
@given(source=SOURCES)
def test_every_bent_query_request_gets_a_proper_answer(target: Target, source: random.Random):
    for _ in range(REQUESTS_IN_A_ROW):
        ask_and_check(target, query_request(source))


def ask_and_check(target: Target, request: WireRequest) -> None:
    try:
        check(request, target.ask(request))
    except Exception:
        note(repr(request))
        raise


def check(request: WireRequest, answer: Answer) -> None:
    headers = dict(answer.headers)
    assert answer.status in (200, 400, 403, 404, 413), answer
    assert headers[b"x-amzn-requestid"]
    if json10.speaks(request):
        check_json(answer, headers)
    elif headers[b"content-type"] == b"application/json":
        assert request.headers["accept"] == "application/json"
        json.loads(answer.body)
    else:
        assert headers[b"content-type"] == b"text/xml"
        check_xml(answer)


def check_json(answer: Answer, headers: dict[bytes, bytes]) -> None:
    assert headers[b"content-type"] == b"application/x-amz-json-1.0"
    if answer.status == 200:
        assert answer.body == b"" or isinstance(json.loads(answer.body), dict)
        return
    body = json.loads(answer.body)
    assert sorted(body) == ["__type", "message"]
    assert body["__type"].partition("#")[0] in ("com.amazonaws.sqs", "com.amazon.coral.service")
    assert headers[b"x-amzn-query-error"].endswith(b";Sender")


def check_xml(answer: Answer) -> None:
    if answer.status == 404 and answer.body == b"<UnknownOperationException/>":
        return
    root = ElementTree.fromstring(answer.body)
    namespace = "{http://queue.amazonaws.com/doc/2012-11-05/}"
    if answer.status == 200:
        assert root.tag.startswith(namespace)
        assert root.findtext(f"{namespace}ResponseMetadata/{namespace}RequestId")
    else:
        assert root.tag == f"{namespace}ErrorResponse"
        assert root.findtext(f"{namespace}Error/{namespace}Code")
        assert root.findtext(f"{namespace}RequestId")
