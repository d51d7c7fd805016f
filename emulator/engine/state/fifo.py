"""The messages of a FIFO queue: groups, their heads and their order (spec 3.11).

Two rules explain every recorded order. In a group, messages go out in sequence order, and the run ends at the
first one that is in flight or delayed. Groups are served in the order in which their oldest message became
visible; a heap keeps that moment of each group, so a claim touches only groups it takes from.
"""

import heapq
from collections import deque

from emulator.domain.activity import Gauges
from emulator.domain.limits import DEDUPLICATION_MS
from emulator.domain.model import Accepted, ClaimOrder, Draft
from emulator.engine.state.attempts import Attempts
from emulator.engine.state.backlog import Backlog, DeadLetters
from emulator.engine.state.changes import Recorder, Seen
from emulator.engine.state.message import DELAYED, IN_FLIGHT, Message
from emulator.engine.state.seqs import Seqs


class _Group:
    __slots__ = ("head", "opens_ms", "seqs")

    def __init__(self) -> None:
        self.seqs: deque[int] = deque()
        """In order; entries of deleted messages are dropped once they are at the head."""
        self.head = 0
        """The oldest message, and the moment at which it is, was or will be visible."""
        self.opens_ms = 0


class FifoBacklog(Backlog):
    def __init__(self, queue_id: int, recorder: Recorder, seqs: Seqs) -> None:
        super().__init__(queue_id, recorder, seqs)
        self.attempts = Attempts(queue_id, recorder)
        self.deduplication = Deduplication(queue_id, recorder)
        self._groups: dict[str, _Group] = {}
        self._opening: list[tuple[int, int, str]] = []
        """A heap of (opens_ms, head, group id)."""

    def enlist(self, message: Message) -> None:
        super().enlist(message)
        group_id = _group_of(message)
        group = self._groups.get(group_id)
        if group is None:
            group = self._groups[group_id] = _Group()
        group.seqs.append(message.seq)
        if len(group.seqs) == 1:
            self._refresh(group_id)

    def remove(self, message: Message) -> None:
        super().remove(message)
        self._refresh(_group_of(message))

    def add_dead_letter(self, message: Message, now_ms: int) -> None:
        """The deduplication id becomes the message id, and the retention starts anew (spec 3.9)."""
        message.queue_id = self.queue_id
        message.seq = message.place = self._seqs.draw()
        message.received_ms = None
        message.deduplication_id = message.message_id
        message.sent_ms = message.due_ms = now_ms
        self.add(message)

    def tell_all(self, recorder: Recorder) -> None:
        super().tell_all(recorder)
        self.attempts.tell_all(recorder)
        self.deduplication.tell_all(recorder)

    def empty(self) -> None:
        super().empty()
        self._groups.clear()
        self._opening.clear()
        self.attempts.clear()
        self.deduplication.clear()

    def set_visibility(self, message: Message, due_ms: int, *, hide: bool) -> None:
        super().set_visibility(message, due_ms, hide=hide)
        self._refresh(_group_of(message))

    def take(self, order: ClaimOrder, dead_letters: DeadLetters | None) -> list[Message]:
        """Receives up to order.limit messages; those that were received too often move."""
        taken, served = self._visible_runs(order.now_ms, order.limit, dead_letters)
        for message in taken:
            self.receive(message, order.now_ms, order.hide_ms)
        for group_id in served:
            self._refresh(group_id, anew=True)
        return taken

    def oldest_visible(self, now_ms: int, limit: int) -> list[Message]:
        """Group by group, as a claim would take them."""
        found, looked_at = self._visible_runs(now_ms, limit, None)
        for group_id in looked_at:
            self._refresh(group_id, anew=True)
        return found

    def reschedule(self, delay_ms: int) -> None:
        """A FIFO queue's new delay holds for messages that are delayed already (spec 3.8)."""
        for message in [one for one in self.messages.values() if one.hidden == DELAYED]:
            self.set_visibility(message, message.sent_ms + delay_ms, hide=True)

    def _next_open(self, now_ms: int) -> str | None:
        """The group whose head is at the top of the heap and visible."""
        while self._opening and self._opening[0][0] <= now_ms:
            opens_ms, head, group_id = self._opening[0]
            group = self._groups.get(group_id)
            if group is not None and group.head == head and group.opens_ms == opens_ms:
                return group_id
            heapq.heappop(self._opening)
        return None

    def _visible_runs(
        self, now_ms: int, limit: int, dead_letters: DeadLetters | None
    ) -> tuple[list[Message], set[str]]:
        """What a claim gets, and the groups that it is of: they left the heap, and are to be refreshed."""
        found: list[Message] = []
        groups: set[str] = set()
        while len(found) < limit and (group_id := self._next_open(now_ms)) is not None:
            heapq.heappop(self._opening)
            if group_id not in groups:
                groups.add(group_id)
                found += self._run_of(self._groups[group_id], limit - len(found), dead_letters)
        return found, groups

    def _run_of(self, group: _Group, limit: int, dead_letters: DeadLetters | None) -> list[Message]:
        """The oldest messages of a group, up to the first that is in flight or delayed."""
        run: list[Message] = []
        seqs = group.seqs
        while seqs and len(run) < limit:
            message = self.messages.get(seqs[0])
            if message is not None:
                if message.hidden:
                    break
                if dead_letters is None or not dead_letters.takes(message, self):
                    run.append(message)
            seqs.popleft()
        seqs.extendleft(message.seq for message in reversed(run))
        return run

    def _refresh(self, group_id: str, *, anew: bool = False) -> None:
        """Finds the head of a group. `anew`: its entry was taken off the heap."""
        group = self._groups.get(group_id)
        if group is None:
            return
        seqs, messages = group.seqs, self.messages
        while seqs and seqs[0] not in messages:
            seqs.popleft()
        if not seqs:
            del self._groups[group_id]
            return
        opens_ms = messages[seqs[0]].due_ms
        if anew or group.head != seqs[0] or group.opens_ms != opens_ms:
            group.head, group.opens_ms = seqs[0], opens_ms
            heapq.heappush(self._opening, (opens_ms, seqs[0], group_id))

    def gauges(self, now_ms: int) -> Gauges:
        oldest = next(iter(self.messages.values()), None)
        found = (self.messages.get(seq) for _, seq in self._hidden)
        groups = {one.group_id for one in found if one is not None and one.hidden == IN_FLIGHT}
        return Gauges(
            visible=self.visible,
            in_flight=self.in_flight,
            delayed=self.delayed,
            oldest_ms=None if oldest is None else oldest.sent_ms,
            groups_in_flight=len(groups),
        )

    def tidy(self) -> None:
        super().tidy()
        if self._too_many(len(self._opening)):
            self._opening = [(one.opens_ms, one.head, group_id) for group_id, one in self._groups.items()]
            heapq.heapify(self._opening)


