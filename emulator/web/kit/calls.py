"""What a call of the kit is: the shape of the table in `app.py`, and what each function in it is given."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec
from starlette.requests import Request

from emulator.context import Context
from emulator.engine.base import Engine
from emulator.journal import Journal
from emulator.mover import Mover
from emulator.nodes import Nodes, Operation
from emulator.settings import Settings
from emulator.signals import Signals
from emulator.traffic import Traffic
from emulator.web.endpoint import Endpoint
from emulator.worlds import Worlds


class Parts(Protocol):
    """The parts of the emulator that the kit works on."""

    @property
    def settings(self) -> Settings: ...
    @property
    def engine(self) -> Engine: ...
    @property
    def worlds(self) -> Worlds: ...
    @property
    def journal(self) -> Journal | None: ...
    @property
    def signals(self) -> Signals: ...
    @property
    def mover(self) -> Mover: ...
    @property
    def traffic(self) -> Traffic: ...
    @property
    def endpoint(self) -> Endpoint: ...
    def context(self, account: str, region: str) -> Context: ...
    @property
    def nodes(self) -> Nodes | None: ...
    async def declare_queues(self) -> None: ...
    async def adjust_clock(self, account: str | None, operation: Operation) -> None: ...
    async def drop_worlds(self, account: str | None) -> None: ...


class Visit(msgspec.Struct, frozen=True):
    """One call as it comes in."""

    parts: Parts
    request: Request
    base_url: str
    """Scheme and host of AWS requests, with which queue URLs begin."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call. Routes and the OpenAPI document are both made from these, so that they agree.

    `run` is given the visit, then the parameters and the body, each if the call has them.
    """

    method: str
    path: str
    run: Callable[..., Awaitable[Any]]
    parameters: type[msgspec.Struct] | None = None
    """Of the query string and the path."""
    reads_itself: bool = False
    """`run` gets the visit only, reads parameters and body itself and makes the whole response."""
    body: Any = None
    """The type of the JSON body; `bytes` for one that is passed on as it is."""
    decodes: Any = None
    """What the JSON is decoded to, if `run` looks at it more closely than its type does."""
    answers: Any = None
    """The type of the answer, or a tuple of those it may have; None for one without a body."""
    media_type: str = "application/json"
    """Of a body or an answer that is `bytes`."""
    summary: str
    problems: tuple[int, ...] = ()
    """Statuses of refusals beside 400 and 403."""
    is_open: bool = False
    """Answers whoever asks, whatever the origin."""
