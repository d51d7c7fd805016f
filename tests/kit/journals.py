"""A journal and the engine that it watches, without operations: what happens is told to it as they do."""

from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec

from emulator.domain.model import (
    ClaimOrder,
    Delivery,
    MessageAttributeValue,
    MoveTask,
    Outcome,
    Queue,
    QueueKey,
    Receipt,
    Redrive,
    VisibilityChange,
)
from emulator.engine.local import open_local
from emulator.ids import SeededIds
from emulator.journal import DEFAULT_MAX_BYTES, Event, Filter, Journal
from tests.engine.factories import draft
from tests.support.clocks import START_MS, frozen_clock

ACCOUNT = "000000000000"
HIDE_MS = 30_000
T = TypeVar("T")


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    request_id: str = "request-1"
    sender_id: str = "AIDASENDER"
    account: str = ACCOUNT
    clock: Any = msgspec.field(default_factory=frozen_clock)


def text(value: str) -> MessageAttributeValue:
    return MessageAttributeValue(string_value=value, data_type="String")


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns that never waits, as those of an engine in memory."""
    try:
        work.send(None)
    except StopIteration as end:
        answer: T = end.value
        return answer
    raise AssertionError("it waits")


class Story:
    """Things happen, each at `now_ms` and by a request of `caller`. Message `hello` has the id `id-hello`."""

    def __init__(self, size: int = 1000, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self.engine = open_local(None, SeededIds())
        self.journal = Journal(size, self.engine.key_of, max_bytes)
        self.engine.watch(self.journal)
        self.caller = Caller()
        self.now_ms = START_MS

    def queue(self, name: str = "orders", account: str = ACCOUNT, region: str = "us-east-1") -> Queue:
        attributes = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
        work = self.engine.create_queue(
            QueueKey(account, region, name), attributes, {}, now_ms=self.now_ms, name_lock_ms=0
        )
        queue = at_once(work)[1]
        assert queue is not None
        return queue

    def send(self, queue: Queue, *bodies: str, **members: Any) -> None:
        drafts = [
            draft(body, sent_ms=self.now_ms, **{"message_id": f"id-{body}", **members}) for body in bodies
        ]
        accepted = at_once(self.engine.append(queue.id, drafts))
        self.journal.sent(self.caller, queue, drafts, accepted)

    def receive(self, queue: Queue, dead_letter_queue: Queue | None = None, **members: Any) -> list[Delivery]:
        """With a dead-letter queue, messages go there instead of being received a second time."""
        redrive = None if dead_letter_queue is None else Redrive(dead_letter_queue.id, 1)
        order = ClaimOrder(limit=10, hide_ms=HIDE_MS, now_ms=self.now_ms, redrive=redrive, **members)
        claim = at_once(self.engine.claim(queue, order))
        if claim.dead_lettered:
            self.journal.dead_lettered(self.caller, queue, claim.dead_lettered, now_ms=self.now_ms)
        if claim.deliveries:
            self.journal.received(
                self.caller, queue, claim.deliveries, now_ms=self.now_ms, hide_ms=order.hide_ms
            )
        return list(claim.deliveries)

    def delete(self, queue: Queue, *deliveries: Delivery) -> list[Outcome]:
        receipts = [_receipt(queue, one) for one in deliveries]
        outcomes = at_once(self.engine.delete(queue, receipts, now_ms=self.now_ms))
        self.journal.deleted(self.caller, queue, receipts, outcomes, now_ms=self.now_ms)
        return list(outcomes)

    def hide(self, queue: Queue, delivery: Delivery, timeout_ms: int) -> None:
        changes = [VisibilityChange(_receipt(queue, delivery), timeout_ms)]
        outcomes = at_once(self.engine.set_visibility(queue, changes, now_ms=self.now_ms))
        self.journal.visibility_changed(self.caller, queue, changes, outcomes, now_ms=self.now_ms)

    def purge(self, queue: Queue) -> None:
        at_once(self.engine.purge(queue.id, now_ms=self.now_ms, lock_ms=0))
        self.journal.purged(self.caller, queue, now_ms=self.now_ms)

    def delete_queue(self, queue: Queue) -> None:
        at_once(self.engine.delete_queue(queue.id, now_ms=self.now_ms))
        self.journal.purged(self.caller, queue, now_ms=self.now_ms, queue_deleted=True)

    def move(self, source: Queue, target: Queue | None, *new_ids: str) -> None:
        """Moves as many messages as there are new ids; without a target each to where it came from."""
        task = MoveTask(
            task_id="task",
            source_arn=source.arn,
            destination_arn=None if target is None else target.arn,
            max_per_second=None,
            started_ms=self.now_ms,
        )
        at_once(self.engine.start_move_task(task, now_ms=self.now_ms))
        step = at_once(self.engine.move_batch("task", new_ids, now_ms=self.now_ms))
        assert step is not None
        self.journal.moved(source.key, step.moved, now_ms=self.now_ms)

    def look(self, queue: Queue) -> None:
        """Lets the engine notice what time alone has done."""
        at_once(self.engine.touch(queue, now_ms=self.now_ms))

    def live(self, queue: Queue, *bodies: str, **members: Any) -> None:
        """Messages are sent, received and deleted."""
        self.send(queue, *bodies, **members)
        self.delete(queue, *self.receive(queue))

    # Asking

    def events(self, **wanted: Any) -> list[Event]:
        return self.journal.query(Filter(**wanted), limit=10_000)

    def kinds(self, **wanted: Any) -> list[str]:
        return [str(event.kind) for event in self.events(**wanted)]

    def life(self, message_id: str) -> list[str]:
        return [str(event.kind) for event in self.journal.history(message_id).events]


def _receipt(queue: Queue, delivery: Delivery) -> Receipt:
    return Receipt(queue.id, delivery.seq, delivery.receive_count)
