"""Message attributes: what may be sent (spec 3.3, 3.4) and what a receiver's names select (recorded, R2)."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from emulator.domain import limits
from emulator.domain.message_content import has_valid_characters
from emulator.domain.model import MessageAttributes, MessageAttributeValue
from emulator.domain.texts import escaped
from emulator.errors import InvalidParameterValue, UnsupportedOperation

TRACE_HEADER = "AWSTraceHeader"
BASE_TYPES = frozenset({"String", "Number", "Binary"})
EVERYTHING = frozenset({"All", "*", ".*"})
RESERVED_PREFIXES = ("aws.", "amazon.")
MAX_NUMBER_DIGITS = 38
SMALLEST_NUMBER = Decimal("1e-128")
LARGEST_NUMBER = Decimal("1e126")

# Recorded, E1 row 23: letters of any script are fine although the documentation wants ASCII. Double dots
# pass (U17).
_NAME = re.compile(r"[\w.-]+")
_PLAIN_NAME = re.compile("[A-Za-z0-9_-]{1,256}")  # most names: nothing else to check
_NUMBER = re.compile(r"[+-]?([0-9]*)\.?([0-9]*)(?:[eE][+-]?[0-9]{1,9})?")


def require_message_attributes(attributes: MessageAttributes | None) -> MessageAttributes | None:
    """The attributes as they are stored: empty lists and values of the other kind are dropped."""
    if not attributes:
        return None
    count = len(attributes)
    if count > limits.MAX_MESSAGE_ATTRIBUTES:
        raise InvalidParameterValue(
            f"Number of message attributes [{count}] exceeds "
            f"the allowed maximum [{limits.MAX_MESSAGE_ATTRIBUTES}]."
        )
    return {_require_name(name): _require_attribute(name, value) for name, value in attributes.items()}


def require_system_attributes(attributes: MessageAttributes | None) -> str | None:
    """The AWSTraceHeader, the only system attribute that can be sent (spec 3.4)."""
    if not attributes:
        return None
    for name in attributes:
        if name != TRACE_HEADER:
            raise InvalidParameterValue(f"Message system attribute name '{escaped(name)}' is invalid.")
    attribute = attributes[TRACE_HEADER]
    _refuse_lists(attribute)
    if attribute.data_type != "String":
        raise InvalidParameterValue(
            f"The type of message (system) attribute '{TRACE_HEADER}' is invalid. "
            "You must use only the following supported type prefixes: String."
        )
    if not attribute.string_value:
        raise InvalidParameterValue(
            f"Message (system) attribute '{TRACE_HEADER}' must contain a non-empty value of type 'String'."
        )
    _require_characters("system", TRACE_HEADER, attribute.string_value)
    return attribute.string_value


def select_message_attributes(
    attributes: Mapping[str, MessageAttributeValue] | None, names: Sequence[str]
) -> MessageAttributes:
    """Unknown and even illegal names select nothing and never fail (recorded, R2)."""
    if not names or not attributes:
        return {}
    if not EVERYTHING.isdisjoint(names):
        return dict(attributes)
    # `Hel.*` returns `Hello` too: the dot belongs to the wildcard (recorded, R2).
    prefixes = tuple(name[:-2] for name in names if name.endswith(".*"))
    return {name: value for name, value in attributes.items() if name in names or name.startswith(prefixes)}


def _require_name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    if not name:
        raise InvalidParameterValue("The request must contain non-empty message (user) attribute names.")
    if _is_longer(name, limits.MAX_ATTRIBUTE_NAME_LENGTH):
        raise InvalidParameterValue("Message (user) attribute name must be shorter than 256 bytes.")
    if name[:7].lower().startswith(RESERVED_PREFIXES):
        raise InvalidParameterValue(
            "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. "
            "These strings are reserved for internal use."
        )
    if not _NAME.fullmatch(name) or name[0] == "." or name[-1] == ".":
        # Recorded, E1 row 23: the code; the text is our own.
        raise InvalidParameterValue(
            f"Message (user) attribute name '{escaped(name)}' is invalid. It can contain letters, digits, "
            "underscores, hyphens and periods, and must not begin or end with a period."
        )
    return name


def _require_attribute(name: str, attribute: MessageAttributeValue) -> MessageAttributeValue:
    base_type = _require_type(name, attribute.data_type)
    _refuse_lists(attribute)
    if attribute.string_value is None and attribute.binary_value is None:
        raise InvalidParameterValue(
            f"The message (user) attribute '{name}' must contain a non-empty message attribute value."
        )
    value = attribute.binary_value if base_type == "Binary" else attribute.string_value
    if not value:
        # Recorded, E1 row 21.
        raise InvalidParameterValue(
            f"Message (user) attribute '{name}' must contain a non-empty value of type '{base_type}'."
        )
    if isinstance(value, bytes):
        return MessageAttributeValue(binary_value=value, data_type=attribute.data_type)
    _require_characters("user", name, value)
    if base_type == "Number" and not _is_number(value):
        raise InvalidParameterValue(f"Can't cast the value of message (user) attribute '{name}' to a number.")
    return MessageAttributeValue(string_value=value, data_type=attribute.data_type)


def _require_type(name: str, data_type: str | None) -> str:
    """The type without its custom label."""
    if data_type in BASE_TYPES:
        return data_type
    if not data_type:
        raise InvalidParameterValue(
            f"The message (user) attribute '{name}' must contain a non-empty message attribute type."
        )
    if _is_longer(data_type, limits.MAX_ATTRIBUTE_TYPE_LENGTH):
        # Recorded, E1 row 23: the code; the text follows that for names.
        raise InvalidParameterValue("Message (user) attribute type must be shorter than 256 bytes.")
    base_type = data_type.partition(".")[0]
    if base_type not in BASE_TYPES or not has_valid_characters(data_type):
        raise InvalidParameterValue(
            f"The type of message (user) attribute '{name}' is invalid. "
            "You must use only the following supported type prefixes: Binary, Number, String."
        )
    return base_type


def _refuse_lists(attribute: MessageAttributeValue) -> None:
    if attribute.string_list_values or attribute.binary_list_values:
        raise UnsupportedOperation(
            "Message attribute list values in SendMessage operation are not supported."
        )


def _require_characters(kind: str, name: str, value: str) -> None:
    """Not InvalidMessageContents, as for the body (recorded, E1 row 22); the text is our own."""
    if not has_valid_characters(value):
        raise InvalidParameterValue(f"Message ({kind}) attribute '{name}' contains invalid characters.")


def _is_number(text: str) -> bool:
    """Up to 38 digits, zeros at the ends left aside, between 10^-128 and 10^126 (spec 3.3)."""
    if len(text) <= MAX_NUMBER_DIGITS and text.isascii() and text.isdigit():
        return True
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return False
    digits = (match[1] + match[2]).strip("0")
    if not digits:
        return True
    # The constructor of Decimal is exact; arithmetic on it would round to 28 digits.
    return len(digits) <= MAX_NUMBER_DIGITS and SMALLEST_NUMBER <= Decimal(text).copy_abs() <= LARGEST_NUMBER


def _is_longer(text: str, maximum_bytes: int) -> bool:
    return len(text) > maximum_bytes or (
        not text.isascii() and len(text.encode(errors="replace")) > maximum_bytes
    )
