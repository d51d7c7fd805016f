"""Random sequences of everything that can be done to messages, on the emulator and on the reference."""

import functools
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from emulator.operations.change_message_visibility_batch import ChangeMessageVisibilityBatchRequestEntry
from tests.model import checks
from tests.model.answers import check_entries, check_error
from tests.model.choices import (
    ATTEMPTS,
    CHANGED_VISIBILITY,
    CHANGES,
    DESTINATIONS,
    GROUPS,
    HANDLES,
    KINDS,
    LEAPS_MS,
    MAIN,
    QUEUES,
    RATES,
    SENDS,
    STEPS_MS,
    VISIBILITY,
)
from tests.model.driver import Driver
from tests.model.pair import Pair
from tests.model.reference import Refused


def step(**arguments: Any) -> Callable[..., Any]:
    """A rule. One that fails leaves the machine unsound, and then it is not asked for its last checks."""

    def decorate(function: Callable[..., None]) -> Any:
        @functools.wraps(function)
        def run(self: "QueueMachine", **drawn: Any) -> None:
            self.sound = False
            self.steps += 1
            function(self, **drawn)
            self.sound = True

        return rule(**arguments)(run)

    return decorate


def seldom(turn: int, every: int = 12) -> Any:
    """For what ends much of what came before: at most every so many steps."""
    return precondition(lambda self: self.steps % every == turn)


