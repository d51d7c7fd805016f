"""What time alone changes: messages too old are gone, hidden ones visible, minutes over and written down.

It is done in a transaction of its own, before the one that found that there is something to do: so no request
that waits for a lock of others holds those that are taken here.
"""

from collections.abc import Sequence
from typing import Final

from emulator.domain.activity import MINUTE_MS, Gauges, Minute, Tally
from emulator.domain.model import Queue
from emulator.engine.postgres import gauging
from emulator.engine.postgres.database import Unsettled
from emulator.engine.postgres.rows import minute_of, queue_of, tally_of, text_of
from emulator.engine.postgres.work import Row, Work
from emulator.engine.state.diary import HISTORY_MS, added
from emulator.engine.state.message import IN_FLIGHT
from emulator.errors import QueueDoesNotExist

SLICE: Final = 1_000
CLOCKS_DIFFER_MS: Final = 5_000
"""Clocks of nodes may differ by so much before one counts as set back."""


async def require_settled(work: Work, queue: Queue, now_ms: int, *, looks_back: bool = False) -> Row:
    """The standing of a queue. Raises Unsettled, unless that was done just now, and QueueDoesNotExist."""
    row = await work.one("standing", queue.id)
    if row is None:
        raise QueueDoesNotExist
    known = work.memory.of(queue.id)
    known.grouped, known.ends_ms = row["grouped"], row["begins_ms"] + MINUTE_MS
    if not work.settled and not is_settled(row, queue, now_ms, looks_back=looks_back):
        raise Unsettled(queue, now_ms, looks_back=looks_back)
    return row


def is_settled(row: Row, queue: Queue, now_ms: int, *, looks_back: bool) -> bool:
    """Whether time alone has changed nothing since `row` was written, a standing of the queue."""
    begins_ms, due_ms, sent_ms = row["begins_ms"], row["due_ms"], row["sent_ms"]
    return (
        now_ms < begins_ms + MINUTE_MS
        and not (looks_back and now_ms < begins_ms - CLOCKS_DIFFER_MS)
        and (due_ms is None or due_ms > now_ms)
        and (sent_ms is None or sent_ms > now_ms - queue.retention_ms)
    )


async def require_minute(work: Work, queue_id: int, now_ms: int) -> None:
    """That the minute of this moment runs, for those who have no other reason to settle. Raises as above."""
    known = work.memory.of(queue_id)
    if now_ms < known.ends_ms or work.settled:
        return
    row = await work.one("running_minute", queue_id)
    if row is None:
        raise QueueDoesNotExist
    known.ends_ms = row[0] + MINUTE_MS
    if now_ms >= known.ends_ms:
        queue = await work.one("find_queue_by_id", queue_id)
        raise Unsettled(queue_of(queue), now_ms, looks_back=False)


async def settle(work: Work, queue: Queue, now_ms: int, *, looks_back: bool = False) -> None:
    """To be run with the queue's lock, alone or with that of settling. Raises QueueDoesNotExist."""
    row = await work.one("running_minute", queue.id)
    if row is None:
        raise QueueDoesNotExist
    if looks_back and now_ms < row[0] - CLOCKS_DIFFER_MS:
        await _set_back(work, queue, now_ms)
    elif now_ms >= row[0] + MINUTE_MS:
        await _turn(work, queue, now_ms)
    await expire(work, queue, now_ms)
    await reveal(work, queue, now_ms)


async def expire(work: Work, queue: Queue, now_ms: int) -> None:
    before_ms = now_ms - queue.retention_ms
    while True:
        rows = await work.all("expired_groups" if queue.is_fifo else "expired", queue.id, before_ms, SLICE)
        if not rows:
            return
        groups = sorted({row[1] for row in rows if row[1] is not None}) if queue.is_fifo else []
        if groups:
            await work.all("lock_groups", queue.id, groups)
        gone = await work.all("delete_messages", queue.id, [row[0] for row in rows])
        if groups:
            await work.all("refresh_groups", queue.id, groups)
        _tell_expired(work, queue, sorted(gone, key=lambda row: (row[4], row[0])))
        if len(rows) < SLICE:
            return


def _tell_expired(work: Work, queue: Queue, gone: Sequence[Row]) -> None:
    change = work.change(queue.id)
    change.messages -= len(gone)
    for seq, message_id, hidden, due_ms, sent_ms, _ in gone:
        change.hide(hidden, -1)
        # What a shorter period made too old was so from the moment of that change on.
        at_ms = max(sent_ms + queue.retention_ms, queue.modified_ms)
        if hidden == IN_FLIGHT and due_ms <= at_ms:  # nobody had looked in between
            work.news.returned(queue.id, message_id, seq, due_ms)
        work.news.expired(queue.id, message_id, seq, at_ms)


