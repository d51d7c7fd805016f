"""The AWS endpoint, once: `handle` takes one request in either protocol and answers it.

The doors, such as asgi.py, receive bytes and call it. No SQS rule lives here.
"""

import functools
import logging
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from emulator.clock import stopwatch_s
from emulator.context import Context
from emulator.domain.identity import account_of, sender_id
from emulator.engine.base import Engine
from emulator.errors import InternalFailure, SqsError
from emulator.journal import Journal
from emulator.logs import event
from emulator.mover import Mover
from emulator.operations import OPERATIONS
from emulator.settings import Settings
from emulator.signals import ClientGone, Signals
from emulator.throttle import Throttle
from emulator.traffic import Traffic
from emulator.web import cors
from emulator.web.bodies import unpack
from emulator.wire import json10
from emulator.wire.json10 import JsonCall
from emulator.wire.messages import Header, WireRequest, WireResponse
from emulator.wire.query import QueryCall
from emulator.wire.signature import Signature, signature_of
from emulator.worlds import Worlds

if TYPE_CHECKING:
    from emulator.faults.requests import Fate

log = logging.getLogger(__name__)
Call = JsonCall | QueryCall
UNKNOWN = "-"
"""The action of a request that names none that there is."""


OTHER_SERVICES = "/service/"
"""Paths of services that speak RPC v2 CBOR, which SQS does not."""


NO_RESPONSE = WireResponse(0, b"", b"")


class Answer(msgspec.Struct, frozen=True):
    status: int
    body: bytes
    request_id: str = ""
    content_type: bytes = b""
    more_headers: tuple[Header, ...] = ()
    """Nearly always none. Without any, there are request id and content type."""
    cut: bool = False
    """Planned misbehaviour: nothing is answered, the connection is cut."""

    @property
    def headers(self) -> list[Header]:
        """All but the length of the body, which is the door's business."""
        if not self.request_id:
            return [*self.more_headers]
        usual = [(b"x-amzn-requestid", self.request_id.encode()), (b"content-type", self.content_type)]
        return [*usual, *self.more_headers]


class Endpoint:
    def __init__(
        self,
        settings: Settings,
        engine: Engine,
        worlds: Worlds,
        signals: Signals,
        mover: Mover,
        journal: Journal | None,
        traffic: Traffic,
    ) -> None:
        self._mover = mover
        self._journal = journal
        self._traffic = traffic
        self._throttle = Throttle() if settings.fifo_quotas else None
        self._logs_requests = log.isEnabledFor(logging.INFO)
        self._settings = settings
        self._engine = engine
        self._worlds = worlds
        self._signals = signals
        self._caller_of = functools.lru_cache(maxsize=1024)(self._read_caller)

    async def handle(
        self, request: WireRequest, client_gone: ClientGone, fault: SqsError | None = None
    ) -> Answer:
        """Never raises. `fault` is what the door found wrong with the request before it could be read."""
        if request.method == "OPTIONS":
            return Answer(200, b"", more_headers=cors.preflight(request.headers))
        ctx = self._context_of(request, client_gone)
        request_id = ctx.request_id
        fate = None
        action = UNKNOWN
        started_s = stopwatch_s()
        call: Call = JsonCall(request) if json10.speaks(request) else QueryCall(request)
        try:
            if fault is not None:
                raise fault
            headers, body = request.headers, request.body
            if "content-encoding" in headers:
                body = unpack(body, headers["content-encoding"], self._settings.max_body_bytes)
            operation = None
            if not request.path.startswith(OTHER_SERVICES):
                call.read(body)
                operation = OPERATIONS.get(call.operation)
            if operation is None:
                action, response = await _answer_other(ctx, request, body, call)
            else:
                action = call.operation
                arguments = call.arguments(operation.request)
                if ctx.world.faults_here is not None:
                    fate = await _fate_of(ctx, action, arguments)
                response = call.reply(await operation.run(ctx, arguments), request_id)
        except _Cut as cut:
            fate, response = cut.fate, NO_RESPONSE
        except Exception as error:
            response = _refused(call, error, request_id)
        if self._logs_requests:
            _log_request(call, request_id, response.status, (stopwatch_s() - started_s) * 1000)
        if fate is not None:
            answer = await _kept_back(ctx, fate)
        else:
            more = response.headers
            if "origin" in request.headers:
                more += cors.ANSWER
            answer = Answer(response.status, response.body, request_id, response.content_type, more)
        self._traffic.add(action, ctx, request, answer, started_s)
        return answer

    def _context_of(self, request: WireRequest, client_gone: ClientGone) -> Context:
        headers = request.headers
        caller = self._caller_of(
            signature_of(headers, request.query), request.scheme, headers.get("host", "")
        )
        return replace(
            caller,
            request_id=caller.world.ids.uuid(),
            trace_header=headers.get("x-amzn-trace-id"),
            client_gone=client_gone,
        )

    def _read_caller(self, signature: Signature, scheme: str, host: str) -> Context:
        """What the requests of one caller have in common."""
        account = account_of(signature.access_key) or self._settings.account
        return Context(
            settings=self._settings,
            engine=self._engine,
            signals=self._signals,
            mover=self._mover,
            throttle=self._throttle,
            journal=self._journal,
            world=self._worlds.of(account),
            account=account,
            region=signature.region or self._settings.region,
            sender_id=sender_id(signature.access_key or self._settings.account),
            base_url=self._settings.base_url or f"{scheme}://{host}",
            client_gone=ClientGone(),
        )

    def context(self, account: str, region: str) -> Context:
        """For calls from inside, such as creating declared queues."""
        credential = f"Credential={account}/20260101/{region}/sqs/aws4_request"
        request = WireRequest(
            method="POST", path="/", query="", headers={"authorization": credential}, body=b""
        )
        return self._context_of(request, ClientGone())


