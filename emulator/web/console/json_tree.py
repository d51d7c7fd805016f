"""JSON as a tree that a page can unfold, of bounded size, however long or deep the JSON is."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

MAX_NODES = 1_000
MAX_CHILDREN = 200
"""Of one object or array."""
MAX_DEPTH = 32
MAX_TEXT = 4_000
"""Characters of one string."""
OPEN_NODES = 40
"""A tree with as many nodes or fewer is unfolded as a whole."""


class Number(str):
    """A number as it was spelled: nothing is rounded."""


class Pairs(list[tuple[str, Any]]):
    """An object as it was spelled: a name that is there twice is shown twice."""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    """`object`, `array`, `string`, `number` or `word` (true, false, null)."""
    name: str | None = None
    """In its object; None: it stands in an array, or is the whole."""
    text: str = ""
    """Of what is no container, as JSON spells it; of a string without quotes and escapes."""
    children: tuple["Node", ...] = ()
    count: int = 0
    """Of a container: how many it has, those that are left out included."""
    left_out: int = 0
    """Children, or characters of a string, that are not shown."""
    is_open: bool = False

    @property
    def is_container(self) -> bool:
        return self.kind in ("object", "array")

    @property
    def signs(self) -> str:
        """Of a container: what it begins and ends with."""
        return "{}" if self.kind == "object" else "[]"

    @property
    def spelled(self) -> str:
        """What is no container, or an empty one, in one line."""
        if self.is_container:
            return self.signs
        return f'"{self.text}"' if self.kind == "string" else self.text


def parse(text: str) -> Any:
    """Objects are Pairs, numbers are Number. Raises ValueError for what is no JSON, or nests too deep."""
    try:
        return json.loads(
            text, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=_refuse
        )
    except RecursionError as error:
        raise ValueError("nests too deep") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def tree_of(value: Any) -> Node:
    """Of what `parse` returned."""
    return _Budget().node(value, None, 0)


def member(value: Any, *path: str | int) -> Any:
    """What stands at a path such as "s3", "bucket", "name"; None if it is not there."""
    for step in path:
        if isinstance(value, Pairs) and isinstance(step, str):
            value = dict(value).get(step)
        elif isinstance(value, list) and not isinstance(value, Pairs) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            return None
    return value


def printable(text: str) -> str:
    """Halves of surrogate pairs, which JSON can spell and UTF-8 cannot, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


class _Budget:
    """How many nodes may still be made."""

    def __init__(self) -> None:
        self.left = MAX_NODES

    def node(self, value: Any, name: str | None, depth: int) -> Node:
        self.left -= 1
        if name is not None:
            name = printable(name[:MAX_TEXT])
        if isinstance(value, Pairs):
            return self._container("object", value, name, depth)
        if isinstance(value, list):
            return self._container("array", [(None, item) for item in value], name, depth)
        if isinstance(value, Number):
            return _scalar("number", value, name)
        if isinstance(value, str):
            return _scalar("string", value, name)
        return _scalar("word", {True: "true", False: "false", None: "null"}[value], name)

    def _container(
        self, kind: str, items: Sequence[tuple[str | None, Any]], name: str | None, depth: int
    ) -> Node:
        children: list[Node] = []
        if depth < MAX_DEPTH:
            for child_name, child in items[:MAX_CHILDREN]:
                if self.left <= 0:
                    break
                children.append(self.node(child, child_name, depth + 1))
        count = len(items)
        return Node(
            kind=kind,
            name=name,
            children=tuple(children),
            count=count,
            left_out=count - len(children),
            is_open=depth == 0 or MAX_NODES - self.left <= OPEN_NODES,
        )


def _scalar(kind: str, text: str, name: str | None) -> Node:
    left_out = max(0, len(text) - MAX_TEXT)
    return Node(kind=kind, name=name, text=printable(text[:MAX_TEXT]), left_out=left_out)
