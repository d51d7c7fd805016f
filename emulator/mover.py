"""Drives move tasks: one step after the other, at the rate that was asked for."""

import asyncio
import logging

from emulator.clock import Clock, Timer
from emulator.domain.model import MoveStatus, MoveTask
from emulator.engine.base import Engine
from emulator.errors import SqsError
from emulator.ids import Ids
from emulator.signals import Signals

BATCH = 100
RETRY_MS = 1_000
log = logging.getLogger(__name__)


class Mover:
    """The tasks themselves live in the engine; here are only the timers of their next steps."""

    def __init__(self, engine: Engine, clock: Clock, ids: Ids, signals: Signals) -> None:
        self._engine = engine
        self._clock = clock
        self._ids = ids
        self._signals = signals
        self._timers: dict[str, Timer] = {}
        self._steps: set[asyncio.Task[None]] = set()

    async def resume(self) -> None:
        """Takes up the tasks that were active when the server stopped."""
        for task in await self._engine.active_move_tasks():
            self.drive(task)

    def drive(self, task: MoveTask) -> None:
        """Goes on with a task from now on; what it moved before does not count against its rate."""
        self._schedule(task, _Pace(self._clock.now_ms(), task), self._clock.now_ms())

    def close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        for step in self._steps:
            step.cancel()

    def _schedule(self, task: MoveTask, pace: "_Pace", when_ms: int) -> None:
        earlier = self._timers.pop(task.task_id, None)
        if earlier is not None:
            earlier.cancel()
        self._timers[task.task_id] = self._clock.call_at(when_ms, lambda: self._start_step(task, pace))

    def _start_step(self, task: MoveTask, pace: "_Pace") -> None:
        self._timers.pop(task.task_id, None)
        step = asyncio.get_running_loop().create_task(self._step(task, pace))
        self._steps.add(step)
        step.add_done_callback(self._steps.discard)

    async def _step(self, task: MoveTask, pace: "_Pace") -> None:
        now_ms = self._clock.now_ms()
        ids = [self._ids.uuid() for _ in range(min(BATCH, pace.allowance(task, now_ms)))]
        try:
            done = await self._engine.move_batch(task.task_id, ids, now_ms=now_ms)
        except SqsError as error:
            log.error("move task %s waits: %s", task.task_id, error.__cause__ or error)
            self._schedule(task, pace, now_ms + RETRY_MS)
            return
        for queue_id, count in done.received.items():
            self._signals.notify(queue_id, count)
        if done.task.status is MoveStatus.RUNNING:
            self._schedule(done.task, pace, pace.next_ms(done.task, now_ms))


class _Pace:
    """How many messages a task may have moved by now: the first at once, then so many a second."""

    def __init__(self, started_ms: int, task: MoveTask) -> None:
        self._started_ms = started_ms
        self._moved = task.moved

    def allowance(self, task: MoveTask, now_ms: int) -> int:
        if task.max_per_second is None:
            return BATCH
        allowed = (now_ms - self._started_ms) * task.max_per_second // 1000 + 1
        return max(0, allowed - (task.moved - self._moved))

    def next_ms(self, task: MoveTask, now_ms: int) -> int:
        if task.max_per_second is None:
            return now_ms
        moved = task.moved - self._moved
        return self._started_ms + -(-moved * 1000 // task.max_per_second)
