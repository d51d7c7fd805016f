"""Turns the flat parameters of a Query request into nested values by JSON names.

Where a parameter belongs depends on the names alone, and clients spell their requests alike. So the names are
read once, into a reader that picks the values out of the texts of every request with the same names.
"""

import codecs
import functools
import re
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any
from urllib.parse import unquote

import msgspec

from emulator.errors import MalformedInput
from emulator.wire.shapes import Kind, Member, Shape, shape_of

MAX_PARAMETERS = 10_000
MAX_DEPTH = 8
"""Deeper than any name that means something: `SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.…`."""
MAX_REMEMBERED_LENGTH = 10_000
"""Of all names of a request together; room for batches whose messages have three attributes each."""
Tree = dict[str | None, Any]
Texts = Sequence[str]
Reader = Callable[[Texts], Any]
_OWN = None
"""The key of a node's own text, by its position: it may have children as well (A=1&A.1=2)."""
_INDEX = re.compile("[0-9]{1,9}")
_NUMBER = re.compile("-?[0-9]{1,100}")


def parse(text: str) -> dict[str, str]:
    """Form fields; of one given twice, the last. Raises MalformedInput for what is not UTF-8, or too many."""
    pairs = text.split("&")
    if len(pairs) > MAX_PARAMETERS:
        raise _unreadable()
    fields = {}
    try:
        for pair in pairs:
            name, _, value = pair.partition("=")
            if name:
                if "%" in pair or "+" in pair:
                    name, value = _plain(name), _plain(value)
                fields[name] = value
    except UnicodeDecodeError as error:
        raise _unreadable() from error
    return fields


def _plain(text: str) -> str:
    """Undoes percent-encoding, as escapes of Python: their decoder is ten times faster than urllib's."""
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    try:
        octets, _ = codecs.escape_decode(text.encode().replace(b"\\", rb"\\").replace(b"%", rb"\x"))
    except ValueError:  # a % that encodes nothing
        return unquote(text, errors="strict")
    return octets.decode()


def _unreadable() -> MalformedInput:
    return MalformedInput("The request parameters are not valid UTF-8 form fields.")


def values_of(fields: dict[str, str], struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Members by their JSON names. Parameters that the struct does not know are ignored."""
    names = tuple(fields)
    is_short = sum(map(len, names)) <= MAX_REMEMBERED_LENGTH
    read = _remembered_reader(struct, names) if is_short else _reader_of(struct, names)
    values: dict[str, Any] = read(tuple(fields.values()))
    return values


def _reader_of(struct: type[msgspec.Struct], names: Iterable[str]) -> Reader:
    return _structure(tree_of(names), shape_of(struct))


_remembered_reader = functools.lru_cache(maxsize=256)(_reader_of)


def tree_of(names: Iterable[str]) -> Tree:
    tree: Tree = {}
    for position, name in enumerate(names):
        parts = name.split(".", MAX_DEPTH)
        if len(parts) > MAX_DEPTH:
            continue
        node = tree
        for part in parts:
            node = node.setdefault(part, {})
        node[_OWN] = position
    return tree


def _structure(node: Tree, shape: Shape) -> Reader:
    members = []
    for name, child in node.items():
        member = shape.by_query_name.get(name or "")
        read = None if member is None else _member(child, member)
        if member is not None and read is not None:
            members.append((member.json_name, read))
    return lambda texts: {name: read(texts) for name, read in members}


def _member(node: Tree, member: Member) -> Reader | None:
    """None for a member without a value of its own."""
    if member.kind is Kind.TEXT:
        return _text(node)
    if member.kind is Kind.NUMBER:
        text = _text(node)
        return None if text is None else lambda texts: _number(text(texts))
    if member.kind is Kind.STRUCTURE:
        assert member.shape is not None
        return _structure(node, member.shape)
    return _items(node, member, _list if member.kind is Kind.LIST else _map)


def _text(node: Tree) -> Reader | None:
    position = node.get(_OWN)
    return None if position is None else itemgetter(position)


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise MalformedInput("STRING_VALUE can not be converted to an Integer")
    return int(text)


def _items(node: Tree, member: Member, compound: Callable[[Sequence[Tree], Member], Reader]) -> Reader:
    """Children by number, gaps allowed. `AttributeName=All` is a list of one, `AttributeName=` empty."""
    numbered = [(int(part), child) for part, child in node.items() if part and _INDEX.fullmatch(part)]
    items = compound([child for _, child in sorted(numbered, key=itemgetter(0))], member)
    own = _text(node)
    if numbered or own is None:
        return items
    single = compound([node], member)
    return lambda texts: single(texts) if own(texts) else items(texts)


def _list(nodes: Sequence[Tree], member: Member) -> Reader:
    items = [_item(node, member.shape) for node in nodes]
    return lambda texts: [read(texts) for read in items]


def _map(nodes: Sequence[Tree], member: Member) -> Reader:
    entries = []
    for node in nodes:
        key = _text(node.get(member.key, {}))
        if key is not None:
            entries.append((key, _item(node.get(member.value, {}), member.shape)))
    return lambda texts: {key(texts): value(texts) for key, value in entries}


def _item(node: Tree, shape: Shape | None) -> Reader:
    if shape is not None:
        return _structure(node, shape)
    return _text(node) or (lambda texts: "")
