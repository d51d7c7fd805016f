"""What was done with a queue and how it stood, minute by minute, as CloudWatch has it (spec 3.18).

Only minutes in which something changed are written down. A minute is closed when somebody looks at the queue
later: what time alone did by then is done first, up to each minute's end, so the numbers are those that a
look at that moment would have found.
"""

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from emulator.domain.activity import MINUTE_MS, Gauges, Minute, Tally
from emulator.domain.model import Queue
from emulator.engine.state.changes import Recorder

if TYPE_CHECKING:
    from emulator.engine.state.backlog import Backlog

HISTORY_MS = 15 * 24 * 3_600_000
"""As long as CloudWatch keeps points of one minute."""


MANY = 10_000
"""More sizes than this are summed up before the minute ends."""


class Diary:
    def __init__(self, queue_id: int, recorder: Recorder) -> None:
        self.begins_ms = 0
        """Of the minute that runs; `ends_ms` is the first moment after it."""
        self.ends_ms = 0
        # What callers do in it. Counting is part of every request, so there is no method between.
        self.sizes_bytes: list[int] = []
        """Of the messages sent, since they were summed up last."""
        self.received = 0
        self.empty_receives = 0
        self.deleted = 0
        self.deduplicated = 0
        self._sizes = Tally()
        """Those summed up, and nothing else."""
        self._opened = False
        """The queue was created in it."""
        self._before = Tally()
        """What the minutes before this one had, since the server started."""
        self._minutes: deque[Minute] = deque()
        self._queue_id = queue_id
        self._recorder = recorder

    def begin(self, now_ms: int, *, opened: bool = False) -> None:
        """The minute of this moment runs."""
        self.begins_ms = now_ms - now_ms % MINUTE_MS
        self.ends_ms = self.begins_ms + MINUTE_MS
        self.sizes_bytes = []
        self.received = self.empty_receives = self.deleted = self.deduplicated = 0
        self._sizes = Tally()
        self._opened = opened

    def sum_up(self) -> Tally:
        """What callers have done in the minute that runs."""
        sizes, new = self._sizes, self.sizes_bytes
        if new:
            smallest = min(new)
            sizes.smallest_bytes = min(sizes.smallest_bytes, smallest) if sizes.sent else smallest
            sizes.largest_bytes = max(sizes.largest_bytes, max(new))
            sizes.sent += len(new)
            sizes.sent_bytes += sum(new)
            self.sizes_bytes = []
        return msgspec.structs.replace(
            sizes,
            received=self.received,
            empty_receives=self.empty_receives,
            deleted=self.deleted,
            deduplicated=self.deduplicated,
        )

    def restore(self, minute: Minute) -> None:
        """One that was stored, in order of time."""
        self._minutes.append(minute)
        self.begin(minute.start_ms)

    def close(self, gauges: Gauges) -> None:
        """Writes the minute that runs down, if it has anything to say."""
        last = self._minutes[-1] if self._minutes else None
        minute = self._running(gauges)
        if not minute.called and last is not None and last.gauges == gauges:
            return
        self._before = added(self._before, self.sum_up())
        if (
            last is not None and last.start_ms == self.begins_ms
        ):  # a server that was stopped in it wrote it down
            minute = _joined(self._minutes.pop(), minute)
        self._minutes.append(minute)
        self._recorder.minute(self._queue_id, minute.start_ms, minute)
        while len(self._minutes) > 1 and self._minutes[1].start_ms < self.begins_ms - HISTORY_MS:
            self._recorder.minute(self._queue_id, self._minutes.popleft().start_ms, None)

    def interrupt(self, gauges: Gauges) -> None:
        """The server stops: the minute that runs is written down as far as it got."""
        self.close(gauges)
        self.begin(self.begins_ms)

    def set_back(self, now_ms: int) -> None:
        """The clock was set back: what came after this moment has not happened."""
        start_ms = now_ms - now_ms % MINUTE_MS
        self._before = added(self._before, self.sum_up())
        while self._minutes and self._minutes[-1].start_ms >= start_ms:
            self._recorder.minute(self._queue_id, self._minutes.pop().start_ms, None)
        self.begin(now_ms, opened=not self._minutes)

    def forget(self) -> None:
        """As if the queue were created now."""
        self._minutes.clear()
        self._before = Tally()
        self._recorder.minutes_gone(self._queue_id)
        self.begin(self.begins_ms, opened=True)

    @property
    def totals(self) -> Tally:
        """Since the server started."""
        return added(self._before, self.sum_up())

    def since(self, from_ms: int, gauges: Gauges) -> list[Minute]:
        """The last minute before this moment, those after it, and the one that runs, with these gauges."""
        found: list[Minute] = []
        for minute in reversed(self._minutes):
            found.append(minute)
            if minute.start_ms + MINUTE_MS <= from_ms:
                break
        found.reverse()
        running = self._running(gauges)
        if found and found[-1].start_ms == self.begins_ms:
            running = _joined(found.pop(), running)
        return [*found, running]

    def _running(self, gauges: Gauges) -> Minute:
        tally = self.sum_up()
        return Minute(self.begins_ms, tally, gauges, self._opened or tally != Tally())

    def tell_all(self, recorder: Recorder) -> None:
        for minute in self._minutes:
            recorder.minute(self._queue_id, minute.start_ms, minute)


def turn(backlog: "Backlog", queue: Queue, now_ms: int) -> None:
    """Closes the minutes that are over by now."""
    diary = backlog.diary
    if now_ms < diary.begins_ms:
        diary.set_back(now_ms)
        return
    while diary.ends_ms <= now_ms:
        end_ms = diary.ends_ms
        backlog.expire(queue, end_ms - 1)
        backlog.reveal(end_ms - 1)
        diary.close(backlog.gauges(end_ms))
        changes_ms = (now_ms, backlog.next_due_ms(), backlog.next_expiry_ms(queue))
        diary.begin(max(end_ms, min(at_ms for at_ms in changes_ms if at_ms is not None)))


def _joined(one: Minute, other: Minute) -> Minute:
    """Two parts of a minute."""
    tally = added(one.tally, other.tally)
    return Minute(one.start_ms, tally, other.gauges, one.called or other.called)


def added(one: Tally, other: Tally) -> Tally:
    smallest = [tally.smallest_bytes for tally in (one, other) if tally.sent]
    return Tally(
        sent=one.sent + other.sent,
        sent_bytes=one.sent_bytes + other.sent_bytes,
        smallest_bytes=min(smallest, default=0),
        largest_bytes=max(one.largest_bytes, other.largest_bytes),
        received=one.received + other.received,
        empty_receives=one.empty_receives + other.empty_receives,
        deleted=one.deleted + other.deleted,
        deduplicated=one.deduplicated + other.deduplicated,
    )
