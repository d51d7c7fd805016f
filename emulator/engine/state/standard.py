"""The messages of a standard queue: in the order of their places (spec 3.10).

Recorded: a message whose timeout ended comes before messages that were sent in the meantime, so the order is
that of sending and not that of becoming visible. Documented (spec 3.7): a message received three times goes
to the back.
"""

import heapq
from collections import deque
from collections.abc import Callable, Sequence

from emulator.domain.activity import Gauges
from emulator.domain.model import ClaimOrder
from emulator.engine.state import fair
from emulator.engine.state.backlog import Backlog, DeadLetters
from emulator.engine.state.changes import Recorder
from emulator.engine.state.message import IN_FLIGHT, Message
from emulator.engine.state.seqs import Seqs

TO_THE_BACK = 3
"""A message received so often goes to the back."""


class StandardBacklog(Backlog):
    def __init__(self, queue_id: int, recorder: Recorder, seqs: Seqs, *, grouped: bool = False) -> None:
        super().__init__(queue_id, recorder, seqs)
        self.grouped = grouped
        """A message with a MessageGroupId was sent: a fair queue."""
        self.tenants = fair.Tenants()
        self._fresh: deque[int] = deque()
        """Visible, by seq: those that have the places of their numbers."""
        self._returned: list[tuple[int, int]] = []
        """A heap of (place, seq): visible again, or for the first time after a delay. Each message stands in
        one of the two at most."""

    def enlist(self, message: Message) -> None:
        super().enlist(message)
        message.lined_up = False
        if not message.hidden:
            self._line_up(message)

    def add(self, message: Message) -> None:
        super().add(message)
        if message.group_id is not None and not self.grouped:
            self.grouped = True
            self._recorder.grouped(self.queue_id)

    def add_dead_letter(self, message: Message, now_ms: int) -> None:
        """SentTimestamp stays, and with it the retention (spec 3.9)."""
        message.queue_id = self.queue_id
        message.seq = message.place = self._seqs.draw()
        message.received_ms = None
        message.dead_since_ms = now_ms
        self.add(message)

    def tell_all(self, recorder: Recorder) -> None:
        super().tell_all(recorder)
        if self.grouped:
            recorder.grouped(self.queue_id)

    def empty(self) -> None:
        super().empty()
        self._fresh.clear()
        self._returned.clear()
        self.tenants.clear_in_flight()

    def set_due(self, message: Message, due_ms: int, *, hide: bool) -> None:
        was_hidden = message.hidden
        super().set_due(message, due_ms if hide else 0, hide=hide)
        if was_hidden and not hide:
            self._line_up(message)

    def take(self, order: ClaimOrder, dead_letters: DeadLetters | None) -> list[Message]:
        """Receives up to order.limit messages; those that were received too often move."""
        if order.passes_over is None:
            taken = self._pick(self, order, dead_letters)
        else:
            line = _Passing(self, order.passes_over)
            taken = self._pick(line, order, dead_letters)
            self.put_back(line.passed)
        for message in taken:
            self.receive(message, order.now_ms, order.hide_ms)
            if message.receive_count >= TO_THE_BACK:
                message.place = self._seqs.draw()
        if not order.hide_ms:
            self.put_back(taken)
        return taken

    def _pick(
        self, line: "StandardBacklog | _Passing", order: ClaimOrder, dead_letters: DeadLetters | None
    ) -> list[Message]:
        limit = order.limit
        if self.grouped and (noisy := self.tenants.noisy(self.in_flight, order.now_ms)):
            return fair.pick(self, line.leave, noisy, limit, dead_letters)
        taken: list[Message] = []
        while len(taken) < limit and (message := line.leave()) is not None:
            if dead_letters is None or not dead_letters.takes(message, self):
                taken.append(message)
        return taken

    def leave(self) -> Message | None:
        """Takes the first visible message out of the line."""
        fresh, returned = self._fresh, self._returned
        while fresh or returned:
            if not returned or (fresh and fresh[0] < returned[0][0]):
                seq = fresh.popleft()
            else:
                _, seq = heapq.heappop(returned)
            message = self.messages.get(seq)
            if message is not None:
                message.lined_up = False
                if not message.hidden:
                    return message
        return None

    def put_back(self, messages: Sequence[Message]) -> None:
        """Visible messages that left take their places again; given in their order."""
        fresh = self._fresh
        for message in reversed(messages):
            if message.place == message.seq and (not fresh or message.seq < fresh[0]):
                fresh.appendleft(message.seq)
                message.lined_up = True
            else:
                self._line_up(message)

    def oldest_visible(self, now_ms: int, limit: int) -> list[Message]:
        found: list[Message] = []
        while len(found) < limit and (message := self.leave()) is not None:
            found.append(message)
        self.put_back(found)
        return found

    def gauges(self, now_ms: int) -> Gauges:
        plain = Gauges(
            visible=self.visible,
            in_flight=self.in_flight,
            delayed=self.delayed,
            oldest_ms=self.oldest_ms(),
        )
        if not self.grouped:
            return plain
        return fair.with_quiet_groups(plain, self, self.tenants.noisy(self.in_flight, now_ms))

    def oldest_ms(self, without: Sequence[str] = ()) -> int | None:
        """From when on the age of the oldest message counts; messages of some groups may be left out.

        A message that went to the back does not count (spec 3.18). In a dead-letter queue all do.
        """
        for message in self.messages.values():
            if message.group_id in without:
                continue
            if message.dead_since_ms is not None:
                return message.dead_since_ms
            if message.receive_count < TO_THE_BACK:
                return message.sent_ms
        return None

    def tidy(self) -> None:
        super().tidy()
        if self._too_many(len(self._fresh) + len(self._returned)):
            self._fresh.clear()
            self._returned.clear()
            for message in self.messages.values():
                message.lined_up = False
                if not message.hidden:
                    self._line_up(message)

    def _line_up(self, message: Message) -> None:
        if message.lined_up:
            return  # it has kept its place since it was hidden by a change of its visibility
        message.lined_up = True
        if message.place == message.seq and (not self._fresh or self._fresh[-1] < message.seq):
            self._fresh.append(message.seq)
        else:
            heapq.heappush(self._returned, (message.place, message.seq))

    def _shown(self, message: Message) -> None:
        message.due_ms = 0
        self._line_up(message)

    def _count(self, message: Message, change: int) -> None:
        super()._count(message, change)
        if message.group_id is not None and message.hidden == IN_FLIGHT:
            self.tenants.count_in_flight(message.group_id, change)


class _Passing:
    """The line of a queue for a claim that passes some messages over."""

    def __init__(self, backlog: StandardBacklog, passes_over: Callable[[int], bool]) -> None:
        self._backlog = backlog
        self._passes_over = passes_over
        self.passed: list[Message] = []
        """In order: they are to be put back."""

    def leave(self) -> Message | None:
        while len(self.passed) < fair.MAX_PASSED and (message := self._backlog.leave()) is not None:
            if not self._passes_over(message.seq):
                return message
            self.passed.append(message)
        return None
