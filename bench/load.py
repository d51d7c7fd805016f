"""Runs one case: a queue, enough messages, a warm-up, then wrk while the server's CPU is read."""

import itertools
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.cases import Case, lua_of, plan_of
from bench.client import Client, Failed, fill
from bench.processes import LOAD_CORE, Process, machine_s
from bench.wire import queue_url

SCRIPT = Path(__file__).with_name("load.lua")
WARM_UP_S = 1
WARM_UP_MESSAGES = 200
NUMBERS = 100_000_000
"""Of FIFO messages, for each port."""
SPARE = 1.6
"""How many more messages there are than the warm-up's rate asks for."""
_numbers = itertools.count()


@dataclass(frozen=True)
class Figures:
    """One row. `cpu_us` is of one request, or of one pair."""

    server: str
    case: str
    protocol: str
    connections: int
    requests_s: float = 0.0
    messages_s: float = 0.0
    cpu_us: float = 0.0
    busy: float = 0.0
    """Share of a core that the server used."""
    database_us: float = 0.0
    """CPU of its database, if it stands on one, of one request or pair."""
    database_busy: float = 0.0
    machine_busy: float = 0.0
    """Cores that were at work, for whatever process."""
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    rss_mb: float = 0.0
    problem: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    server: str, process: Process, case: Case, protocol: str, connections: int, seconds: int
) -> Figures:
    try:
        return _measure(server, process, case, protocol, connections, seconds)
    except (Failed, OSError) as error:
        return Figures(server, case.name, protocol, connections, problem=str(error))


def measure_floor(process: Process, case: Case, connections: int, seconds: int) -> Figures:
    """The floor knows no queues: the request alone counts."""
    plan = plan_of(case, "json", process.port, queue_url(process.port, "q"), 0)
    _wrk(plan, process, connections, WARM_UP_S)
    return _timed("floor", process, case, "json", connections, seconds, plan)


def _measure(
    server: str, process: Process, case: Case, protocol: str, connections: int, seconds: int
) -> Figures:
    queue = f"bench-{next(_numbers)}" + (".fifo" if case.fifo else "")
    client = Client(process.port)
    url = client.create_queue(queue)
    filled = fill(process.port, url, 0, WARM_UP_MESSAGES if case.is_pair else 0)
    warm = _wrk(plan_of(case, protocol, process.port, url, 0), process, connections, WARM_UP_S)
    before = 0
    if case.is_pair:
        calls_s = max(warm["requests"], 50) * 1e6 / warm["duration_us"]
        wanted = int(calls_s / 2 * (seconds + 1) * case.messages * SPARE) + 4 * connections * case.messages
        fill(process.port, url, filled, wanted)
    elif case.messages:
        before = client.message_count(url)
    plan = plan_of(case, protocol, process.port, url, 500_000_000)
    figures = _timed(server, process, case, protocol, connections, seconds, plan)
    if not case.is_pair and case.messages:
        stored = client.message_count(url) - before
        if stored < int(figures.messages_s * seconds * 0.98):
            raise Failed(f"{stored} messages were stored of {figures.messages_s * seconds:.0f} acknowledged")
    client.delete_queue(url)
    return figures


def _timed(
    server: str,
    process: Process,
    case: Case,
    protocol: str,
    connections: int,
    seconds: int,
    plan: dict[str, Any],
) -> Figures:
    before_s, database_before_s, machine_before_s = process.cpu_s(), process.database_cpu_s(), machine_s()
    result = _wrk(plan, process, connections, seconds)
    cpu_s, database_s = process.cpu_s() - before_s, process.database_cpu_s() - database_before_s
    machine_after_s = machine_s()
    calls: float = result["requests"]
    messages = result["requests"] * case.messages
    if result["bad"]:
        raise Failed(f"{result['bad']} of {calls} answers were errors")
    if case.is_pair:
        # One receive a connection may be under way at the end, and wrk asks for one that it never sends.
        if result["receives"] - result["answered"] > connections + 1:
            raise Failed(f"{result['receives'] - result['answered']} receives brought nothing")
        calls, messages = calls / 2, result["messages"]
    if not calls:
        raise Failed("no request was answered")
    elapsed_s = result["duration_us"] / 1e6
    return Figures(
        server=server,
        case=case.name,
        protocol=protocol,
        connections=connections,
        requests_s=result["requests"] / elapsed_s,
        messages_s=messages / elapsed_s,
        cpu_us=cpu_s * 1e6 / calls,
        busy=cpu_s / elapsed_s,
        database_us=database_s * 1e6 / calls,
        database_busy=database_s / elapsed_s,
        machine_busy=(machine_after_s - machine_before_s) / elapsed_s,
        p50_ms=result["p50_us"] / 1000,
        p99_ms=result["p99_us"] / 1000,
        rss_mb=process.rss_mb(),
    )


def _wrk(plan: dict[str, Any], process: Process, connections: int, seconds: int) -> dict[str, int]:
    """On several ports at once: the sums, the mean duration and median, and the worst p99."""
    ports = process.ports

    def run(place: int) -> dict[str, int]:
        own = plan | {"base": plan["base"] + place * NUMBERS} if "base" in plan else plan
        return _wrk_one(own, ports[place], connections // len(ports), seconds)

    with ThreadPoolExecutor(len(ports)) as pool:
        runs = list(pool.map(run, range(len(ports))))
    means, worst = ("duration_us", "p50_us"), ("p99_us",)
    together = {name: sum(one[name] for one in runs) for name in runs[0]}
    together |= {name: together[name] // len(runs) for name in means}
    return together | {name: max(one[name] for one in runs) for name in worst}


def _wrk_one(plan: dict[str, Any], port: int, connections: int, seconds: int) -> dict[str, int]:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(f"return {lua_of(plan)}\n")
        file.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(SCRIPT)]
        command += [f"http://127.0.0.1:{port}/", "--", file.name]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=seconds + 30,
            check=False,
            preexec_fn=lambda: os.sched_setaffinity(0, {LOAD_CORE}),
        )
    _, found, result = done.stdout.rpartition("RESULT ")
    if not found:
        raise Failed(f"wrk: {(done.stderr or done.stdout).strip()[-300:]}")
    figures: dict[str, int] = json.loads(result)
    return figures
