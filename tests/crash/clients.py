"""Clients that go on until the server is killed, and write down what they saw."""

import http.client
import json
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tests.crash.ledger import Acknowledged, Delete, Ledger, Receive, Received, Sent

STANDARD, FIFO, DEAD, MOVED = QUEUES = ("orders", "orders.fifo", "dead", "moved")
GROUPS = 4
ARNS = {name: f"arn:aws:sqs:us-east-1:000000000000:{name}" for name in QUEUES}
COUNTS = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)
DRAIN_S = 60
HEADERS = {"Content-Type": "application/x-amz-json-1.0"}


class ServerGone(Exception):
    """The server was killed: what became of the request is not known."""


class Connection:
    """Speaks JSON to one server. boto3 would cost more than the server itself."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def ask(self, action: str, **members: Any) -> tuple[int, Any]:
        headers = {**HEADERS, "X-Amz-Target": f"AmazonSQS.{action}"}
        try:
            self._connection.request("POST", "/", json.dumps(members), headers)
            answer = self._connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServerGone(action) from error

    def close(self) -> None:
        self._connection.close()


class Client:
    """One client over many servers. Its choices depend on the seed alone."""

    def __init__(self, number: int, seed: int, ledger: Ledger) -> None:
        self.number = number
        self.ledger = ledger
        self.random = Random(f"{seed}-{type(self).__name__}-{number}")
        self.on_answer: Callable[[str], None] = lambda action: None
        """Called with the action as soon as its answer is here; it may raise ServerGone."""
        self.statuses_of_gone: Sequence[int] = ()
        """They count as if the server were gone: what became of the request is not known."""
        self._connection: Connection

    def run(self, port: int) -> bool:
        """Whether the server went away before the client was done."""
        self._connection = Connection(port)
        try:
            while self.act():
                pass
        except ServerGone:
            self.ledger.lost_answers += 1
            return True
        except Exception as error:
            self.ledger.surprises.append(f"{type(self).__name__} {self.number}: {error!r}")
        finally:
            self._connection.close()
        return False

    def act(self) -> bool:
        """Whether to go on."""
        raise NotImplementedError

    def ask(self, action: str, *, accept: Sequence[int] = (200,), **members: Any) -> Any:
        status, answer = self._connection.ask(action, **members)
        if status in self.statuses_of_gone:
            raise ServerGone(action)
        if answer or action != "ReceiveMessage":
            self.on_answer(action)
        if status not in accept:
            self.ledger.surprises.append(f"{action} was answered {status}, {answer}")
        return (answer or {}) if status == 200 else None


class Producer(Client):
    """Sends to standard queues and, to groups of its own, to the FIFO queue."""

    def __init__(self, number: int, seed: int, ledger: Ledger) -> None:
        super().__init__(number, seed, ledger)
        self._count = 0
        self._in_group = [0] * GROUPS
        self._unanswered: list[dict[str, Any]] = []

    def act(self) -> bool:
        if not self._unanswered and self.random.random() < 0.5:
            queue = DEAD if self.random.random() < 0.4 else STANDARD
            self._send(queue, [self._standard(queue) for _ in range(self._size())])
            return True
        if not self._unanswered:
            self._unanswered = [self._fifo() for _ in range(self._size())]
        # Again and again until there is an answer: only then is the next one sent, so the order is known.
        self._send(FIFO, self._unanswered)
        self._unanswered = []
        return True

    def _size(self) -> int:
        return self.random.choice((1, 1, 2, 10))

    def _standard(self, queue: str) -> dict[str, Any]:
        entry = self._entry(queue)
        return {**entry, "DelaySeconds": 1} if self.random.random() < 0.1 else entry

    def _fifo(self) -> dict[str, Any]:
        number = self.random.randrange(GROUPS)
        place, self._in_group[number] = self._in_group[number], self._in_group[number] + 1
        group = f"group-{self.number}-{number}"
        entry = self._entry(FIFO, group, place)
        return {**entry, "MessageGroupId": group, "MessageDeduplicationId": entry["Id"]}

    def _entry(self, queue: str, group: str | None = None, place: int = 0) -> dict[str, Any]:
        name = f"message-{self.number}-{self._count}"
        self._count += 1
        long = self.random.random() < 0.02
        body = f"{name} " + self.random.choice("abcdef") * self.random.randrange(20_000 if long else 200)
        kind = self.random.choice((None, "red", "blue"))
        self.ledger.sent[name] = Sent(queue, body, kind, group, place)
        entry: dict[str, Any] = {"Id": name, "MessageBody": body}
        if kind is not None:
            entry["MessageAttributes"] = {"kind": {"DataType": "String", "StringValue": kind}}
        return entry

    def _send(self, queue: str, entries: list[dict[str, Any]]) -> None:
        if len(entries) == 1:
            members = {name: value for name, value in entries[0].items() if name != "Id"}
            answer = self.ask("SendMessage", QueueUrl=queue, **members)
            accepted = [] if answer is None else [{"Id": entries[0]["Id"], **answer}]
        else:
            answer = self.ask("SendMessageBatch", QueueUrl=queue, Entries=entries)
            accepted = [] if answer is None else answer["Successful"]
        for one in accepted:
            known = Acknowledged(one["MessageId"], one.get("SequenceNumber"))
            self.ledger.acknowledged[one["Id"]] = known


class Consumer(Client):
    """Receives from all queues and deletes most of what it gets, with handles from before a kill, too."""

    def __init__(self, number: int, seed: int, ledger: Ledger) -> None:
        super().__init__(number, seed, ledger)
        self._undeleted: Receive | None = None

    def act(self) -> bool:
        if self._undeleted is not None:
            self.delete(self._undeleted, in_one=True)
            self._undeleted = None
        queue = self.random.choices(QUEUES, (6, 8, 1, 2))[0]
        receive = self.receive(queue, self.random.choice((1, 10)), self.random.choice((1, 2, 4)))
        if receive.messages and self.random.random() < 0.85:
            self._undeleted = receive
            self.delete(receive, in_one=self.random.random() < 0.7)
            self._undeleted = None
        return True

    def receive(
        self, queue: str, limit: int, hidden_s: int, *, wait_s: int = 0, in_drain: bool = False
    ) -> Receive:
        started_s = time.monotonic()
        answer = self.ask(
            "ReceiveMessage",
            QueueUrl=queue,
            MaxNumberOfMessages=limit,
            VisibilityTimeout=hidden_s,
            WaitTimeSeconds=wait_s,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = tuple(_received(one) for one in (answer or {}).get("Messages", ()))
        receive = Receive(queue, messages, started_s, time.monotonic(), hidden_s, in_drain)
        if messages:
            self.ledger.receives.append(receive)
        return receive

    def delete(self, receive: Receive, *, in_one: bool) -> None:
        """A message no longer in flight may be in another queue by now: then a delete may do nothing."""
        ends_s = receive.started_s + receive.hidden_s
        packs = [receive.messages] if in_one else [(one,) for one in receive.messages]
        for pack in packs:
            asked_s = time.monotonic()
            try:
                done = self._delete(receive.queue, pack)
            except ServerGone:
                self.ledger.deletes += [Delete(one.name, asked_s) for one in pack]
                raise
            answered_s = time.monotonic()
            sure = answered_s if answered_s < ends_s else None
            self.ledger.deletes += [Delete(name, asked_s, sure) for name in done]

    def _delete(self, queue: str, pack: Sequence[Received]) -> list[str]:
        if len(pack) == 1:
            # FIFO queues refuse a handle whose time is over.
            accept = (200, 400) if queue == FIFO else (200,)
            members = {"QueueUrl": queue, "ReceiptHandle": pack[0].handle}
            return [pack[0].name] if self.ask("DeleteMessage", accept=accept, **members) == {} else []
        entries = [{"Id": str(place), "ReceiptHandle": one.handle} for place, one in enumerate(pack)]
        answer = self.ask("DeleteMessageBatch", QueueUrl=queue, Entries=entries) or {}
        return [pack[int(one["Id"])].name for one in answer.get("Successful", ())]


class Redriver(Client):
    """Has move tasks run most of the time, so that kills meet them: to another queue or to the sources."""

    def act(self) -> bool:
        members: dict[str, Any] = {"SourceArn": ARNS[DEAD]}
        if self.random.random() < 0.8:
            members["DestinationArn"] = ARNS[MOVED]
        if self.random.random() < 0.8:
            members["MaxNumberOfMessagesPerSecond"] = self.random.choice((50, 200, 500))
        # Refused while one runs.
        if self.ask("StartMessageMoveTask", accept=(200, 400), **members) is not None:
            self.ledger.tasks_begun += 1
        time.sleep(self.random.uniform(0.02, 0.2))
        return True


class Drainer(Consumer):
    """Empties all queues. Ends when nothing is left and no task runs."""

    def __init__(self, number: int, seed: int, ledger: Ledger) -> None:
        super().__init__(number, seed, ledger)
        self._give_up_s = time.monotonic() + DRAIN_S

    def act(self) -> bool:
        received = [self.receive(queue, 10, 120, in_drain=True) for queue in QUEUES]
        for receive in received:
            if receive.messages:
                self.delete(receive, in_one=True)
        if any(receive.messages for receive in received):
            return True
        if self._is_done():
            return False
        assert time.monotonic() < self._give_up_s, f"queues or tasks are not done after {DRAIN_S} s"
        time.sleep(0.05)
        return True

    def _is_done(self) -> bool:
        tasks = self.ask("ListMessageMoveTasks", SourceArn=ARNS[DEAD]).get("Results", ())
        return not any(task["Status"] == "RUNNING" for task in tasks) and not any(map(self._held, QUEUES))

    def _held(self, queue: str) -> int:
        found = self.ask("GetQueueAttributes", QueueUrl=queue, AttributeNames=COUNTS)["Attributes"]
        return sum(int(found[name]) for name in COUNTS)


def _received(message: dict[str, Any]) -> Received:
    attributes = message["Attributes"]
    kind = message.get("MessageAttributes", {}).get("kind", {}).get("StringValue")
    return Received(
        name=message["Body"].partition(" ")[0],
        body=message["Body"],
        kind=kind,
        message_id=message["MessageId"],
        handle=message["ReceiptHandle"],
        receives=int(attributes["ApproximateReceiveCount"]),
        group=attributes.get("MessageGroupId"),
        sequence_number=attributes.get("SequenceNumber"),
    )
