"""What to look for in the journal."""

import base64
from collections.abc import Iterable

import msgspec

from emulator.domain.model import MessageAttributeValue
from emulator.journal.events import Event, EventKind
from emulator.journal.lives import Content, Life


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for; events must fit all that is given. Texts are compared as they are."""

    queue: str | None = None
    """Its name. Events that brought a message there fit, too."""
    account: str | None = None
    region: str | None = None
    message_id: str | None = None
    attribute_name: str | None = None
    attribute_value: str | None = None
    """Binary values are compared in base64."""
    text: str | None = None
    """Anywhere in the body."""
    kinds: frozenset[EventKind] = frozenset()
    """Any of these; empty: all."""
    from_ms: int | None = None
    to_ms: int | None = None
    """Both ends count."""

    def fits(self, event: Event, lives: Iterable[Life]) -> bool:
        """`lives`: the messages that the event is about."""
        return (
            (not self.kinds or event.kind in self.kinds)
            and (self.from_ms is None or event.at_ms >= self.from_ms)
            and (self.to_ms is None or event.at_ms <= self.to_ms)
            and self._fits_place(event)
            and self._fits_message(event, lives)
        )

    def _fits_place(self, event: Event) -> bool:
        if self.queue is None and self.account is None and self.region is None:
            return True
        return any(
            self.queue in (None, queue) and self.account in (None, account) and self.region in (None, region)
            for account, region, queue in event.places
        )

    def _fits_message(self, event: Event, lives: Iterable[Life]) -> bool:
        if self.message_id is not None:
            named = (event.message_id, event.details.new_message_id)
            # An event of a whole queue names no message.
            lives = [life for life in lives if life.had(self.message_id)]
            if self.message_id not in named and (event.message_id is not None or not lives):
                return False
        if self.text is None and self.attribute_name is None and self.attribute_value is None:
            return True
        return any(life.content is not None and self._fits_content(life.content) for life in lives)

    def _fits_content(self, content: Content) -> bool:
        if self.text is not None and self.text not in content.body:
            return False
        if self.attribute_name is None and self.attribute_value is None:
            return True
        return any(
            self.attribute_name in (None, name) and self.attribute_value in (None, _text_of(value))
            for name, value in (content.attributes or {}).items()
        )


def _text_of(value: MessageAttributeValue) -> str | None:
    if value.binary_value is not None:
        return base64.b64encode(value.binary_value).decode()
    return value.string_value
