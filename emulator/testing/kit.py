"""The client of the kit's HTTP API: everything a test can ask of a running emulator beside SQS itself."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import msgspec

from emulator.testing.answers import MessageHistory, PeekedMessage, QueueInfo
from emulator.testing.clock import ClockControl
from emulator.testing.connection import Connection, KitError
from emulator.testing.faults import FaultControl
from emulator.testing.journal import JournalView

PAGE = 100


class QueueList(msgspec.Struct, frozen=True):
    queues: list[QueueInfo]


class MessagePage(msgspec.Struct, frozen=True):
    messages: list[PeekedMessage]
    next: str | int | None = None


class ResetDone(msgspec.Struct, frozen=True):
    queues: int


class Done(msgspec.Struct, frozen=True):
    """An answer of which nothing is needed."""


class Kit:
    """One account's view of an emulator: `Kit("http://127.0.0.1:9324", account="111111111111")`.

    Without an account it is the view of all, and its clock, seed and faults are the server's. Queues go by
    name, URL or ARN. Every method raises KitError with the emulator's own words when it is refused.
    """

    def __init__(self, url: str, account: str | None = None, region: str | None = None) -> None:
        self.url = url.rstrip("/")
        self.account = account
        self.region = region
        self._connection = Connection(url)
        self._place = {"account": account, "region": region}
        self.clock = ClockControl(self._connection, account)
        self.journal = JournalView(self._connection, account, region)
        self.faults = FaultControl(self._connection, account)

    def seed(self, seed: int) -> None:
        """From here on, ids and chances come from this seed: the same calls get the same answers."""
        self._connection.post("seed", Done, {"seed": seed, "account": self.account})

    def reset(self, queue: str | None = None) -> int:
        """Forgets the queues, messages, history, clock, seed and faults of this account (or all).

        With a queue it is emptied only, history and deduplication included. Returns how many queues it
        was.
        """
        return self._connection.post("reset", ResetDone, {"queue": queue, **self._place}).queues

    def snapshot(self) -> bytes:
        """The whole state of the server, as the content of a data file."""
        return self._connection.call("GET", "snapshot")

    def restore(self, snapshot: bytes) -> None:
        """Replaces the whole state of the server."""
        self._connection.call("PUT", "snapshot", body=snapshot)

    def queues(self, prefix: str | None = None) -> list[QueueInfo]:
        return self._connection.get("queues", QueueList, {"prefix": prefix, **self._place}).queues

    def queue(self, queue: str) -> QueueInfo:
        """The one queue of this name, URL or ARN."""
        path = urlsplit(queue).path if "/" in queue else None
        found = [
            info
            for info in self.queues()
            if queue in (info.name, info.arn) or urlsplit(info.url).path == path
        ]
        if not found:
            raise KitError(f"there is no queue {queue}", status=404)
        if len(found) > 1:
            places = ", ".join(f"{info.account} in {info.region}" for info in found)
            raise KitError(f"several queues fit {queue}: say of which account and region ({places})")
        return found[0]

    def peek(
        self,
        queue: str,
        *,
        state: str | Sequence[str] | None = None,
        text: str | None = None,
        attribute: str | None = None,
        limit: int | None = None,
    ) -> list[PeekedMessage]:
        """The messages of a queue in order of sending. Nothing is counted, hidden or shown by looking.

        `state`: `visible`, `in-flight`, `delayed`, `locked`. `attribute`: a name, or `name=value`.
        """
        found: list[PeekedMessage] = []
        for page in self._pages(queue, state=state, text=text, attribute=attribute, limit=limit):
            found += page
            if limit is not None and len(found) >= limit:
                break
        return found[:limit]

    def bodies(self, queue: str, *, state: str | Sequence[str] | None = None) -> list[str]:
        """The bodies of the messages of a queue, in order of sending."""
        return [message.body for message in self.peek(queue, state=state)]

    def history(self, message_id: str) -> MessageHistory:
        """The life of one message, also after it was deleted."""
        return self.journal.history(message_id)

    def _pages(self, queue: str, limit: int | None, **filters: object) -> Iterator[list[PeekedMessage]]:
        after: str | int | None = None
        while True:
            asked = {**filters, **self._place, "queue": queue, "after": after}
            page = self._connection.get("messages", MessagePage, asked | {"limit": min(limit or PAGE, PAGE)})
            yield page.messages
            after = page.next
            if after is None:
                return
