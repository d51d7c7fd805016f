"""What the texts of errors share: the most common sentence, and how a caller's value is quoted in it."""

import re

from emulator.errors import InvalidParameterValue

# Everything outside #x9 | #xA | #xD | #x20-#xD7FF | #xE000-#xFFFD | #x10000-#x10FFFF (spec 3.2): just the
# characters that no XML document can carry.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def escaped(text: str) -> str:
    """AWS quotes control characters raw, and no client can parse that XML (recorded, spec 3.11 end)."""
    if text.isascii() and text.isprintable():
        return text
    return FORBIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def invalid_value(value: object, parameter: str, reason: str) -> InvalidParameterValue:
    text = f"Value {value} for parameter {parameter} is invalid. Reason: {reason}"
    return InvalidParameterValue(escaped(text))
