"""The engine contract: what keeps the queues and messages, and what each method promises.

One method is one transaction: it happens as a whole or not at all, and an answer is given only once it is
stored as safely as the engine stores anything. Values in and out are frozen; the time is always an argument.
Methods that name a queue by id raise QueueDoesNotExist when it is gone.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from emulator.clock import Adjustment
from emulator.domain.activity import EngineFigures, Gauges, Look, Minute, Tally
from emulator.domain.alarms import Alarm
from emulator.domain.model import (
    ALL_STATES,
    Accepted,
    Claim,
    ClaimOrder,
    Counts,
    Created,
    Draft,
    MessageState,
    MoveStep,
    MoveTask,
    Outcome,
    Peeked,
    Queue,
    QueueKey,
    Receipt,
    Started,
    VisibilityChange,
)


class Witness(Protocol):
    """Is told what happens to messages by time alone, once somebody looks at their queue.

    `at_ms` is the moment at which it happened. Of one look, expired messages come before returned ones.
    """

    def returned(self, queue_id: int, message_id: str, seq: int, at_ms: int) -> None:
        """Its visibility timeout ended. Told again if a file or snapshot was read in between."""
        ...

    def expired(self, queue_id: int, message_id: str, seq: int, at_ms: int) -> None:
        """Its retention period ended."""
        ...


class Engine(Protocol):
    @property
    def handle_key(self) -> bytes:
        """The secret that signs receipt handles; it lives as long as the data."""
        ...

    async def close(self) -> None: ...

    async def create_queue(
        self,
        key: QueueKey,
        attributes: dict[str, str],
        tags: dict[str, str],
        *,
        now_ms: int,
        name_lock_ms: int,
    ) -> tuple[Created, Queue | None]:
        """The new queue, or the one that has the name; None if that was deleted in the last name_lock_ms."""
        ...

    async def find_queue(self, key: QueueKey) -> Queue | None: ...

    async def list_queues(
        self, account: str, region: str, *, prefix: str, after: str, limit: int
    ) -> Sequence[str]:
        """Names in order, those greater than `after` only."""
        ...

    async def dead_letter_sources(self, arn: str, *, after: str, limit: int) -> Sequence[QueueKey]:
        """Queues of the same account and region whose RedrivePolicy names this ARN, in order of name."""
        ...

    async def update_queue(self, queue_id: int, change: Callable[[Queue], Queue]) -> Queue:
        """Reads, changes and stores a queue's attributes, tags and times in one transaction.

        What `change` raises undoes the transaction and reaches the caller.
        """
        ...

    async def delete_queue(self, queue_id: int, *, now_ms: int) -> None: ...

    async def purge(self, queue_id: int, *, now_ms: int, lock_ms: int) -> bool:
        """Removes all messages and what deduplication remembers. False: purged less than lock_ms ago."""
        ...

    async def append(self, queue_id: int, drafts: Sequence[Draft]) -> Sequence[Accepted]:
        """Stores the drafts in order. A duplicate (deduplication_key seen in five minutes) is not stored."""
        ...

    async def claim(self, queue: Queue, order: ClaimOrder) -> Claim:
        """Takes up to `limit` visible messages and hides them; moves those received too often.

        Standard queues: in order of sending, see `place` in schema.sql. FIFO: group by group (spec 3.11).
        """
        ...

    async def delete(self, queue: Queue, receipts: Sequence[Receipt], *, now_ms: int) -> Sequence[Outcome]:
        """DONE, GONE, or EXPIRED (FIFO queues only), in order."""
        ...

    async def set_visibility(
        self, queue: Queue, changes: Sequence[VisibilityChange], *, now_ms: int
    ) -> Sequence[Outcome]:
        """DONE, GONE, BEYOND_LIMIT, or EXPIRED (FIFO queues only), in order."""
        ...

    async def start_move_task(self, task: MoveTask, *, now_ms: int) -> Started:
        """Stores a RUNNING task, `to_move` filled in: one active task a source, 100 an account."""
        ...

    async def move_tasks(self, source_arn: str, *, limit: int) -> Sequence[MoveTask]:
        """The newest first."""
        ...

    async def active_move_tasks(self) -> Sequence[MoveTask]:
        """RUNNING and CANCELLING ones, of all queues, but for those that another node drives.

        What a server takes up after a restart. Whoever asks drives them from now on.
        """
        ...

    async def cancel_move_task(self, task_id: str, source_arn: str) -> MoveTask | None:
        """Turns a RUNNING task to CANCELLING. None: this source has no running task of this id."""
        ...

    async def move_batch(self, task_id: str, message_ids: Sequence[str], *, now_ms: int) -> MoveStep | None:
        """Moves the oldest visible messages, one for each new id, and ends a task that is done.

        None: the task was forgotten by a reset or a restore, or another node drives it now.
        """
        ...

    async def counts(self, queue: Queue, *, now_ms: int) -> Counts: ...

    # For CloudWatch and the console

    def count_empty_receive(self, queue_id: int) -> None:
        """A ReceiveMessage was answered without messages, after any wait. Other calls count by themselves."""
        ...

    def totals(self, queue_id: int) -> Tally:
        """What was counted since the server started; zeros for a queue that is gone."""
        ...

    async def gauges(self, queue: Queue, *, now_ms: int) -> Gauges: ...

    async def history(self, queue: Queue, *, from_ms: int, now_ms: int) -> Sequence[Minute]:
        """Minutes from this moment on in which something changed, the oldest first.

        The first may lie before it, and says how things stood then; the last is the minute that runs. What is
        older than fifteen days is forgotten, as is what would come after a clock that was set back.
        """
        ...

    async def looks(
        self, moments: Sequence[tuple[Queue, int]], *, from_ms: Callable[[int], int] | None = None
    ) -> Sequence[Look | None]:
        """Gauges of many queues, each at the moment beside it, in order; None for a queue that is gone.

        `from_ms`: since when their history is wanted, too, by that moment.
        """
        ...

    async def put_alarm(self, alarm: Alarm) -> None:
        """In place of the one that has its account, region and name."""
        ...

    async def alarms(self, *, account: str | None = None, region: str | None = None) -> Sequence[Alarm]:
        """In order of name; None stands for all accounts or regions."""
        ...

    async def delete_alarms(self, account: str, region: str, names: Collection[str]) -> None: ...

    def figures(self) -> EngineFigures: ...

    # For the test kit

    async def discard(self, queue: Queue, seqs: Sequence[int], *, now_ms: int) -> Sequence[Outcome]:
        """Removes messages, whatever their state. DONE or GONE, in order."""
        ...

    async def peek(
        self,
        queue: Queue,
        *,
        now_ms: int,
        states: Collection[MessageState] = ALL_STATES,
        after_seq: int = 0,
        limit: int = 100,
    ) -> Sequence[Peeked]:
        """Messages in order of seq, those after `after_seq` only. Changes nothing."""
        ...

    async def touch(self, queue: Queue, *, now_ms: int) -> int | None:
        """Lets happen what time alone changes; when the next hidden message becomes visible."""
        ...

    async def all_queues(self, *, account: str | None = None, region: str | None = None) -> Sequence[Queue]:
        """In order of key; None stands for all accounts or regions, here and in `reset`."""
        ...

    async def reset(self, *, account: str | None = None, region: str | None = None) -> Sequence[int]:
        """Forgets queues with all they have, deleted names and move tasks; the ids of the queues."""
        ...

    async def reset_queue(self, queue_id: int) -> None:
        """Empties it, also of what deduplication, attempts and the last purge left. Its attributes stay."""
        ...

    async def snapshot(self) -> bytes:
        """Everything, the handle key included, as the bytes of a data file."""
        ...

    async def restore(self, snapshot: bytes) -> None:
        """Has what the snapshot has in place of everything. Raises InvalidSnapshot, and changes nothing.

        Numbers of messages and queues that come later are new to this engine and to the snapshot's.
        """
        ...

    def key_of(self, queue_id: int) -> QueueKey | None:
        """Of a queue that is there; it costs a look, and reads nothing."""
        ...

    def watch(self, witness: Witness | None) -> None:
        """Whom to tell from now on; one at a time."""
        ...


class Listener(Protocol):
    """Is told what other nodes do that have the same state."""

    def messages_came(self, queue_id: int, count: int) -> None:
        """So many became available there."""
        ...

    def queue_changed(self, queue_id: int) -> None:
        """Its attributes did, or it was emptied or deleted."""
        ...

    def lost_track(self) -> None:
        """Anything may have happened in the meantime."""
        ...

    async def clocks_changed(self) -> None:
        """Returns once this node goes by them; it does not raise."""
        ...


class SharedEngine(Engine, Protocol):
    """An engine whose state other nodes have, too."""

    def listen(self, listener: Listener) -> None:
        """Whom to tell from now on; one at a time."""
        ...

    async def check(self) -> None:
        """Raises ServiceUnavailable if nothing can be stored now."""
        ...

    async def database_now_ns(self) -> int:
        """By the clock that all nodes agree on, in nanoseconds since the epoch. Raises ServiceUnavailable."""
        ...

    async def adjustments(self) -> Mapping[str | None, Adjustment]:
        """Of the clocks of accounts, and under None of the server's. Raises ServiceUnavailable."""
        ...

    async def adjust(
        self, account: str | None, change: Callable[[Adjustment | None], Adjustment | None]
    ) -> None:
        """Changes one clock, for all nodes; None: it follows. Returns once the other nodes go by it.

        What `change` raises undoes it and reaches the caller. Raises ServiceUnavailable.
        """
        ...

    async def forget_adjustments(self, account: str | None) -> None:
        """Of this account's clock; None: of those of all accounts, but not of the server's."""
        ...
