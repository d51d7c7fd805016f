"""Counts calls to FIFO queues against AWS's rates. Off unless the setting fifo_quotas is on."""

from collections import Counter
from collections.abc import Iterable

from emulator.domain.model import Queue
from emulator.domain.quotas import CALLS_PER_SECOND, calls_per_second
from emulator.errors import RequestThrottled


class Throttle:
    """Calls in the current second. A batch is one call, so ten times the messages fit (spec 3.17)."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._second = 0
        self._calls: Counter[tuple[int, str, str | None]] = Counter()

    def require(self, queue: Queue, action: str, *, now_ms: int, groups: Iterable[str | None] = ()) -> None:
        """Counts one call of this action, or raises RequestThrottled. `groups`: those a send is for."""
        if not self._enabled or not queue.is_fifo:
            return
        if now_ms // 1000 != self._second:
            self._second = now_ms // 1000
            self._calls.clear()
        limit = calls_per_second(queue.key.region, is_high_throughput=queue.is_high_throughput)
        limits: dict[tuple[int, str, str | None], int] = {(queue.id, action, None): limit}
        if queue.is_high_throughput:
            limits |= {(queue.id, action, group): CALLS_PER_SECOND for group in groups}
        if any(self._calls[what] >= most for what, most in limits.items()):
            raise RequestThrottled
        self._calls.update(limits.keys())
