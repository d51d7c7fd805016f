"""A plain model of SQS queues: lists and dictionaries, no index, and nothing of the emulator's code.

Every queue is a list of its messages in the order in which they would be handed out. Every rule is a loop
over that list. What is expired is taken out as soon as its time has come, so no look comes too late.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

PURGE_LOCK_MS = 60_000
DEDUPLICATION_MS = 300_000
ATTEMPT_MS = 300_000
MAX_HIDDEN_MS = 43_200_000
MOVED_AT_ONCE = 100


class Refused(Exception):
    """The call, or this entry of it, gets an error of this name, in whose text these words stand."""

    def __init__(self, error: str, words: str = "") -> None:
        super().__init__(error, words)
        self.error = error
        self.words = words


@dataclass(eq=False)
class Message:
    """One stay of one message in one queue. A message that is moved goes on as another object."""

    number: int  # the test's own name for it: it survives every move
    body: str
    group: str | None
    deduplication_id: str | None
    sent_ms: int
    due_ms: int  # hidden until then
    receives: int = 0
    received_ms: int = 0
    first_received_ms: int | None = None
    dead_letter_source: str | None = None
    changes: int = 0  # how often its visibility was changed, by receives too
    # What only the emulator can know; None until it was seen.
    message_id: str | None = None
    sequence_number: str | None = None
    handle: str | None = None


@dataclass(frozen=True)
class Receipt:
    queue: str
    message: Message
    receives: int


@dataclass(frozen=True)
class Attempt:
    until_ms: int
    messages: list[tuple[Message, int]]  # with `changes` as it was


@dataclass(frozen=True)
class Original:
    message: Message
    until_ms: int


@dataclass
class Queue:
    name: str
    is_fifo: bool = False
    scope: str = "queue"
    delay_s: int = 0
    visibility_s: int = 30
    retention_s: int = 345_600
    redrive: tuple[str, int] | None = None  # the target's name, maxReceiveCount
    purged_ms: int | None = None
    messages: list[Message] = field(default_factory=list)
    originals: dict[tuple[str | None, str], Original] = field(default_factory=dict)
    attempts: dict[str, Attempt] = field(default_factory=dict)


@dataclass
class MoveTask:
    source: str
    destination: str | None
    per_second: int | None
    to_move: int
    paced_from_ms: int  # the rate counts from here …
    moved_before: int = 0  # … and not what was moved earlier than that
    status: str = "RUNNING"
    moved: int = 0
    failure: str | None = None


class Reference:
    def __init__(self, queues: list[Queue], now_ms: int) -> None:
        self.queues = {queue.name: queue for queue in queues}
        self.now_ms = now_ms
        self.receipts: dict[str, Receipt] = {}  # by handle
        self.task: MoveTask | None = None
        # The numbers of messages, by what became of them.
        self.accepted: set[int] = set()
        self.duplicates: set[int] = set()
        self.deleted: set[int] = set()
        self.expired: set[int] = set()

    # Time

    def advance(self, ms: int) -> None:
        self.now_ms += ms
        self._expire()
        self.step_task()

    def _expire(self) -> None:
        for queue in self.queues.values():
            for message in list(queue.messages):
                if self.now_ms - message.sent_ms >= queue.retention_s * 1000:
                    queue.messages.remove(message)
                    self.expired.add(message.number)

    def moments(self) -> list[int]:
        """When something happens by itself, from now on."""
        moments = set()
        for queue in self.queues.values():
            for message in queue.messages:
                moments |= {message.due_ms, message.sent_ms + queue.retention_s * 1000}
                moments.add(message.received_ms + MAX_HIDDEN_MS)
            moments |= {original.until_ms for original in queue.originals.values()}
            moments |= {attempt.until_ms for attempt in queue.attempts.values()}
            if queue.purged_ms is not None:
                moments.add(queue.purged_ms + PURGE_LOCK_MS)
        return sorted(moment for moment in moments if moment > self.now_ms)

    # Sending

    def send(
        self,
        name: str,
        number: int,
        body: str,
        *,
        group: str | None = None,
        deduplication_id: str | None = None,
        delay_s: int | None = None,
    ) -> Message:
        """The message that now stands for this send: a new one, or the original that it repeats."""
        queue = self.queues[name]
        if queue.is_fifo:
            assert deduplication_id is not None
            key = (group if queue.scope == "messageGroup" else None, deduplication_id)
            original = queue.originals.get(key)
            if original is not None and self.now_ms < original.until_ms:
                self.duplicates.add(number)
                return original.message
        if delay_s is None or queue.is_fifo:
            delay_s = queue.delay_s
        due_ms = self.now_ms + delay_s * 1000
        message = Message(number, body, group, deduplication_id, self.now_ms, due_ms)
        if queue.is_fifo:
            queue.originals[key] = Original(message, self.now_ms + DEDUPLICATION_MS)
        queue.messages.append(message)
        self.accepted.add(number)
        return message

    # Receiving

    def repeats(self, name: str, attempt_id: str | None) -> bool:
        """Whether a receive with this ReceiveRequestAttemptId repeats an earlier one."""
        queue = self.queues[name]
        attempt = queue.attempts.get(attempt_id or "")
        return queue.is_fifo and attempt is not None and self.now_ms < attempt.until_ms

    def receive(
        self, name: str, limit: int, visibility_s: int | None = None, attempt_id: str | None = None
    ) -> list[Message]:
        queue = self.queues[name]
        hide_ms = 1000 * (queue.visibility_s if visibility_s is None else visibility_s)
        if self.repeats(name, attempt_id):
            messages = self._repeated(queue, queue.attempts[attempt_id or ""])
        else:
            messages = self._take(queue, limit)
            for message in messages:
                message.receives += 1
                message.received_ms = self.now_ms
                if message.first_received_ms is None:
                    message.first_received_ms = self.now_ms
                if message.receives >= 3 and not queue.is_fifo:
                    queue.messages.remove(message)
                    queue.messages.append(message)
        for message in messages:
            self._hide(message, hide_ms)
        if queue.is_fifo and attempt_id is not None and messages:
            remembered = [(message, message.changes) for message in messages]
            queue.attempts[attempt_id] = Attempt(self.now_ms + ATTEMPT_MS, remembered)
        self._expire()  # a dead-letter queue may keep messages for less time than they are old
        return messages

    def _repeated(self, queue: Queue, attempt: Attempt) -> list[Message]:
        for message, changes in attempt.messages:
            if message not in queue.messages or message.changes != changes:
                raise Refused("InvalidParameterValue", "not retryable")
        return [message for message, _ in attempt.messages]

    def _hide(self, message: Message, hide_ms: int) -> None:
        message.due_ms = self.now_ms + hide_ms
        message.changes += 1

    def _take(self, queue: Queue, limit: int) -> list[Message]:
        """Walks over what may be handed out, and moves what was received too often, until there is enough."""
        taken: list[Message] = []
        for run in self._runs(queue):
            for message in run:
                if len(taken) == limit:
                    return taken
                if self.is_spent(queue, message):
                    self._dead_letter(queue, message)
                else:
                    taken.append(message)
        return taken

    def _runs(self, queue: Queue) -> list[list[Message]]:
        if queue.is_fifo:
            return [self.run_of(queue, head.group) for head in self._open_heads(queue)]
        return self._tenants(queue)

    def _open_heads(self, queue: Queue) -> list[Message]:
        """The oldest message of each group, if it is visible, by when it became so. Sorting keeps ties."""
        heads: dict[str | None, Message] = {}
        for message in queue.messages:
            heads.setdefault(message.group, message)
        visible = [head for head in heads.values() if head.due_ms <= self.now_ms]
        return sorted(visible, key=lambda head: head.due_ms)

    def run_of(self, queue: Queue, group: str | None) -> list[Message]:
        """FIFO: a group's messages up to the first that is hidden."""
        run = []
        for message in queue.messages:
            if message.group == group:
                if message.due_ms > self.now_ms:
                    break
                run.append(message)
        return run

    def _tenants(self, queue: Queue) -> list[list[Message]]:
        """Standard: all quiet tenants in one run, then each noisy one, that with fewest in flight first."""
        in_flight = [one for one in queue.messages if one.due_ms > self.now_ms and one.receives]
        held = Counter(one.group for one in in_flight if one.group is not None)
        noisy = [group for group, count in held.items() if count >= 30 and count * 10 > len(in_flight)]
        noisy.sort(key=lambda group: (held[group], group))
        visible = [message for message in queue.messages if message.due_ms <= self.now_ms]
        quiet = [message for message in visible if message.group not in noisy]
        return [quiet, *([one for one in visible if one.group == group] for group in noisy)]

    def is_spent(self, queue: Queue, message: Message) -> bool:
        """Whether its next receive would be number N+1. A queue that names itself moves nothing."""
        if queue.redrive is None or queue.redrive[0] == queue.name:
            return False
        return message.receives >= queue.redrive[1]

    def _dead_letter(self, queue: Queue, message: Message) -> None:
        assert queue.redrive is not None
        dead = replace(message, due_ms=self.now_ms, dead_letter_source=queue.name, handle=None)
        if queue.is_fifo:
            dead.sent_ms = self.now_ms
            dead.deduplication_id = message.message_id
            dead.sequence_number = None
        queue.messages.remove(message)
        self.queues[queue.redrive[0]].messages.append(dead)

    # Receipt handles

    def issued(self, name: str, message: Message, handle: str) -> None:
        message.handle = handle
        self.receipts[handle] = Receipt(name, message, message.receives)

    def _receipt(self, name: str, handle: str) -> Receipt:
        receipt = self.receipts.get(handle)
        if receipt is None or receipt.queue != name:
            raise Refused("ReceiptHandleIsInvalid", "is not a valid receipt handle")
        return receipt

    def _require_current(self, queue: Queue, receipt: Receipt) -> None:
        """FIFO: only the latest receive's handle is of use, and only while its visibility timeout runs."""
        message = receipt.message
        if queue.is_fifo and (message.receives != receipt.receives or message.due_ms <= self.now_ms):
            raise Refused("InvalidParameterValue", "has expired")

    def delete(self, name: str, handle: str) -> None:
        queue, receipt = self.queues[name], self._receipt(name, handle)
        if receipt.message in queue.messages:
            self._require_current(queue, receipt)
            queue.messages.remove(receipt.message)
            self.deleted.add(receipt.message.number)

    def change_visibility(self, name: str, handle: str, timeout_s: int) -> None:
        queue, receipt = self.queues[name], self._receipt(name, handle)
        message = receipt.message
        if message not in queue.messages:
            raise Refused("InvalidParameterValue", "Message does not exist or is not available")
        self._require_current(queue, receipt)
        if self.now_ms + timeout_s * 1000 > message.received_ms + MAX_HIDDEN_MS:
            raise Refused("InvalidParameterValue", "beyond the limit")
        self._hide(message, timeout_s * 1000)

    # Queues

    def purge(self, name: str) -> None:
        queue = self.queues[name]
        if queue.purged_ms is not None and self.now_ms < queue.purged_ms + PURGE_LOCK_MS:
            raise Refused("PurgeQueueInProgress", "every 60 seconds")
        self.deleted |= {message.number for message in queue.messages}
        queue.messages.clear()
        queue.originals.clear()
        queue.attempts.clear()
        queue.purged_ms = self.now_ms

    def set_delay(self, name: str, delay_s: int) -> None:
        queue = self.queues[name]
        if queue.is_fifo and delay_s != queue.delay_s:
            for message in queue.messages:
                if message.due_ms > self.now_ms and not message.receives:
                    message.due_ms = message.sent_ms + delay_s * 1000
        queue.delay_s = delay_s

    def set_visibility(self, name: str, visibility_s: int) -> None:
        self.queues[name].visibility_s = visibility_s

    def set_retention(self, name: str, retention_s: int) -> None:
        self.queues[name].retention_s = retention_s
        self._expire()

    def set_redrive(self, name: str, redrive: tuple[str, int] | None) -> None:
        self.queues[name].redrive = redrive

    def counts(self, name: str) -> tuple[int, int, int]:
        """Visible, in flight, delayed."""
        messages = self.queues[name].messages
        hidden = [message for message in messages if message.due_ms > self.now_ms]
        in_flight = sum(message.receives > 0 for message in hidden)
        return len(messages) - len(hidden), in_flight, len(hidden) - in_flight

    # Move tasks

    def start_task(self, source: str, destination: str | None, per_second: int | None) -> None:
        if all(queue.redrive is None or queue.redrive[0] != source for queue in self.queues.values()):
            raise Refused("InvalidParameterValue", "must be configured as a Dead Letter Queue")
        if source == destination:
            raise Refused("InvalidParameterValue", "cannot be the same")
        if self.task is not None and self.task.status == "RUNNING" and self.task.source == source:
            raise Refused("InvalidParameterValue", "already a task running")
        self.task = MoveTask(source, destination, per_second, self.counts(source)[0], self.now_ms)
        self.step_task()

    def cancel_task(self) -> None:
        if self.task is None or self.task.status != "RUNNING":
            raise Refused("ResourceNotFoundException", "Task does not exist")
        self.task.status = "CANCELLED"

    def resume_task(self) -> None:
        """After a restart the rate counts from the restart on."""
        if self.task is not None:
            self.task.paced_from_ms, self.task.moved_before = self.now_ms, self.task.moved
            self.step_task()

    def step_task(self) -> None:
        """The first message goes at once, then so many a second. Done once there is nothing to move."""
        task = self.task
        while task is not None and task.status == "RUNNING":
            allowed = MOVED_AT_ONCE
            if task.per_second is not None:
                passed_ms = self.now_ms - task.paced_from_ms
                allowed = passed_ms * task.per_second // 1000 + 1 - (task.moved - task.moved_before)
            if allowed <= 0:
                break
            self._move(task, min(allowed, MOVED_AT_ONCE))
        self._expire()

    def _move(self, task: MoveTask, count: int) -> None:
        source = self.queues[task.source]
        runs = self._runs(source) if source.is_fifo else [self._visible(source)]
        messages = [message for run in runs for message in run][:count]
        for message in messages:
            target = task.destination or message.dead_letter_source
            if target is None:
                task.status, task.failure = "FAILED", "CouldNotDetermineMessageSource"
                return
            source.messages.remove(message)
            what = (message.number, message.body, message.group, message.deduplication_id)
            self.queues[target].messages.append(Message(*what, sent_ms=self.now_ms, due_ms=self.now_ms))
            task.moved += 1
        if len(messages) < count:
            task.status = "COMPLETED"

    def _visible(self, queue: Queue) -> list[Message]:
        return [message for message in queue.messages if message.due_ms <= self.now_ms]
