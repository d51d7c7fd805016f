"""Time as a dependency. This is the only module that reads the system's clock."""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from time import time_ns
from typing import NamedTuple, Protocol

MAX_MS = 253_402_300_799_999
"""The end of the year 9999: no clock is moved beyond it, so that every moment can be written as a date."""
MAX_SPEED = 1_000_000
_NS = 1_000_000
"""Nanoseconds in a millisecond."""
_LONGEST_SLEEP_MS = 3_600_000
_FEW_TIMERS = 64
_order = itertools.count()
"""Timers of the same moment fire in the order in which they were made, whatever clock they are on."""


stopwatch_s = time.perf_counter
"""For durations of real work, in logs and metrics; never for anything SQS promises."""


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """Tells the time and owns waiting: a frozen clock must be able to drive a long poll.

    `call_at` instead of a `sleep_until` coroutine: a waiter then costs a heap entry and no task.
    """

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        ...

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        """Calls `callback` once, on the event loop, when the clock reads `when_ms` or later.

        Sooner if the clock is set back: the moment may be far away then, so whoever waits looks again.
        """
        ...


class Adjustment(NamedTuple):
    """How a clock goes that was adjusted: it showed `base_ns` when the system's showed `since_ns`."""

    base_ns: int
    since_ns: int
    frozen: bool
    speed: float


class System:
    """The system's clock, and by how much it is wrong."""

    __slots__ = ("correction_ns",)

    def __init__(self) -> None:
        self.correction_ns = 0

    def now_ns(self) -> int:
        return time_ns() + self.correction_ns


class AdjustableClock:
    """The system's time until it is told otherwise: set, advanced, frozen, or run at another speed.

    All of it is to be called on the event loop's thread. Timers that become due by a change fire in the order
    of their moments, and each finds the clock at the new time.
    """

    def __init__(self, start_ms: int | None = None, frozen: bool = False) -> None:
        self.system = System()
        """Also that of its followers."""
        self._course = _Course(self.system)
        self._leader: AdjustableClock | None = None
        if frozen:  # first, or time would go on from start_ms until then
            self.freeze()
        if start_ms is not None:
            self.set(start_ms)

    def follower(self) -> "AdjustableClock":
        """A clock that goes with this one, whatever happens to it, until it is itself adjusted."""
        clock = AdjustableClock()
        clock._leader, clock._course, clock.system = self, self._course, self.system
        return clock

    def now_ms(self) -> int:
        if self._course.is_real:  # the way of every request: hardly more than the system's clock costs
            return (time_ns() + self.system.correction_ns) // 1_000_000
        return self._course.now_ms()

    def call_at(self, when_ms: int, callback: Callable[[], None]) -> Timer:
        return self._course.add(when_ms, callback, self)

    @property
    def frozen(self) -> bool:
        return self._course.frozen

    @property
    def speed(self) -> float:
        """How many seconds go by in a real one, unless the clock is frozen."""
        return self._course.speed

    @property
    def is_real(self) -> bool:
        """It follows the system's clock exactly."""
        return self._course.is_real

    @property
    def follows(self) -> bool:
        """It goes with the clock whose follower it is: nothing adjusted it, or it was restored."""
        return self._leader is not None and self._course is self._leader._course

    @property
    def offset_ms(self) -> int:
        """How far it is ahead of the system's clock."""
        return self._course.offset_ms()

    @property
    def adjustment(self) -> Adjustment | None:
        """None while it follows the clock that it followed at first, or the system's."""
        follows = self._course.is_real if self._leader is None else self.follows
        return None if follows else self._course.adjustment

    def adopt(self, adjustment: Adjustment | None) -> None:
        """Goes as another clock does that has the same system's time; None: back to what it followed."""
        if adjustment == self.adjustment:
            return
        if adjustment is None:
            self.restore()
        else:
            self._own_course().adopt(adjustment)

    def correct(self, ahead_ns: int) -> None:
        """The system's clock is so much behind the one that counts: for this clock and its followers."""
        before_ms = self.now_ms()
        self.system.correction_ns += ahead_ns
        self._course.look_again(before_ms)

    def advance(self, *, seconds: float = 0, ms: int = 0) -> None:
        """Raises ValueError for what is no step forward, or leads beyond MAX_MS."""
        if not 0 <= seconds <= MAX_MS / 1000 or ms < 0:
            raise ValueError("a clock is advanced by 0 or more; `set` can set it back")
        shift_ms = ms + round(seconds * 1000)
        _require_moment(self.now_ms() + shift_ms)
        self._own_course().change(shift_ns=shift_ms * _NS)

    def set(self, now_ms: int) -> None:
        """Forward or back. Raises ValueError for a moment before 1970 or beyond MAX_MS."""
        _require_moment(now_ms)
        self._own_course().change(now_ns=now_ms * _NS)

    def freeze(self) -> None:
        self._own_course().change(frozen=True)

    def resume(self) -> None:
        """Goes on from where it stands, at the speed it had."""
        self._own_course().change(frozen=False)

    def run_at(self, speed: float) -> None:
        """Goes on from where it stands, so many times as fast as the system's clock."""
        if not 0 < speed <= MAX_SPEED:
            raise ValueError(f"the speed of a clock is more than 0 and at most {MAX_SPEED}")
        self._own_course().change(frozen=False, speed=speed)

    def restore(self) -> None:
        """Back to the clock that it followed at first, or to the system's."""
        if self._leader is None:
            self._course.follow_system()
        elif not self.follows:
            followed = self._leader._course
            now_ms = followed.now_ms()
            set_back = now_ms < self._course.now_ms()
            timers, self._course = self._course.take(self), followed
            followed.give(_due_at(now_ms, timers) if set_back else timers)

    def _own_course(self) -> "_Course":
        """From the first change on, a follower goes its own way, and its timers come along."""
        if self._leader is not None and self._course is self._leader._course:
            followed, self._course = self._course, self._course.copy()
            self._course.give(followed.take(self))
        return self._course


