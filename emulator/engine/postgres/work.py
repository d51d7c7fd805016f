"""One transaction: its connection, what it changes in counts, and whom to tell once it has happened."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import msgspec

from emulator.domain.activity import Tally
from emulator.engine.base import Witness
from emulator.engine.postgres.memory import Memory
from emulator.engine.state.diary import added

Connection = Any
"""A connection of the pool: asyncpg has no types that fit both kinds of it."""
Row = Any
"""An asyncpg.Record: its values by place or by name."""

LOCKS: Final = 0x5351_5345 << 32
"""Added to a queue's id: the number of its advisory lock."""
TASKS_LOCK: Final = LOCKS
SCHEMA_LOCK: Final = LOCKS - 1
CLOCKS_LOCK: Final = LOCKS - 2
SETTLING_LOCKS: Final = LOCKS + (1 << 32)
"""The same for the lock of those who write down what time has changed in a queue."""
SLOTS: Final = 64


class Change(msgspec.Struct, gc=False):
    """What a transaction adds to the counts of one queue."""

    messages: int = 0
    in_flight: int = 0
    delayed: int = 0
    tally: Tally = msgspec.field(default_factory=Tally)

    def sent(self, sizes_bytes: Sequence[int]) -> None:
        if sizes_bytes:
            self.tally = added(
                self.tally,
                Tally(len(sizes_bytes), sum(sizes_bytes), min(sizes_bytes), max(sizes_bytes)),
            )

    def hide(self, hidden: int, change: int) -> None:
        """`hidden`: VISIBLE, IN_FLIGHT or DELAYED of so many messages that begin, or cease, to be so."""
        if hidden == 1:
            self.in_flight += change
        elif hidden:
            self.delayed += change


class News:
    """What happened to messages by time alone: the witness is told once it is stored."""

    def __init__(self) -> None:
        self._taken: list[tuple[bool, int, str, int, int]] = []

    def returned(self, queue_id: int, message_id: str, seq: int, at_ms: int) -> None:
        self._taken.append((False, queue_id, message_id, seq, at_ms))

    def expired(self, queue_id: int, message_id: str, seq: int, at_ms: int) -> None:
        self._taken.append((True, queue_id, message_id, seq, at_ms))

    def tell(self, witness: Witness | None) -> None:
        if witness is not None:
            for expired, queue_id, message_id, seq, at_ms in self._taken:
                tell = witness.expired if expired else witness.returned
                tell(queue_id, message_id, seq, at_ms)


class Work:
    def __init__(self, connection: Connection, sql: dict[str, str], memory: Memory) -> None:
        self.connection = connection
        self.memory = memory
        self.changes: dict[int, Change] = {}
        self.notices: Counter[int] = Counter()
        """How many messages became available, by queue id: for receivers on other nodes."""
        self.news = News()
        self.afterwards: list[Callable[[], None]] = []
        """Called once the transaction has happened."""
        self.settled = False
        """What time alone changes was done just before, so it is not looked for again."""
        self.timeout_s: float | None = None
        """How long a statement may take; None: as long as is usual."""
        self._sql = sql

    async def all(self, name: str, *arguments: Any) -> list[Row]:
        given = map(storable, arguments)
        found: list[Row] = await self.connection.fetch(self._sql[name], *given, timeout=self.timeout_s)
        return found

    async def one(self, name: str, *arguments: Any) -> Row | None:
        given = map(storable, arguments)
        found: Row | None = await self.connection.fetchrow(self._sql[name], *given, timeout=self.timeout_s)
        return found

    async def value(self, name: str, *arguments: Any) -> Any:
        return await self.connection.fetchval(self._sql[name], *arguments, timeout=self.timeout_s)

    async def draw(self, count: int) -> list[int]:
        """So many new numbers for messages, in order."""
        return [row[0] for row in await self.all("draw", count)] if count else []

    def change(self, queue_id: int) -> Change:
        found = self.changes.get(queue_id)
        if found is None:
            found = self.changes[queue_id] = Change()
        return found

    def closing(self) -> str:
        """The last statements, on their way together: counts, in the order of queues, and COMMIT."""
        slot = self.connection.get_server_pid() % SLOTS
        rows = [
            f"({queue_id},{slot},{one.messages},{one.in_flight},{one.delayed},"
            f"{','.join(map(str, msgspec.structs.astuple(one.tally)))})"
            for queue_id, one in sorted(self.changes.items())
            if one != _NOTHING
        ]
        if not rows:
            return "COMMIT"
        return f"{self._sql['add_tallies'].replace('{rows}', ','.join(rows))}; COMMIT"


_NOTHING: Final = Change()


def storable(argument: Any) -> Any:
    """PostgreSQL has no NUL in texts. What is stored was checked for it; what is looked for may have one.

    U+FFFF is in no name either.
    """
    if type(argument) is str and "\0" in argument:
        return argument.replace("\0", "\uffff")
    return argument


def lock_of(queue_id: int) -> int:
    return LOCKS + queue_id


def beginning(shared: Collection[int], exclusive: Collection[int], settling: int | None = None) -> str:
    """BEGIN and the locks of queues, on their way together. All are given by the ids of queues.

    Every transaction that touches messages of a queue holds its lock shared. Whoever empties, changes or
    deletes the queue holds it alone, and so has to look out for nobody. Those who settle a queue do so one
    after the other, so that all of them find it settled.
    """
    taken = dict.fromkeys(shared, "_shared") | dict.fromkeys(exclusive, "")
    locks = [
        f"SELECT pg_advisory_xact_lock{kind}({lock_of(queue_id)})" for queue_id, kind in sorted(taken.items())
    ]
    if settling is not None:
        locks.append(f"SELECT pg_advisory_xact_lock({SETTLING_LOCKS + settling})")
    return "; ".join(["BEGIN ISOLATION LEVEL READ COMMITTED", *locks])
