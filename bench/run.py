"""Measures the emulator, the floor under it and its peers on one machine, in one run.

The server runs on one core, the load (wrk) on the other. All traffic stays on the loopback interface.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import polls, postgres, report, servers, start
from bench.cases import BY_NAME, CASES, Case
from bench.load import Figures, measure, measure_floor
from bench.processes import LOAD_CORE, Process, Unavailable
from bench.wire import PROTOCOLS

PARTS = ("memory", "file", "postgres", "moto", "fauxqs", "start", "polls", "depth")
PAGE = servers.ROOT / "docs" / "performance.md"
QUICK_DEPTH = 20_000
FSYNCS = 50


def main() -> None:
    options = _options()
    if shutil.which("wrk") is None:
        sys.exit("wrk was not found: on Debian and Ubuntu, apt install wrk")
    if (os.cpu_count() or 1) < 2:
        sys.exit("two cores are needed: one for the server, one for the load")
    os.sched_setaffinity(0, {LOAD_CORE})
    # So that a run that is told to stop takes its servers with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    results = Run(options).results()
    lines = report.lines_of(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    if options.write:
        report.write(PAGE, lines, " ".join(["python -m bench", *sys.argv[1:]]))
    print("\n".join(lines))
    if any(row["problem"] for row in results["rows"] if row["server"] in ("memory", "file")):
        sys.exit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--seconds", type=int, default=3, help="length of each measurement")
    parser.add_argument("--connections", type=_numbers, default=[1, 16, 64], help="such as 1,16,64")
    parser.add_argument("--cases", type=_names, default=list(BY_NAME), help=f"of {','.join(BY_NAME)}")
    parser.add_argument("--protocols", type=_names, default=list(PROTOCOLS), help="json,query")
    parser.add_argument("--parts", type=_names, default=list(PARTS), help=f"of {','.join(PARTS)}")
    parser.add_argument("--skip", type=_names, default=[], help="parts to leave out")
    parser.add_argument(
        "--repeat", type=int, default=1, help="times each case runs; the median by CPU counts"
    )
    parser.add_argument("--quick", action="store_true", help="1 s a case, 16 connections, shallow depth")
    parser.add_argument("--tree", type=Path, default=servers.ROOT, help="folder with the package to measure")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/performance.md")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.connections = 1, [16]
    for names, known in ((options.cases, BY_NAME), (options.parts, PARTS), (options.protocols, PROTOCOLS)):
        if unknown := set(names) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return options


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _names(text: str) -> list[str]:
    return text.split(",")


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._parts = [part for part in options.parts if part not in options.skip]
        self._floors: list[Figures] = []
        self._rows: list[Figures] = []
        self._missing: dict[str, str] = {}

    def results(self) -> dict[str, Any]:
        options = self._options
        results: dict[str, Any] = {}
        self._floor()
        if "memory" in self._parts:
            with servers.emulator(options.tree) as process:
                self._measure("memory", process, options.protocols, options.connections, options.cases)
        self._floor()
        if "file" in self._parts:
            results["fsync_us"] = self._file()
        if "postgres" in self._parts:
            try:
                results["postgres"] = postgres.run(options, _tell)
            except Unavailable as error:
                self._missing["postgres"] = str(error)
        for name, begin in servers.PEERS.items():
            if name in self._parts:
                self._peer(name, begin)
        self._floor()
        if "start" in self._parts:
            results["start"] = start.run(options.tree, 3 if options.quick else start.STARTS)
        if "polls" in self._parts:
            results["polls"] = polls.run(options.tree, 50 if options.quick else polls.SENDS)
        if "depth" in self._parts:
            results["depth"] = self._depth()
        return {
            "machine": report.machine(),
            "seconds": options.seconds,
            # The machine may be faster or slower at times: the floor is taken before, between and after.
            "floor_us": statistics.median(one.cpu_us for one in self._floors),
            "floor_requests_s": statistics.median(one.requests_s for one in self._floors),
            "floors": [one.as_json() for one in self._floors],
            "rows": [one.as_json() for one in self._rows],
            "missing": self._missing,
            **results,
        }

    def _floor(self) -> None:
        with servers.floor() as process:
            figures = measure_floor(process, BY_NAME["send"], 16, self._options.seconds)
        self._floors.append(figures)
        _tell(figures)

    def _measure(
        self,
        server: str,
        process: Process,
        protocols: list[str],
        connections: list[int],
        cases: list[str],
    ) -> None:
        for case in CASES:
            if case.name in cases:
                for protocol in protocols:
                    for count in connections:
                        self._row(server, process, case, protocol, count)

    def _row(self, server: str, process: Process, case: Case, protocol: str, connections: int) -> None:
        seconds = self._options.seconds
        runs = [
            measure(server, process, case, protocol, connections, seconds)
            for _ in range(self._options.repeat)
        ]
        good = sorted((one for one in runs if not one.problem), key=lambda one: one.cpu_us)
        figures = good[len(good) // 2] if len(good) == len(runs) else next(one for one in runs if one.problem)
        self._rows.append(figures)
        _tell(figures)

    def _file(self) -> float:
        """With --data: sends and batches of ten, at the number of connections of the goals."""
        with _folder() as folder:
            fsync_us = _fsync_us(folder / "probe")
            with servers.emulator(self._options.tree, folder / "bench.db") as process:
                self._measure("file", process, ["json"], [64], ["send", "send10"])
        if not any(row.server == "memory" and row.connections == 64 for row in self._rows):
            with servers.emulator(self._options.tree) as process:
                self._measure("memory", process, ["json"], [64], ["send", "send10"])
        return fsync_us

    def _peer(self, name: str, begin: servers.Start) -> None:
        try:
            with begin() as process:
                self._measure(name, process, ["json"], [16], self._options.cases)
        except Unavailable as error:
            self._missing[name] = str(error)

    def _depth(self) -> dict[str, Any]:
        """In a process of its own: a million messages would stay in the memory of this one."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "depth.json"
            command = [sys.executable, "-m", "bench.depth", "--json", str(file)]
            if self._options.quick:
                command += ["--messages", str(QUICK_DEPTH)]
            # The package of --tree first; bench itself from here.
            path = os.pathsep.join([str(self._options.tree.resolve()), str(servers.ROOT)])
            subprocess.run(
                command,
                check=True,
                stdout=subprocess.DEVNULL,
                cwd=self._options.tree,
                env={**os.environ, "PYTHONPATH": path},
            )
            result: dict[str, Any] = json.loads(file.read_text())
        return result


@contextmanager
def _folder() -> Iterator[Path]:
    """On the disk of the project: a temporary folder may live in memory, where fsync costs nothing."""
    servers.CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=servers.CACHE) as folder:
        yield Path(folder)


def _fsync_us(file: Path) -> float:
    times = []
    with file.open("wb", buffering=0) as target:
        for _ in range(FSYNCS):
            start_ns = time.perf_counter_ns()
            target.write(bytes(4096))
            os.fsync(target.fileno())
            times.append((time.perf_counter_ns() - start_ns) / 1000)
    return statistics.median(times)


def _tell(figures: Figures) -> None:
    """Progress, for whoever watches; the table comes at the end."""
    shown = figures.problem or f"{figures.cpu_us:.1f} µs CPU, {figures.requests_s:,.0f} requests/s"
    where = f"{figures.server} {figures.case} {figures.protocol} {figures.connections}"
    print(f"{where}: {shown}", file=sys.stderr, flush=True)
