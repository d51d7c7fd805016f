"""What happens to a whole request: it waits, is refused, or its connection is cut."""

import enum
from typing import Any

from emulator.context import Context
from emulator.domain.model import QueueKey, key_of_arn
from emulator.errors import InternalFailure, RequestThrottled, ServiceUnavailable, SqsError
from emulator.faults.acting import strike
from emulator.faults.faults import Content, Occasion
from emulator.faults.rules import DropConnection, Latency, LostReply, ServerError, Throttle
from emulator.ids import Chance
from emulator.operations.drafts import Sent
from emulator.operations.lookup import key_of_url
from emulator.operations.send_message_batch import SendMessageBatchRequest

NO_QUEUE = -1
"""The line in which requests wait for something else than messages; queues count from 1."""


class Fate(enum.Enum):
    """What becomes of a request whose connection is cut."""

    NO_EFFECT = "no effect"
    """It is cut at once."""
    NO_REPLY = "no reply"
    """The call has its effect, then it is cut."""
    SILENCE = "silence"
    """The call has its effect; the connection stays open until the caller gives up."""


async def fate_of(ctx: Context, action: str, arguments: Any) -> Fate | None:
    """Everything that happens to a request before its operation runs, decided at once.

    May wait, and may raise the error that the request is answered with. At most one rule of those that keep a
    caller from its answer acts on a request.
    """
    faults = ctx.faults
    if faults is None:
        return None
    key = _key(ctx, arguments)
    queue = None if key is None else await ctx.engine.find_queue(key)
    here = Occasion(
        action=action,
        account=ctx.account,
        now_ms=ctx.clock.now_ms(),
        queue=None if key is None else key.name,
        is_fifo=queue is not None and queue.is_fifo,
        messages=_messages(arguments),
    )
    latency = strike(ctx, faults, Latency, here, queue)
    wait_ms = 0 if latency is None else latency_ms(faults.chance, latency)
    rule = strike(ctx, faults, (DropConnection, Throttle, ServerError, LostReply), here, queue)
    if wait_ms > 0:
        await _pause(ctx, wait_ms)
    match rule:
        case Throttle():
            raise RequestThrottled
        case ServerError():
            raise _answer(rule)
        case DropConnection():
            return Fate.NO_EFFECT if rule.at == "before" else Fate.NO_REPLY
        case LostReply():
            return Fate.SILENCE
    return None


def _answer(rule: ServerError) -> SqsError:
    return ServiceUnavailable() if rule.status == 503 else InternalFailure()


async def until_hung_up(ctx: Context) -> None:
    """Returns when the caller has gone, or the server stops."""
    with ctx.signals.watch(NO_QUEUE) as arrival, ctx.client_gone.watch(arrival.wake):
        while not ctx.client_gone.is_set() and not ctx.signals.closing:
            arrival.clear()
            await arrival.wait()


async def _pause(ctx: Context, ms: int) -> None:
    """Goes on although the caller hangs up: its request has arrived, and will have its effect."""
    until_ms = ctx.clock.now_ms() + ms
    with ctx.signals.watch(NO_QUEUE) as arrival:
        while ctx.clock.now_ms() < until_ms and not ctx.signals.closing:
            arrival.clear()
            until_ms = min(until_ms, ctx.clock.now_ms() + ms)  # the clock may have been set back
            timer = ctx.clock.call_at(until_ms, arrival.wake)
            try:
                await arrival.wait()
            finally:
                timer.cancel()


def latency_ms(chance: Chance, rule: Latency) -> int:
    low, high = rule.low_ms or 0, rule.high_ms or 0
    mean, deviation = rule.mean_ms or 0, rule.deviation_ms or 0
    match rule.distribution:
        case "uniform":
            ms = chance.uniform(low, high)
        case "normal":
            ms = chance.gauss(mean, deviation)
        case "exponential":
            ms = chance.expovariate(1 / mean) if mean else 0
        case None:
            ms = rule.ms or 0
    return max(0, round(ms))


def _key(ctx: Context, arguments: Any) -> QueueKey | None:
    """The queue that a request names in any of its members."""
    url = getattr(arguments, "queue_url", None)
    if url is not None:
        return key_of_url(url, ctx.account, ctx.region)
    name = getattr(arguments, "queue_name", None)
    if name is not None:
        owner = getattr(arguments, "queue_owner_aws_account_id", None)
        return QueueKey(owner or ctx.account, ctx.region, name)
    return key_of_arn(getattr(arguments, "source_arn", None) or "")


def _messages(arguments: Any) -> list[Content]:
    if isinstance(arguments, SendMessageBatchRequest):
        sent = list[Sent](arguments.entries or ())
    else:
        sent = [arguments] if isinstance(arguments, Sent) else []
    return [Content(one.message_body or "", one.message_attributes) for one in sent]
