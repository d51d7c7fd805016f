"""Filters by message attribute, as they are written in parameters."""

from typing import Annotated

from msgspec import Meta

from emulator.domain.model import MessageAttributes

AttributeMatch = Annotated[
    str,
    Meta(
        min_length=1,
        description="A message attribute: `name`, or `name=value` (of String and Number attributes).",
        examples=["tenant=acme"],
    ),
]


def name_and_value(match: str) -> tuple[str, str | None]:
    name, given, value = match.partition("=")
    return name, value if given else None


def has_attribute(attributes: MessageAttributes | None, match: str) -> bool:
    name, value = name_and_value(match)
    found = (attributes or {}).get(name)
    return found is not None and (value is None or found.string_value == value)
