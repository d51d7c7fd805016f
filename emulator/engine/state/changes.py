"""What changed since the data file was last written. Rows are made from it when it is written, not before.

A message that is sent, received and deleted between two commits never reaches the file.
"""

import msgspec

from emulator.domain.activity import Minute
from emulator.domain.alarms import Alarm
from emulator.domain.model import MoveTask, Queue, QueueKey
from emulator.engine.base import Witness
from emulator.engine.state.message import Message

AlarmKey = tuple[str, str, str]
"""Account, region and name."""


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What deduplication remembers of a message."""

    message_id: str
    seq: int
    until_ms: int


class Attempt(msgspec.Struct, frozen=True):
    """Which messages a ReceiveRequestAttemptId got, as (seq, receive_count), in the order of delivery."""

    until_ms: int
    due_ms: int
    """What the receive set."""
    messages: tuple[tuple[int, int], ...]


class Recorder:
    """What the state tells about its changes. This one, used in memory, writes nothing down."""

    witness: Witness | None = None

    def message_added(self, message: Message) -> None: ...

    def message_changed(self, message: Message) -> None:
        """Its times, place or count."""

    def message_gone(self, seq: int) -> None: ...

    def emptied(self, queue_id: int) -> None:
        """All messages, and what deduplication and attempts remember, are gone."""

    def queue(self, queue_id: int, queue: Queue | None) -> None: ...

    def grouped(self, queue_id: int) -> None:
        """The queue has become a fair one."""

    def deleted_name(self, key: QueueKey, deleted_ms: int | None) -> None: ...

    def seen(self, queue_id: int, key: str, seen: Seen | None) -> None: ...

    def attempt(self, queue_id: int, attempt_id: str, attempt: Attempt | None) -> None: ...

    def move_task(self, task_id: str, task: MoveTask | None) -> None: ...

    def minute(self, queue_id: int, start_ms: int, minute: Minute | None) -> None: ...

    def minutes_gone(self, queue_id: int) -> None:
        """All of a queue."""

    def alarm(self, key: AlarmKey, alarm: Alarm | None) -> None: ...

    def reserved_seq(self, seq: int) -> None:
        """No number below this one will be drawn again."""

    def reserved_queue_id(self, queue_id: int) -> None:
        """No id below this one will be given to a queue again."""

    def all_gone(self) -> None:
        """Everything but the numbers that were reserved."""


class Changes(Recorder):
    """None in place of a value: it is gone."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.everything_gone = False
        """Comes before all others."""
        self.emptied_queues: set[int] = set()
        self.added: dict[int, Message] = {}
        self.changed: dict[int, Message] = {}
        self.gone: list[int] = []
        self.queues: dict[int, Queue | None] = {}
        self.deleted_names: dict[QueueKey, int | None] = {}
        self.seen_keys: dict[tuple[int, str], Seen | None] = {}
        self.attempts: dict[tuple[int, str], Attempt | None] = {}
        self.move_tasks: dict[str, MoveTask | None] = {}
        self.grouped_queues: set[int] = set()
        self.minutes_gone_of: set[int] = set()
        """Comes before `minutes`."""
        self.minutes: dict[tuple[int, int], Minute | None] = {}
        self.alarms: dict[AlarmKey, Alarm | None] = {}
        self.next_seq: int | None = None
        self.next_queue_id: int | None = None
        self.handle_key: bytes | None = None
        self.any = False

    def message_added(self, message: Message) -> None:
        self.any = True
        self.added[message.seq] = message

    def message_changed(self, message: Message) -> None:
        self.any = True
        if message.seq not in self.added:
            self.changed[message.seq] = message

    def message_gone(self, seq: int) -> None:
        self.any = True
        if self.added.pop(seq, None) is None:
            self.changed.pop(seq, None)
            self.gone.append(seq)

    def emptied(self, queue_id: int) -> None:
        self.any = True
        self.emptied_queues.add(queue_id)
        self.added = {seq: one for seq, one in self.added.items() if one.queue_id != queue_id}
        self.changed = {seq: one for seq, one in self.changed.items() if one.queue_id != queue_id}
        self.seen_keys = {key: seen for key, seen in self.seen_keys.items() if key[0] != queue_id}
        self.attempts = {key: attempt for key, attempt in self.attempts.items() if key[0] != queue_id}

    def queue(self, queue_id: int, queue: Queue | None) -> None:
        self.any = True
        self.queues[queue_id] = queue

    def deleted_name(self, key: QueueKey, deleted_ms: int | None) -> None:
        self.any = True
        self.deleted_names[key] = deleted_ms

    def seen(self, queue_id: int, key: str, seen: Seen | None) -> None:
        self.any = True
        self.seen_keys[queue_id, key] = seen

    def attempt(self, queue_id: int, attempt_id: str, attempt: Attempt | None) -> None:
        self.any = True
        self.attempts[queue_id, attempt_id] = attempt

    def move_task(self, task_id: str, task: MoveTask | None) -> None:
        self.any = True
        self.move_tasks[task_id] = task

    def grouped(self, queue_id: int) -> None:
        self.any = True
        self.grouped_queues.add(queue_id)

    def minute(self, queue_id: int, start_ms: int, minute: Minute | None) -> None:
        self.any = True
        self.minutes[queue_id, start_ms] = minute

    def minutes_gone(self, queue_id: int) -> None:
        self.any = True
        self.minutes_gone_of.add(queue_id)
        self.minutes = {key: minute for key, minute in self.minutes.items() if key[0] != queue_id}

    def alarm(self, key: AlarmKey, alarm: Alarm | None) -> None:
        self.any = True
        self.alarms[key] = alarm

    def reserved_seq(self, seq: int) -> None:
        self.any = True
        self.next_seq = seq

    def reserved_queue_id(self, queue_id: int) -> None:
        self.any = True
        self.next_queue_id = queue_id

    def all_gone(self) -> None:
        numbers = self.next_seq, self.next_queue_id
        self.clear()
        self.next_seq, self.next_queue_id = numbers
        self.any = self.everything_gone = True
