"""The page of a message: what it is, where it is, and its life so far."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from emulator.domain.fifo import sequence_number
from emulator.domain.model import MessageAttributes, Peeked, Queue, QueueKey
from emulator.engine.base import Engine
from emulator.journal import Event, Filter, MessageHistory
from emulator.web.console.actions import place_of
from emulator.web.console.bodies import view_of
from emulator.web.console.life import last_place, life_of
from emulator.web.console.rendering import Page, message_href, queue_href, render
from emulator.web.kit.journal import settle
from emulator.web.kit.places import now_ms
from emulator.web.kit.problems import Problem

MAX_ATTRIBUTE = 1_000
"""Characters of a value that are shown."""
CHUNK = 10_000
MAX_LOOKED_AT = 100_000
"""Messages of a queue among which it is looked for."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a message: from where it is, or else from the journal."""

    body: str | None
    attributes: MessageAttributes
    group_id: str | None
    deduplication_id: str | None
    trace_header: str | None
    sender_id: str | None


async def message_page(page: Page) -> Response:
    values = await _values(page)
    facts: Facts = values["facts"]
    return render(
        page,
        "message.html",
        nav="overview",
        view=None if facts.body is None else view_of(facts.body),
        max_attribute=MAX_ATTRIBUTE,
        **values,
    )


async def life(page: Page) -> Response:
    """What changes while somebody looks."""
    return render(page, "_life.html", **await _values(page))


async def _values(page: Page) -> dict[str, Any]:
    message_id = page.request.path_params["message_id"]
    account, region = place_of(page)
    history = await _history(page, message_id, account)
    ids = _ids(message_id, history.events)
    asked_for = page.request.query_params.get("queue")
    keys = [last_place(history.events), QueueKey(account, region, asked_for) if asked_for else None]
    queue, peeked = await _found(page, [key for key in dict.fromkeys(keys) if key is not None], ids)
    if peeked is None and not history.events:
        raise Problem(404, f"There is no message {message_id}, or none that the journal still knows of.")
    now_id = ids[-1] if peeked is None else peeked.delivery.message_id
    key = next((one for one in keys if one is not None), None) if queue is None else queue.key
    return {
        "message_id": now_id,
        "earlier_ids": [one for one in ids if one != now_id],
        "key": key,
        "queue": queue,
        "queue_href": None if queue is None else queue_href(queue.key),
        "life_href": None if key is None else message_href(key, message_id).replace("?", "/life?", 1),
        "peeked": peeked,
        "sequence_number": sequence_number(peeked.delivery.seq)
        if peeked and queue and queue.is_fifo
        else None,
        "facts": _facts(history, peeked),
        "life": life_of(history.events, page.parts.traffic),
        "has_journal": page.parts.journal is not None,
        "account": account,
        "now_ms": page.now_ms(account),
    }


async def _history(page: Page, message_id: str, account: str) -> MessageHistory:
    journal = page.parts.journal
    if journal is None:
        return MessageHistory(message_id=message_id)
    await settle(page.parts, Filter(account=account))
    return journal.history(message_id, account=account)


def _ids(message_id: str, events: Sequence[Event]) -> list[str]:
    """All that the message had, the latest last."""
    found = [message_id]
    for event in events:
        found += [one for one in (event.message_id, event.details.new_message_id) if one is not None]
    return list(dict.fromkeys(reversed(found)))[::-1]


async def _found(
    page: Page, keys: Sequence[QueueKey], ids: Collection[str]
) -> tuple[Queue | None, Peeked | None]:
    """The message where it is now. Without it, the first queue of these that there is."""
    engine = page.parts.engine
    queues = [queue for key in keys if (queue := await engine.find_queue(key)) is not None]
    for queue in queues:
        peeked = await _with_id(engine, queue, ids, now_ms(page.parts, queue.key.account))
        if peeked is not None:
            return queue, peeked
    return (queues[0] if queues else None), None


async def _with_id(engine: Engine, queue: Queue, ids: Collection[str], moment_ms: int) -> Peeked | None:
    after_seq = looked_at = 0
    while looked_at < MAX_LOOKED_AT:
        chunk = await engine.peek(queue, now_ms=moment_ms, after_seq=after_seq, limit=CHUNK)
        for peeked in chunk:
            if peeked.delivery.message_id in ids:
                return peeked
        if len(chunk) < CHUNK:
            break
        looked_at, after_seq = looked_at + CHUNK, chunk[-1].delivery.seq
    return None


def _facts(history: MessageHistory, peeked: Peeked | None) -> Facts:
    known = history if peeked is None else peeked.delivery
    return Facts(
        body=known.body,
        attributes=known.attributes or {},
        group_id=known.group_id,
        deduplication_id=known.deduplication_id,
        trace_header=known.trace_header,
        sender_id=known.sender_id,
    )


_MESSAGE = "/_emulator/console/messages/{message_id}"
ROUTES = (
    (_MESSAGE, ("GET",), message_page),
    (f"{_MESSAGE}/life", ("GET",), life),
)
