"""ReceiveRequestAttemptId on FIFO queues: a receive whose answer was lost can be asked again (spec 3.11)."""

from collections import deque
from collections.abc import Sequence

import msgspec

from emulator.domain.limits import RECEIVE_ATTEMPT_MS
from emulator.domain.model import ClaimOrder
from emulator.engine.state.changes import Attempt, Recorder
from emulator.engine.state.message import Message

_NEVER = -1
"""The due_ms of an attempt that cannot be repeated: the visibility of one of its messages was changed."""


class Attempts:
    def __init__(self, queue_id: int, recorder: Recorder) -> None:
        self._queue_id = queue_id
        self._recorder = recorder
        self._attempts: dict[str, Attempt] = {}
        self._by_age: deque[tuple[int, str]] = deque()

    def find(self, attempt_id: str, now_ms: int) -> Attempt | None:
        self._forget(now_ms)
        return self._attempts.get(attempt_id)

    def remember(self, order: ClaimOrder, messages: Sequence[Message]) -> None:
        assert order.attempt_id is not None
        for message in messages:
            message.attempt_id = order.attempt_id
        received = tuple((message.seq, message.receive_count) for message in messages)
        until_ms, due_ms = order.now_ms + RECEIVE_ATTEMPT_MS, order.now_ms + order.hide_ms
        attempt = Attempt(until_ms, due_ms, received)
        self.restore(order.attempt_id, attempt)
        self._recorder.attempt(self._queue_id, order.attempt_id, attempt)

    def restore(self, attempt_id: str, attempt: Attempt) -> None:
        self._attempts[attempt_id] = attempt
        self._by_age.append((attempt.until_ms, attempt_id))

    def tell_all(self, recorder: Recorder) -> None:
        for attempt_id, attempt in self._attempts.items():
            recorder.attempt(self._queue_id, attempt_id, attempt)

    def spoil(self, message: Message) -> None:
        """The visibility of this message was changed, perhaps to what it was: no repeat of its attempt."""
        attempt_id = message.attempt_id or ""
        attempt = self._attempts.get(attempt_id)
        if attempt is not None and (message.seq, message.receive_count) in attempt.messages:
            spoilt = self._attempts[attempt_id] = msgspec.structs.replace(attempt, due_ms=_NEVER)
            self._recorder.attempt(self._queue_id, attempt_id, spoilt)

    def clear(self) -> None:
        self._attempts.clear()
        self._by_age.clear()

    def _forget(self, now_ms: int) -> None:
        while self._by_age and self._by_age[0][0] <= now_ms:
            until_ms, attempt_id = self._by_age.popleft()
            attempt = self._attempts.get(attempt_id)
            if attempt is not None and attempt.until_ms == until_ms:
                del self._attempts[attempt_id]
                self._recorder.attempt(self._queue_id, attempt_id, None)
