"""What the clients saw: the only witness, as the server is killed again and again."""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sent:
    """Written down before the request leaves. `number`: its place in its group."""

    queue: str
    body: str
    kind: str | None = None
    """The text of its one message attribute."""
    group: str | None = None
    number: int = 0


@dataclass(frozen=True)
class Acknowledged:
    message_id: str
    sequence_number: str | None = None


@dataclass(frozen=True)
class Received:
    name: str
    body: str
    kind: str | None
    message_id: str
    handle: str
    receives: int
    group: str | None = None
    sequence_number: str | None = None


@dataclass(frozen=True)
class Receive:
    """One answer of ReceiveMessage."""

    queue: str
    messages: tuple[Received, ...]
    started_s: float
    answered_s: float
    hidden_s: float
    in_drain: bool = False


@dataclass(frozen=True)
class Delete:
    name: str
    asked_s: float
    answered_s: float | None = None
    """None: the server was killed, or the receive's visibility timeout was over: it may be deleted."""


@dataclass
class Ledger:
    """Filled by several threads: each entry is one assignment or one append."""

    sent: dict[str, Sent] = field(default_factory=dict)
    acknowledged: dict[str, Acknowledged] = field(default_factory=dict)
    receives: list[Receive] = field(default_factory=list)
    deletes: list[Delete] = field(default_factory=list)
    tasks_begun: int = 0
    tasks_ended: list[str] = field(default_factory=list)
    """The status of each move task that a server still knows at the end."""
    lost_answers: int = 0
    surprises: list[str] = field(default_factory=list)
    """Answers that no client should ever get, and what the server wrote to stderr."""

    def deliveries(self) -> Iterator[tuple[Receive, Received]]:
        for receive in self.receives:
            for one in receive.messages:
                yield receive, one

    def summary(self) -> str:
        return (
            f"{len(self.sent)} messages sent, {len(self.acknowledged)} acknowledged, "
            f"{sum(len(receive.messages) for receive in self.receives)} received, "
            f"{len(self.deletes)} deletes, {self.tasks_begun} move tasks, {self.lost_answers} answers lost"
        )
