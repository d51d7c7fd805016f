"""Writes the XML of the Query protocol.

Our own few lines instead of a library: the elements are flattened in AWS's way, carriage returns must be
written as references, and answers with ten messages are the hot path of every client that speaks Query. So
each struct gets its writer once, with its tags already made, and the texts of an answer are looked at all
together: hardly any has something to escape.
"""

import base64
import functools
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import astuple

from emulator.domain.message_content import has_valid_characters
from emulator.domain.texts import FORBIDDEN
from emulator.wire.shapes import Kind, Member, shape_of

Pieces = list[str]
Writer = Callable[[Any, Pieces, Pieces], None]
"""Appends a value's tags to the first list, with a `%s` for each text that it appends to the second."""


def escape(text: str) -> str:
    """Text content. `\\r` goes as a reference, or XML readers turn it into `\\n`."""
    if _has_markup(text):
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#xD;")
    return text if has_valid_characters(text) else FORBIDDEN.sub("\ufffd", text)


def element(name: str, value: Any) -> str:
    return f"<{name}>{escape(_text(value))}</{name}>"


def members(value: msgspec.Struct) -> str:
    """The elements of a struct's members, those that are None left out."""
    tags: Pieces = []
    texts: Pieces = []
    writer_of(type(value))(value, tags, texts)
    together = "".join(texts)
    if _has_markup(together) or not has_valid_characters(together):
        texts = [escape(text) for text in texts]
    return "".join(tags) % tuple(texts)


@functools.cache
def writer_of(struct: type[msgspec.Struct]) -> Writer:
    shape = shape_of(struct)
    writers = [_member_writer(shape.by_json_name[name]) for name in struct.__struct_encode_fields__]

    def write(value: Any, tags: Pieces, texts: Pieces) -> None:
        for number, member in enumerate(astuple(value)):
            if member is not None:
                writers[number](member, tags, texts)

    return write


def _member_writer(member: Member) -> Writer:
    item = _element_writer(member.query_name, member.struct)
    if member.kind is Kind.LIST:
        return _list_writer(item)
    if member.kind is Kind.MAP:
        key, value = _element_writer(member.key, None), _element_writer(member.value, member.struct)
        return _map_writer(member.query_name, key, value)
    return item


def _element_writer(name: str, struct: type[msgspec.Struct] | None) -> Writer:
    start, end = f"<{name}>", f"</{name}>"
    if struct is None:
        return _text_writer(f"{start}%s{end}")
    write_members = writer_of(struct)

    def write(value: Any, tags: Pieces, texts: Pieces) -> None:
        tags.append(start)
        write_members(value, tags, texts)
        tags.append(end)

    return write


def _text_writer(tag: str) -> Writer:
    def write(value: Any, tags: Pieces, texts: Pieces) -> None:
        tags.append(tag)
        texts.append(value if type(value) is str else _text(value))

    return write


def _list_writer(item: Writer) -> Writer:
    def write(values: Any, tags: Pieces, texts: Pieces) -> None:
        for value in values:
            item(value, tags, texts)

    return write


def _map_writer(name: str, write_key: Writer, write_value: Writer) -> Writer:
    start, end = f"<{name}>", f"</{name}>"

    def write(values: Any, tags: Pieces, texts: Pieces) -> None:
        for key, value in values.items():
            tags.append(start)
            write_key(key, tags, texts)
            write_value(value, tags, texts)
            tags.append(end)

    return write


def _has_markup(text: str) -> bool:
    """Four looks cost less than one with a regex."""
    return "&" in text or "<" in text or ">" in text or "\r" in text


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)
