"""Writes the XML of the Query protocol.

Our own few lines instead of a library: the elements are flattened in AWS's way, carriage returns must be
written as references, and answers with ten messages are the hot path of every client that speaks Query. So
each struct gets its writer once, with its tags already made.
"""

import base64
import functools
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

from emulator.domain.texts import FORBIDDEN
from emulator.wire.shapes import Kind, Member, shape_of

_MARKUP = re.compile("[&<>\r]")
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"}

Writer = Callable[[Any], str]


def escape(text: str) -> str:
    """Text content. `\\r` goes as a reference, or XML readers turn it into `\\n`."""
    if _MARKUP.search(text):
        text = _MARKUP.sub(lambda found: _REFERENCES[found[0]], text)
    return text if text.isascii() and text.isprintable() else FORBIDDEN.sub("\ufffd", text)


def element(name: str, value: Any) -> str:
    return f"<{name}>{_content(value)}</{name}>"


def members(value: msgspec.Struct) -> str:
    """The elements of a struct's members, those that are None left out."""
    return writer_of(type(value))(value)


@functools.cache
def writer_of(struct: type[msgspec.Struct]) -> Writer:
    shape = shape_of(struct)
    parts = [
        (attrgetter(field.name), _member_writer(shape.by_json_name[field.encode_name]))
        for field in msgspec.structs.fields(struct)
    ]

    def write(value: Any) -> str:
        return "".join([part(got) for get, part in parts if (got := get(value)) is not None])

    return write


def _member_writer(member: Member) -> Writer:
    item = _item_writer(member.query_name, member.struct)
    if member.kind is Kind.LIST:
        return lambda values: "".join([item(value) for value in values])
    if member.kind is Kind.MAP:
        key, value = _item_writer(member.key, None), _item_writer(member.value, member.struct)
        start, end = f"<{member.query_name}>", f"</{member.query_name}>"
        return lambda values: "".join([f"{start}{key(k)}{value(v)}{end}" for k, v in values.items()])
    return item


def _item_writer(name: str, struct: type[msgspec.Struct] | None) -> Writer:
    start, end = f"<{name}>", f"</{name}>"
    content = _content if struct is None else writer_of(struct)
    return lambda value: f"{start}{content(value)}{end}"


def _content(value: Any) -> str:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)
