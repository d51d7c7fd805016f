"""Accounts of one emulator in this process, each in its own world."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from emulator.app import Emulator, open_emulator
from emulator.ids import SeededIds
from emulator.operations import OPERATIONS
from emulator.settings import Settings
from tests.support.clocks import frozen_clock

A, B = "111111111111", "222222222222"
TURNS = 100


class Account:
    def __init__(self, emulator: Emulator, account: str) -> None:
        self.name = account
        self.world = emulator.worlds.of(account)
        self.clock = self.world.clock
        self._context = emulator.context(account, "us-east-1")

    async def call(self, action: str, **members: Any) -> Any:
        operation = OPERATIONS[action]
        return await operation.run(self._context, operation.request(**members))

    async def make_queue(self, name: str = "orders", **attributes: str) -> str:
        answer = await self.call("CreateQueue", queue_name=name, attributes=attributes)
        return str(answer.queue_url)

    async def send(self, queue: str, *bodies: str, **members: Any) -> None:
        for body in bodies:
            await self.call("SendMessage", queue_url=queue, message_body=body, **members)

    async def receive(self, queue: str, **members: Any) -> list[str]:
        answer = await self.call("ReceiveMessage", queue_url=queue, max_number_of_messages=10, **members)
        return [message.body for message in answer.messages or ()]

    async def poll(self, queue: str, wait_s: int = 20) -> "asyncio.Task[list[str]]":
        """A long poll that waits."""
        poll = asyncio.ensure_future(self.receive(queue, wait_time_seconds=wait_s))
        await settled()
        assert not poll.done()
        return poll


async def settled() -> None:
    """Returns when all has happened that happens without any time going by."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


def run(work: Callable[[Emulator], Coroutine[Any, Any, None]], **settings: Any) -> None:
    """Runs a test, a coroutine, with an emulator whose clock stands still."""

    async def opened() -> None:
        emulator = await open_emulator(Settings(**settings), clock=frozen_clock(), ids=SeededIds())
        try:
            await work(emulator)
        finally:
            await emulator.close()

    asyncio.run(opened())