async def reveal(work: Work, queue: Queue, now_ms: int) -> None:
    change = work.change(queue.id)
    while True:
        rows = await work.all("reveal", queue.id, now_ms, SLICE)
        for seq, message_id, hidden, due_ms in sorted(rows, key=lambda row: (row[3], row[0])):
            change.hide(hidden, -1)
            if hidden == IN_FLIGHT:
                work.news.returned(queue.id, message_id, seq, due_ms)
        if len(rows) < SLICE:
            return


# Minutes


async def _turn(work: Work, queue: Queue, now_ms: int) -> None:
    """Writes the minutes down that are over by now. One node does it: the others wait, and find it done."""
    row = await work.one("lock_minute", queue.id)
    if row is None:
        raise QueueDoesNotExist
    begins_ms, opened = row
    while begins_ms + MINUTE_MS <= now_ms:
        end_ms = begins_ms + MINUTE_MS
        await expire(work, queue, end_ms - 1)
        await reveal(work, queue, end_ms - 1)
        await _close(work, queue, begins_ms, opened, await gauging.gauges(work, queue, end_ms))
        due = await work.one("next_due", queue.id)
        oldest = await work.one("oldest_sent", queue.id)
        changes_ms = [now_ms, *(due or ()), *([oldest[0] + queue.retention_ms] if oldest else [])]
        starts_ms = max(end_ms, min(changes_ms))
        begins_ms, opened = starts_ms - starts_ms % MINUTE_MS, False
    await work.all("set_minute", queue.id, begins_ms, opened)
    await work.all("forget_seen", queue.id, now_ms, 100_000)
    await work.all("forget_attempts", queue.id, now_ms, 100_000)


async def _set_back(work: Work, queue: Queue, now_ms: int) -> None:
    """What came after this moment has not happened."""
    start_ms = now_ms - now_ms % MINUTE_MS
    await work.all("forget_minutes_from", queue.id, start_ms)
    await work.all("clear_tallies", queue.id)
    work.change(queue.id).tally = Tally()
    opened = await work.one("last_minute", queue.id) is None
    await work.all("set_minute", queue.id, start_ms, opened)


async def _close(work: Work, queue: Queue, begins_ms: int, opened: bool, gauges: Gauges) -> None:
    await work.all("lock_tallies", queue.id)
    tally = await _running_tally(work, queue.id)
    called = opened or tally != Tally()
    row = await work.one("last_minute", queue.id)
    last = None if row is None else minute_of(row[0])
    if not called and last is not None and last.gauges == gauges:
        return
    await work.all("clear_tallies", queue.id)
    work.change(queue.id).tally = Tally()
    minute = Minute(begins_ms, tally, gauges, called)
    if last is not None and last.start_ms == begins_ms:
        minute = joined(last, minute)
    await work.all("put_minute", queue.id, begins_ms, text_of(minute))
    await work.all("forget_minutes_before", queue.id, begins_ms - HISTORY_MS)


async def _running_tally(work: Work, queue_id: int) -> Tally:
    row = await work.one("running_tally", queue_id)
    return added(tally_of(row), work.change(queue_id).tally)


async def history(work: Work, queue: Queue, from_ms: int, now_ms: int) -> list[Minute]:
    found = [minute_of(row[0]) for row in await work.all("minutes_since", queue.id, from_ms)]
    row = await work.one("running_minute", queue.id)
    if row is None:
        raise QueueDoesNotExist
    tally = await _running_tally(work, queue.id)
    gauges = await gauging.gauges(work, queue, now_ms)
    return with_running(found, Minute(row[0], tally, gauges, row[1] or tally != Tally()))


def with_running(minutes: list[Minute], running: Minute) -> list[Minute]:
    """Minutes that were written down, perhaps the first part of the running one among them, and that one."""
    if minutes and minutes[-1].start_ms == running.start_ms:
        return [*minutes[:-1], joined(minutes[-1], running)]
    return [*minutes, running]


def joined(one: Minute, other: Minute) -> Minute:
    """Two parts of a minute."""
    tally = added(one.tally, other.tally)
    return Minute(one.start_ms, tally, other.gauges, one.called or other.called)
