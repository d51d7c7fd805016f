"""How many sequences: 60 by default, 500 with CI=true, 10,000 with SQS_EMULATOR_SOAK=1 (make soak)."""

import asyncio
import os
import pathlib
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Verbosity, settings

SOAK = os.environ.get("SQS_EMULATOR_SOAK") == "1"
CI = os.environ.get("CI") == "true"
EXAMPLES = 10_000 if SOAK else 500 if CI else 60
STEPS = 60


@pytest.fixture
def profile() -> settings:
    return settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        derandomize=CI and not SOAK,  # elsewhere a failure prints the line that reproduces it
        print_blob=True,
        report_multiple_bugs=False,
        database=None,
        deadline=None,
        verbosity=Verbosity.normal,
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """For data files: in memory where there is some, as thousands of fsyncs are not what is tested here."""
    shared = pathlib.Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=shared) as path:
        yield pathlib.Path(path)
