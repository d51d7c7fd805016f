"""The page of one queue, and the parts of it that its script asks for again."""

import json
from typing import Any

import msgspec
from starlette.responses import Response

from emulator.domain.attributes import reported_attributes
from emulator.domain.fifo import sequence_number
from emulator.domain.model import (
    ALL_STATES,
    Counts,
    MessageState,
    MoveStatus,
    MoveTask,
    Outcome,
    Peeked,
    Queue,
    Receipt,
)
from emulator.domain.move_tasks import task_handle
from emulator.operations.delete_message import unlock
from emulator.operations.lookup import url_under
from emulator.web.console import peeking
from emulator.web.console.bodies import view_of
from emulator.web.console.peeking import Wanted
from emulator.web.console.rendering import Page, queue_href, render
from emulator.web.console.standing import Standing, alarms_of, standings
from emulator.web.kit.places import find, now_ms
from emulator.web.kit.problems import Problem
from emulator.web.kit.reading import body_of

MAX_TASKS = 5
GONE = "The message is gone."
ACTIVE = (MoveStatus.RUNNING, MoveStatus.CANCELLING)
STATES = {state.value: frozenset({state}) for state in MessageState}


async def queue_page(page: Page) -> Response:
    queue = await _queue(page)
    everything = await page.parts.engine.all_queues()
    standing = (await standings(page.parts, [queue], everything))[0]
    return render(
        page,
        "queue.html",
        nav="overview",
        account=queue.key.account,
        **_facts(page, standing),
        alarms=await alarms_of(page.parts, queue.key),
        **await _messages(page, queue),
        **await _groups(page, queue),
        **await _tasks(page, queue),
    )


async def messages(page: Page) -> Response:
    queue = await _queue(page)
    return render(page, "_messages.html", **_names(page, queue), **await _messages(page, queue))


async def message(page: Page) -> Response:
    """One message, unfolded."""
    queue = await _queue(page)
    peeked = await peeking.message(
        page.parts.engine, queue, _number(page.request.path_params["seq"]), now_ms=_now(page, queue)
    )
    if peeked is None:
        raise Problem(404, GONE)
    delivery = peeked.delivery
    return render(
        page,
        "_message.html",
        **_names(page, queue),
        peeked=peeked,
        message=delivery,
        view=view_of(delivery.body),
        sequence_number=sequence_number(delivery.seq) if queue.is_fifo else None,
        attributes=delivery.attributes or {},
    )


async def groups(page: Page) -> Response:
    queue = await _queue(page)
    return render(page, "_groups.html", **_names(page, queue), **await _groups(page, queue))


async def move_tasks(page: Page) -> Response:
    queue = await _queue(page)
    return render(page, "_tasks.html", **_names(page, queue), **await _tasks(page, queue))