def _require_moment(now_ms: int) -> None:
    if not 0 <= now_ms <= MAX_MS:
        raise ValueError("a clock shows a time from 1970 to 9999")


class _Timer:
    __slots__ = ("callback", "course", "owner")

    def __init__(self, callback: Callable[[], None], course: "_Course", owner: AdjustableClock) -> None:
        self.callback: Callable[[], None] | None = callback
        self.course = course
        self.owner = owner

    def cancel(self) -> None:
        if self.callback is not None:
            self.callback = None
            self.course.forget_cancelled()


_Entry = tuple[int, int, _Timer]


class _Course:
    """How time goes, and who waits for it. A clock and its followers share one.

    The time is `_base_ns` at the system's `_since_ns`, and goes on from there; one timer of the event loop is
    set for the earliest moment that somebody waits for.
    """

    __slots__ = (
        "_alarm",
        "_base_ns",
        "_cancelled",
        "_loop",
        "_since_ns",
        "_timers",
        "frozen",
        "is_real",
        "speed",
        "system",
    )

    def __init__(self, system: System) -> None:
        self.system = system
        self.is_real = True
        self.frozen = False
        self.speed = 1.0
        self._base_ns = self._since_ns = 0
        self._timers: list[_Entry] = []
        self._cancelled = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._alarm: asyncio.Handle | None = None

    def copy(self) -> "_Course":
        """The same time and manner, and nobody who waits."""
        course = _Course(self.system)
        course.is_real, course.frozen, course.speed = self.is_real, self.frozen, self.speed
        course._base_ns, course._since_ns = self._base_ns, self._since_ns
        course._loop = self._loop
        return course

    def now_ms(self) -> int:
        return self._at(self.system.now_ns()) // _NS

    def offset_ms(self) -> int:
        system_ns = self.system.now_ns()
        return round((self._at(system_ns) - system_ns) / _NS)

    def _at(self, system_ns: int) -> int:
        if self.frozen:
            return self._base_ns
        passed_ns = system_ns - self._since_ns
        return self._base_ns + (passed_ns if self.speed == 1 else round(passed_ns * self.speed))

    def change(
        self,
        *,
        shift_ns: int = 0,
        now_ns: int | None = None,
        frozen: bool | None = None,
        speed: float | None = None,
    ) -> None:
        """Goes on from now, from `shift_ns` later, or from `now_ns`; what is not given stays as it is."""
        system_ns = self.system.now_ns()
        before_ns = self._at(system_ns)
        after_ns = before_ns + shift_ns if now_ns is None else now_ns
        self._base_ns, self._since_ns = after_ns, system_ns
        self.frozen = self.frozen if frozen is None else frozen
        self.speed = self.speed if speed is None else speed
        self.is_real = after_ns == system_ns and self.speed == 1 and not self.frozen
        self.look_again(before_ns // _NS)

    @property
    def adjustment(self) -> Adjustment:
        return Adjustment(self._base_ns, self._since_ns, self.frozen, self.speed)

    def adopt(self, adjustment: Adjustment) -> None:
        before_ns = self._at(self.system.now_ns())
        self._base_ns, self._since_ns, self.frozen, self.speed = adjustment
        self.is_real = False
        self.look_again(before_ns // _NS)

    def follow_system(self) -> None:
        before_ns = self._at(self.system.now_ns())
        self.is_real, self.frozen, self.speed = True, False, 1.0
        self._base_ns = self._since_ns = 0
        self.look_again(before_ns // _NS)

    def look_again(self, before_ms: int) -> None:
        now_ms = self.now_ms()
        if now_ms < before_ms:  # set back: whoever waits would wait for too long
            self._replace(_due_at(now_ms, self._timers))
        self._settle()

    # Timers

    def add(self, when_ms: int, callback: Callable[[], None], owner: AdjustableClock) -> _Timer:
        self._loop = asyncio.get_running_loop()
        timer = _Timer(callback, self, owner)
        heapq.heappush(self._timers, (when_ms, next(_order), timer))
        if self._timers[0][2] is timer:
            self._set_alarm()
        return timer

    def take(self, owner: AdjustableClock) -> list[_Entry]:
        """The timers of one clock: they are no longer here."""
        taken = [entry for entry in self._timers if entry[2].owner is owner and entry[2].callback is not None]
        self._replace([entry for entry in self._timers if entry[2].owner is not owner])
        return taken

    def give(self, entries: list[_Entry]) -> None:
        """Timers that were taken from another course, at the moments that they have."""
        for entry in entries:
            entry[2].course = self
            heapq.heappush(self._timers, entry)
        self._settle()

    def forget_cancelled(self) -> None:
        """A timer here was cancelled. Its entry stays until such entries are many, or all there are."""
        self._cancelled += 1
        count = len(self._timers)
        if self._cancelled == count or self._cancelled > max(_FEW_TIMERS, count // 2):
            self._replace(self._timers)

    def _replace(self, entries: list[_Entry]) -> None:
        """Keeps these timers, without those that were cancelled."""
        self._timers = [entry for entry in entries if entry[2].callback is not None]
        self._cancelled = 0
        heapq.heapify(self._timers)
        self._set_alarm()

    def _settle(self) -> None:
        """Fires what is due, and sees to it that the rest will be."""
        try:
            while self._timers and self._timers[0][0] <= self.now_ms():
                timer = heapq.heappop(self._timers)[2]
                callback, timer.callback = timer.callback, None
                if callback is None:
                    self._cancelled -= 1
                else:
                    callback()
        finally:
            self._set_alarm()

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if not self._timers or self._loop is None:
            return
        wait_ms = self._timers[0][0] - self.now_ms()
        if wait_ms <= 0:
            self._alarm = self._loop.call_soon(self._settle)
        elif not self.frozen:
            # One more millisecond, as times are cut to whole ones. An alarm that comes too early is set anew.
            sleep_ms = min(wait_ms / self.speed + 1, _LONGEST_SLEEP_MS)
            self._alarm = self._loop.call_later(sleep_ms / 1000, self._settle)


def _due_at(now_ms: int, entries: list[_Entry]) -> list[_Entry]:
    """The same timers, due now, in the order of the moments that they had."""
    return [(now_ms, next(_order), timer) for _, _, timer in sorted(entries)]
