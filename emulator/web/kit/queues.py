"""Queues, and a look at their messages that changes nothing."""

from typing import Annotated

import msgspec
from msgspec import Meta

from emulator.domain.attributes import reported_attributes
from emulator.domain.fifo import sequence_number
from emulator.domain.model import MessageAttributes, MessageState, Peeked, Queue
from emulator.operations.lookup import url_under
from emulator.web.kit.calls import Call, Visit
from emulator.web.kit.matching import AttributeMatch, has_attribute
from emulator.web.kit.places import Account, QueueName, Region, find, now_ms
from emulator.web.kit.problems import Problem

MAX_LOOKED_AT = 100_000
"""Messages that one call looks at for a filter: further ones are behind `next`."""
STATES = tuple(MessageState)


class QueueQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    account: Account | None = None
    region: Region | None = None
    prefix: Annotated[str, Meta(description="Start of the names.")] = ""


class QueueView(msgspec.Struct, frozen=True, kw_only=True):
    """A queue, with exact counts. `attributes` are those of GetQueueAttributes."""

    name: str
    account: str
    region: str
    url: str
    fifo: bool
    visible: int
    in_flight: int
    delayed: int
    attributes: dict[str, str]
    tags: dict[str, str]
    created_ms: int


class QueueList(msgspec.Struct, frozen=True, kw_only=True):
    queues: list[QueueView]


async def list_queues(visit: Visit, query: QueueQuery) -> QueueList:
    found = await visit.parts.engine.all_queues(account=query.account, region=query.region)
    named = [queue for queue in found if queue.name.startswith(query.prefix)]
    return QueueList(queues=[await _queue_view(visit, queue) for queue in named])


async def _queue_view(visit: Visit, queue: Queue) -> QueueView:
    parts = visit.parts
    counts = await parts.engine.counts(queue, now_ms=now_ms(parts, queue.key.account))
    return QueueView(
        name=queue.name,
        account=queue.key.account,
        region=queue.key.region,
        url=url_under(visit.base_url, parts.settings, queue.key),
        fifo=queue.is_fifo,
        visible=counts.visible,
        in_flight=counts.in_flight,
        delayed=counts.delayed,
        attributes=reported_attributes(queue, counts, ["All"]),
        tags=queue.tags,
        created_ms=queue.created_ms,
    )


class MessageQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    queue: QueueName
    account: Account | None = None
    region: Region | None = None
    state: Annotated[list[MessageState] | None, Meta(description="Several with commas; default: all.")] = None
    text: Annotated[str, Meta(description="Stands in the body.")] | None = None
    attribute: AttributeMatch | None = None
    after: Annotated[str, Meta(description="`next` of the page before.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class MessageView(msgspec.Struct, frozen=True, kw_only=True):
    """A message as it stands in its queue."""

    message_id: str
    body: str
    state: Annotated[
        MessageState,
        Meta(description="`locked`: kept back by a message of its FIFO group before it."),
    ]
    due_ms: Annotated[int | None, Meta(description="When a hidden message becomes visible.")]
    seconds_left: Annotated[float | None, Meta(description="Until then, by the clock of the account.")]
    receive_count: int
    sent_ms: int
    first_received_ms: int | None
    sender_id: str
    attributes: MessageAttributes
    group_id: str | None
    deduplication_id: str | None
    sequence_number: str | None
    dead_letter_source_arn: str | None
    trace_header: str | None


class MessagePage(msgspec.Struct, frozen=True, kw_only=True):
    messages: list[MessageView]
    next: Annotated[str | None, Meta(description="`after` of the next page; null: this was the last.")]


async def list_messages(visit: Visit, query: MessageQuery) -> MessagePage:
    queue = await find(visit.parts, query.queue, query.account, query.region)
    moment_ms = now_ms(visit.parts, queue.key.account)
    states = frozenset(query.state or STATES)
    after, looked_at, found = _seq_of(query.after), 0, list[MessageView]()
    while True:
        limit = query.limit - len(found) + 1 if _takes_all(query) else 1000
        page = await visit.parts.engine.peek(
            queue, now_ms=moment_ms, states=states, after_seq=after, limit=limit
        )
        for peeked in page:
            if len(found) == query.limit or looked_at == MAX_LOOKED_AT:
                return MessagePage(messages=found, next=str(after))
            after, looked_at = peeked.delivery.seq, looked_at + 1
            if _matches(peeked, query):
                found.append(_message_view(queue, peeked, moment_ms))
        if len(page) < limit:
            return MessagePage(messages=found, next=None)


def _takes_all(query: MessageQuery) -> bool:
    return query.text is None and query.attribute is None


def _matches(peeked: Peeked, query: MessageQuery) -> bool:
    message = peeked.delivery
    return (query.text is None or query.text in message.body) and (
        query.attribute is None or has_attribute(message.attributes, query.attribute)
    )


def _seq_of(token: str | None) -> int:
    if token is None:
        return 0
    if not (token.isascii() and token.isdigit() and len(token) < 20):
        raise Problem(400, "after: is no `next` of a page")
    return int(token)


def _message_view(queue: Queue, peeked: Peeked, moment_ms: int) -> MessageView:
    message = peeked.delivery
    return MessageView(
        message_id=message.message_id,
        body=message.body,
        state=peeked.state,
        due_ms=peeked.due_ms,
        seconds_left=None if peeked.due_ms is None else max(0, peeked.due_ms - moment_ms) / 1000,
        receive_count=message.receive_count,
        sent_ms=message.sent_ms,
        first_received_ms=message.first_received_ms or None,
        sender_id=message.sender_id,
        attributes=message.attributes or {},
        group_id=message.group_id,
        deduplication_id=message.deduplication_id,
        sequence_number=sequence_number(message.seq) if queue.is_fifo else None,
        dead_letter_source_arn=message.dead_letter_source_arn,
        trace_header=message.trace_header,
    )


CALLS = (
    Call(
        method="GET",
        path="/_emulator/queues",
        run=list_queues,
        parameters=QueueQuery,
        answers=QueueList,
        summary="Queues of the server, an account or a region, with counts, attributes and tags",
    ),
    Call(
        method="GET",
        path="/_emulator/messages",
        run=list_messages,
        parameters=MessageQuery,
        answers=MessagePage,
        summary="Messages of a queue as they stand there; nothing changes, no receive is counted",
        problems=(404,),
    ),
)
