"""Keeps a server in step with others that have the same state: time, waiting receivers, move tasks."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from emulator.clock import AdjustableClock, Adjustment
from emulator.engine.base import SharedEngine
from emulator.errors import ServiceUnavailable
from emulator.mover import Mover
from emulator.signals import Signals
from emulator.worlds import Worlds

log = logging.getLogger(__name__)

LOOK_S: Final = 2.0
"""How often the clock is compared, and move tasks are looked for that nobody drives."""
CHECK_S: Final = 3.0
"""How long a check may take."""
SLACK_NS: Final = 20_000_000
"""By so much clocks may differ from the database's."""
READINGS: Final = 3

Operation = Callable[[AdjustableClock], None]


class Nodes:
    """This server among others. It is the engine's Listener."""

    def __init__(self, engine: SharedEngine, worlds: Worlds, signals: Signals, mover: Mover) -> None:
        self._engine = engine
        self._worlds = worlds
        self._signals = signals
        self._mover = mover
        self._look: asyncio.Task[None] | None = None
        self._check: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Raises ServiceUnavailable."""
        self._engine.listen(self)
        await self._compare_time()
        given = self._worlds.server.clock.adjustment
        if given is not None:  # nobody has set another one
            await self._engine.adjust(None, lambda there: there or given)
        await self._read_clocks()
        self._look_later()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._look is not None:
            self._look.cancel()

    async def check(self) -> None:
        """Raises ServiceUnavailable if requests would. Callers at the same time share one answer."""
        if self._check is None or self._check.done():
            self._check = asyncio.ensure_future(self._engine.check())
            self._check.add_done_callback(lambda check: check.cancelled() or check.exception())
        try:
            await asyncio.wait_for(asyncio.shield(self._check), CHECK_S)
        except TimeoutError:
            raise ServiceUnavailable from None

    # What other nodes tell

    def messages_came(self, queue_id: int, count: int) -> None:
        self._signals.notify(queue_id, count)

    def queue_changed(self, queue_id: int) -> None:
        self._signals.notify_all(queue_id)

    def lost_track(self) -> None:
        self._signals.notify_everybody()

    async def clocks_changed(self) -> None:
        try:
            await self._read_clocks()
            await self._mover.settle()  # what became due has happened when whoever told us goes on
        except ServiceUnavailable:
            log.warning("the clocks of other nodes were not read")

    # Time

    async def adjust_clock(self, account: str | None, operation: Operation) -> None:
        """Changes the clock of an account, or the server's, on all nodes.

        Raises ServiceUnavailable, and what `operation` raises.
        """
        clock = self._worlds.clock_of(account)

        def change(there: Adjustment | None) -> Adjustment | None:
            clock.adopt(there)
            operation(clock)
            return clock.adjustment

        try:
            await self._engine.adjust(account, change)
        finally:
            await self.clocks_changed()  # if it failed, or was followed by another one

    async def forget_clocks(self, account: str | None) -> None:
        """The clock of an account, or those of all, follow the server's. Raises ServiceUnavailable."""
        await self._engine.forget_adjustments(account)

    async def _read_clocks(self) -> None:
        found = await self._engine.adjustments()
        for account in {None, *self._worlds.accounts(), *found}:
            self._worlds.clock_of(account).adopt(found.get(account))

    async def _compare_time(self) -> None:
        """Goes by the database's clock: of several readings the quickest counts."""
        clock = self._worlds.server.clock
        readings = []
        for _ in range(READINGS):
            began_ns = clock.system.now_ns()
            there_ns = await self._engine.database_now_ns()
            took_ns = clock.system.now_ns() - began_ns
            readings.append((took_ns, there_ns - began_ns - took_ns // 2))
        took_ns, ahead_ns = min(readings)
        if abs(ahead_ns) > SLACK_NS + took_ns // 2:
            log.info("the clock is corrected by %d ms", ahead_ns // 1_000_000)
            clock.correct(ahead_ns)

    # From time to time

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._begin_look)

    def _begin_look(self) -> None:
        self._look = asyncio.get_running_loop().create_task(self._look_now())

    async def _look_now(self) -> None:
        try:
            await self._compare_time()
            await self._mover.adopt()
        except ServiceUnavailable:
            log.debug("the database is away")
        except Exception:
            log.exception("the clock was not compared, or tasks not looked for")
        finally:
            self._look_later()
