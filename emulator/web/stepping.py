"""Goes on with a coroutine that waits, without a task, which would cost more than the steps themselves."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Suspended(Generic[T]):
    """A coroutine that was stepped once and waits now: what it waits for steps it again.

    No task is current inside, as none is in the first step. `among` holds all that are suspended: uvicorn
    waits for them when the server stops and, when that takes too long, cancels them as if they were tasks.
    """

    __slots__ = ("_among", "_future", "_then", "_work")

    def __init__(
        self,
        work: Coroutine[Any, Any, T],
        future: asyncio.Future[Any] | None,
        then: Callable[[T], None],
        among: set[Any],
    ) -> None:
        """`future` is what the first step gave: None stands for the next turn of the loop."""
        self._work = work
        self._then = then
        self._among = among
        among.add(self)
        self._wait_for(future)

    def cancel(self, msg: object = None) -> None:
        if self._future is not None:
            self._future.cancel(msg)

    def _wait_for(self, future: asyncio.Future[Any] | None) -> None:
        self._future = future
        if future is None:
            asyncio.get_running_loop().call_soon(self._go_on, None)
        else:
            future.add_done_callback(self._go_on)

    def _go_on(self, _: asyncio.Future[Any] | None) -> None:
        try:
            future = self._work.send(None)
        except StopIteration as done:
            self._among.discard(self)
            self._then(done.value)
        except BaseException as error:
            self._among.discard(self)
            if not isinstance(error, asyncio.CancelledError):
                raise
        else:
            self._wait_for(future)
