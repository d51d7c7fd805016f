"""Group commit: what comes in for a queue while transactions of it run shares the next one."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from emulator.errors import ServiceUnavailable

WIDTH: Final = 2
"""Transactions of one kind for one queue at the same time."""
MAX_TOGETHER: Final = 300
"""Messages in one transaction: some statements cost the square of it."""
MAX_WAITING: Final = 10_000
"""Requests for one queue: more are refused, so that a slow database does not fill our memory."""

Run = Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]
"""From requests to their answers, or to exceptions, which are raised in place of answers."""


class Lane:
    """One kind of request for one queue, in a few transactions at a time."""

    def __init__(self, ended: Callable[[], None]) -> None:
        self._ended = ended
        self._waiting: deque[tuple[Any, int, asyncio.Future[Any]]] = deque()
        self._workers: set[asyncio.Task[None]] = set()

    async def ask(self, request: Any, run: Run, messages: int) -> Any:
        """`messages`: how many it is about. Raises ServiceUnavailable, and what the transaction raises."""
        if len(self._waiting) >= MAX_WAITING:
            raise ServiceUnavailable
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((request, messages, answered))
        if len(self._workers) < WIDTH:
            # Starts after the requests that were read together with this one, so they share its commit.
            worker = loop.create_task(self._work(run))
            self._workers.add(worker)
            worker.add_done_callback(self._leave)
        return await answered

    async def _work(self, run: Run) -> None:
        while self._waiting:
            together = self._next()
            try:
                answers = await run([request for request, _, _ in together])
            except Exception as error:
                answers = [_copy_of(error) for _ in together]
            for (_, _, answered), answer in zip(together, answers, strict=True):
                if answered.done():
                    continue
                if isinstance(answer, Exception):
                    answered.set_exception(answer)
                else:
                    answered.set_result(answer)

    def _next(self) -> list[tuple[Any, int, asyncio.Future[Any]]]:
        """Requests for the next transaction: one at least."""
        together = [self._waiting.popleft()]
        messages = together[0][1]
        while self._waiting and messages + self._waiting[0][1] <= MAX_TOGETHER:
            together.append(self._waiting.popleft())
            messages += together[-1][1]
        return together

    def _leave(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if not self._workers and not self._waiting:
            self._ended()


def _copy_of(error: Exception) -> Exception:
    """One for each request: raising adds to an exception's traceback."""
    try:
        copy = type(error)(*error.args)
    except TypeError:
        return error
    copy.__cause__ = error
    return copy


class Lanes:
    def __init__(self) -> None:
        self._lanes: dict[tuple[str, int], Lane] = {}

    async def ask(self, kind: str, queue_id: int, request: Any, run: Run, messages: int) -> Any:
        key = kind, queue_id
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(lambda: self._remove(key))
        return await lane.ask(request, run, messages)

    def _remove(self, key: tuple[str, int]) -> None:
        self._lanes.pop(key, None)
