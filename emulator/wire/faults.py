"""What msgspec says of bad input, as AWS says it. Texts: spec 1.2, the row on wrong JSON types."""

import re

import msgspec

from emulator.errors import MalformedInput

_EXPECTED = re.compile(r"Expected `(\w+)[^`]*`, got `(\w+)`")
_MEMBER = re.compile(r"at `\$\.(\w+)`$")
_SENT = {
    "str": "STRING_VALUE",
    "int": "NUMBER_VALUE",
    "float": "NUMBER_VALUE",
    "bool": "TRUE_VALUE",
    "null": "NULL_VALUE",
}
_WANTED = {"str": "a String", "bytes": "a Blob", "int": "an Integer", "bool": "a Boolean"}
_COLLECTION_CLASS = {
    "str": "java.lang.String",
    "int": "java.lang.Integer",
    "float": "java.lang.Double",
    "bool": "java.lang.Boolean",
}


def malformed(error: msgspec.ValidationError, body: bytes = b"") -> MalformedInput:
    """The error of a value whose type does not fit its member; `body` is the JSON it stands in."""
    found = _EXPECTED.match(str(error))
    if found is None:
        return MalformedInput(str(error).partition(" - at ")[0])
    expected, got = found.groups()
    if got == "object":
        return MalformedInput("Start of structure or map found where not expected.")
    if got == "array":
        return MalformedInput("Start of list found where not expected")
    if expected in ("array", "object"):
        return MalformedInput(f"Unrecognized collection type class {_COLLECTION_CLASS.get(got, got)}")
    sent = "FALSE_VALUE" if got == "bool" and _is_false(str(error), body) else _SENT.get(got, got)
    return MalformedInput(f"{sent} can not be converted to {_WANTED.get(expected, expected)}")


def not_json() -> MalformedInput:
    return MalformedInput("The request body is not a valid JSON document.")


def _is_false(message: str, body: bytes) -> bool:
    """msgspec says that it got a bool, AWS says which; for members of the request itself we look."""
    found = _MEMBER.search(message)
    try:
        return found is not None and msgspec.json.decode(body).get(found[1]) is False
    except (msgspec.DecodeError, RecursionError):  # what follows the member is no JSON
        return False
