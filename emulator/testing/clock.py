"""The clock of an account, or of the whole server, from the outside."""

from datetime import UTC, datetime

from emulator.testing.answers import ClockReading
from emulator.testing.connection import Connection


class ClockControl:
    """Turns the clock of one account; with `account=None` that of the server, which all others follow.

    The first call that changes anything gives an account a clock of its own.
    """

    def __init__(self, connection: Connection, account: str | None) -> None:
        self._connection = connection
        self._account = account

    def read(self) -> ClockReading:
        return self._connection.get("clock", ClockReading, {"account": self._account})

    def now_ms(self) -> int:
        return self.read().now_ms

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms() / 1000, UTC)

    def advance(self, *, seconds: float = 0, ms: int = 0) -> ClockReading:
        """Moves the clock forward. Whatever became due has happened when this returns."""
        return self._change("advance", ms=ms + round(seconds * 1000))

    def freeze(self) -> ClockReading:
        return self._change("freeze")

    def resume(self) -> ClockReading:
        """Lets the clock run on from where it stands."""
        return self._change("resume")

    def set(self, moment: int | str | datetime) -> ClockReading:
        """Milliseconds since the epoch, ISO 8601 text, or an aware datetime."""
        if isinstance(moment, int):
            return self._change("set", now_ms=moment)
        text = moment if isinstance(moment, str) else moment.astimezone(UTC).isoformat()
        return self._change("set", now=text)

    def run_at(self, speed: float) -> ClockReading:
        """Runs `speed` times as fast as real time."""
        return self._change("speed", speed=speed)

    def forget(self) -> ClockReading:
        """Back to the server's clock; for the server's own, back to the system's time."""
        return self._connection.delete("clock", ClockReading, {"account": self._account})

    def _change(self, what: str, **members: object) -> ClockReading:
        return self._connection.post(f"clock/{what}", ClockReading, {"account": self._account, **members})
