"""One message, and what it contains."""

from collections.abc import Sequence

from emulator.domain.model import Delivery, Draft, MessageAttributeValue, QueueKey

Content = Draft | Delivery
"""What was sent: from when it was sent, or else from a receive."""


Key = int | tuple[str, str]
"""A sequence number, or account and message id: accounts with equal seeds have equal ids."""


class Life:
    """One message, under all the ids it had. It is known as long as the journal has an event of it."""

    __slots__ = ("content", "content_bytes", "events", "keys", "queue")

    def __init__(self) -> None:
        self.keys: list[Key] = []
        """What it is found by, the latest last: a move gives a new id, and each queue a number."""
        self.content: Content | None = None
        self.content_bytes = 0
        self.queue: QueueKey | None = None
        """Where it is; None: gone."""
        self.events = 0
        """So many in the journal are of this message."""

    @property
    def message_id(self) -> str | None:
        """The latest."""
        return next((key[1] for key in reversed(self.keys) if isinstance(key, tuple)), None)

    def may_be(self, owner: tuple[str, str]) -> bool:
        """Whether it has this account and id, or none that is known."""
        return owner in self.keys or self.message_id is None

    def had(self, message_id: str) -> bool:
        return any(isinstance(key, tuple) and key[1] == message_id for key in self.keys)


def content_bytes(contents: Sequence[Content]) -> int:
    """The memory that bodies and attributes take, about."""
    size = 0
    for content in contents:
        size += content.body.__sizeof__()
        if content.attributes:
            size += sum(map(_attribute_bytes, content.attributes.items()))
    return size


def _attribute_bytes(attribute: tuple[str, MessageAttributeValue]) -> int:
    name, value = attribute
    return len(name) + len(value.string_value or "") + len(value.binary_value or b"")
