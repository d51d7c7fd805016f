"""How many queues stand: a few statements for all of them, unless something has to be written down first."""

from collections.abc import Callable, Sequence
from typing import Final

from emulator.domain.activity import Gauges, Look, Minute, Tally
from emulator.domain.model import Queue
from emulator.engine.postgres import settling
from emulator.engine.postgres.rows import minute_of, tally_of
from emulator.engine.postgres.work import Row, Work
from emulator.engine.state.diary import added

UNSETTLED: Final = Look(Gauges())
"""Stands for a queue that has to be looked at by itself: time has changed it, or it is a fair one."""


async def looks(
    work: Work, moments: Sequence[tuple[Queue, int]], from_ms: Callable[[int], int] | None
) -> list[Look | None]:
    """As Engine.looks, with UNSETTLED for some."""
    ids = [queue.id for queue, _ in moments]
    standings = {row["id"]: row for row in await work.all("standings", ids)}
    tallies = {row["queue_id"]: row for row in await work.all("running_tallies", ids)}
    minutes: dict[int, list[Minute]] = {}
    if from_ms is not None:
        rows = await work.all("minutes_of_many", ids, [from_ms(now_ms) for _, now_ms in moments])
        for queue_id, text in rows:
            minutes.setdefault(queue_id, []).append(minute_of(text))
    found: list[Look | None] = []
    for queue, now_ms in moments:
        row = standings.get(queue.id)
        if row is None:
            found.append(None)
        elif row["grouped"] or not settling.is_settled(row, queue, now_ms, looks_back=True):
            found.append(UNSETTLED)
        else:
            gauges = _gauges(row, tallies.get(queue.id))
            before = minutes.get(queue.id, [])
            running = _running(work, row, tallies.get(queue.id), gauges)
            found.append(Look(gauges, settling.with_running(before, running) if from_ms else ()))
    return found


def _gauges(row: Row, tally: Row | None) -> Gauges:
    messages, in_flight, delayed = (0, 0, 0) if tally is None else tally[1:4]
    return Gauges(
        visible=messages - in_flight - delayed,
        in_flight=in_flight,
        delayed=delayed,
        oldest_ms=row["oldest_ms"],
        groups_in_flight=row["groups_in_flight"],
    )


def _running(work: Work, row: Row, tally: Row | None, gauges: Gauges) -> Minute:
    """With the empty receives of this node that are not stored yet."""
    known = work.memory.known(row["id"])
    unstored = Tally(empty_receives=0 if known is None else known.empty_receives)
    counted = added(Tally() if tally is None else tally_of(tally[4:]), unstored)
    return Minute(row["begins_ms"], counted, gauges, row["opened"] or counted != Tally())
