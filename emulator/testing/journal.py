"""What happened to messages, and waiting for what shall happen."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from emulator.testing.answers import Event, MessageHistory
from emulator.testing.connection import Connection

Kinds = str | Sequence[str]
"""One kind of event or several, such as `"deleted"` or `["returned", "dead-lettered"]`."""
PAGE = 1000


class EventPage(msgspec.Struct, frozen=True):
    events: list[Event]
    last: int = 0


class EventFound(msgspec.Struct, frozen=True):
    event: Event


class Drained(msgspec.Struct, frozen=True):
    drained: bool


class JournalView:
    """The history of one account's messages; without an account, that of all."""

    def __init__(self, connection: Connection, account: str | None, region: str | None) -> None:
        self._connection = connection
        self._place = {"account": account, "region": region}

    def events(
        self,
        *,
        kind: Kinds | None = None,
        queue: str | None = None,
        message_id: str | None = None,
        text: str | None = None,
        attribute: str | None = None,
        from_ms: int | None = None,
        to_ms: int | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[Event]:
        """Events in order, those with a number above `after`; all pages of them unless there is a limit."""
        filters = self._filters(kind, queue, message_id, text, attribute)
        filters |= {"from_ms": from_ms, "to_ms": to_ms}
        found: list[Event] = []
        while limit is None or len(found) < limit:
            wanted = PAGE if limit is None else min(PAGE, limit - len(found))
            page = self._connection.get(
                "journal", EventPage, {**filters, "after": after, "limit": wanted}
            ).events
            found += page
            if len(page) < wanted:
                break
            after = page[-1].number
        return found

    def last_number(self) -> int:
        """Of the latest event: `after` for what is still to come."""
        return self._connection.get("journal", EventPage, {"limit": 1}).last

    def kinds(self, **filters: Any) -> list[str]:
        """The kinds of those events, in order: what happened, in short."""
        return [event.kind for event in self.events(**filters)]

    def history(self, message_id: str) -> MessageHistory:
        """The life of one message, also after it was deleted."""
        return self._connection.get(
            f"journal/{quote(message_id, safe='')}", MessageHistory, {"account": self._place["account"]}
        )

    def wait(
        self,
        kind: Kinds | None = None,
        *,
        queue: str | None = None,
        message_id: str | None = None,
        text: str | None = None,
        attribute: str | None = None,
        after: int = 0,
        include_past: bool = True,
        timeout_s: float = 5,
    ) -> Event:
        """The first event that fits, past or to come. Raises WaitedInVain after `timeout_s` real seconds."""
        filters = self._filters(kind, queue, message_id, text, attribute)
        event = {name: value for name, value in filters.items() if value is not None}
        if after:
            event["after"] = after
        return self._connection.post(
            "wait",
            EventFound,
            {"event": event, "include_past": include_past, "timeout_s": timeout_s},
            wait_s=timeout_s,
        ).event

    def drained(self, queue: str, *, timeout_s: float = 5) -> None:
        """Returns once nothing is visible, in flight or delayed. Raises WaitedInVain after `timeout_s`."""
        self._connection.post(
            "wait",
            Drained,
            {"drained": queue, "timeout_s": timeout_s, **self._place},
            wait_s=timeout_s,
        )

    def _filters(
        self,
        kind: Kinds | None,
        queue: str | None,
        message_id: str | None,
        text: str | None,
        attribute: str | None,
    ) -> dict[str, object]:
        return {
            **self._place,
            "queue": queue,
            "kind": kind,
            "message_id": message_id,
            "text": text,
            "attribute": attribute,
        }
