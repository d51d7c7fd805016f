"""What CloudWatch counts: how a queue stands at a moment, and what callers did in a minute (spec 3.18)."""

from collections.abc import Sequence

import msgspec

MINUTE_MS = 60_000


class Gauges(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a queue stands at one moment."""

    visible: int = 0
    in_flight: int = 0
    delayed: int = 0
    oldest_ms: int | None = None
    """From when on the age of the oldest message counts; None: there is no message whose age counts."""
    groups_in_flight: int | None = None
    """FIFO queues only: groups with messages in flight."""
    noisy_groups: int | None = None
    """Fair queues only, as those below, which leave the messages of noisy groups out."""
    quiet_visible: int | None = None
    quiet_in_flight: int | None = None
    quiet_delayed: int | None = None
    quiet_oldest_ms: int | None = None

    @property
    def messages(self) -> int:
        return self.visible + self.in_flight + self.delayed


class Tally(msgspec.Struct, gc=False):
    """What callers did over a stretch of time."""

    sent: int = 0
    """Accepted messages: neither deduplicated ones nor dead letters."""
    sent_bytes: int = 0
    """Of bodies and message attributes."""
    smallest_bytes: int = 0
    """Of the messages sent; 0 if there were none."""
    largest_bytes: int = 0
    received: int = 0
    empty_receives: int = 0
    deleted: int = 0
    """Repeated deletes included."""
    deduplicated: int = 0


class Minute(msgspec.Struct, frozen=True, gc=False):
    start_ms: int
    tally: Tally
    gauges: Gauges
    """At its end; of the minute that runs, as of now."""
    called: bool
    """A call made it; otherwise time alone changed something."""


class Look(msgspec.Struct, frozen=True, gc=False):
    """How a queue stands, and what happened before."""

    gauges: Gauges
    minutes: Sequence[Minute] = ()
    """As Engine.history gives them, if they were asked for."""


class EngineFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How an engine stores what it keeps, since it was opened. All 0 for one that keeps nothing."""

    commits: int = 0
    commit_requests: int = 0
    """Requests that waited for them: several share a commit."""
    commit_sizes: dict[int, int] = {}
    """How many commits had so many requests or fewer, but more than the next smaller key."""
    size_bytes: int | None = None
    """Of the database; None: there is none."""
