"""The clock of servers under test: it stands still until a test moves it."""

from emulator.clock import AdjustableClock

START_MS = 1_767_225_600_000
"""2026-01-01."""


def frozen_clock() -> AdjustableClock:
    return AdjustableClock(START_MS, frozen=True)
