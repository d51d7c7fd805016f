"""The AWS endpoint, once: `handle` takes one request in either protocol and answers it.

The doors, such as asgi.py, receive bytes and call it. No SQS rule lives here.
"""

import logging

import msgspec

from emulator.clock import Clock, stopwatch_ms
from emulator.context import Context
from emulator.domain.identity import account_of, sender_id
from emulator.engine.base import Engine
from emulator.errors import InternalFailure, SqsError
from emulator.ids import Ids
from emulator.logs import event
from emulator.mover import Mover
from emulator.operations import OPERATIONS
from emulator.settings import Settings
from emulator.signals import ClientGone, Signals
from emulator.throttle import Throttle
from emulator.web import cors
from emulator.web.bodies import unpack
from emulator.wire import json10
from emulator.wire.json10 import JsonCall
from emulator.wire.messages import Header, WireRequest, WireResponse
from emulator.wire.query import QueryCall
from emulator.wire.signature import signature_of

log = logging.getLogger(__name__)
Call = JsonCall | QueryCall


class Answer(msgspec.Struct, frozen=True):
    status: int
    headers: list[Header]
    body: bytes


class Endpoint:
    def __init__(
        self, settings: Settings, engine: Engine, clock: Clock, ids: Ids, signals: Signals, mover: Mover
    ) -> None:
        self._mover = mover
        self._throttle = Throttle(enabled=settings.fifo_quotas)
        self._logs_requests = log.isEnabledFor(logging.INFO)
        self._settings = settings
        self._engine = engine
        self._clock = clock
        self._ids = ids
        self._signals = signals

    async def handle(
        self, request: WireRequest, client_gone: ClientGone, fault: SqsError | None = None
    ) -> Answer:
        """Never raises. `fault` is what the door found wrong with the request before it could be read."""
        if request.method == "OPTIONS":
            return Answer(200, cors.preflight(request.headers), b"")
        request_id = self._ids.uuid()
        started_ms = stopwatch_ms() if self._logs_requests else 0.0
        call: Call = JsonCall(request) if json10.speaks(request) else QueryCall(request)
        response = await self._respond(call, request, request_id, client_gone, fault)
        if self._logs_requests:
            _log_request(call, request_id, response.status, stopwatch_ms() - started_ms)
        headers = [
            (b"x-amzn-requestid", request_id.encode()),
            (b"content-type", response.content_type),
            *response.headers,
        ]
        if "origin" in request.headers:
            headers += cors.ANSWER
        return Answer(response.status, headers, response.body)

    async def _respond(
        self,
        call: Call,
        request: WireRequest,
        request_id: str,
        client_gone: ClientGone,
        fault: SqsError | None,
    ) -> WireResponse:
        try:
            if fault is not None:
                raise fault
            encoding = request.headers.get("content-encoding")
            body = request.body
            call.read(body if encoding is None else unpack(body, encoding, self._settings.max_body_bytes))
            operation = OPERATIONS.get(call.operation)
            if operation is None:
                raise call.unknown_operation()
            arguments = call.arguments(operation.request)
            result = await operation.run(self._context_of(request, client_gone), arguments)
            return call.reply(result, request_id)
        except SqsError as error:
            if error.__cause__ is not None and not error.sender_fault:
                log.error("request %s: %s", request_id, error.__cause__)
            return call.error(error, request_id)
        except Exception:
            log.exception("request %s failed", request_id)
            return call.error(InternalFailure(), request_id)

    def _context_of(self, request: WireRequest, client_gone: ClientGone) -> Context:
        headers = request.headers
        access_key, region = signature_of(headers, request.query)
        return Context(
            settings=self._settings,
            engine=self._engine,
            clock=self._clock,
            ids=self._ids,
            signals=self._signals,
            mover=self._mover,
            throttle=self._throttle,
            account=account_of(access_key) or self._settings.account,
            region=region or self._settings.region,
            sender_id=sender_id(access_key or self._settings.account),
            base_url=self._settings.base_url or f"{request.scheme}://{headers.get('host', '')}",
            trace_header=headers.get("x-amzn-trace-id"),
            client_gone=client_gone,
        )

    def context(self, account: str, region: str) -> Context:
        """For calls from inside, such as creating declared queues."""
        credential = f"Credential={account}/20260101/{region}/sqs/aws4_request"
        request = WireRequest(
            method="POST", path="/", query="", headers={"authorization": credential}, body=b""
        )
        return self._context_of(request, ClientGone())


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
