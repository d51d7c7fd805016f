"""Writes the XML of the Query protocol.

Our own 30 lines instead of a library: the elements are flattened in AWS's way, carriage returns must be
written as references, and answers with ten messages are the hot path of every client that speaks Query.
"""

import re
from typing import Any

from emulator.domain.texts import FORBIDDEN
from emulator.wire.shapes import Kind, Member, Shape

_MARKUP = re.compile("[&<>\r]")
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"}


def escape(text: str) -> str:
    """Text content. `\\r` goes as a reference, or XML readers turn it into `\\n`."""
    if _MARKUP.search(text):
        text = _MARKUP.sub(lambda found: _REFERENCES[found[0]], text)
    return text if text.isascii() and text.isprintable() else FORBIDDEN.sub("\ufffd", text)


def element(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"<{name}>{'true' if value else 'false'}</{name}>"
    return f"<{name}>{escape(value if isinstance(value, str) else str(value))}</{name}>"


def structure(values: dict[str, Any], shape: Shape) -> str:
    """The members of a structure, given as builtins by their JSON names."""
    return "".join(_member(shape.by_json_name[name], value) for name, value in values.items())


def _member(member: Member, value: Any) -> str:
    name, shape = member.query_name, member.shape
    if member.kind in (Kind.TEXT, Kind.NUMBER):
        return element(name, value)
    if member.kind is Kind.STRUCTURE:
        assert shape is not None
        return f"<{name}>{structure(value, shape)}</{name}>"
    if member.kind is Kind.LIST:
        return "".join(_item(name, item, shape) for item in value)
    return "".join(
        f"<{name}>{element(member.key, key)}{_item(member.value, item, shape)}</{name}>"
        for key, item in value.items()
    )


def _item(name: str, item: Any, shape: Shape | None) -> str:
    return element(name, item) if shape is None else f"<{name}>{structure(item, shape)}</{name}>"
