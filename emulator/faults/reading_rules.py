"""From what a user wrote to a rule; what does not fit is refused in words that name the member."""

import re
from typing import cast, get_args, get_type_hints

import msgspec

from emulator.faults.rules import KINDS, AttributeMatch, FaultRule, InvalidRule, Match, Rule, When

_AT = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)
_UNKNOWN = re.compile("Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile("Object missing required field `(.*)`")
_TYPES = re.compile("`(.*?)`")
_WORDS = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false",
    "object": "an object", "array": "a list", "null": "nothing",
}  # fmt: skip
_PARTS: dict[str, type[msgspec.Struct]] = {
    "match": Match, "when": When, "match.attribute": AttributeMatch,
}  # fmt: skip


def rule_of(value: object, *, texts: bool = False) -> FaultRule:
    """The rule that a decoded JSON value describes. `texts`: numbers may be text, as in a config file."""
    try:
        return cast(FaultRule, msgspec.convert(value, FaultRule, strict=not texts))
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, InvalidRule):
            raise error.__cause__ from None
        raise _explained(str(error), value) from None


def _explained(text: str, value: object) -> InvalidRule:
    found = _AT.fullmatch(text)
    what, where = (found[1], found[2] or "") if found else (text, "")
    kind = value.get("kind") if isinstance(value, dict) else None
    if where == "kind":
        return InvalidRule("kind", f"{kind!r} is no kind of fault; known are {', '.join(KINDS)}")
    if missing := _MISSING.fullmatch(what):
        return InvalidRule(where, f"needs {missing[1]}")
    part = _part(where, kind)
    if what.startswith("Invalid enum value"):
        return InvalidRule(where, f"must be one of {_choices(part, where)}")
    if unknown := _UNKNOWN.fullmatch(what):
        known = [field.encode_name for field in msgspec.structs.fields(part)]
        member = f"{where}.{unknown[1]}" if where else unknown[1]
        return InvalidRule(member, f"unknown; known are {', '.join(known)}")
    expected, _, got = what.removeprefix("Expected ").partition(", got ")
    return InvalidRule(where, f"must be {_worded(expected)}" + (f", not {_worded(got)}" if got else ""))


def _worded(types: str) -> str:
    """`int | null` in words; what a member may be besides null is what counts."""
    return _TYPES.sub(lambda found: " or ".join(_WORDS.get(one, one) for one in _meant(found[1])), types)


def _meant(types: str) -> list[str]:
    return [one for one in types.split(" | ") if one != "null"] or ["null"]


def _part(where: str, kind: object) -> type[msgspec.Struct]:
    return _PARTS[where] if where in _PARTS else KINDS.get(str(kind), Rule)


def _choices(part: type[msgspec.Struct], member: str) -> str:
    """Those of a member that is a Literal, or a Literal and None."""
    hint = get_type_hints(part)[member]
    choices = [choice for one in get_args(hint) for choice in (get_args(one) or [one])]
    return ", ".join(str(choice) for choice in choices if choice is not type(None))
