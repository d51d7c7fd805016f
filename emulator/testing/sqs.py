"""The few SQS calls that the command line makes, without an SDK."""

from collections.abc import Iterator
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from emulator.testing.answers import QueueInfo
from emulator.testing.connection import Connection, KitError

T = TypeVar("T")
BATCH = 10


class Sent(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    message_id: str
    sequence_number: str | None = None


class Received(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    message_id: str
    receipt_handle: str
    body: str
    attributes: dict[str, str] = {}
    message_attributes: dict[str, Any] = {}


class ReceiveAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    messages: list[Received] = []


class QueueCalls:
    """Calls for one queue, in its account and region."""

    def __init__(self, queue: QueueInfo) -> None:
        url = urlsplit(queue.url)
        self._connection = Connection(f"{url.scheme}://{url.netloc}")
        self._queue = queue

    def send(self, body: str, **members: object) -> Sent:
        return self._call("SendMessage", Sent, MessageBody=body, **members)

    def take_all(self) -> Iterator[list[Received]]:
        """Receives and deletes what is visible, in batches, until nothing is."""
        while True:
            batch = self._call(
                "ReceiveMessage",
                ReceiveAnswer,
                MaxNumberOfMessages=BATCH,
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            ).messages
            if not batch:
                return
            handles = [
                {"Id": str(number), "ReceiptHandle": message.receipt_handle}
                for number, message in enumerate(batch)
            ]
            self._call("DeleteMessageBatch", dict, Entries=handles)
            yield batch

    def _call(self, action: str, answer: type[T], **members: object) -> T:
        queue = self._queue
        body = self._connection.sqs(
            action, {"QueueUrl": queue.url, **members}, account=queue.account, region=queue.region
        )
        try:
            return msgspec.json.decode(body, type=answer)
        except msgspec.DecodeError as error:
            raise KitError(f"{self._connection.url} answers {action} as no SQS does") from error
