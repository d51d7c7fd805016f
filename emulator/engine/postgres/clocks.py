"""Clocks that were adjusted, for all nodes."""

from collections.abc import Callable
from typing import Final

from emulator.clock import Adjustment
from emulator.engine.postgres.work import CLOCKS_LOCK, Row, Work

_NS: Final = 1_000
"""Nanoseconds in a microsecond."""


async def adjust(
    work: Work, account: str | None, change: Callable[[Adjustment | None], Adjustment | None]
) -> None:
    """`account`: None stands for the server's clock. Raises what `change` raises."""
    await work.all("lock", CLOCKS_LOCK)  # one at a time, on all nodes
    row = await work.one("clock", account or "")
    after = change(None if row is None else _adjustment_of(row))
    if after is None:
        await work.all("forget_clock", account or "")
    else:
        stored = after.base_ns // _NS, after.since_ns // _NS, after.frozen, after.speed
        await work.all("put_clock", account or "", *stored)


async def adjustments(work: Work) -> dict[str | None, Adjustment]:
    """By account; None stands for the server's clock."""
    return {row["account"] or None: _adjustment_of(row) for row in await work.all("clocks")}


def _adjustment_of(row: Row) -> Adjustment:
    return Adjustment(row["base_us"] * _NS, row["since_us"] * _NS, row["frozen"], row["speed"])