class QueueMachine(Pair, RuleBasedStateMachine):
    def __init__(self, open_driver: Callable[[], Driver], *, can_reopen: bool) -> None:
        RuleBasedStateMachine.__init__(self)
        Pair.__init__(self, open_driver())
        self.can_reopen = can_reopen
        self.steps = 0
        self.sound = False

    @initialize(kind=KINDS, n=st.sampled_from([1, 2, 3, 5]), sends=st.lists(SENDS, min_size=1, max_size=10))
    def open_queues(self, kind: str, n: int, sends: list[Any]) -> None:
        self.set_up(kind, n, sends)
        self.sound = True

    # Sending

    @step(queue=QUEUES, send=SENDS)
    def send_message(self, queue: int, send: Any) -> None:
        members, arguments = self.draft(send)
        answer = self.driver.call("SendMessage", queue_url=self.names[queue], **members)
        self.check_sent(answer, self.reference.send(self.names[queue], **arguments), arguments["number"])

    @step(queue=QUEUES, sends=st.lists(SENDS, min_size=1, max_size=6))
    def send_message_batch(self, queue: int, sends: list[Any]) -> None:
        self.send_batch(queue, sends)

    @precondition(lambda self: self.has_groups and self.steps % 8 == 0)
    @step(queue=QUEUES, group=GROUPS, hidden=st.booleans())
    def flood(self, queue: int, group: str, hidden: bool) -> None:
        """One tenant fills the queue, and perhaps holds it all in flight."""
        for _ in range(3):
            self.send_batch(queue, [(group, None, None)] * 10)
            if hidden:
                self.receive(queue, 10, 30, None)

    # Receiving

    @step(queue=QUEUES, limit=st.integers(1, 10), visibility_s=VISIBILITY, attempt=ATTEMPTS)
    def receive_message(self, queue: int, limit: int, visibility_s: int | None, attempt: str | None) -> None:
        self.receive(queue, limit, visibility_s, attempt)

    @step(queue=QUEUES, limit=st.integers(1, 10), attempt=ATTEMPTS)
    def receive_for_a_moment(self, queue: int, limit: int, attempt: str | None) -> None:
        """Messages received time and again are what dead-lettering and places are about."""
        self.receive(queue, limit, 1, attempt)

    @step(limit=st.integers(1, 4), visibility_s=st.sampled_from([2, 30]))
    def receive_a_few(self, limit: int, visibility_s: int) -> None:
        """So that a group is partly in flight."""
        self.receive(MAIN, limit, visibility_s, None)

    # Receipt handles

    @precondition(lambda self: self.is_fifo)
    @step(limit=st.integers(1, 4), change=st.sampled_from([None, 0, 2, 60]))
    def ask_again_for_an_attempt(self, limit: int, change: int | None) -> None:
        """The same messages, unless the visibility of one was changed in between."""
        messages = self.receive(MAIN, limit, 30, "third")
        if messages and change is not None:
            self.change_visibility(MAIN, messages[0].handle or "", change)
        self.receive(MAIN, limit, 30, "third")

    @step(queue=QUEUES, pick=HANDLES)
    def delete_message(self, queue: int, pick: int) -> None:
        handle = self.handle_of(queue, pick)
        answer = self.driver.call("DeleteMessage", queue_url=self.names[queue], receipt_handle=handle)
        refusal = self.refused(self.reference.delete, queue, handle)
        check_error(answer, refusal, "DeleteMessage")

    @step(queue=QUEUES, picks=st.lists(HANDLES, min_size=1, max_size=5))
    def delete_message_batch(self, queue: int, picks: list[int]) -> None:
        handles = [self.handle_of(queue, pick) for pick in picks]
        self.delete_batch(queue, handles)

    @step(queue=QUEUES, pick=HANDLES, timeout_s=CHANGED_VISIBILITY)
    def change_message_visibility(self, queue: int, pick: int, timeout_s: int) -> None:
        self.change_visibility(queue, self.handle_of(queue, pick), timeout_s)

    @step(queue=QUEUES, picks=st.lists(st.tuples(HANDLES, CHANGED_VISIBILITY), min_size=1, max_size=5))
    def change_message_visibility_batch(self, queue: int, picks: list[tuple[int, int]]) -> None:
        changes = [(self.handle_of(queue, pick), timeout_s) for pick, timeout_s in picks]
        entries = [
            ChangeMessageVisibilityBatchRequestEntry(
                id=str(number), receipt_handle=handle, visibility_timeout=timeout_s
            )
            for number, (handle, timeout_s) in enumerate(changes)
        ]
        answer = self.driver.call(
            "ChangeMessageVisibilityBatch", queue_url=self.names[queue], entries=entries
        )
        refusals = [self.refused(self.reference.change_visibility, queue, *change) for change in changes]
        check_entries(answer, refusals, "ChangeMessageVisibilityBatch")

    # Queues

    @seldom(0)
    @step(queue=QUEUES)
    def purge_queue(self, queue: int) -> None:
        answer = self.driver.call("PurgeQueue", queue_url=self.names[queue])
        try:
            self.reference.purge(self.names[queue])
        except Refused as refusal:
            check_error(answer, refusal, "PurgeQueue")
        else:
            check_error(answer, None, "PurgeQueue")

    @step(queue=QUEUES, change=CHANGES)
    def set_queue_attributes(self, queue: int, change: tuple[str, Any]) -> None:
        self.set_attribute(queue, *change)

    @precondition(lambda self: self.steps % 3 == 0)
    @step()
    def counts_add_up(self) -> None:
        checks.counts_add_up(self.reference, self.counts())

    # Move tasks

    @seldom(1, every=4)
    @step(source=QUEUES, destination=DESTINATIONS, per_second=RATES)
    def start_message_move_task(self, source: int, destination: int | None, per_second: int | None) -> None:
        """One task at a time: which of two would take the next step is nobody's promise."""
        active = self.reference.task
        if active is not None and active.status == "RUNNING":
            source = self.names.index(active.source)
        target = None if destination is None else self.names[destination]
        answer = self.driver.call(
            "StartMessageMoveTask",
            source_arn=self.arns[self.names[source]],
            destination_arn=None if target is None else self.arns[target],
            max_number_of_messages_per_second=per_second,
        )
        try:
            self.reference.start_task(self.names[source], target, per_second)
        except Refused as refusal:
            check_error(answer, refusal, "StartMessageMoveTask")
        else:
            check_error(answer, None, "StartMessageMoveTask")
            self.task_handle = answer.task_handle
        self.check_task()

    @precondition(lambda self: self.reference.task is not None and self.steps % 3 == 0)
    @step()
    def cancel_message_move_task(self) -> None:
        answer = self.driver.call("CancelMessageMoveTask", task_handle=self.task_handle)
        try:
            self.reference.cancel_task()
        except Refused as refusal:
            check_error(answer, refusal, "CancelMessageMoveTask")
        else:
            check_error(answer, None, "CancelMessageMoveTask")
        self.check_task()

    # Time

    @step(ms=STEPS_MS)
    def wait(self, ms: int) -> None:
        self.advance(ms)

    @seldom(2, every=6)
    @step(ms=LEAPS_MS)
    def wait_long(self, ms: int) -> None:
        self.advance(ms)

    @step(number=st.integers(0, 5), offset_ms=st.sampled_from([-1, 0, 0, 1]))
    def wait_for_a_moment_when_something_changes(self, number: int, offset_ms: int) -> None:
        moments = self.reference.moments()[: number + 1]
        if moments:
            self.advance(max(0, moments[-1] + offset_ms - self.reference.now_ms))

    @precondition(lambda self: self.can_reopen and self.steps % 4 == 0)
    @step()
    def close_and_reopen(self) -> None:
        self.driver.reopen()
        self.reference.resume_task()
        self.check_task()

    # The end

    def teardown(self) -> None:
        try:
            if self.sound:
                self.empty_all_queues()
        finally:
            self.driver.close()
