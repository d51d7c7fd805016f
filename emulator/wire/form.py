"""Turns the flat parameters of a Query request into nested values by JSON names."""

import functools
import re
from typing import Any
from urllib.parse import unquote_plus

from emulator.errors import MalformedInput
from emulator.wire.shapes import Kind, Member, Shape

MAX_PARAMETERS = 10_000
MAX_DEPTH = 8
"""Deeper than any name that means something: `SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.…`."""
Tree = dict[str | None, Any]
_TEXT = None
"""The key of a node's own value: it may have children as well (A=1&A.1=2)."""
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
                fields[_plain(name)] = _plain(value)
    except UnicodeDecodeError as error:
        raise _unreadable() from error
    return fields


def _plain(text: str) -> str:
    """Undoes percent-encoding, where there is any: most names and values of a request have none."""
    return unquote_plus(text, errors="strict") if "%" in text or "+" in text else text


def _unreadable() -> MalformedInput:
    return MalformedInput("The request parameters are not valid UTF-8 form fields.")


def tree_of(fields: dict[str, str]) -> Tree:
    tree: Tree = {}
    for name, value in fields.items():
        node = tree
        for part in _parts(name):
            child = node.get(part)
            if child is None:
                child = node[part] = {}
            node = child
        if node is not tree:
            node[_TEXT] = value
    return tree


@functools.lru_cache(maxsize=4096)
def _parts(name: str) -> tuple[str, ...]:
    """None if it is deeper than any name that means something."""
    parts = tuple(name.split(".", MAX_DEPTH))
    return parts if len(parts) <= MAX_DEPTH else ()


def values_of(tree: Tree, shape: Shape) -> dict[str, Any]:
    """Members by their JSON names. Parameters that the shape does not know are ignored."""
    values = {}
    for name, node in tree.items():
        member = shape.by_query_name.get(name or "")
        if member is not None:
            value = _value(node, member)
            if value is not None:
                values[member.json_name] = value
    return values


def _value(node: Tree, member: Member) -> Any:
    if member.kind is Kind.TEXT:
        return node.get(_TEXT)
    if member.kind is Kind.NUMBER:
        return _number(node.get(_TEXT))
    if member.kind is Kind.STRUCTURE:
        assert member.shape is not None
        return values_of(node, member.shape)
    items = _indexed(node)
    if member.kind is Kind.LIST:
        return [_item(item, member.shape) for item in items]
    entries = {}
    for item in items:
        key = item.get(member.key, {}).get(_TEXT)
        if key is not None:
            entries[key] = _item(item.get(member.value, {}), member.shape)
    return entries


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not _NUMBER.fullmatch(text):
        raise MalformedInput("STRING_VALUE can not be converted to an Integer")
    return int(text)


def _item(node: Tree, shape: Shape | None) -> Any:
    return node.get(_TEXT, "") if shape is None else values_of(node, shape)


def _indexed(node: Tree) -> list[Tree]:
    """Children by number, gaps allowed. `AttributeName=All` is a list of one, `AttributeName=` empty."""
    numbered = ((int(part), child) for part, child in node.items() if part and _INDEX.fullmatch(part))
    items = sorted(numbered, key=lambda item: item[0])
    if not items and node.get(_TEXT):
        return [node]
    return [child for _, child in items]
