"""What stale answers and duplicates rest on: the part of the past that faults remember.

Bounded, by world. What is forgotten is told as it is now.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from emulator.domain.model import Counts, Queue, QueueKey

T = TypeVar("T")
MAX_DUPLICATED = 100_000
MAX_DELETED = 10_000
MAX_QUEUES = 10_000
MAX_ENTRIES = 1_000
"""Of one queue."""


class Deleted(NamedTuple):
    at_ms: int
    is_fifo: bool


class Past:
    def __init__(self) -> None:
        self.deleted: dict[QueueKey, Deleted] = {}
        """Queues that are gone, the latest last."""
        self._duplicated: dict[tuple[str, str], None] = {}
        """By account and message id: accounts with equal seeds have equal ids."""
        self._queues: dict[int, deque[tuple[int, Queue]]] = {}
        """What each queue was like before a change, with the time of the change."""
        self._counts: dict[int, deque[tuple[int, Counts]]] = {}

    def clear(self) -> None:
        for remembered in (self.deleted, self._duplicated, self._queues, self._counts):
            remembered.clear()

    # Messages that were handed out twice

    def was_duplicated(self, queue: Queue, message_id: str) -> bool:
        return (queue.key.account, message_id) in self._duplicated

    def duplicated(self, queue: Queue, message_id: str) -> None:
        self._duplicated[queue.key.account, message_id] = None
        if len(self._duplicated) > MAX_DUPLICATED:
            del self._duplicated[next(iter(self._duplicated))]

    # Queues that were deleted or changed, and their counts

    def queue_deleted(self, queue: Queue, now_ms: int) -> None:
        self._queues.pop(queue.id, None)
        self._counts.pop(queue.id, None)
        self.deleted.pop(queue.key, None)
        self.deleted[queue.key] = Deleted(now_ms, queue.is_fifo)
        if len(self.deleted) > MAX_DELETED:
            del self.deleted[next(iter(self.deleted))]

    def queue_changed(self, before: Queue, now_ms: int) -> None:
        _remember(self._queues, before.id, (now_ms, before))

    def counted(self, queue: Queue, counts: Counts, now_ms: int) -> None:
        _remember(self._counts, queue.id, (now_ms, counts))

    def queue_at(self, queue: Queue, then_ms: int, now_ms: int) -> Queue:
        """What the queue was like then."""
        return _first(self._queues.get(queue.id, ()), then_ms, now_ms) or queue

    def counts_since(self, queue: Queue, then_ms: int, now_ms: int) -> Counts | None:
        """The first counts that were asked for after that moment."""
        return _first(self._counts.get(queue.id, ()), then_ms, now_ms)


def _remember(memory: dict[int, deque[T]], queue_id: int, entry: T) -> None:
    if queue_id not in memory and len(memory) >= MAX_QUEUES:
        del memory[next(iter(memory))]
    memory.setdefault(queue_id, deque(maxlen=MAX_ENTRIES)).append(entry)


def _first(entries: Iterable[tuple[int, T]], after_ms: int, until_ms: int) -> T | None:
    """Entries from the future are those of a clock that was set back."""
    return next((entry for at_ms, entry in entries if after_ms < at_ms <= until_ms), None)
