"""Random sequences of everything that can be done to messages, on the emulator and on the reference at once."""

import functools
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from emulator.domain.model import MessageAttributeValue
from emulator.errors import SqsError
from emulator.operations.change_message_visibility_batch import ChangeMessageVisibilityBatchRequestEntry
from emulator.operations.delete_message_batch import DeleteMessageBatchRequestEntry
from emulator.operations.send_message_batch import SendMessageBatchRequestEntry
from tests.model import checks
from tests.model.checks import Delivered
from tests.model.driver import ACCOUNT, REGION, Driver
from tests.model.reference import Message, Queue, Reference, Refused

MAIN, OTHER, DEAD = 0, 1, 2
QUEUES = st.sampled_from([MAIN, MAIN, MAIN, MAIN, DEAD, DEAD, OTHER])
KINDS = st.sampled_from(["plain", "fair", "scope queue", "scope messageGroup"])
GROUPS = st.sampled_from(["red", "green", "blue"])
# None: an id (or, by content, a body) of its own.
REPEATS = st.sampled_from([None, None, None, "once", "twice"])
DELAYS = st.sampled_from([None, None, None, 0, 2, 900])
SENDS = st.tuples(GROUPS, REPEATS, DELAYS)
VISIBILITY = st.sampled_from([None, 0, 1, 2, 30, 43_200])
CHANGED_VISIBILITY = st.sampled_from([0, 0, 1, 2, 30, 43_200])
ATTEMPTS = st.sampled_from([None, None, None, "first", "second"])
# Which handle, counted back from the newest; at the end one of another queue, one bent, and garbage.
FOREIGN, BENT, GARBAGE = 97, 98, 99
HANDLES = st.sampled_from([*range(10), *range(5), 14, 20, 30, FOREIGN, BENT, GARBAGE])
STEPS_MS = st.sampled_from([1, 999, 1_000, 2_000, 30_000])
LEAPS_MS = st.sampled_from([60_000, 300_000, 3_600_000, 43_200_000, 345_600_000])
CHANGES = st.sampled_from(
    [
        *(("DelaySeconds", value) for value in (0, 2, 60)),
        *(("VisibilityTimeout", value) for value in (0, 2, 30)),
        *(("MessageRetentionPeriod", value) for value in (60, 120, 345_600, 1_209_600)),
        *(("RedrivePolicy", (target, n)) for target in (MAIN, OTHER, DEAD) for n in (1, 2, 3)),
        *(("RedrivePolicy", None),) * 3,
    ]
)


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


def seldom(turn: int, every: int = 5) -> Any:
    """For what ends much of what came before: at most every so many steps."""
    return precondition(lambda self: self.steps % every == turn)


