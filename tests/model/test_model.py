"""The emulator does what a plain model does, whatever is done to its messages in whatever order."""

import asyncio
import itertools
import pathlib

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.driver import Driver
from tests.model.machine import QueueMachine


@pytest.mark.timeout(7_200)
def test_in_memory(loop: asyncio.AbstractEventLoop, profile: settings):
    run_state_machine_as_test(
        lambda: QueueMachine(lambda: Driver(loop, None), can_reopen=False), settings=profile
    )


@pytest.mark.timeout(7_200)
def test_in_a_file_that_is_closed_and_reopened(
    loop: asyncio.AbstractEventLoop, profile: settings, folder: pathlib.Path
):
    numbers = itertools.count()

    def open_driver() -> Driver:
        for old in folder.glob("*.db*"):
            old.unlink()
        return Driver(loop, str(folder / f"{next(numbers)}.db"))

    run_state_machine_as_test(lambda: QueueMachine(open_driver, can_reopen=True), settings=profile)
