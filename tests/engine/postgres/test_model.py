"""Two nodes on PostgreSQL do what a plain model does, whatever is done to their messages in what order."""

import itertools

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from emulator.app import Emulator
from emulator.engine.postgres.engine import open_postgres
from tests.model.conftest import profile as profile
from tests.model.driver import ACCOUNT, REGION, Driver
from tests.model.machine import QueueMachine

SLOWER = 10
"""A sequence of calls takes so many times as long as in memory."""


class PostgresDriver(Driver):
    """Each call goes to the next node. They have one clock."""

    def __init__(self, loop, url, schema):
        self._url, self._schema = url, schema
        self._others = []
        super().__init__(loop, None)

    def _open(self):
        first, *self._others = (self._loop.run_until_complete(self._opened()) for _ in range(2))
        emulators = [first, *self._others]
        self._contexts = itertools.cycle([one.context(ACCOUNT, REGION) for one in emulators])
        return first

    async def _opened(self):
        engine = await open_postgres(self._url, self._ids, schema=self._schema, connections=4)
        emulator = Emulator(self._settings, engine, self._clock, self._ids)
        await emulator.mover.resume()
        return emulator

    def close(self):
        for emulator in self._others:
            self._loop.run_until_complete(emulator.close())
        super().close()

    def reset(self):
        self._loop.run_until_complete(self._emulator.engine.reset())

    async def _answer(self, action, members):
        self._context = next(self._contexts)
        return await super()._answer(action, members)

    def call_until(self, expected, reading, action, **members):
        async def repeat():
            for _ in range(500):
                found = reading(await self._answer(action, members))
                if found == expected:
                    break
            return found

        return self._loop.run_until_complete(repeat())


@pytest.mark.timeout(7_200)
def test_on_a_database_that_is_closed_and_reopened(loop, profile, database_url, schema):
    numbers = itertools.count()

    def open_driver():
        driver = PostgresDriver(loop, database_url, schema)
        if next(numbers):
            driver.reset()
        return driver

    fewer = settings(profile, max_examples=max(10, profile.max_examples // SLOWER))
    run_state_machine_as_test(lambda: QueueMachine(open_driver, can_reopen=True), settings=fewer)
