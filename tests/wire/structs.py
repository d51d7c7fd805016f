"""Finds the structs of an operation, and builds them from plain data by their Python names."""

import types
import typing
from typing import Any

import msgspec

from emulator.operations import OPERATIONS


def request_type(operation: str) -> type[msgspec.Struct]:
    return OPERATIONS[operation].request


def response_type(operation: str) -> type[msgspec.Struct] | None:
    """None: the operation has no output."""
    answer = typing.get_type_hints(OPERATIONS[operation].run)["return"]
    return None if answer is type(None) else answer


def build(struct: type[msgspec.Struct], fields: dict[str, Any]) -> msgspec.Struct:
    """Nested dicts become structs where the struct says so; names that it does not have fail."""
    hints = typing.get_type_hints(struct)
    return struct(**{name: _value(hints[name], value) for name, value in fields.items()})


def _value(hint: Any, value: Any) -> Any:
    inner = inner_struct(hint)
    if inner is None:
        return value
    if isinstance(value, list):
        return [build(inner, one) for one in value]
    return {name: build(inner, one) for name, one in value.items()}


def inner_struct(hint: Any) -> type[msgspec.Struct] | None:
    """The struct in `list[S] | None` or `dict[str, S] | None`."""
    for part in parts(hint):
        for argument in typing.get_args(part):
            if isinstance(argument, type) and issubclass(argument, msgspec.Struct):
                return argument
    return None


def parts(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a union, without None."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(part for part in typing.get_args(hint) if part is not type(None))
    return (hint,)
