"""What is known of each queue without asking the database: derived from it, and forgotten when in doubt.

The database stays the only truth. The total saves a count of the backlog; the two moments are lower bounds,
which save a look at an index on every call: before them, there is nothing to reveal and nothing to expire.
"""

import sys

UNKNOWN = 0
NEVER = sys.maxsize
MAX_GROUPS = 10_000


class Standing:
    __slots__ = ("group_sent_ms", "grouped", "hidden_until_ms", "oldest_sent_ms", "total")

    def __init__(self, *, grouped: bool) -> None:
        self.grouped = grouped
        """A message with a MessageGroupId was sent: a fair queue, if it is a standard one."""
        self.group_sent_ms: dict[str, int] = {}
        """Fair queues: when a group last sent something, as far as anybody remembers."""
        self.total: int | None = None
        """Messages in the queue; None until somebody counts them."""
        self.hidden_until_ms = UNKNOWN
        """Standard queues: no hidden message becomes visible before this moment."""
        self.oldest_sent_ms = UNKNOWN
        """No message was sent before this moment."""

    def add(self, count: int) -> None:
        if self.total is not None:
            self.total += count

    def hid(self, until_ms: int) -> None:
        self.hidden_until_ms = min(self.hidden_until_ms, until_ms)

    def got_one_sent_at(self, sent_ms: int) -> None:
        self.oldest_sent_ms = min(self.oldest_sent_ms, sent_ms)

    def group_sent(self, group_id: str, sent_ms: int) -> None:
        self.group_sent_ms.pop(group_id, None)
        self.group_sent_ms[group_id] = sent_ms
        if len(self.group_sent_ms) > MAX_GROUPS:
            self.group_sent_ms.pop(next(iter(self.group_sent_ms)))

    def emptied(self) -> None:
        self.total, self.hidden_until_ms, self.oldest_sent_ms = 0, NEVER, NEVER
