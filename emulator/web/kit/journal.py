"""The history of messages."""

from typing import Annotated

import msgspec
from msgspec import Meta

from emulator.clock import Clock
from emulator.domain.model import Queue
from emulator.journal import Event, EventKind, Filter, Journal, MessageHistory
from emulator.web.kit.calls import Call, Parts, Visit
from emulator.web.kit.matching import AttributeMatch, name_and_value
from emulator.web.kit.places import Account, QueueName, Region, key_of, now_ms
from emulator.web.kit.problems import Problem

BY_TIME = frozenset({EventKind.RETURNED, EventKind.EXPIRED})
"""What time alone does is recorded when somebody looks at the queue."""
MessageId = Annotated[str, Meta(min_length=1, description="Any of the ids that a message had.")]


class EventFilter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events must fit all that is given."""

    queue: Annotated[
        QueueName | None,
        Meta(description="Name, URL or ARN. A name alone is of every account and region that has one."),
    ] = None
    account: Account | None = None
    region: Region | None = None
    message_id: MessageId | None = None
    attribute: AttributeMatch | None = None
    text: Annotated[str, Meta(description="Stands in the body.")] | None = None
    kind: Annotated[
        EventKind | list[EventKind] | None, Meta(description="Several as a list, in a query with commas.")
    ] = None
    from_ms: (
        Annotated[int, Meta(ge=0, description="By the clock of the account; both ends count.")] | None
    ) = None
    to_ms: Annotated[int, Meta(ge=0)] | None = None
    after: Annotated[int, Meta(ge=0, description="Events with a greater number only.")] | None = None


class EventQuery(EventFilter, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class EventPage(msgspec.Struct, frozen=True, kw_only=True):
    events: list[Event]
    next: Annotated[int | None, Meta(description="`after` of the next page; null: this was the last.")]
    last: Annotated[
        int, Meta(description="The number of the latest event of all: `after` for what is to come.")
    ]


class Named(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    message_id: MessageId
    account: Account | None = None


async def list_events(visit: Visit, query: EventQuery) -> EventPage:
    journal, wanted = require_journal(visit.parts), filter_of(visit.parts, query)
    await settle(visit.parts, wanted)
    found = journal.query(wanted, after=query.after or 0, limit=query.limit + 1)
    page = found[: query.limit]
    return EventPage(
        events=page, next=page[-1].number if len(found) > len(page) else None, last=journal.last_number
    )


async def history(visit: Visit, named: Named) -> MessageHistory:
    journal = require_journal(visit.parts)
    await settle(visit.parts, Filter(account=named.account))
    found = journal.history(named.message_id, account=named.account)
    if not found.events:
        raise Problem(404, f"message_id: the journal knows no message {named.message_id}")
    return found


def require_journal(parts: Parts) -> Journal:
    if parts.journal is None:
        raise Problem(409, "the journal is off: its size is 0")
    return parts.journal


def filter_of(parts: Parts, asked: EventFilter) -> Filter:
    name, account, region = asked.queue, asked.account, asked.region
    if name is not None and ("/" in name or name.startswith("arn:")):
        account, region, name = key_of(parts, name, account, region)
    kinds = [asked.kind] if isinstance(asked.kind, EventKind) else asked.kind or ()
    attribute_name, attribute_value = name_and_value(asked.attribute) if asked.attribute else (None, None)
    return Filter(
        queue=name,
        account=account,
        region=region,
        message_id=asked.message_id,
        attribute_name=attribute_name,
        attribute_value=attribute_value,
        text=asked.text,
        kinds=frozenset(kinds),
        from_ms=asked.from_ms,
        to_ms=asked.to_ms,
    )


def comes_by_time(wanted: Filter) -> bool:
    return not wanted.kinds or not wanted.kinds.isdisjoint(BY_TIME)


async def settle(parts: Parts, wanted: Filter) -> list[tuple[Clock, int]]:
    """Has what time did to the queues in question recorded; when it will do more there, by which clock."""
    if not comes_by_time(wanted):
        return []
    dues: list[tuple[Clock, int]] = []
    for queue in await parts.engine.all_queues(account=wanted.account, region=wanted.region):
        if wanted.queue in (None, queue.name):
            due_ms = await next_change(parts, queue)
            if due_ms is not None:
                dues.append((parts.worlds.of(queue.key.account).clock, due_ms))
    return dues


async def next_change(parts: Parts, queue: Queue) -> int | None:
    """Lets happen what time did, and says when it will do more: a return, the end of a delay, an expiry."""
    moment_ms = now_ms(parts, queue.key.account)
    due_ms = await parts.engine.touch(queue, now_ms=moment_ms)
    oldest = await parts.engine.peek(queue, now_ms=moment_ms, limit=1)
    expires_ms = [peeked.delivery.sent_ms + queue.retention_ms for peeked in oldest]
    return min([*expires_ms, *([] if due_ms is None else [due_ms])], default=None)


CALLS = (
    Call(
        method="GET",
        path="/_emulator/journal",
        run=list_events,
        parameters=EventQuery,
        answers=EventPage,
        summary="What happened to messages, deleted ones included",
        problems=(409,),
    ),
    Call(
        method="GET",
        path="/_emulator/journal/{message_id}",
        run=history,
        parameters=Named,
        answers=MessageHistory,
        summary="The life of one message, through dead-letter queues and moves",
        problems=(404, 409),
    ),
)
