"""The emulator and the reference side by side: each thing is done to both, and the answers are compared."""

import json
from collections.abc import Callable
from typing import Any

from emulator.domain.model import MessageAttributeValue
from emulator.errors import SqsError
from emulator.operations.delete_message_batch import DeleteMessageBatchRequestEntry
from emulator.operations.send_message_batch import SendMessageBatchRequestEntry
from tests.model import checks
from tests.model.answers import check_entries, check_error, delivered, task_entry
from tests.model.choices import BENT, DEAD, FOREIGN, GARBAGE, MAIN, OTHER
from tests.model.driver import ACCOUNT, REGION, Driver
from tests.model.reference import Message, Queue, Reference, Refused


class Pair:
    """Three queues of one kind: two with the third as dead-letter queue, which may change."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.numbers = 0
        self.seen_ids: set[str] = set()
        self.last_sequence = ""
        self.task_handle = "e30="
        self.all_handles: dict[int, list[str]] = {MAIN: [], OTHER: [], DEAD: []}

    def set_up(self, kind: str, n: int, sends: list[Any]) -> None:
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
            self.set_attribute(queue, "RedrivePolicy", (DEAD, n))
        self.send_batch(MAIN, sends)

    def send_batch(self, queue: int, sends: list[Any]) -> None:
        drafts = [self.draft(send) for send in sends]
        entries = [
            SendMessageBatchRequestEntry(id=str(number), **members)
            for number, (members, _) in enumerate(drafts)
        ]
        answer = self.driver.call("SendMessageBatch", queue_url=self.names[queue], entries=entries)
        assert answer.failed is None
        for one, (_, arguments) in zip(answer.successful, drafts, strict=True):
            self.check_sent(one, self.reference.send(self.names[queue], **arguments), arguments["number"])

    def draft(self, send: Any) -> tuple[dict[str, Any], dict[str, Any]]:
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

    def check_sent(self, answer: Any, message: Message, number: int) -> None:
        if message.number == number:
            assert answer.message_id not in self.seen_ids, (
                "a send that repeats none is not taken for a duplicate"
            )
            self.seen_ids.add(answer.message_id)
            message.message_id, message.sequence_number = answer.message_id, answer.sequence_number
            if self.is_fifo:
                assert answer.sequence_number > self.last_sequence, "sequence numbers rise"
                self.last_sequence = answer.sequence_number
        else:
            found = (answer.message_id, answer.sequence_number)
            checks.a_duplicate_is_answered_with_the_original(message, found)

    def receive(self, queue: int, limit: int, visibility_s: int | None, attempt: str | None) -> list[Message]:
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
        batch = [] if isinstance(answer, SqsError) else [delivered(one) for one in answer.messages or ()]
        is_repeat = reference.repeats(name, attempt)
        if not is_repeat:
            checks.check_receive(reference, reference.queues[name], batch)
        try:
            expected = reference.receive(name, limit, visibility_s, attempt)
        except Refused as refusal:
            check_error(answer, refusal, "a receive that cannot be repeated")
            return []
        check_error(answer, None, "a receive")
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

    def change_visibility(self, queue: int, handle: str, timeout_s: int) -> None:
        answer = self.driver.call(
            "ChangeMessageVisibility",
            queue_url=self.names[queue],
            receipt_handle=handle,
            visibility_timeout=timeout_s,
        )
        refusal = self.refused(self.reference.change_visibility, queue, handle, timeout_s)
        check_error(answer, refusal, "ChangeMessageVisibility")

    def delete_batch(self, queue: int, handles: list[str]) -> None:
        entries = [
            DeleteMessageBatchRequestEntry(id=str(number), receipt_handle=handle)
            for number, handle in enumerate(handles)
        ]
        answer = self.driver.call("DeleteMessageBatch", queue_url=self.names[queue], entries=entries)
        refusals = [self.refused(self.reference.delete, queue, handle) for handle in handles]
        check_entries(answer, refusals, "DeleteMessageBatch")

    def handle_of(self, queue: int, pick: int) -> str:
        handles = self.all_handles[queue]
        if pick == FOREIGN:
            strangers = self.all_handles[(queue + 1) % 3] or self.all_handles[(queue + 2) % 3]
            return strangers[-1] if strangers else "AQEBnobody"
        if pick == GARBAGE or not handles:
            return "AQEBgarbage"
        if pick == BENT:
            return handles[-1][:-8] + "AAAAAAA="
        return handles[-1 - pick % len(handles)]

    def refused(self, act: Callable[..., None], queue: int, handle: str, *arguments: int) -> Refused | None:
        try:
            act(self.names[queue], handle, *arguments)
        except Refused as refusal:
            return refusal
        return None

    def set_attribute(self, queue: int, attribute: str, value: Any) -> None:
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
        check_error(answer, None, "SetQueueAttributes")

    def counts(self) -> dict[str, tuple[int, int, int]]:
        wanted = [{"queue_url": name, "attribute_names": ["All"]} for name in self.names]
        answers = self.driver.call_all("GetQueueAttributes", wanted)
        return {
            name: tuple(
                int(answer.attributes["ApproximateNumberOfMessages" + state])
                for state in ("", "NotVisible", "Delayed")
            )
            for name, answer in zip(self.names, answers, strict=True)
        }

    def check_task(self) -> None:
        task = self.reference.task
        if task is not None:
            expected = (task.status, task.moved, task.to_move, task.failure)
            source_arn = self.arns[task.source]
            found = self.driver.call_until(
                expected, task_entry, "ListMessageMoveTasks", source_arn=source_arn
            )
            checks.a_move_task_keeps_its_rate(expected, found)

    def advance(self, ms: int) -> None:
        self.driver.advance(ms)
        self.reference.advance(ms)
        self.check_task()

    def empty_all_queues(self) -> None:
        """What is left comes out, each message once."""
        checks.counts_add_up(self.reference, self.counts())
        found: set[int] = set()
        for queue, name in enumerate(self.names):
            self.set_attribute(queue, "RedrivePolicy", None)
            self.set_attribute(queue, "MessageRetentionPeriod", 1_209_600)
            due = [message.due_ms for message in self.reference.queues[name].messages]
            self.advance(max(0, max(due, default=0) - self.reference.now_ms))
            while messages := self.receive(queue, 10, 30, None):
                found |= {message.number for message in messages}
                self.delete_batch(queue, [message.handle or "" for message in messages])
        checks.nothing_accepted_is_lost(self.reference, found)
        checks.counts_add_up(self.reference, self.counts())
