"""What a node keeps in memory about queues: nothing that another node would miss."""

from typing import Final

import msgspec

from emulator.domain.activity import Tally
from emulator.domain.model import Queue, QueueKey
from emulator.engine.state.diary import added

MAX_TENANTS: Final = 10_000


class Remembered(msgspec.Struct):
    """One queue."""

    totals: Tally = msgspec.field(default_factory=Tally)
    """What was counted on this node since it started."""
    empty_receives: int = 0
    """Those that are not stored yet."""
    is_fifo: bool | None = None
    grouped: bool = False
    ends_ms: int = 0
    """No minute that ends before this moment runs any more."""
    sent_ms: dict[str, int] = {}
    """When each tenant sent something last, as far as this node knows."""

    def sent(self, tenant: str, sent_ms: int) -> None:
        self.sent_ms.pop(tenant, None)
        self.sent_ms[tenant] = sent_ms
        if len(self.sent_ms) > MAX_TENANTS:
            self.sent_ms.pop(next(iter(self.sent_ms)))


class Memory:
    def __init__(self) -> None:
        self._queues: dict[int, Remembered] = {}
        self._cached: dict[QueueKey, Queue] = {}
        self._keys: dict[int, QueueKey] = {}
        self.may_cache = False
        """Whether this node is told when another one changes a queue."""
        self.age = 0
        """Grows when something is forgotten: what was read before must not be cached afterwards."""

    def of(self, queue_id: int) -> Remembered:
        found = self._queues.get(queue_id)
        if found is None:
            found = self._queues[queue_id] = Remembered()
        return found

    def known(self, queue_id: int) -> Remembered | None:
        return self._queues.get(queue_id)

    def count(self, queue_id: int, tally: Tally) -> None:
        one = self.of(queue_id)
        one.totals = added(one.totals, tally)

    # Queues, as they were when they were last read

    def cached(self, key: QueueKey) -> Queue | None:
        return self._cached.get(key) if self.may_cache else None

    def cache(self, queue: Queue, age: int) -> None:
        self._keys[queue.id] = queue.key
        self.of(queue.id).is_fifo = queue.is_fifo
        if self.may_cache and age == self.age:
            self._cached[queue.key] = queue

    def key_of(self, queue_id: int) -> QueueKey | None:
        return self._keys.get(queue_id)

    def changed(self, queue_id: int) -> None:
        """The queue is to be read again."""
        self.age += 1
        key = self._keys.get(queue_id)
        if key is not None:
            cached = self._cached.get(key)
            if cached is not None and cached.id == queue_id:
                del self._cached[key]

    def gone(self, queue_id: int) -> None:
        self.changed(queue_id)
        self._keys.pop(queue_id, None)
        self._queues.pop(queue_id, None)

    def forget_cached(self) -> None:
        self.age += 1
        self._cached.clear()

    def forget_everything(self) -> None:
        self.forget_cached()
        self._keys.clear()
        self._queues.clear()

    def with_empty_receives(self) -> list[int]:
        return [queue_id for queue_id, one in self._queues.items() if one.empty_receives]
