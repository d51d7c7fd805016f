"""The tables, from the results of one run."""

import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import depth, polls, postgres, start
from bench.cases import BY_NAME

Results = dict[str, Any]
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
ZERO_CPU = 0.005
"""Share of a core that counts as none: one wake-up a second, for the Date header."""


def lines_of(results: Results) -> list[str]:
    floor = results["floor_us"]
    lines = [f"{results['machine']}; {results['seconds']} s a case.", ""]
    lines += [
        f"The floor: {floor:.1f} µs CPU a request "
        f"({results['floor_requests_s']:,.0f} requests/s, 16 connections).",
        "",
        "| server | case | protocol | conn. | requests/s | messages/s | CPU µs | ÷ floor | p50 ms | p99 ms "
        "| MB |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [_row(row, floor) for row in results["rows"]]
    lines += [
        f"| {name} | not measured: {why} | | | | | | | | | |" for name, why in results["missing"].items()
    ]
    lines += ["", "CPU µs: server CPU of one request, or of one pair of receive and delete.", ""]
    if "fsync_us" in results:
        lines += [f"Data file: a write and fsync of 4 KiB takes {results['fsync_us']:.0f} µs there.", ""]
    modules = (("postgres", postgres), ("start", start), ("polls", polls), ("depth", depth))
    for name, module in modules:
        if name in results:
            lines += [*module.lines_of(results[name]), ""]
    return [*lines, *goals(results)]


def _row(row: dict[str, Any], floor: float) -> str:
    start = f"| {row['server']} | {BY_NAME[row['case']].title} | {row['protocol']} | {row['connections']} |"
    if row["problem"]:
        return f"{start} failed: {row['problem']} | | | | | | |"
    return (
        f"{start} {row['requests_s']:,.0f} | {row['messages_s']:,.0f} | {row['cpu_us']:.1f} | "
        f"{row['cpu_us'] / floor:.2f} | {row['p50_ms']:.2f} | {row['p99_ms']:.2f} | {row['rss_mb']:.0f} |"
    )


def goals(results: Results) -> list[str]:
    """The goals, each with what this run measured; a part that did not run leaves its rows out."""
    lines = ["| figure | goal | measured | met |", "|---|---|---:|---|"]
    for title, limit, value, shown in _goal_rows(results):
        met = value >= limit if "throughput" in title else value <= limit
        bound = "≥" if "throughput" in title else "≤"
        lines.append(f"| {title} | {bound} {_plain(limit)} | {shown(value)} | {'yes' if met else '**no**'} |")
    return lines


def _plain(number: float) -> str:
    return f"{number:g}"


def _two(value: float) -> str:
    return f"{value:.2f}"


Goal = tuple[str, float, float, Callable[[float], str]]


def _goal_rows(results: Results) -> list[Goal]:
    floor = results["floor_us"]
    rows: list[Goal] = []

    def figure(server: str, case: str, protocol: str, connections: int, name: str) -> float | None:
        for row in results["rows"]:
            key = (row["server"], row["case"], row["protocol"], row["connections"])
            if key == (server, case, protocol, connections) and not row["problem"]:
                value: float = row[name]
                return value
        return None

    for case, limit in (("send", 2.8), ("pair", 7.0), ("send10", 5.5), ("pair10", 14.0)):
        cpu_us = figure("memory", case, "json", 16, "cpu_us")
        query_us = figure("memory", case, "query", 16, "cpu_us")
        title = BY_NAME[case].title
        if cpu_us is not None:
            rows.append((f"{title}, JSON, 16 connections: CPU ÷ floor", limit, cpu_us / floor, _two))
            if query_us is not None:
                rows.append((f"{title}: CPU by Query ÷ by JSON", 2.0, query_us / cpu_us, _two))
    for case in ("send", "send10"):
        file, memory = (figure(where, case, "json", 64, "requests_s") for where in ("file", "memory"))
        if file is not None and memory is not None:
            title = f"{BY_NAME[case].title}, 64 connections: throughput with --data ÷ in memory"
            rows.append((title, 0.6, file / memory, _two))
    return rows + _other_goals(results)


def _other_goals(results: Results) -> list[Goal]:
    rows: list[Goal] = []
    if "depth" in results:
        deep = results["depth"]
        for kind in ("standard", "fifo"):
            title = f"claim at a backlog of {deep['deep']:,} ÷ at 100, {kind}"
            rows.append((title, 1.5, deep[kind]["claim"]["ratio"], _two))
        title = f"counts with {deep['deep']:,} visible and a tenth as many in flight, ms"
        rows.append((title, 5.0, deep["counts_ms"], _two))
    for where, row in results.get("polls", {}).items():
        rows.append((f"long polls on {where}: time to delivery, p99, ms", 10.0, row["p99_ms"], _two))
        share = row["idle_cpu_ms"] / 1000 / row["idle_s"]
        rows.append(
            (f"long polls on {where}: CPU while idle, share of a core", ZERO_CPU, share, "{:.4f}".format)
        )
    if "start" in results:
        rows.append(("start to first ListQueues, median, s", 0.45, results["start"]["median_s"], _two))
        rows.append(("idle memory, MB", 55.0, results["start"]["idle_mb"], "{:.0f}".format))
    return rows


def machine() -> str:
    """What a reader needs to judge the figures, and nothing that names the machine."""
    info = Path("/proc/cpuinfo").read_text()
    model = next(
        (line.partition(":")[2].strip() for line in info.splitlines() if "model name" in line), "CPU"
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def write(page: Path, lines: list[str], command: str) -> None:
    """Puts the tables between the markers of the page."""
    text = page.read_text("utf-8")
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit(f"{page} lacks the line {BEGIN} or {END}")
    body = "\n".join([BEGIN, "", f"Made by `{command}`.", "", *lines, "", END])
    page.write_text(before + body + after, "utf-8")
