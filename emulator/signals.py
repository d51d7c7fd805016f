"""Wakes receivers that wait on a queue.

Waiters of one queue stand in line, oldest first. Only the first in line watches the clock for messages that
become visible by themselves; it hands that duty on when it leaves. So 1,000 waiters cost one look, not 1,000.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Arrival:
    """One waiter's place in line. `wake` may be called by anybody on the event loop, any number of times."""

    def __init__(self, line: "dict[Arrival, None]") -> None:
        self._line = line
        self._future: asyncio.Future[None] | None = None
        self.woken = False

    def wake(self) -> None:
        self.woken = True
        if self._future is not None and not self._future.done():
            self._future.set_result(None)

    async def wait(self) -> None:
        """Returns once `wake` was called after the last `clear`."""
        if self.woken:
            return
        self._future = asyncio.get_running_loop().create_future()
        try:
            await self._future
        finally:
            self._future = None

    def clear(self) -> None:
        self.woken = False

    @property
    def is_first(self) -> bool:
        return next(iter(self._line)) is self


class Signals:
    def __init__(self) -> None:
        self._lines: dict[int, dict[Arrival, None]] = {}
        self.limited: set[int] = set()
        """Queues on which receivers wait although messages are there: for room under the in-flight limit."""
        self.closing = False
        """The server is stopping: nobody waits any more."""

    def notify(self, queue_id: int, count: int = 1) -> None:
        """Messages may be there: wakes the `count` oldest waiters that are still asleep."""
        line = self._lines.get(queue_id)
        if not line:
            return
        for arrival in line:
            if count <= 0:
                return
            if not arrival.woken:
                arrival.wake()
                count -= 1

    def notify_all(self, queue_id: int) -> None:
        """The queue itself changed: everybody looks again."""
        self.notify(queue_id, count=self.waiting(queue_id))

    def notify_everybody(self) -> None:
        for queue_id in self._lines:
            self.notify_all(queue_id)

    @contextmanager
    def watch(self, queue_id: int) -> Iterator[Arrival]:
        line = self._lines.setdefault(queue_id, {})
        arrival = Arrival(line)
        line[arrival] = None
        try:
            yield arrival
        finally:
            was_first = arrival.is_first
            del line[arrival]
            if not line:
                self._lines.pop(queue_id, None)
            elif was_first or arrival.woken:
                # Hand on the duty to watch the clock, and any wake-up that this waiter did not use.
                self.notify(queue_id)

    def waiting(self, queue_id: int) -> int:
        return len(self._lines.get(queue_id, ()))

    def close(self) -> None:
        """Wakes everybody; from now on `closing` tells them not to wait again."""
        self.closing = True
        for line in self._lines.values():
            for arrival in line:
                arrival.wake()


class ClientGone:
    """Whether the caller has hung up. `listen` is called at the first watch: before, nobody needs to know."""

    def __init__(self, listen: "Callable[[ClientGone], None] | None" = None) -> None:
        self._listen = listen
        self._callbacks: list[Callable[[], None]] = []
        self._gone = False

    def is_set(self) -> bool:
        return self._gone

    def set(self) -> None:
        self._gone = True
        for callback in self._callbacks:
            callback()

    @contextmanager
    def watch(self, callback: Callable[[], None]) -> Iterator[None]:
        """Calls `callback` when the caller hangs up while the block runs."""
        if self._listen is not None:
            self._listen(self)
            self._listen = None
        self._callbacks.append(callback)
        try:
            yield
        finally:
            self._callbacks.remove(callback)
