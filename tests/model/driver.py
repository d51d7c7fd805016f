"""Runs the emulator's operations in process, without a server, on a clock that is moved by hand."""

import asyncio
from typing import Any

from emulator.app import Emulator, open_emulator
from emulator.errors import SqsError
from emulator.ids import SeededIds
from emulator.operations import OPERATIONS
from emulator.settings import Settings
from tests.support.clocks import frozen_clock

ACCOUNT, REGION = "000000000000", "us-east-1"
MAX_TURNS = 1_000


class Driver:
    """`data`: a file, or None for an emulator in memory."""

    def __init__(self, loop: asyncio.AbstractEventLoop, data: str | None) -> None:
        self._loop = loop
        self._settings = Settings(data=data)
        self._clock = frozen_clock()
        self._ids = SeededIds()
        self._emulator = self._open()

    def _open(self) -> Emulator:
        emulator = self._loop.run_until_complete(
            open_emulator(self._settings, clock=self._clock, ids=self._ids)
        )
        self._context = emulator.context(ACCOUNT, REGION)
        return emulator

    def close(self) -> None:
        self._loop.run_until_complete(self._emulator.close())

    def reopen(self) -> None:
        self.close()
        self._emulator = self._open()

    def now_ms(self) -> int:
        return self._clock.now_ms()

    def advance(self, ms: int) -> None:
        async def advance() -> None:
            self._clock.advance(ms=ms)

        self._loop.run_until_complete(advance())

    def call(self, action: str, **members: Any) -> Any:
        """The operation's answer, or the SqsError that it raised."""
        return self._loop.run_until_complete(self._answer(action, members))

    def call_all(self, action: str, requests: list[dict[str, Any]]) -> list[Any]:
        """Several calls at once."""

        async def gather() -> list[Any]:
            return await asyncio.gather(*(self._answer(action, members) for members in requests))

        return self._loop.run_until_complete(gather())

    def call_until(self, expected: Any, reading: Any, action: str, **members: Any) -> Any:
        """Calls again while the mover does its steps until the reading is as expected; the last reading."""

        async def repeat() -> Any:
            for _ in range(MAX_TURNS):
                found = reading(await self._answer(action, members))
                if found == expected:
                    break
                await asyncio.sleep(0)
            return found

        return self._loop.run_until_complete(repeat())

    async def _answer(self, action: str, members: dict[str, Any]) -> Any:
        operation = OPERATIONS[action]
        try:
            return await operation.run(self._context, operation.request(**members))
        except SqsError as error:
            return error
