"""The last AWS requests with their answers, and how long each kind took.

This is part of every request, so it must cost next to nothing. Keeping a request alive costs more than
counting it, because memory that was just used is not used again. So a busy server keeps only some: nobody
reads hundreds of requests in a second, and whoever tests sends fewer.
"""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import msgspec

from emulator.clock import Clock, stopwatch_s
from emulator.wire.messages import Header, WireRequest

BUCKETS_S = (
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
    10.0, 20.0,
)  # fmt: skip
"""Upper bounds; a long poll takes up to 20 s."""
KEPT_A_SECOND = 200
MAX_BODY_BYTES = 64 * 1024
"""Longer ones are cut to this."""
_SECRET_HEADERS = ("x-amz-security-token", "cookie", "proxy-authorization")
_SECRET_PARAMETERS = re.compile(
    r"((?:^|&)(?:X-Amz-Signature|X-Amz-Security-Token|Signature|SecurityToken)=)[^&]*", re.I
)
_SIGNATURE = re.compile(r"(Signature=)\S+", re.IGNORECASE)
HIDDEN = "***"


class By(Protocol):
    """Who asked: a Context, as far as it is needed here."""

    @property
    def clock(self) -> Clock: ...
    @property
    def request_id(self) -> str: ...
    @property
    def account(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def sender_id(self) -> str: ...


class Answered(Protocol):
    """What was answered."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes: ...
    @property
    def content_type(self) -> bytes: ...
    @property
    def more_headers(self) -> tuple[Header, ...]: ...


class Exchange(NamedTuple):
    """One request and its answer."""

    number: int
    """Grows by one with each request that is kept."""
    at_ms: int
    """When it was answered, by the clock of the account."""
    duration_ms: float
    """In real time; a long poll waits for most of it."""
    action: str
    """`-`: it named none that there is."""
    status: int
    """0: planned misbehaviour cut the connection."""
    request_id: str
    account: str
    region: str
    sender_id: str
    request: WireRequest
    answer: bytes
    content_type: str
    more_headers: tuple[Header, ...]


class RequestFigures(msgspec.Struct):
    """Of all requests of one action that were answered with one status."""

    action: str
    status: int
    buckets: list[int] = msgspec.field(default_factory=lambda: [0] * (len(BUCKETS_S) + 1))
    """One for each of BUCKETS_S and one for what took longer; each has only its own."""
    sum_s: float = 0.0

    @property
    def count(self) -> int:
        return sum(self.buckets)


class _Kept(NamedTuple):
    number: int
    at_ms: int
    took_s: float
    action: str
    by: By
    request: WireRequest
    answer: Answered


class Traffic:
    def __init__(self, size: int) -> None:
        """Keeps `size` requests; 0: none, but their figures."""
        self.last_number = 0
        """Of the latest request that was kept: 0 before the first."""
        self._ring: deque[_Kept] = deque(maxlen=size)
        self._figures: dict[tuple[str, int], RequestFigures] = {}
        self._room = self._allowance = min(size, KEPT_A_SECOND)
        """How many more may be kept before `_room_again_s`."""
        self._room_again_s = stopwatch_s() + 1

    def add(self, action: str, by: By, request: WireRequest, answer: Answered, started_s: float) -> None:
        """`action`: one of a limited number. `started_s`: what the stopwatch showed."""
        now_s = stopwatch_s()
        took_s = now_s - started_s
        try:
            figures = self._figures[action, answer.status]
        except KeyError:
            figures = self._figures[action, answer.status] = RequestFigures(action, answer.status)
        figures.buckets[bisect_left(BUCKETS_S, took_s)] += 1
        figures.sum_s += took_s
        if self._room:
            self._room -= 1
            self._keep(action, took_s, by, request, answer)
        elif now_s >= self._room_again_s:
            self._room, self._room_again_s = max(0, self._allowance - 1), now_s + 1
            self._keep(action, took_s, by, request, answer)

    def _keep(self, action: str, took_s: float, by: By, request: WireRequest, answer: Answered) -> None:
        if len(request.body) > MAX_BODY_BYTES or len(answer.body) > MAX_BODY_BYTES:
            request = msgspec.structs.replace(request, body=request.body[:MAX_BODY_BYTES])
            answer = _Shortened(
                answer.status, answer.body[:MAX_BODY_BYTES], answer.content_type, answer.more_headers
            )
        self.last_number += 1
        self._ring.append(_Kept(self.last_number, by.clock.now_ms(), took_s, action, by, request, answer))

    def latest(self, limit: int, *, before: int | None = None) -> list[Exchange]:
        """The newest first; those with a number less than `before` only."""
        found: list[Exchange] = []
        for exchange in self._newest_first():
            if len(found) == limit:
                break
            if before is None or exchange.number < before:
                found.append(exchange)
        return found

    def find(self, request_id: str) -> Exchange | None:
        """None: there was no such request, or it has left the ring."""
        return next((one for one in self._newest_first() if one.request_id == request_id), None)

    def figures(self) -> list[RequestFigures]:
        return list(self._figures.values())

    def _newest_first(self) -> Iterator[Exchange]:
        for number, at_ms, took_s, action, by, request, answer in reversed(self._ring):
            yield Exchange(
                number=number,
                at_ms=at_ms,
                duration_ms=took_s * 1000,
                action=action,
                status=answer.status,
                request_id=by.request_id,
                account=by.account,
                region=by.region,
                sender_id=by.sender_id,
                request=request,
                answer=answer.body,
                content_type=answer.content_type.decode("latin-1"),
                more_headers=answer.more_headers,
            )


class _Shortened(NamedTuple):
    """An answer whose body was too long to be kept."""

    status: int
    body: bytes
    content_type: bytes
    more_headers: tuple[Header, ...]


def without_secrets(request: WireRequest) -> WireRequest:
    """For showing: signatures and session tokens are hidden; access key ids are no secrets."""
    headers = {
        name: HIDDEN if name in _SECRET_HEADERS else _SIGNATURE.sub(rf"\1{HIDDEN}", value)
        for name, value in request.headers.items()
    }
    query = _SECRET_PARAMETERS.sub(rf"\1{HIDDEN}", request.query)
    body = _SECRET_PARAMETERS.sub(rf"\1{HIDDEN}", request.body.decode("latin-1")).encode("latin-1")
    return msgspec.structs.replace(request, headers=headers, query=query, body=body)