class Deduplication:
    """Which messages were sent in the last five minutes, by what is compared."""

    def __init__(self, queue_id: int, recorder: Recorder) -> None:
        self._queue_id = queue_id
        self._recorder = recorder
        self._seen: dict[str, Seen] = {}
        self._by_age: deque[tuple[int, str]] = deque()

    def original_of(self, draft: Draft) -> Accepted | None:
        """The message that this draft repeats."""
        self._forget(draft.sent_ms)
        seen = self._seen.get(draft.deduplication_key or "")
        if seen is None or seen.until_ms <= draft.sent_ms:
            return None
        return Accepted(seen.message_id, seen.seq, duplicate=True)

    def remember(self, draft: Draft, seq: int) -> None:
        key = draft.deduplication_key or ""
        seen = Seen(draft.message_id, seq, draft.sent_ms + DEDUPLICATION_MS)
        self.restore(key, seen)
        self._recorder.seen(self._queue_id, key, seen)

    def restore(self, key: str, seen: Seen) -> None:
        self._seen[key] = seen
        self._by_age.append((seen.until_ms, key))

    def tell_all(self, recorder: Recorder) -> None:
        for key, seen in self._seen.items():
            recorder.seen(self._queue_id, key, seen)

    def clear(self) -> None:
        self._seen.clear()
        self._by_age.clear()

    def _forget(self, now_ms: int) -> None:
        while self._by_age and self._by_age[0][0] <= now_ms:
            until_ms, key = self._by_age.popleft()
            seen = self._seen.get(key)
            if seen is not None and seen.until_ms == until_ms:
                del self._seen[key]
                self._recorder.seen(self._queue_id, key, None)


def _group_of(message: Message) -> str:
    return message.group_id or ""
