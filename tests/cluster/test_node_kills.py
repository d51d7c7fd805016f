"""Nodes that are killed under load, one after the other, take nothing with them.

SQS_EMULATOR_CLUSTER_S says for how many seconds: 3, or 12 where CI is set; 300 are the five minutes of a
thorough run. SQS_EMULATOR_CRASH_SEED repeats the choices of an earlier run.
"""

import os
import time
from random import Random

import pytest

from tests.cluster.cluster import cluster
from tests.cluster.restless import Restless
from tests.crash.checks import check_all

SECONDS = int(os.environ.get("SQS_EMULATOR_CLUSTER_S") or (12 if os.environ.get("CI") else 3))
BETWEEN_S, AWAY_S = (0.1, 1.5), (0.0, 0.5)


@pytest.mark.timeout(180 + 2 * SECONDS)
def test_nodes_that_are_killed_at_random_lose_nothing(database_url):
    seed = int(os.environ.get("SQS_EMULATOR_CRASH_SEED") or time.time_ns() % 1_000_000)
    print(f"repeat with SQS_EMULATOR_CRASH_SEED={seed} SQS_EMULATOR_CLUSTER_S={SECONDS}")
    choices, kills = Random(seed), 0
    with cluster(database_url, f"kills_{os.getpid()}") as nodes:
        load = Restless(nodes, seed)
        load.begin(nodes.nodes[0].server)
        until_s = time.monotonic() + SECONDS
        while time.monotonic() < until_s:
            time.sleep(choices.uniform(*BETWEEN_S))
            node = choices.choice(nodes.nodes)
            node.kill()
            kills += 1
            time.sleep(choices.uniform(*AWAY_S))
            node.restart()
        load.stop()
        load.drain()
        nodes.stop()
    print(f"{kills} kills: {load.ledger.summary()}")
    check_all(load.ledger)
    assert load.ledger.lost_answers > kills, "kills met requests in hand"
