"""Time as a dependency. This is the only module that reads the system's clock."""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from typing import Protocol


def stopwatch_ms() -> float:
    """For durations of real work, in logs and metrics; never for anything SQS promises."""
    return time.perf_counter_ns() / 1_000_000


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """Tells the time and owns waiting: a frozen clock must be able to drive a long poll.

    `call_at` instead of a `sleep_until` coroutine: a waiter then costs a heap entry and no task.
    """

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        ...

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        """Calls `callback` once, on the event loop, when the clock reads `when_ms` or later."""
        ...


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        # One more millisecond than the difference: the timer must not fire before the clock reads when_ms.
        delay_ms = max(0, when_ms - self.now_ms()) + 1
        return asyncio.get_running_loop().call_later(delay_ms / 1000, callback)


class _ManualTimer:
    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class ManualClock:
    """A clock that moves only when told to; every timer that becomes due fires in order."""

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:
        self._now_ms = now_ms
        self._timers: list[tuple[int, int, _ManualTimer]] = []
        self._order = itertools.count()

    def now_ms(self) -> int:
        return self._now_ms

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        timer = _ManualTimer(callback)
        heapq.heappush(self._timers, (when_ms, next(self._order), timer))
        if when_ms <= self._now_ms:
            asyncio.get_running_loop().call_soon(self._fire)
        return timer

    def advance(self, *, seconds: float = 0, ms: int = 0) -> None:
        """Moves the clock forward. Call it on the event loop's thread."""
        self._now_ms += ms + round(seconds * 1000)
        self._fire()

    def _fire(self) -> None:
        while self._timers and self._timers[0][0] <= self._now_ms:
            timer = heapq.heappop(self._timers)[2]
            if timer.callback is not None:
                timer.callback()
