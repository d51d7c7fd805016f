"""The emulator on PostgreSQL does what a plain model does, whatever is done to its messages in what order."""

import itertools

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from emulator.app import Emulator
from emulator.engine.postgres.engine import open_postgres
from tests.model.conftest import profile as profile
from tests.model.driver import ACCOUNT, REGION, Driver
from tests.model.machine import QueueMachine


class PostgresDriver(Driver):
    def __init__(self, loop, url, schema):
        self._url, self._schema = url, schema
        super().__init__(loop, None)

    def _open(self):
        return self._loop.run_until_complete(self._opened())

    async def _opened(self):
        engine = await open_postgres(self._url, self._ids, schema=self._schema, connections=4)
        emulator = Emulator(self._settings, engine, self._clock, self._ids)
        await emulator.mover.resume()
        self._context = emulator.context(ACCOUNT, REGION)
        return emulator

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
            loop.run_until_complete(driver._emulator.engine.reset())
        return driver

    fewer = settings(
        profile, max_examples=max(20, profile.max_examples // 10)
    )  # each costs ten times as much
    run_state_machine_as_test(lambda: QueueMachine(open_driver, can_reopen=True), settings=fewer)
