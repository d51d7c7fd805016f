"""Start: from the command to the first answer, and the memory of a server that did nothing else."""

import statistics
import time
from pathlib import Path
from typing import Any

from bench import servers
from bench.client import Client

STARTS = 10


def run(tree: Path, starts: int = STARTS) -> dict[str, Any]:
    times_s, memory_mb = [], []
    for _ in range(starts):
        start_s = time.perf_counter()
        with servers.emulator(tree) as process:
            Client(process.port).call("ListQueues", {})
            times_s.append(time.perf_counter() - start_s)
            memory_mb.append(process.rss_mb())
    return {
        "min_s": min(times_s),
        "median_s": statistics.median(times_s),
        "starts": starts,
        "idle_mb": statistics.median(memory_mb),
    }


def lines_of(result: dict[str, Any]) -> list[str]:
    return [
        f"Start to first ListQueues: {result['min_s']:.3f} s at best, {result['median_s']:.3f} s median of "
        f"{result['starts']}. Memory then: {result['idle_mb']:.0f} MB."
    ]
