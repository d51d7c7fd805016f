"""A system clock and an event loop in virtual time: where others would sleep, the time just goes on."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

SYSTEM_MS = 1_767_225_600_000


class System:
    """The system's clock, as emulator/clock.py reads it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed_ns = 0
        monkeypatch.setattr("emulator.clock.time_ns", lambda: SYSTEM_MS * 1_000_000 + self.passed_ns)

    def wait(self, *, seconds: float = 0, ms: float = 0) -> None:
        self.passed_ns += round(seconds * 1_000_000_000 + ms * 1_000_000)

    def now_ms(self) -> int:
        return SYSTEM_MS + self.passed_ns // 1_000_000

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a coroutine on a loop whose timers wait by this clock."""
        with asyncio.Runner(loop_factory=lambda: _Loop(self)) as runner:
            runner.run(work())


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, system: System) -> None:
        self._system = system
        super().__init__(_Selector(system))

    def time(self) -> float:
        return self._system.passed_ns / 1_000_000_000


class _Selector(selectors.SelectSelector):
    def __init__(self, system: System) -> None:
        self._system = system
        super().__init__()

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "everybody waits, and no timer is set"
        if timeout > 0:
            self._system.wait(seconds=timeout)
        return super().select(0)