class QueueMachine(RuleBasedStateMachine):
    """Three queues of one kind: two with the third as dead-letter queue, which may change."""

    def __init__(self, open_driver: Callable[[], Driver], *, can_reopen: bool) -> None:
        super().__init__()
        self.driver = open_driver()
        self.can_reopen = can_reopen
        self.steps = 0
        self.sound = False
        self.numbers = 0
        self.seen_ids: set[str] = set()
        self.last_sequence = ""
        self.foreign_handle = ""
        self.task_handle = "e30="
        self.all_handles: dict[int, list[str]] = {MAIN: [], OTHER: [], DEAD: []}

    @initialize(kind=KINDS, n=st.integers(1, 3))
    def open_queues(self, kind: str, n: int) -> None:
        self.is_fifo = kind.startswith("scope")
        self.has_groups = kind != "plain"
        self.by_content = kind == "scope messageGroup"
        suffix = ".fifo" if self.is_fifo else ""
        self.names = [name + suffix for name in ("main", "other", "dead")]
        self.arns = {name: f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}" for name in self.names}
        scope = "messageGroup" if self.by_content else "queue"
        attributes = {}
        if self.is_fifo:
            attributes = {"FifoQueue": "true", "DeduplicationScope": scope}
        if self.by_content:
            attributes["ContentBasedDeduplication"] = "true"
        queues = []
        for name in self.names:
            self.driver.call("CreateQueue", queue_name=name, attributes=attributes)
            queues.append(Queue(name, self.is_fifo, scope))
        self.reference = Reference(queues, self.driver.now_ms())
        for queue in (MAIN, OTHER):
            self._set(queue, "RedrivePolicy", (DEAD, n))
        self.sound = True

    # Sending

    @step(queue=QUEUES, send=SENDS)
    def send_message(self, queue: int, send: Any) -> None:
        members, arguments = self._send(send)
        answer = self.driver.call("SendMessage", queue_url=self.names[queue], **members)
        self._check_sent(answer, self.reference.send(self.names[queue], **arguments), arguments["number"])

    @step(queue=QUEUES, sends=st.lists(SENDS, min_size=1, max_size=6))
    def send_message_batch(self, queue: int, sends: list[Any]) -> None:
        self._send_batch(queue, sends)

    @precondition(lambda self: self.has_groups and self.steps % 3 == 0)
    @step(queue=QUEUES, group=GROUPS, hidden=st.booleans())
    def flood(self, queue: int, group: str, hidden: bool) -> None:
        """One tenant fills the queue, and perhaps holds it all in flight."""
        for _ in range(3):
            self._send_batch(queue, [(group, None, None)] * 10)
            if hidden:
                self._receive(queue, 10, 30, None)

    def _send_batch(self, queue: int, sends: list[Any]) -> None:
        drafts = [self._send(send) for send in sends]
        entries = [
            SendMessageBatchRequestEntry(id=str(number), **members)
            for number, (members, _) in enumerate(drafts)
        ]
        answer = self.driver.call("SendMessageBatch", queue_url=self.names[queue], entries=entries)
        assert answer.failed is None
        for one, (_, arguments) in zip(answer.successful, drafts, strict=True):
            self._check_sent(one, self.reference.send(self.names[queue], **arguments), arguments["number"])

    def _send(self, send: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the emulator is sent, and what the reference is. Each send has a number of its own."""
        group, repeat, delay_s = send
        self.numbers += 1
        number = self.numbers
        body = repeat if self.by_content and repeat else f"body {number}"
        value = MessageAttributeValue(data_type="Number", string_value=str(number))
        members: dict[str, Any] = {"message_body": body, "message_attributes": {"number": value}}
        arguments: dict[str, Any] = {"number": number, "body": body}
        if self.has_groups:
            members["message_group_id"] = arguments["group"] = group
        if self.is_fifo:
            arguments["deduplication_id"] = repeat or f"id-{number}"
            if self.by_content:
                arguments["deduplication_id"] = checks.content_id(body)
            else:
                members["message_deduplication_id"] = arguments["deduplication_id"]
        else:
            members["delay_seconds"] = arguments["delay_s"] = delay_s
        return members, arguments

    def _check_sent(self, answer: Any, message: Message, number: int) -> None:
        if message.number == number:
            assert answer.message_id not in self.seen_ids, "a message id is given once"
            self.seen_ids.add(answer.message_id)
            message.message_id, message.sequence_number = answer.message_id, answer.sequence_number
            if self.is_fifo:
                assert answer.sequence_number > self.last_sequence, "sequence numbers rise"
                self.last_sequence = answer.sequence_number
        else:
            found = (answer.message_id, answer.sequence_number)
            checks.a_duplicate_is_answered_with_the_original(message, found)

    # Receiving

    @step(queue=QUEUES, limit=st.integers(1, 10), visibility_s=VISIBILITY, attempt=ATTEMPTS)
    def receive_message(self, queue: int, limit: int, visibility_s: int | None, attempt: str | None) -> None:
        self._receive(queue, limit, visibility_s, attempt)

    @step(queue=QUEUES, limit=st.integers(1, 10), attempt=ATTEMPTS)
    def receive_for_a_moment(self, queue: int, limit: int, attempt: str | None) -> None:
        """Messages received time and again are what dead-lettering and places are about."""
        self._receive(queue, limit, 1, attempt)

    def _receive(
        self, queue: int, limit: int, visibility_s: int | None, attempt: str | None
    ) -> list[Message]:
        name, reference = self.names[queue], self.reference
        answer = self.driver.call(
            "ReceiveMessage",
            queue_url=name,
            max_number_of_messages=limit,
            visibility_timeout=visibility_s,
            receive_request_attempt_id=attempt,
            message_attribute_names=["number"],
            message_system_attribute_names=["All"],
        )
        batch = [] if isinstance(answer, SqsError) else [_delivered(one) for one in answer.messages or ()]
        is_repeat = reference.repeats(name, attempt)
        if not is_repeat:
            checks.check_receive(reference, reference.queues[name], batch)
        try:
            expected = reference.receive(name, limit, visibility_s, attempt)
        except Refused as refusal:
            _check_error(answer, refusal, "a receive that cannot be repeated")
            return []
        _check_error(answer, None, "a receive")
        if is_repeat:
            checks.a_repeated_attempt_gets_the_same(expected, batch)
        checks.nothing_visible_is_withheld(expected, batch)
        checks.messages_come_in_their_order(reference.queues[name], expected, batch)
        for message, one in zip(expected, batch, strict=True):
            checks.a_message_stays_what_it_is(message, one, self.arns)
            message.message_id = one.message_id
            message.sequence_number = one.attributes.get("SequenceNumber")
            if not is_repeat:
                reference.issued(name, message, one.handle)
                self.all_handles[queue].append(one.handle)
        return expected

    # Receipt handles

    @step(queue=QUEUES, pick=HANDLES)
    def delete_message(self, queue: int, pick: int) -> None:
        handle = self._handle(queue, pick)
        answer = self.driver.call("DeleteMessage", queue_url=self.names[queue], receipt_handle=handle)
        refusal = self._refused(self.reference.delete, queue, handle)
        _check_error(answer, refusal, "DeleteMessage")

    @step(queue=QUEUES, picks=st.lists(HANDLES, min_size=1, max_size=5))
    def delete_message_batch(self, queue: int, picks: list[int]) -> None:
        handles = [self._handle(queue, pick) for pick in picks]
        self._delete_batch(queue, handles)

    def _delete_batch(self, queue: int, handles: list[str]) -> None:
        entries = [
            DeleteMessageBatchRequestEntry(id=str(number), receipt_handle=handle)
            for number, handle in enumerate(handles)
        ]
        answer = self.driver.call("DeleteMessageBatch", queue_url=self.names[queue], entries=entries)
        refusals = [self._refused(self.reference.delete, queue, handle) for handle in handles]
        _check_entries(answer, refusals, "DeleteMessageBatch")

    @step(queue=QUEUES, pick=HANDLES, timeout_s=CHANGED_VISIBILITY)
    def change_message_visibility(self, queue: int, pick: int, timeout_s: int) -> None:
        handle = self._handle(queue, pick)
        answer = self.driver.call(
            "ChangeMessageVisibility",
            queue_url=self.names[queue],
            receipt_handle=handle,
            visibility_timeout=timeout_s,
        )
        refusal = self._refused(self.reference.change_visibility, queue, handle, timeout_s)
        _check_error(answer, refusal, "ChangeMessageVisibility")

    @step(queue=QUEUES, picks=st.lists(st.tuples(HANDLES, CHANGED_VISIBILITY), min_size=1, max_size=5))
    def change_message_visibility_batch(self, queue: int, picks: list[tuple[int, int]]) -> None:
        changes = [(self._handle(queue, pick), timeout_s) for pick, timeout_s in picks]
        entries = [
            ChangeMessageVisibilityBatchRequestEntry(
                id=str(number), receipt_handle=handle, visibility_timeout=timeout_s
            )
            for number, (handle, timeout_s) in enumerate(changes)
        ]
        answer = self.driver.call(
            "ChangeMessageVisibilityBatch", queue_url=self.names[queue], entries=entries
        )
        refusals = [self._refused(self.reference.change_visibility, queue, *change) for change in changes]
        _check_entries(answer, refusals, "ChangeMessageVisibilityBatch")

    def _handle(self, queue: int, pick: int) -> str:
        handles = self.all_handles[queue]
        if pick == FOREIGN:
            strangers = self.all_handles[(queue + 1) % 3] or self.all_handles[(queue + 2) % 3]
            return strangers[-1] if strangers else "AQEBnobody"
        if pick == GARBAGE or not handles:
            return "AQEBgarbage"
        if pick == BENT:
            return handles[-1][:-8] + "AAAAAAA="
        return handles[-1 - pick % len(handles)]

    def _refused(
        self, act: Callable[..., None], queue: int, handle: str, *arguments: int
    ) -> Refused | None:
        try:
            act(self.names[queue], handle, *arguments)
        except Refused as refusal:
            return refusal
        return None

    # Queues

    @seldom(0)
    @step(queue=QUEUES)
    def purge_queue(self, queue: int) -> None:
        answer = self.driver.call("PurgeQueue", queue_url=self.names[queue])
        try:
            self.reference.purge(self.names[queue])
        except Refused as refusal:
            _check_error(answer, refusal, "PurgeQueue")
        else:
            _check_error(answer, None, "PurgeQueue")

    @step(queue=QUEUES, change=CHANGES)
    def set_queue_attributes(self, queue: int, change: tuple[str, Any]) -> None:
        self._set(queue, *change)

    def _set(self, queue: int, attribute: str, value: Any) -> None:
        name, text = self.names[queue], str(value)
        if attribute == "DelaySeconds":
            self.reference.set_delay(name, value)
        elif attribute == "VisibilityTimeout":
            self.reference.set_visibility(name, value)
        elif attribute == "MessageRetentionPeriod":
            self.reference.set_retention(name, value)
        elif value is None:
            text = ""
            self.reference.set_redrive(name, None)
        else:
            target, n = self.names[value[0]], value[1]
            text = json.dumps({"deadLetterTargetArn": self.arns[target], "maxReceiveCount": n})
            self.reference.set_redrive(name, (target, n))
        answer = self.driver.call("SetQueueAttributes", queue_url=name, attributes={attribute: text})
        _check_error(answer, None, "SetQueueAttributes")

    @step()
    def counts_add_up(self) -> None:
        checks.counts_add_up(self.reference, self._counts())

    def _counts(self) -> dict[str, tuple[int, int, int]]:
        wanted = [{"queue_url": name, "attribute_names": ["All"]} for name in self.names]
        answers = self.driver.call_all("GetQueueAttributes", wanted)
        return {
            name: tuple(
                int(answer.attributes["ApproximateNumberOfMessages" + state])
                for state in ("", "NotVisible", "Delayed")
            )
            for name, answer in zip(self.names, answers, strict=True)
        }

    # Move tasks

    @seldom(1)
    @step(source=QUEUES, destination=st.sampled_from([None, None, MAIN, OTHER, DEAD]),
          per_second=st.sampled_from([None, 1, 2, 500]))  # fmt: skip
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
            _check_error(answer, refusal, "StartMessageMoveTask")
        else:
            _check_error(answer, None, "StartMessageMoveTask")
            self.task_handle = answer.task_handle
        self._check_task()

    @precondition(lambda self: self.reference.task is not None and self.steps % 3 == 0)
    @step()
    def cancel_message_move_task(self) -> None:
        answer = self.driver.call("CancelMessageMoveTask", task_handle=self.task_handle)
        try:
            self.reference.cancel_task()
        except Refused as refusal:
            _check_error(answer, refusal, "CancelMessageMoveTask")
        else:
            _check_error(answer, None, "CancelMessageMoveTask")
        self._check_task()

    def _check_task(self) -> None:
        task = self.reference.task
        if task is not None:
            expected = (task.status, task.moved, task.to_move, task.failure)
            source_arn = self.arns[task.source]
            found = self.driver.call_until(expected, _task_entry, "ListMessageMoveTasks", source_arn=source_arn)
            checks.a_move_task_keeps_its_rate(expected, found)

    # Time

    @step(ms=STEPS_MS)
    def wait(self, ms: int) -> None:
        self._advance(ms)

    @seldom(2)
    @step(ms=LEAPS_MS)
    def wait_long(self, ms: int) -> None:
        self._advance(ms)

    @step(number=st.integers(0, 5), offset_ms=st.sampled_from([-1, 0, 0, 1]))
    def wait_for_a_moment_when_something_changes(self, number: int, offset_ms: int) -> None:
        moments = self.reference.moments()[: number + 1]
        if moments:
            self._advance(max(0, moments[-1] + offset_ms - self.reference.now_ms))

    def _advance(self, ms: int) -> None:
        self.driver.advance(ms)
        self.reference.advance(ms)
        self._check_task()

    @precondition(lambda self: self.can_reopen and self.steps % 4 == 0)
    @step()
    def close_and_reopen(self) -> None:
        self.driver.reopen()
        self.reference.resume_task()
        self._check_task()

    # The end

    def teardown(self) -> None:
        try:
            if self.sound:
                self._empty_all_queues()
        finally:
            self.driver.close()

    def _empty_all_queues(self) -> None:
        """What is left comes out, each message once."""
        checks.counts_add_up(self.reference, self._counts())
        found: set[int] = set()
        for queue, name in enumerate(self.names):
            self._set(queue, "RedrivePolicy", None)
            self._set(queue, "MessageRetentionPeriod", 1_209_600)
            due = [message.due_ms for message in self.reference.queues[name].messages]
            self._advance(max(0, max(due, default=0) - self.reference.now_ms))
            while messages := self._receive(queue, 10, 30, None):
                found |= {message.number for message in messages}
                self._delete_batch(queue, [message.handle or "" for message in messages])
        checks.nothing_accepted_is_lost(self.reference, found)
        checks.counts_add_up(self.reference, self._counts())


def _delivered(message: Any) -> Delivered:
    number = int(message.message_attributes["number"].string_value)
    return Delivered(number, message.message_id, message.body, message.receipt_handle, message.attributes)


def _check_error(answer: Any, refusal: Refused | None, what: str) -> None:
    error = answer if isinstance(answer, SqsError) else None
    checks.an_answer_is_as_expected(
        refusal, None if error is None else (type(error).__name__, error.message), what
    )


def _check_entries(answer: Any, refusals: list[Refused | None], what: str) -> None:
    failed = {one.id: (one.code, one.message) for one in answer.failed or ()}
    for number, refusal in enumerate(refusals):
        checks.an_answer_is_as_expected(refusal, failed.get(str(number)), f"{what}, entry {number},")


def _task_entry(answer: Any) -> Any:
    if isinstance(answer, SqsError) or not answer.results:
        return answer
    entry = answer.results[0]
    return (
        entry.status,
        entry.approximate_number_of_messages_moved,
        entry.approximate_number_of_messages_to_move,
        entry.failure_reason,
    )