class _Cut(Exception):
    """Planned misbehaviour: the request has no effect, and its connection is cut."""

    def __init__(self, fate: "Fate") -> None:
        super().__init__()
        self.fate = fate


def _refused(call: Call, error: Exception, request_id: str) -> WireResponse:
    if not isinstance(error, SqsError):
        log.error("request %s failed", request_id, exc_info=error)
        error = InternalFailure()
    elif error.__cause__ is not None and not error.sender_fault:
        log.error("request %s: %s", request_id, error.__cause__)
    return call.error(error, request_id)


async def _answer_other(
    ctx: Context, request: WireRequest, body: bytes, call: Call
) -> tuple[str, WireResponse]:
    """An action that is not SQS's, and its answer. Raises the error for one that there is not."""
    from emulator.cloudwatch import door  # only if there is such a request

    if not door.is_meant(request, call.operation):
        raise call.unknown_operation()
    return await door.answer(ctx, request, body)


async def _fate_of(ctx: Context, action: str, arguments: msgspec.Struct) -> "Fate | None":
    """What planned misbehaviour does to a request as a whole. Raises _Cut, or the error to be answered."""
    from emulator.faults.requests import Fate, fate_of  # only if there are rules

    fate = await fate_of(ctx, action, arguments)
    if fate is Fate.NO_EFFECT:
        raise _Cut(fate)
    return fate


async def _kept_back(ctx: Context, fate: "Fate") -> Answer:
    from emulator.faults.requests import Fate, until_hung_up

    if fate is Fate.SILENCE:
        await until_hung_up(ctx)
    return Answer(0, b"", cut=True)


def _log_request(call: Call, request_id: str, status: int, ms: float) -> None:
    event(
        log,
        logging.INFO,
        "request",
        id=request_id,
        action=call.operation or "-",
        queue=_queue_name(call.decoded),
        status=status,
        ms=round(ms, 2),
    )


def _queue_name(arguments: msgspec.Struct | None) -> str:
    url = getattr(arguments, "queue_url", None) or getattr(arguments, "queue_name", None) or "-"
    return url.rstrip("/").rpartition("/")[2]
