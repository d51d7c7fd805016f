"""Long polls in threads of their own."""

import threading
from typing import Any

from tests.support.server import PATIENCE_S, TestServer


class Poll:
    """A receive that waits. It is started at once; `answer` gives what it was answered with, or raises it."""

    def __init__(self, sqs: Any, queue: str, **members: object) -> None:
        self._outcome: dict[str, Any] | BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(sqs, queue, members), daemon=True)
        self._thread.start()

    def _run(self, sqs: Any, queue: str, members: dict[str, object]) -> None:
        try:
            self._outcome = sqs.receive_message(QueueUrl=queue, **members)
        except BaseException as error:
            self._outcome = error

    def answer(self) -> dict[str, Any]:
        self._thread.join(PATIENCE_S)
        assert self._outcome is not None, "the long poll still waits"
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    @property
    def waits(self) -> bool:
        return self._thread.is_alive()


def long_poll(server: TestServer, sqs: Any, queue: str, *, number: int = 1, **members: object) -> Poll:
    """Starts a long poll of 20 s and returns once it stands in line, as the `number`-th one."""
    poll = Poll(sqs, queue, **{"WaitTimeSeconds": 20, **members})
    server.wait_for_waiters(queue, number)
    return poll
