"""Small charts of what callers did in the last half hour, a bar for each minute."""

from collections.abc import Sequence

import msgspec

from emulator.domain.activity import MINUTE_MS, Minute

BARS = 30
HEIGHT = 20
STEP = 4


class Sparkline(msgspec.Struct, frozen=True):
    field: str
    """Of Tally."""
    title: str
    values: list[int]
    """One for each minute, the one that runs last."""

    @property
    def path(self) -> str:
        """Upright lines, for an SVG of BARS * STEP by HEIGHT. static/sparkline.js draws the same."""
        highest = max(self.values, default=0)
        return "".join(
            f"M{index * STEP + STEP // 2} {HEIGHT}V{HEIGHT - 1 - round(value / highest * (HEIGHT - 2))}"
            for index, value in enumerate(self.values)
            if value
        )

    @property
    def compact(self) -> str:
        """The values for the script; nothing if all are 0."""
        return ",".join(map(str, self.values)) if any(self.values) else ""

    @property
    def total(self) -> int:
        return sum(self.values)


def from_ms(now_ms: int) -> int:
    """Where the first bar begins."""
    return now_ms - now_ms % MINUTE_MS - (BARS - 1) * MINUTE_MS


def sparklines(minutes: Sequence[Minute], now_ms: int) -> tuple[Sparkline, Sparkline, Sparkline]:
    """`minutes` as Engine.history gives them: those without a change are left out."""
    start_ms = from_ms(now_ms)
    sent, received, deleted = [0] * BARS, [0] * BARS, [0] * BARS
    for minute in minutes:
        index = (minute.start_ms - start_ms) // MINUTE_MS
        if 0 <= index < BARS:
            sent[index] += minute.tally.sent
            received[index] += minute.tally.received
            deleted[index] += minute.tally.deleted
    return (
        Sparkline("sent", "Sent", sent),
        Sparkline("received", "Received", received),
        Sparkline("deleted", "Deleted", deleted),
    )
