"""Drives move tasks: one step after the other, at the rate that was asked for."""

import asyncio
import logging
from typing import NamedTuple

from emulator.clock import Clock, Timer
from emulator.domain.model import MoveStatus, MoveTask, key_of_arn
from emulator.engine.base import Engine
from emulator.errors import SqsError
from emulator.journal import Journal
from emulator.signals import Signals
from emulator.worlds import World, Worlds

BATCH = 100
RETRY_MS = 1_000
log = logging.getLogger(__name__)


class Mover:
    """The tasks themselves live in the engine; here are only the timers of their next steps.

    Time and ids are those of the account whose queue is the source.
    """

    def __init__(
        self, engine: Engine, worlds: Worlds, signals: Signals, journal: Journal | None = None
    ) -> None:
        self._engine = engine
        self._journal = journal
        self._worlds = worlds
        self._signals = signals
        self._next: dict[str, _Next] = {}
        """By task id."""
        self._steps: dict[asyncio.Task[None], str] = {}
        """Those that run, with the ids of their tasks."""

    async def resume(self) -> None:
        """Takes up the tasks that were active when the server stopped."""
        for task in await self._engine.active_move_tasks():
            self.drive(task)

    async def adopt(self) -> None:
        """Takes up active tasks that nobody drives: the node that did is gone."""
        for task in await self._engine.active_move_tasks():
            if task.task_id not in self._next and task.task_id not in self._steps.values():
                self.drive(task)

    def drive(self, task: MoveTask) -> None:
        """Goes on with a task from now on; what it moved before does not count against its rate."""
        now_ms = self._world_of(task).clock.now_ms()
        self._schedule(task, _Pace(now_ms, task), now_ms)

    async def settle(self) -> None:
        """Returns once no step is due: whoever moved a clock finds done what that led to."""
        loop = asyncio.get_running_loop()
        while self._steps or any(one.due_ms <= one.clock.now_ms() for one in self._next.values()):
            turn = loop.create_future()
            loop.call_soon(turn.set_result, None)
            await asyncio.wait([turn, *self._steps])

    def close(self) -> None:
        for one in self._next.values():
            one.timer.cancel()
        for step in self._steps:
            step.cancel()

    def _world_of(self, task: MoveTask) -> World:
        source = key_of_arn(task.source_arn)
        return self._worlds.server if source is None else self._worlds.of(source.account)

    def _schedule(self, task: MoveTask, pace: "_Pace", when_ms: int) -> None:
        earlier = self._next.pop(task.task_id, None)
        if earlier is not None:
            earlier.timer.cancel()
        clock = self._world_of(task).clock
        timer = clock.call_at(when_ms, lambda: self._start_step(task, pace))
        self._next[task.task_id] = _Next(timer, clock, when_ms)

    def _start_step(self, task: MoveTask, pace: "_Pace") -> None:
        self._next.pop(task.task_id, None)
        step = asyncio.get_running_loop().create_task(self._step(task, pace))
        self._steps[step] = task.task_id
        step.add_done_callback(self._steps.pop)

    async def _step(self, task: MoveTask, pace: "_Pace") -> None:
        world = self._world_of(task)
        now_ms = world.clock.now_ms()
        if now_ms < pace.started_ms:  # the clock was set back
            pace = _Pace(now_ms, task)
        ids = [world.ids.uuid() for _ in range(min(BATCH, pace.allowance(task, now_ms)))]
        try:
            done = await self._engine.move_batch(task.task_id, ids, now_ms=now_ms)
        except SqsError as error:
            log.error("move task %s waits: %s", task.task_id, error.__cause__ or error)
            self._schedule(task, pace, now_ms + RETRY_MS)
            return
        if done is None:  # forgotten by a reset, or taken over by another node
            return
        source = key_of_arn(task.source_arn)
        if self._journal is not None and done.moved and source is not None:
            self._journal.moved(source, done.moved, now_ms=now_ms)
        for queue_id, count in done.received.items():
            self._signals.notify(queue_id, count)
        if done.task.status is MoveStatus.RUNNING:
            self._schedule(done.task, pace, pace.next_ms(done.task, now_ms))


class _Next(NamedTuple):
    """When a task goes on."""

    timer: Timer
    clock: Clock
    due_ms: int


class _Pace:
    """How many messages a task may have moved by now: the first at once, then so many a second."""

    def __init__(self, started_ms: int, task: MoveTask) -> None:
        self.started_ms = started_ms
        self._moved = task.moved

    def allowance(self, task: MoveTask, now_ms: int) -> int:
        if task.max_per_second is None:
            return BATCH
        allowed = (now_ms - self.started_ms) * task.max_per_second // 1000 + 1
        return max(0, allowed - (task.moved - self._moved))

    def next_ms(self, task: MoveTask, now_ms: int) -> int:
        if task.max_per_second is None:
            return now_ms
        moved = task.moved - self._moved
        return self.started_ms + -(-moved * 1000 // task.max_per_second)
