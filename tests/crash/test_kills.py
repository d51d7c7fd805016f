"""A server that is killed under load, again and again, keeps every promise that it made.

SQS_EMULATOR_CRASH_CYCLES says how often: 8 times, or 100 where CI is set. SQS_EMULATOR_CRASH_SEED repeats
the choices of an earlier run: the moments of the kills, and the requests of each client. Threads and the
disk take their own turns.
"""

import os
import time

import pytest

from tests.crash.checks import check_all
from tests.crash.harness import Harness

CYCLES = int(os.environ.get("SQS_EMULATOR_CRASH_CYCLES") or (100 if os.environ.get("CI") else 8))


@pytest.mark.timeout(120 + 5 * CYCLES)
def test_a_server_that_is_killed_again_and_again_keeps_its_promises(tmp_path):
    seed = int(os.environ.get("SQS_EMULATOR_CRASH_SEED") or time.time_ns() % 1_000_000)
    print(f"repeat with SQS_EMULATOR_CRASH_SEED={seed} SQS_EMULATOR_CRASH_CYCLES={CYCLES}")
    harness = Harness(tmp_path, seed)
    for _ in range(CYCLES):
        harness.cycle()
    harness.drain()
    print(harness.ledger.summary())
    check_all(harness.ledger)
    assert harness.ledger.lost_answers >= CYCLES, "kills met requests in hand"
