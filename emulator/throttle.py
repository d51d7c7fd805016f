"""Counts calls to FIFO queues against AWS's rates. There is none unless the setting fifo_quotas is on."""

from collections import Counter, OrderedDict
from collections.abc import Iterable

from emulator.domain.model import Queue
from emulator.domain.quotas import CALLS_PER_SECOND, calls_per_second
from emulator.errors import RequestThrottled

MAX_WINDOWS = 10_000

_Counted = tuple[str, str | None]
"""Calls of an action, and those of them for a message group."""
_Window = tuple[int, Counter[_Counted]]
"""A second, and the calls in it."""


class Throttle:
    """Calls in the current second. A batch is one call, so ten times the messages fit (spec 3.17)."""

    def __init__(self) -> None:
        self._windows: OrderedDict[int, _Window] = OrderedDict()
        """By queue id, as accounts may have times of their own; the one renewed longest ago goes first."""

    def require(self, queue: Queue, action: str, *, now_ms: int, groups: Iterable[str | None] = ()) -> None:
        """Counts one call of this action, or raises RequestThrottled. `groups`: those a send is for."""
        if not queue.is_fifo:
            return
        calls = self._calls_in(now_ms // 1000, queue.id)
        limit = calls_per_second(queue.key.region, is_high_throughput=queue.is_high_throughput)
        limits: dict[_Counted, int] = {(action, None): limit}
        if queue.is_high_throughput:
            limits |= {(action, group): CALLS_PER_SECOND for group in groups}
        if any(calls[what] >= most for what, most in limits.items()):
            raise RequestThrottled
        calls.update(limits.keys())

    def _calls_in(self, second: int, queue_id: int) -> Counter[_Counted]:
        window = self._windows.get(queue_id)
        if window is None or window[0] != second:
            window = self._windows[queue_id] = (second, Counter())
            self._windows.move_to_end(queue_id)
            if len(self._windows) > MAX_WINDOWS:
                self._windows.popitem(last=False)
        return window[1]
