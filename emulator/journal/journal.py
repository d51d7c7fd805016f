"""Recording what happens, and asking for it.

Recording is on by default, so it must cost next to nothing: a request appends one tuple, and nothing is
looked up or copied for it. What leaves the ring before anybody asks never becomes an event.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from emulator.clock import Clock
from emulator.domain.model import (
    Accepted,
    DeadLettered,
    Delivery,
    Draft,
    Moved,
    Outcome,
    Queue,
    QueueKey,
    Receipt,
    VisibilityChange,
)
from emulator.journal import records
from emulator.journal.chronicle import Chronicle
from emulator.journal.events import Details, Event, EventKind, MessageHistory
from emulator.journal.filters import Filter
from emulator.journal.lives import content_bytes
from emulator.journal.records import Call, Record

DEFAULT_MAX_BYTES = 64 * 1024 * 1024
DONE = Outcome.DONE
SHARE = 16
"""When the ring is full, one event of so many leaves at once: that is cheaper than one after the other."""


class By(Protocol):
    """Who does something: a Context, as far as the journal needs one."""

    @property
    def request_id(self) -> str: ...
    @property
    def sender_id(self) -> str: ...
    @property
    def account(self) -> str: ...
    @property
    def clock(self) -> Clock: ...


class Journal:
    """It is the engine's Witness, too: `returned` and `expired` tell it what time alone does to messages."""

    def __init__(
        self,
        size: int,
        key_of: Callable[[int], QueueKey | None],
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        """Keeps up to `size` events, 1 or more, and of the messages' contents up to `max_bytes`.

        `key_of` names the queue that has an id now.
        """
        self._size = size
        self._max_bytes = max_bytes
        self._key_of = key_of
        self._fresh: deque[Call] = deque()
        """Recorded since somebody asked last."""
        self._fresh_count = 0
        """Of their events."""
        self._fresh_bytes = 0
        """Of their contents. A content counts in each record that has it until somebody asks."""
        self._chronicle = Chronicle()
        self._room = size
        """How many fresh events, and bytes, there may be."""
        self._room_bytes = max_bytes
        self._waiters: list[_Waiter] = []
        self._closed = False

    # Recording. Arguments are shaped as the engine takes and gives them; sequences must not change later.

    def sent(self, by: By, queue: Queue, drafts: Sequence[Draft], accepted: Sequence[Accepted]) -> None:
        count, size = len(drafts), content_bytes(drafts)
        self._fresh.append(
            (records.sent, count, size, by.request_id, by.sender_id, by.account, queue.key, drafts, accepted)
        )
        self._recorded(count, size)

    def received(
        self, by: By, queue: Queue, deliveries: Sequence[Delivery], *, now_ms: int, hide_ms: int
    ) -> None:
        count, size = len(deliveries), content_bytes(deliveries)
        self._fresh.append(
            (
                records.received,
                count,
                size,
                by.request_id,
                by.sender_id,
                by.account,
                queue.key,
                deliveries,
                now_ms,
                hide_ms,
            )
        )
        self._recorded(count, size)

    def visibility_changed(
        self,
        by: By,
        queue: Queue,
        changes: Sequence[VisibilityChange],
        outcomes: Sequence[Outcome],
        *,
        now_ms: int,
    ) -> None:
        """Those whose outcome is DONE."""
        count = outcomes.count(DONE)
        if count:
            who = (by.request_id, by.sender_id, by.account)
            what = (queue.key, changes, outcomes, now_ms)
            self._fresh.append((records.visibility_changed, count, 0, *who, *what))
            self._recorded(count, 0)

    def deleted(
        self, by: By, queue: Queue, receipts: Sequence[Receipt], outcomes: Sequence[Outcome], *, now_ms: int
    ) -> None:
        """Those whose outcome is DONE."""
        count = outcomes.count(DONE)
        if count:
            what = (queue.key, receipts, outcomes, now_ms)
            self._fresh.append((records.deleted, count, 0, by.request_id, by.sender_id, by.account, *what))
            self._recorded(count, 0)

    def dead_lettered(self, by: By, queue: Queue, dead: Sequence[DeadLettered], *, now_ms: int) -> None:
        """`by`: the receiver that found the messages spent."""
        targets = [self._key_of(one.queue_id) for one in dead]
        who = (by.request_id, by.sender_id, by.account)
        self._fresh.append((records.dead_lettered, len(dead), 0, *who, queue.key, dead, targets, now_ms))
        self._recorded(len(dead), 0)

    def moved(self, source: QueueKey, moved: Sequence[Moved], *, now_ms: int) -> None:
        targets = [self._key_of(one.target_queue_id) for one in moved]
        self._fresh.append((records.moved, len(moved), 0, source, moved, targets, now_ms))
        self._recorded(len(moved), 0)

    def purged(self, by: By, queue: Queue, *, now_ms: int, queue_deleted: bool = False) -> None:
        head = (EventKind.PURGED, now_ms, by.request_id, by.sender_id, by.account, queue.key)
        self._add(Record(*head, details=Details(queue_deleted=queue_deleted)))

    def fault(
        self, by: By, name: str, kind: str, queue: Queue | None = None, *, message_id: str | None = None
    ) -> None:
        """A planned fault acted: on a whole request, or on one message of the queue."""
        head = (EventKind.FAULT, by.clock.now_ms(), by.request_id, by.sender_id, by.account)
        key = None if queue is None else queue.key
        self._add(Record(*head, key, message_id=message_id, details=Details(fault=name, fault_kind=kind)))

    def returned(self, queue_id: int, message_id: str, seq: int, at_ms: int) -> None:
        key = self._key_of(queue_id)
        self._add(Record(EventKind.RETURNED, at_ms, queue=key, seq=seq, message_id=message_id))

    def expired(self, queue_id: int, message_id: str, seq: int, at_ms: int) -> None:
        key = self._key_of(queue_id)
        self._add(Record(EventKind.EXPIRED, at_ms, queue=key, seq=seq, message_id=message_id))

    def _add(self, record: Record) -> None:
        self._fresh.append((records.one, 1, 0, record))
        self._recorded(1, 0)

    def _recorded(self, count: int, size: int) -> None:
        self._fresh_count += count
        self._fresh_bytes += size
        if self._fresh_count > self._room or self._fresh_bytes > self._room_bytes:
            self._make_room(self._size - self._size // SHARE)
        for waiter in self._waiters:
            waiter.news.set()

    def _make_room(self, size: int) -> None:
        """Leaves `size` events at most, but for the latest request: nobody asked for its events yet."""
        chronicle = self._chronicle
        while chronicle and self._is_crowded(len(chronicle), chronicle.content_bytes, size):
            chronicle.drop_oldest()
        self._room = self._size - len(chronicle)
        self._room_bytes = self._max_bytes - chronicle.content_bytes
        if self._is_crowded(len(chronicle), chronicle.content_bytes, size):
            self._drop_fresh(size)

    def _is_crowded(self, settled: int, settled_bytes: int, size: int) -> bool:
        return settled + self._fresh_count > size or settled_bytes + self._fresh_bytes > self._max_bytes

    def _drop_fresh(self, size: int) -> None:
        """As fast as it can be: with a full ring, this is part of every request."""
        fresh, count, content_bytes = self._fresh, self._fresh_count, self._fresh_bytes
        while (count > size or content_bytes > self._max_bytes) and len(fresh) > 1:
            call = fresh.popleft()
            count -= call[1]
            content_bytes -= call[2]
        self._chronicle.next_number += self._fresh_count - count
        self._fresh_count, self._fresh_bytes = count, content_bytes

    # Asking

    @property
    def last_number(self) -> int:
        """Of the latest event: 0 before the first."""
        return self._chronicle.next_number - 1 + self._fresh_count

    def query(self, wanted: Filter, *, after: int = 0, limit: int = 100) -> list[Event]:
        """The first events that fit, of those with a number greater than `after`."""
        return list(itertools.islice(self._settled().find(wanted, after), limit))

    def history(self, message_id: str, *, account: str | None = None) -> MessageHistory:
        """By any of the ids that the message had. Without events if the journal does not know the message."""
        return self._settled().history(message_id, account)

    async def wait(self, wanted: Filter, *, timeout_s: float, after: int = 0) -> Event | None:
        """The first event that fits, which may be there already. None after `timeout_s` of real time.

        What time alone does is recorded when somebody looks at the queue: whoever waits has to see to that.
        """
        waiter = _Waiter(after)
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    waiter.news.clear()
                    found = self.query(wanted, after=waiter.after, limit=1)
                    if found or self._closed:
                        return found[0] if found else None
                    waiter.after = self.last_number
                    await waiter.news.wait()
        except TimeoutError:
            return None
        finally:
            self._waiters.remove(waiter)

    def forget(
        self, *, account: str | None = None, region: str | None = None, queue: str | None = None
    ) -> None:
        """Drops the events of what was reset. All of them: the next one has number 1 again."""
        if account is region is queue is None:
            self._fresh.clear()
            self._fresh_count = self._fresh_bytes = 0
            self._chronicle = Chronicle()
            for waiter in self._waiters:
                waiter.after = 0
        else:
            wanted = (account, region, queue)
            self._settled().forget(
                lambda *place: all(one in (None, other) for one, other in zip(wanted, place, strict=True))
            )
        self._make_room(self._size)

    def close(self) -> None:
        """Ends all waits: the server is stopping."""
        self._closed = True
        for waiter in self._waiters:
            waiter.news.set()

    def _settled(self) -> Chronicle:
        """All that was recorded, as events."""
        for read, _, _, *what in self._fresh:
            for record in read(*what):
                self._chronicle.add(record)
        self._fresh.clear()
        self._fresh_count = self._fresh_bytes = 0
        self._make_room(self._size)
        return self._chronicle


class _Waiter:
    def __init__(self, after: int) -> None:
        self.after = after
        self.news = asyncio.Event()
