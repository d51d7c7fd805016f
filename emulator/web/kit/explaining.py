"""What msgspec says of bad input, in words that name the member and say what it may be."""

import re
from typing import Any

import msgspec
from msgspec import inspect

_AT = re.compile(r"(.*?)(?: - at `(?:key in )?\$?\.?(.*)`)?", re.DOTALL)
_UNKNOWN = re.compile("Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile("Object missing required field `(.*)`")
_NO_CHOICE = re.compile("Invalid enum value (.*)", re.DOTALL)
_EXPECTED = re.compile("Expected (.*?)(?:, got `(.*)`)?", re.DOTALL)
_TYPES = re.compile("`([^`]*)`")
_WORDS = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false",
    "object": "an object", "array": "a list", "null": "null",
    "datetime": "a moment",
}  # fmt: skip

ACCOUNT = "^[0-9]{12}$"
REGION = "^[a-z0-9]+(-[a-z0-9]+)*$"
_MEANT = {
    f"text matching regex '{ACCOUNT}'": "an account id of 12 digits",
    f"text matching regex '{REGION}'": "the name of a region, such as us-east-1",
    "text of length >= 1": "text that is not empty",
}


def explained(error: msgspec.ValidationError, into: Any, kind: str) -> str:
    """`into`: the type that the input does not fit; `kind`: what its members are called."""
    found = _AT.fullmatch(str(error))
    text, where = (found[1], found[2] or "") if found else (str(error), "")
    if unknown := _UNKNOWN.fullmatch(text):
        return f"{_under(where, unknown[1])}: there is no such {kind}"
    if missing := _MISSING.fullmatch(text):
        return f"{_under(where, missing[1])}: is missing"
    if text == "Invalid RFC3339 encoded datetime":
        text = "must be a moment, such as 2026-01-01T00:00:00Z"
    elif given := _NO_CHOICE.fullmatch(text):
        text = f"{given[1]} is none of {', '.join(_choices(into, where))}"
    elif expected := _EXPECTED.fullmatch(text):
        text = f"must be {_worded(expected[1])}" + (
            f", not {_worded(f'`{expected[2]}`')}" if expected[2] else ""
        )
    return f"{where or 'the body'}: {text}"


def is_list(annotation: Any) -> bool:
    return any(isinstance(one, inspect.ListType | inspect.VarTupleType) for one in _types(annotation))


def _under(where: str, member: str) -> str:
    return f"{where}.{member}" if where else member


def _worded(types: str) -> str:
    """`int | null` in words; what a member may be besides null is what counts."""

    def words(found: re.Match[str]) -> str:
        meant = [one for one in found[1].split(" | ") if one != "null"] or ["null"]
        return " or ".join(_WORDS.get(one, one) for one in meant)

    text = _TYPES.sub(words, types)
    return _MEANT.get(text, text)


def _choices(into: Any, where: str) -> list[str]:
    """The values that the member at this place may have."""
    types = _types(into)
    for name in where.split("."):
        members = [field for one in types if isinstance(one, inspect.StructType) for field in one.fields]
        types = [
            one
            for field in members
            if field.encode_name == name.partition("[")[0]
            for one in _types(field.type)
        ]
    items = [item for one in types if isinstance(one, inspect.ListType) for item in _types(one.item_type)]
    choices: list[str] = []
    for one in (*types, *items):
        if isinstance(one, inspect.EnumType):
            choices += [str(member.value) for member in one.cls]
        elif isinstance(one, inspect.LiteralType):
            choices += [str(value) for value in one.values]
    return list(dict.fromkeys(choices))


def _types(annotation: Any) -> list[inspect.Type]:
    """What an annotation stands for, one by one."""
    found = annotation if isinstance(annotation, inspect.Type) else inspect.type_info(annotation)
    if isinstance(found, inspect.Metadata):
        return _types(found.type)
    if isinstance(found, inspect.UnionType):
        return [one for part in found.types for one in _types(part)]
    return [found]
