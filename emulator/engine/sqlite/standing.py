"""What is known of each queue without asking the database: derived from it, and forgotten when in doubt.

The database stays the only truth. The total saves a count of the backlog; the two moments are lower bounds,
which save a look at an index on every call: before them, there is nothing to reveal and nothing to expire.
"""

import sys

UNKNOWN = 0
NEVER = sys.maxsize
MAX_GROUPS = 10_000


class Standing:
    __slots__ = (
        "delayed",
        "group_sent_ms",
        "grouped",
        "hidden_until_ms",
        "in_flight",
        "oldest_sent_ms",
        "room_in_flight",
        "total",
    )

    def __init__(self, *, grouped: bool) -> None:
        self.grouped = grouped
        """A message with a MessageGroupId was sent: a fair queue, if it is a standard one."""
        self.group_sent_ms: dict[str, int] = {}
        """Fair queues: when a group last sent something, as far as anybody remembers."""
        self.total: int | None = None
        """Messages in the queue; None until somebody counts them."""
        self.in_flight: int | None = None
        """Standard queues: messages received and not revealed yet; None until somebody counts them."""
        self.delayed: int | None = None
        """Standard queues: messages never received and not revealed yet; None as in_flight."""
        self.room_in_flight = UNKNOWN
        """FIFO queues: at least so many more messages may be in flight."""
        self.hidden_until_ms = UNKNOWN
        """Standard queues: no hidden message becomes visible before this moment."""
        self.oldest_sent_ms = UNKNOWN
        """No message was sent before this moment."""

    def add(self, count: int) -> None:
        if self.total is not None:
            self.total += count

    def hid(self, until_ms: int) -> None:
        self.hidden_until_ms = min(self.hidden_until_ms, until_ms)

    def hide(self, *, in_flight: int = 0, delayed: int = 0) -> None:
        """So many more messages of a standard queue are hidden, or fewer."""
        if self.in_flight is not None and self.delayed is not None:
            self.in_flight += in_flight
            self.delayed += delayed

    def got_one_sent_at(self, sent_ms: int) -> None:
        self.oldest_sent_ms = min(self.oldest_sent_ms, sent_ms)

    def group_sent(self, group_id: str, sent_ms: int) -> None:
        self.group_sent_ms.pop(group_id, None)
        self.group_sent_ms[group_id] = sent_ms
        if len(self.group_sent_ms) > MAX_GROUPS:
            self.group_sent_ms.pop(next(iter(self.group_sent_ms)))

    def emptied(self) -> None:
        self.total = self.in_flight = self.delayed = 0
        self.hidden_until_ms = self.oldest_sent_ms = NEVER