class Doomed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to delete, whatever its state: callers need a receipt handle, whoever looks on has none."""

    queue: str
    account: str
    region: str
    seq: int | None = None
    message_id: str | None = None


async def delete_message(page: Page) -> Response:
    parts = page.parts
    doomed: Doomed = await body_of(page.request, Doomed, parts.settings.max_body_bytes)
    queue = await find(parts, doomed.queue, doomed.account, doomed.region)
    moment_ms = _now(page, queue)
    peeked = await _doomed(page, queue, doomed, moment_ms)
    outcomes = await parts.engine.discard(queue, [peeked.delivery.seq], now_ms=moment_ms)
    if outcomes[0] is not Outcome.DONE:
        raise Problem(404, GONE)
    ctx = parts.context(*queue.key[:2])
    if parts.journal is not None:
        receipt = Receipt(queue.id, peeked.delivery.seq, peeked.delivery.receive_count)
        parts.journal.deleted(ctx, queue, [receipt], outcomes, now_ms=moment_ms)
    unlock(ctx, queue, 1)
    return Response(status_code=204)


async def _doomed(page: Page, queue: Queue, doomed: Doomed, moment_ms: int) -> Peeked:
    engine = page.parts.engine
    peeked = None
    if doomed.seq is not None:
        peeked = await peeking.message(engine, queue, doomed.seq, now_ms=moment_ms)
    elif doomed.message_id is not None:
        found = await peeking.messages(engine, queue, Wanted(text=doomed.message_id), now_ms=moment_ms)
        same_id = (one for one in found.messages if one.delivery.message_id == doomed.message_id)
        peeked = next(same_id, None)
    if peeked is None:
        raise Problem(404, GONE)
    return peeked


async def _queue(page: Page) -> Queue:
    places = page.request.path_params
    return await find(page.parts, places["name"], places["account"], places["region"])


def _now(page: Page, queue: Queue) -> int:
    return now_ms(page.parts, queue.key.account)


def _names(page: Page, queue: Queue) -> dict[str, Any]:
    """What all parts of the page need."""
    return {
        "queue": queue,
        "key": queue.key,
        "href": queue_href(queue.key),
        "url": url_under(page.base_url, page.parts.settings, queue.key),
        "now_ms": _now(page, queue),
    }


def _facts(page: Page, standing: Standing) -> dict[str, Any]:
    queue, gauges = standing.queue, standing.gauges
    counts = Counts(gauges.visible, gauges.in_flight, gauges.delayed)
    attributes = reported_attributes(queue, counts, ["All"])
    return {
        **_names(page, queue),
        "standing": standing,
        "attributes": attributes,
        "policy": _pretty(attributes.get("Policy")),
        "allow_policy": _pretty(attributes.get("RedriveAllowPolicy")),
        "redrive_policy": attributes.get("RedrivePolicy", ""),
        "target_arn": _target_arn(attributes.get("RedrivePolicy")),
    }


def _target_arn(policy: str | None) -> str:
    return "" if policy is None else str(json.loads(policy)["deadLetterTargetArn"])


def _pretty(policy: str | None) -> str:
    if not policy:
        return ""
    try:
        return json.dumps(json.loads(policy), indent=2, ensure_ascii=False)
    except ValueError:
        return policy


async def _messages(page: Page, queue: Queue) -> dict[str, Any]:
    given = page.request.query_params
    state = given.get("state", "")
    wanted = Wanted(
        states=STATES.get(state, ALL_STATES),
        text=given.get("text", "").strip(),
        after_seq=_number(given.get("after", "0")),
    )
    moment_ms = _now(page, queue)
    found = await peeking.messages(page.parts.engine, queue, wanted, now_ms=moment_ms)
    rows = [
        {
            "peeked": peeked,
            "message": peeked.delivery,
            "preview": peeking.preview(peeked.delivery.body),
            "version": f"{peeked.state}/{peeked.due_ms}/{peeked.delivery.receive_count}",
        }
        for peeked in found.messages
    ]
    return {
        "rows": rows,
        "state": state if state in STATES else "",
        "text": wanted.text,
        "after_seq": wanted.after_seq,
        "next_seq": found.next_seq,
    }


async def _groups(page: Page, queue: Queue) -> dict[str, Any]:
    if not queue.is_fifo:
        return {"groups": None}
    return {"groups": await peeking.groups(page.parts.engine, queue, now_ms=_now(page, queue))}


async def _tasks(page: Page, queue: Queue) -> dict[str, Any]:
    found = await page.parts.engine.move_tasks(queue.arn, limit=MAX_TASKS)
    return {"tasks": [_task(task) for task in found], "moving": any(task.status in ACTIVE for task in found)}


def _task(task: MoveTask) -> dict[str, Any]:
    return {
        "task": task,
        "active": task.status in ACTIVE,
        "handle": task_handle(task),
        "to": None if task.destination_arn is None else task.destination_arn.rpartition(":")[2],
    }


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


_QUEUE = "/_emulator/console/queues/{region}/{account}/{name}"
ROUTES = (
    (_QUEUE, ("GET",), queue_page),
    (f"{_QUEUE}/messages", ("GET",), messages),
    (f"{_QUEUE}/messages/{{seq}}", ("GET",), message),
    (f"{_QUEUE}/groups", ("GET",), groups),
    (f"{_QUEUE}/tasks", ("GET",), move_tasks),
    ("/_emulator/console/messages/delete", ("POST",), delete_message),
)
