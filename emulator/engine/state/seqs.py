"""Sequence numbers: one counter for all queues, which grows over restarts and never gives a number twice."""

from emulator.engine.state.changes import Recorder

BLOCK = 10_000


class Seqs:
    def __init__(self, first: int, recorder: Recorder) -> None:
        self._next = self._reserved = first
        self._recorder = recorder

    @property
    def next(self) -> int:
        """The number that comes next: all below it may have been drawn."""
        return self._next

    def begin_at(self, number: int) -> None:
        """Skips the numbers below this one."""
        self._next = self._reserved = max(self._next, number)

    def draw(self) -> int:
        number = self._next
        self._next = number + 1
        if number >= self._reserved:
            self._reserved = number + BLOCK
            self._recorder.reserved_seq(self._reserved)
        return number
