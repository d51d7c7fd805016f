"""A request that waits: what it waits for steps it, and a server that stops can end it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from emulator.web.stepping import Suspended

Futures = list[asyncio.Future[str]]


class Run:
    """Steps a coroutine once, as the protocol does, and notes what comes of it."""

    def __init__(self, work: Coroutine[Any, Any, str]) -> None:
        self.results: list[str] = []
        self.among: set[Any] = set()
        self.errors: list[BaseException] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self.errors.append(context["exception"])
        )
        self.suspended = Suspended(work, work.send(None), self.results.append, self.among)

    async def settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)


def futures(count: int) -> Futures:
    return [asyncio.get_running_loop().create_future() for _ in range(count)]


async def joined(awaited: Futures) -> str:
    return " ".join([await future for future in awaited])


def on_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def run() -> None:
        asyncio.run(test())

    run.__name__ = test.__name__
    return run


@on_a_loop
async def test_it_goes_on_with_each_future_until_it_is_done():
    first, second = awaited = futures(2)
    run = Run(joined(awaited))
    await run.settle()
    assert run.among == {run.suspended}
    first.set_result("a")
    await run.settle()
    assert run.results == []
    second.set_result("b")
    await run.settle()
    assert (run.results, run.among, run.errors) == (["a b"], set(), [])


@on_a_loop
async def test_it_may_wait_for_the_next_turn_of_the_loop():
    async def turns() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return "done"

    run = Run(turns())
    assert run.results == []
    await run.settle()
    assert (run.results, run.among) == (["done"], set())


@on_a_loop
async def test_an_error_of_a_future_is_raised_where_it_is_awaited():
    async def careful(future: asyncio.Future[str]) -> str:
        try:
            return await future
        except ValueError as error:
            return f"caught {error}"

    (future,) = futures(1)
    run = Run(careful(future))
    future.set_exception(ValueError("it"))
    await run.settle()
    assert (run.results, run.among) == (["caught it"], set())


@on_a_loop
async def test_an_error_that_nobody_catches_is_told_to_the_loop():
    (future,) = futures(1)
    run = Run(joined([future]))
    error = ValueError("nobody expects it")
    future.set_exception(error)
    await run.settle()
    assert (run.results, run.among, run.errors) == ([], set(), [error])


@pytest.mark.parametrize("shielded", [False, True])
def test_cancelled_it_ends_and_cleans_up_without_a_result(shielded: bool):
    async def test() -> None:
        cleaned_up = []

        async def work(future: asyncio.Future[str]) -> str:
            try:
                return await (asyncio.shield(future) if shielded else future)
            finally:
                cleaned_up.append(True)

        (future,) = futures(1)
        run = Run(work(future))
        run.suspended.cancel(msg="the server stops")
        await run.settle()
        assert (run.results, run.among, run.errors) == ([], set(), [])
        assert cleaned_up
        assert future.cancelled() is not shielded

    asyncio.run(test())
