"""What the journal knows once somebody has asked: records made into events, and whose events they are."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from emulator.domain.model import QueueKey
from emulator.journal.events import Caller, Event, EventKind, MessageHistory
from emulator.journal.filters import Filter
from emulator.journal.lives import Key, Life
from emulator.journal.records import Record

LEAVES = (EventKind.DELETED, EventKind.EXPIRED)
GOES = (EventKind.DEAD_LETTERED, EventKind.MOVED)
STANDS_STILL = (EventKind.DEDUPLICATED, EventKind.FAULT)
"""These say nothing about where the message is."""


class Entry(NamedTuple):
    event: Event
    lives: tuple[Life, ...]


class Chronicle:
    def __init__(self) -> None:
        self.next_number = 1
        self.content_bytes = 0
        """Of all messages that it knows."""
        self._entries: deque[Entry] = deque()
        self._lives: dict[Key, Life] = {}
        """A life has several keys."""

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, record: Record) -> None:
        lives = self._lives_of(record)
        message_id = record.message_id
        if message_id is None and record.seq is not None:
            message_id = lives[0].message_id
        self._entries.append(Entry(_event(self.next_number, record, message_id), lives))
        self.next_number += 1
        for life in lives:
            life.events += 1
            if record.kind not in STANDS_STILL:
                life.queue = _whereabouts(record)
        new_id = record.details.new_message_id
        if new_id is not None:
            self._know(lives[0], ((record.target or record.queue or NOWHERE).account, new_id))

    def drop_oldest(self) -> None:
        self._release(self._entries.popleft())

    def forget(self, is_reset: Callable[[str, str | None, str | None], bool]) -> None:
        """Drops the events of what was reset, by account, region and queue name; no message is there now."""
        gone: list[Entry] = []
        kept: list[Entry] = []
        for entry in self._entries:
            (gone if is_reset(*entry.event.places[0]) else kept).append(entry)
        self._entries = deque(kept)
        for entry in gone:
            self._release(entry)
        for life in self._all():
            if life.queue is not None and is_reset(*life.queue):
                life.queue = None

    def find(self, wanted: Filter, after: int) -> Iterator[Event]:
        """Those with a number greater than `after`, in order. Events before that are not looked at."""
        fresh: list[Entry] = []
        for entry in reversed(self._entries):
            if entry.event.number <= after:
                break
            fresh.append(entry)
        return (entry.event for entry in reversed(fresh) if wanted.fits(*entry))

    def history(self, message_id: str, account: str | None) -> MessageHistory:
        lives = [
            life
            for key, life in self._lives.items()
            if isinstance(key, tuple) and key[1] == message_id and account in (None, key[0])
        ]
        events = [entry.event for entry in self._entries if any(life in entry.lives for life in lives)]
        content = next((life.content for life in lives if life.content is not None), None)
        if content is None:
            return MessageHistory(message_id=message_id, events=events)
        return MessageHistory(
            message_id=message_id,
            body=content.body,
            attributes=content.attributes or {},
            group_id=content.group_id,
            deduplication_id=content.deduplication_id,
            trace_header=content.trace_header,
            sender_id=content.sender_id,
            events=events,
        )

    # Whose event it is

    def _lives_of(self, record: Record) -> tuple[Life, ...]:
        if record.kind is EventKind.PURGED:
            return tuple(life for life in self._all() if life.queue == record.queue)
        if record.seq is None and record.message_id is None:
            return ()
        return (self._life(record),)

    def _life(self, record: Record) -> Life:
        """The life that has this number. A message in a dead-letter queue has a new one, and its old id."""
        owner = None
        if record.message_id is not None:
            owner = ((record.queue or NOWHERE).account, record.message_id)
        life = None if record.seq is None else self._lives.get(record.seq)
        if life is not None and owner is not None and not life.may_be(owner):
            life = None  # a snapshot of another server was restored, and its messages have the same numbers
        if life is None and owner is not None:
            life = self._lives.get(owner)
            if life is not None and record.kind is EventKind.SENT and life.content is not None:
                life = None  # an earlier message; only a fault tells of one before it is sent
        if life is None:
            life = Life()
        if record.seq is not None:
            self._know(life, record.seq)
        if owner is not None:
            self._know(life, owner)
        if life.content is None and record.content is not None:
            life.content = record.content
            life.content_bytes = record.content_bytes
            self.content_bytes += record.content_bytes
        return life

    def _know(self, life: Life, key: Key) -> None:
        if key not in life.keys:
            life.keys.append(key)
            self._lives[key] = life

    def _all(self) -> Iterable[Life]:
        return dict.fromkeys(self._lives.values())

    def _release(self, entry: Entry) -> None:
        for life in entry.lives:
            life.events -= 1
            if life.events:
                continue
            self.content_bytes -= life.content_bytes
            for key in life.keys:
                if self._lives.get(key) is life:  # a later message may have the same id, by an equal seed
                    del self._lives[key]


NOWHERE = QueueKey("", "", "")


def _whereabouts(record: Record) -> QueueKey | None:
    """Where the message is afterwards."""
    if record.kind in LEAVES or record.kind is EventKind.PURGED:
        return None
    return record.target if record.kind in GOES else record.queue


def _event(number: int, record: Record, message_id: str | None) -> Event:
    queue = record.queue
    return Event(
        number=number,
        kind=record.kind,
        at_ms=record.at_ms,
        account=record.account if queue is None else queue.account,
        region=None if queue is None else queue.region,
        queue=None if queue is None else queue.name,
        message_id=message_id,
        request_id=record.request_id or None,
        caller=Caller(record.account, record.sender_id) if record.account else None,
        details=record.details,
    )
