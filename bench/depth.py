"""Deep queues, timed in this process on the engine alone: `python -m bench.depth`.

A cost that grows with the backlog shows as a ratio of the same operation at 1,000,000 and at 100 messages.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from bench.wire import MESSAGE
from emulator.domain.model import ClaimOrder, Draft, Queue, QueueKey, Receipt, VisibilityChange
from emulator.engine.local import LocalEngine, open_local
from emulator.ids import RandomIds

T = TypeVar("T")
NOW_MS = 1_780_000_000_000
HIDE_MS = 3_600_000
SHALLOW, DEEP = 100, 1_000_000
GROUPS, LOCKED_GROUPS = 100_000, 10_000
IN_FLIGHT = 100_000
CHUNK = 1_000
SAMPLES = 90
ROUNDS = 5
"""Shallow and deep take turns, and the best of each counts: the machine may be slower at times."""
ANY_NUMBER_IN_FLIGHT = 10_000_000


def now(work: Coroutine[Any, Any, T]) -> T:
    """In memory nothing ever waits, so one step is all."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("the engine in memory waited")


class Bench:
    """One engine in memory, and a clock that goes on by a millisecond a call."""

    def __init__(self) -> None:
        self.ids = RandomIds()
        self.engine: LocalEngine = open_local(None, self.ids)
        self.now_ms = NOW_MS

    def queue(self, name: str) -> Queue:
        attributes = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
        key = QueueKey("000000000000", "us-east-1", name)
        _, queue = now(self.engine.create_queue(key, attributes, {}, now_ms=self.now_ms, name_lock_ms=0))
        assert queue is not None
        return queue

    def draft(self, queue: Queue, number: int, groups: int) -> Draft:
        group = f"group-{number % groups}" if queue.is_fifo else None
        return Draft(
            message_id=self.ids.uuid(),
            body=MESSAGE,
            sent_ms=self.now_ms,
            due_ms=self.now_ms,
            sender_id="AIDA4QW3CJ5S6T7UVWXYZ",
            group_id=group,
            deduplication_id=group and f"{queue.id}-{number}",
            deduplication_key=group and f"{queue.id}-{number}",
        )

    def fill(self, queue: Queue, count: int, groups: int = 1) -> None:
        for first in range(0, count, CHUNK):
            numbers = range(first, min(first + CHUNK, count))
            now(self.engine.append(queue.id, [self.draft(queue, number, groups) for number in numbers]))

    def claim(self, queue: Queue, limit: int) -> list[Receipt]:
        self.now_ms += 1
        order = ClaimOrder(
            limit=limit, hide_ms=HIDE_MS, now_ms=self.now_ms, in_flight_limit=ANY_NUMBER_IN_FLIGHT
        )
        claim = now(self.engine.claim(queue, order))
        return [Receipt(queue.id, one.seq, one.receive_count) for one in claim.deliveries]

    def take(self, queue: Queue, count: int) -> None:
        taken = 0
        while taken < count:
            got = len(self.claim(queue, 10))
            assert got, "fewer messages than wanted"
            taken += got


def median_ms(work: Callable[[], object], samples: int) -> float:
    times = []
    for _ in range(samples):
        start = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - start) / 1e6)
    return statistics.median(times)


def operations_ms(bench: Bench, queue: Queue, groups: int, turn: int) -> dict[str, float]:
    """The depth stays the same: what is claimed is deleted, and as much is sent."""
    claimed: list[Receipt] = []
    number = 10_000_000 + turn * SAMPLES
    drafts = [bench.draft(queue, number + at, groups) for at in range(SAMPLES)]
    unsent = iter(drafts)

    def claim() -> None:
        claimed.extend(bench.claim(queue, 1))

    def hide() -> None:
        change = VisibilityChange(next(to_hide), HIDE_MS)
        now(bench.engine.set_visibility(queue, [change], now_ms=bench.now_ms))

    def delete() -> None:
        now(bench.engine.delete(queue, [next(to_delete)], now_ms=bench.now_ms))

    figures = {"append": median_ms(lambda: now(bench.engine.append(queue.id, [next(unsent)])), SAMPLES)}
    figures["claim"] = median_ms(claim, SAMPLES)
    assert len(claimed) == SAMPLES, f"{len(claimed)} of {SAMPLES} claims brought a message"
    to_hide, to_delete = iter(claimed), iter(claimed)
    figures["set_visibility"] = median_ms(hide, SAMPLES)
    figures["delete"] = median_ms(delete, SAMPLES)
    return figures


def counts_ms(bench: Bench, queue: Queue) -> float:
    return median_ms(lambda: now(bench.engine.counts(queue, now_ms=bench.now_ms)), 20)


def rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def run(deep: int = DEEP) -> dict[str, Any]:
    scale = deep / DEEP
    groups, locked = int(GROUPS * scale), int(LOCKED_GROUPS * scale)
    result: dict[str, Any] = {"deep": deep, "groups": groups, "locked": locked}
    engines = []  # kept until the end: memory that was freed and is used again would not be counted
    for kind, suffix in (("standard", ""), ("fifo", ".fifo")):
        bench = Bench()
        engines.append(bench)
        shallow = bench.queue(f"shallow{suffix}")
        bench.fill(shallow, SHALLOW, SHALLOW)
        before_mb, queue = rss_mb(), bench.queue(f"deep{suffix}")
        bench.fill(queue, deep, groups)
        result[f"{kind}_mb_per_100k"] = (rss_mb() - before_mb) / deep * 100_000
        if queue.is_fifo:
            # One message of each of the oldest groups is in flight, which locks the group.
            for _ in range(locked):
                bench.claim(queue, 1)
        low: dict[str, float] = {}
        high: dict[str, float] = {}
        for turn in range(ROUNDS):
            low = _best(low, operations_ms(bench, shallow, SHALLOW, turn))
            high = _best(high, operations_ms(bench, queue, groups, turn))
        result[kind] = {
            name: {"shallow_ms": low[name], "deep_ms": high[name], "ratio": high[name] / low[name]}
            for name in low
        }
        if not queue.is_fifo:
            bench.take(queue, int(IN_FLIGHT * scale))
            bench.fill(queue, int(IN_FLIGHT * scale))
            result["counts_ms"] = counts_ms(bench, queue)
    return result


def _best(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    return {name: min(value, one.get(name, value)) for name, value in other.items()}


def lines_of(result: dict[str, Any]) -> list[str]:
    lines = ["| queue | operation | 100 messages, ms | " + f"{result['deep']:,} messages, ms | ratio |"]
    lines.append("|---|---|---:|---:|---:|")
    for kind in ("standard", "fifo"):
        for name, row in result[kind].items():
            lines.append(
                f"| {kind} | {name} | {row['shallow_ms']:.3f} | {row['deep_ms']:.3f} | {row['ratio']:.2f} |"
            )
    lines.append("")
    lines.append(
        f"FIFO: {result['groups']:,} groups, the {result['locked']:,} oldest locked. "
        f"Counts of a standard queue: {result['counts_ms']:.2f} ms. Memory per 100,000 messages: "
        f"{result['standard_mb_per_100k']:.0f} MB standard, {result['fifo_mb_per_100k']:.0f} MB FIFO."
    )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.depth", description=__doc__)
    parser.add_argument("--messages", type=int, default=DEEP, help="backlog of the deep queues")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    result = run(arguments.messages)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")
    print("\n".join(lines_of(result)))


if __name__ == "__main__":
    main()
