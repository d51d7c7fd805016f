"""The database's primary is killed under load; its synchronous standby takes over, and nothing is lost."""

import os
import time
from itertools import pairwise

import pytest

from tests.cluster.cluster import cluster
from tests.cluster.restless import Restless
from tests.crash.checks import check_all
from tests.support.standby import primary_and_standby

LOAD_S = 2.0
"""Before the primary is killed, and after the nodes answer again."""
PATIENCE_S = 30.0


def answers_by(ledger):
    """When each send, receive or delete was answered that is in the ledger."""
    return sorted(
        [receive.answered_s for receive in ledger.receives]
        + [delete.answered_s for delete in ledger.deletes if delete.answered_s is not None]
    )


@pytest.mark.timeout(240)
def test_what_was_acknowledged_is_there_on_the_promoted_standby():
    seed = int(os.environ.get("SQS_EMULATOR_CRASH_SEED") or time.time_ns() % 1_000_000)
    print(f"repeat with SQS_EMULATOR_CRASH_SEED={seed}")
    with primary_and_standby() as (primary, standby, url), cluster(url, "sqs_emulator") as nodes:
        load = Restless(nodes, seed)
        load.begin(nodes.nodes[0].server)
        time.sleep(LOAD_S)
        killed_s = time.monotonic()
        primary.kill()
        standby.promote()
        until_s = time.monotonic() + PATIENCE_S
        while not any(one > killed_s + 0.5 for one in answers_by(load.ledger)):
            assert time.monotonic() < until_s, f"no node answered within {PATIENCE_S} s"
            time.sleep(0.1)
        time.sleep(LOAD_S)
        load.stop()
        load.drain()
        nodes.stop()
    times_s = answers_by(load.ledger)
    longest_s = max(after - before for before, after in pairwise(times_s))
    print(f"{load.ledger.summary()}; {longest_s:.2f} s without an answer")
    check_all(load.ledger)
    assert load.ledger.lost_answers, "the loss met requests in hand"
