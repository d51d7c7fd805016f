"""The messages of one queue: what standard and FIFO queues have in common.

Lines and heaps here may hold entries that are out of date: of messages deleted or changed since. Such entries
are dropped when they come up, and `tidy` drops the others before they are many. So each step costs the same,
however many messages there are.
"""

import heapq
from collections import deque

from emulator.domain.activity import Gauges
from emulator.domain.model import DeadLettered, Queue, Redrive
from emulator.engine.state.changes import Recorder
from emulator.engine.state.diary import Diary
from emulator.engine.state.message import DELAYED, IN_FLIGHT, VISIBLE, Message
from emulator.engine.state.seqs import Seqs

SPARE_ENTRIES = 1_000
"""More entries out of date than this, and than half of them all, are too many."""


class Backlog:
    def __init__(self, queue_id: int, recorder: Recorder, seqs: Seqs) -> None:
        self.queue_id = queue_id
        self.messages: dict[int, Message] = {}
        """By seq."""
        self.in_flight = 0
        self.delayed = 0
        self.diary = Diary(queue_id, recorder)
        self.claims = 0
        """So many were made, for `tidy`."""
        self._recorder = recorder
        self._seqs = seqs
        self._hidden: list[tuple[int, int]] = []
        """A heap of (due_ms, seq)."""
        self._arrivals: deque[int] = deque()
        """By time of sending, as long as that grows."""
        self._strays: list[tuple[int, int]] = []
        """A heap of (sent_ms, seq): those older than what arrived before them, such as dead letters."""
        self._latest_sent_ms = 0

    @property
    def visible(self) -> int:
        return len(self.messages) - self.in_flight - self.delayed

    def add(self, message: Message) -> None:
        """A message that is new here."""
        self.enlist(message)
        self._recorder.message_added(message)

    def enlist(self, message: Message) -> None:
        """`add` for one that is stored already, when a file is opened."""
        self.messages[message.seq] = message
        if message.sent_ms >= self._latest_sent_ms:
            self._latest_sent_ms = message.sent_ms
            self._arrivals.append(message.seq)
        else:
            heapq.heappush(self._strays, (message.sent_ms, message.seq))
        if message.hidden:
            self._count(message, 1)
            heapq.heappush(self._hidden, (message.due_ms, message.seq))

    def remove(self, message: Message) -> None:
        del self.messages[message.seq]
        if message.hidden:
            self._count(message, -1)
        self._recorder.message_gone(message.seq)

    def add_dead_letter(self, message: Message, now_ms: int) -> None:
        """A message that was received too often in another queue of the same type."""
        raise NotImplementedError

    def tell_all(self, recorder: Recorder) -> None:
        """Records everything here as if it were new."""
        for message in self.messages.values():
            recorder.message_added(message)
        self.diary.tell_all(recorder)

    def empty(self) -> None:
        """Removes everything."""
        self.messages.clear()
        self._hidden.clear()
        self._arrivals.clear()
        self._strays.clear()
        self.in_flight = self.delayed = 0
        self._recorder.emptied(self.queue_id)

    # Hiding and showing

    def receive(self, message: Message, now_ms: int, hide_ms: int) -> None:
        """Marks a visible message as received, and hides it unless hide_ms is 0."""
        message.receive_count += 1
        message.received_ms = now_ms
        if message.first_received_ms is None:
            message.first_received_ms = now_ms
        self.set_due(message, now_ms + hide_ms, hide=hide_ms > 0)

    def set_due(self, message: Message, due_ms: int, *, hide: bool) -> None:
        if message.hidden:
            self._count(message, -1)
        message.due_ms = due_ms
        message.hidden = VISIBLE
        if hide:
            message.hidden = IN_FLIGHT if message.receive_count else DELAYED
            self._count(message, 1)
            heapq.heappush(self._hidden, (due_ms, message.seq))
        self._recorder.message_changed(message)

    def set_visibility(self, message: Message, due_ms: int, *, hide: bool) -> None:
        """`set_due` for a message that is not being received right now."""
        self.set_due(message, due_ms, hide=hide)

    def reveal(self, now_ms: int) -> None:
        """Shows the messages whose delay or visibility timeout is over."""
        hidden = self._hidden
        while hidden and hidden[0][0] <= now_ms:
            due_ms, seq = heapq.heappop(hidden)
            message = self.messages.get(seq)
            if message is not None and message.hidden and message.due_ms == due_ms:
                witness = self._recorder.witness
                if witness is not None and message.hidden == IN_FLIGHT:
                    witness.returned(self.queue_id, message.message_id, seq, due_ms)
                self._count(message, -1)
                message.hidden = VISIBLE
                self._shown(message)

    def next_due_ms(self) -> int | None:
        """When the next hidden message becomes visible."""
        while self._hidden:
            due_ms, seq = self._hidden[0]
            message = self.messages.get(seq)
            if message is not None and message.hidden and message.due_ms == due_ms:
                return due_ms
            heapq.heappop(self._hidden)
        return None

    def _shown(self, message: Message) -> None:
        """A hidden message became visible by itself."""

    def _count(self, message: Message, change: int) -> None:
        if message.hidden == IN_FLIGHT:
            self.in_flight += change
        else:
            self.delayed += change

    # Age

    def expire(self, queue: Queue, now_ms: int) -> None:
        """Removes what was sent before the queue's retention period began."""
        before_ms = now_ms - queue.retention_ms
        arrivals, messages = self._arrivals, self.messages
        while arrivals:
            message = messages.get(arrivals[0])
            if message is not None:
                if message.sent_ms > before_ms:
                    break
                self._expire(message, queue)
            arrivals.popleft()
        while self._strays and self._strays[0][0] <= before_ms:
            sent_ms, seq = heapq.heappop(self._strays)
            message = messages.get(seq)
            if message is not None and message.sent_ms == sent_ms:
                self._expire(message, queue)

    def next_expiry_ms(self, queue: Queue) -> int | None:
        """When the oldest message will be too old, or earlier."""
        arrivals = self._arrivals
        while arrivals and arrivals[0] not in self.messages:
            arrivals.popleft()
        sent_ms = [self.messages[arrivals[0]].sent_ms] if arrivals else []
        sent_ms += [self._strays[0][0]] if self._strays else []
        return min(sent_ms) + queue.retention_ms if sent_ms else None

    def _expire(self, message: Message, queue: Queue) -> None:
        witness = self._recorder.witness
        if witness is not None:
            # What a shorter period made too old was so from the moment of that change on.
            at_ms = max(message.sent_ms + queue.retention_ms, queue.modified_ms)
            if message.hidden == IN_FLIGHT and message.due_ms <= at_ms:  # nobody had looked in between
                witness.returned(self.queue_id, message.message_id, message.seq, message.due_ms)
            witness.expired(self.queue_id, message.message_id, message.seq, at_ms)
        self.remove(message)

    def gauges(self, now_ms: int) -> Gauges:
        """How it stands after the latest look at the clock."""
        raise NotImplementedError

    def tidy(self) -> None:
        """Drops entries that are out of date, where they are too many."""
        messages = self.messages
        if self._too_many(len(self._arrivals)):
            self._arrivals = deque(seq for seq in self._arrivals if seq in messages)
        if self._too_many(len(self._strays)):
            self._strays = [entry for entry in self._strays if entry[1] in messages]
            heapq.heapify(self._strays)
        if self._too_many(len(self._hidden)):
            self._hidden = [(one.due_ms, one.seq) for one in messages.values() if one.hidden]
            heapq.heapify(self._hidden)

    def _too_many(self, entries: int) -> bool:
        return entries > 2 * len(self.messages) + SPARE_ENTRIES


class DeadLetters:
    """Where the spent messages of one claim go."""

    def __init__(self, redrive: Redrive, source_arn: str, target: Backlog, now_ms: int) -> None:
        self._max_receive_count = redrive.max_receive_count
        self._source_arn = source_arn
        self._target = target
        self._now_ms = now_ms
        self.moved: list[DeadLettered] = []

    def takes(self, message: Message, source: Backlog) -> bool:
        """Moves the message if it was received too often."""
        if message.receive_count < self._max_receive_count:
            return False
        Backlog.remove(source, message)  # the claim itself looks after the group
        self.moved.append(DeadLettered(message.message_id, self._target.queue_id))
        message.dead_letter_source_arn = self._source_arn
        self._target.add_dead_letter(message, self._now_ms)
        return True
