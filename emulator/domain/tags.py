"""Queue tags (spec 2.21, 3.14)."""

import re
from collections.abc import Mapping, Sequence

from emulator.domain import limits
from emulator.domain.texts import escaped
from emulator.errors import InvalidParameterValue, MissingParameter

MAX_KEY_LENGTH = 128
MAX_VALUE_LENGTH = 256
RESERVED_PREFIX = "aws:"

# Letters and digits of any script, every kind of blank, and _ . : / = + - @ (spec 3.14).
_TEXT = re.compile("[\\w .:/=+@\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000-]*")


def require_tags(
    queue_name: str, current: Mapping[str, str], added: Mapping[str, str] | None
) -> dict[str, str]:
    """TagQueue: the queue's tags afterwards."""
    if not added:
        raise MissingParameter("Tags")
    return _merged(queue_name, current, added)


def require_new_tags(queue_name: str, tags: Mapping[str, str] | None) -> dict[str, str]:
    """CreateQueue, where tags need not be given."""
    return _merged(queue_name, {}, tags) if tags else {}


def without_tags(current: Mapping[str, str], keys: Sequence[str] | None) -> dict[str, str]:
    """UntagQueue: keys the queue does not have are ignored."""
    if not keys:
        raise _bad_key_length()
    for key in keys:
        _require_key_length(key)
    return {key: value for key, value in current.items() if key not in keys}


def _merged(queue_name: str, current: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    for key, value in added.items():
        _require_tag(key, value)
    merged = {**current, **added}
    if len(merged) > limits.MAX_TAGS:
        raise InvalidParameterValue(f"Too many tags added for queue {queue_name}.")
    return merged


def _require_tag(key: str, value: str) -> None:
    """Only the text about key lengths is known; the other three are our own, with AWS's code."""
    _require_key_length(key)
    if len(value) > MAX_VALUE_LENGTH:
        raise InvalidParameterValue("Tag values must be between 0 and 256 characters in length.")
    if key.lower().startswith(RESERVED_PREFIX):
        raise InvalidParameterValue(f"Tag key {escaped(key)} is invalid. Reason: aws: is a reserved prefix.")
    if not _TEXT.fullmatch(key) or not _TEXT.fullmatch(value):
        raise InvalidParameterValue(
            "Tag keys and values can only include letters, digits, spaces and the characters _ . : / = + - @"
        )


def _require_key_length(key: str) -> None:
    if not 1 <= len(key) <= MAX_KEY_LENGTH:
        raise _bad_key_length()


def _bad_key_length() -> InvalidParameterValue:
    return InvalidParameterValue("Tag keys must be between 1 and 128 characters in length.")
