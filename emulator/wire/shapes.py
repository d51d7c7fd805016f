"""How the Query protocol spells the members of a struct.

JSON names are the structs' own. A list or map member says its Query spelling in its annotation:

    attributes: Annotated[dict[str, str] | None, query_map("Attribute")] = None  # Attribute.1.Name, .Value
    entries: Annotated[list[Entry] | None, query_list("SendMessageBatchRequestEntry")] = None

All lists and maps are flattened: the index stands directly behind the name (spec 1.3).
"""

import enum
import functools
import types
import typing
from typing import Any

import msgspec


class Kind(enum.Enum):
    TEXT = 1
    NUMBER = 2
    STRUCTURE = 3
    LIST = 4
    MAP = 5


class Member(msgspec.Struct, frozen=True, kw_only=True):
    json_name: str
    query_name: str
    kind: Kind
    struct: type[msgspec.Struct] | None = None
    """The structure itself, the list's items or the map's values, if they are structures."""
    key: str = ""
    value: str = ""

    @property
    def shape(self) -> "Shape | None":
        return None if self.struct is None else shape_of(self.struct)


class Shape(msgspec.Struct, frozen=True):
    by_query_name: dict[str, Member]
    by_json_name: dict[str, Member]


def query_list(name: str) -> msgspec.Meta:
    return msgspec.Meta(extra={"query": name})


def query_map(name: str, key: str = "Name", value: str = "Value") -> msgspec.Meta:
    return msgspec.Meta(extra={"query": name, "key": key, "value": value})


@functools.cache
def shape_of(struct: type[msgspec.Struct]) -> Shape:
    hints = typing.get_type_hints(struct, include_extras=True)
    members = [_member(field.encode_name, hints[field.name]) for field in msgspec.structs.fields(struct)]
    return Shape(
        by_query_name={member.query_name: member for member in members},
        by_json_name={member.json_name: member for member in members},
    )


def _member(json_name: str, hint: Any) -> Member:
    kind, inner, names = Kind.TEXT, None, {}
    for part in _parts(hint):
        if isinstance(part, msgspec.Meta):
            names = part.extra or {}
        elif typing.get_origin(part) in (list, tuple):
            kind, inner = Kind.LIST, typing.get_args(part)[0]
        elif typing.get_origin(part) is dict:
            kind, inner = Kind.MAP, typing.get_args(part)[1]
        elif part is int:
            kind = Kind.NUMBER
        elif isinstance(part, type) and issubclass(part, msgspec.Struct):
            kind, inner = Kind.STRUCTURE, part
    return Member(
        json_name=json_name,
        query_name=names.get("query", json_name),
        kind=kind,
        struct=inner if isinstance(inner, type) and issubclass(inner, msgspec.Struct) else None,
        key=names.get("key", "Name"),
        value=names.get("value", "Value"),
    )


def _parts(hint: Any) -> list[Any]:
    """Takes `Annotated[X | None, meta]` apart: X, None and meta."""
    if typing.get_origin(hint) is typing.Annotated:
        first, *rest = typing.get_args(hint)
        return [*_parts(first), *rest]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [part for one in typing.get_args(hint) for part in _parts(one)]
    return [hint]
