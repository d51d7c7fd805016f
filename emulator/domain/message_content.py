"""What a message may contain and how large it is (spec 2.18, 3.2, 3.6)."""

from collections.abc import Mapping

from emulator.domain.model import MessageAttributeValue
from emulator.errors import InvalidMessageContents, InvalidParameterValue, MissingParameter

SHORT = 100
_FORBIDDEN_ASCII = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})


def require_body(body: str | None) -> str:
    if not body:
        raise MissingParameter("MessageBody")
    if not has_valid_characters(body):
        raise InvalidMessageContents
    return body


def has_valid_characters(text: str) -> bool:
    """Spec 3.2. For long texts, deleting bytes is two to four times faster than isprintable or a regex."""
    is_ascii = text.isascii()
    if is_ascii and len(text) <= SHORT and text.isprintable():
        return True
    try:
        encoded = text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can escape
        return False
    if len(encoded.translate(None, _FORBIDDEN_ASCII)) != len(encoded):
        return False
    return is_ascii or not ("\ufffe" in text or "\uffff" in text)


def message_bytes(body: str, attributes: Mapping[str, MessageAttributeValue] | None) -> int:
    """Body, and of each attribute its name, complete type and value; no system attributes (spec 3.6)."""
    size_bytes = _text_bytes(body)
    if attributes:
        size_bytes += sum(_text_bytes(name) + _attribute_bytes(value) for name, value in attributes.items())
    return size_bytes


def require_size(size_bytes: int, maximum_bytes: int) -> None:
    """Exactly the maximum is accepted, whatever the text says (recorded, E1 row 19)."""
    if size_bytes > maximum_bytes:
        raise InvalidParameterValue(
            f"One or more parameters are invalid. Reason: Message must be shorter than {maximum_bytes} bytes."
        )


def batch_entry_too_large(maximum_bytes: int) -> InvalidParameterValue:
    """A batch entry fails with another sentence than a whole request (recorded, E2)."""
    return InvalidParameterValue(
        "One or more parameters cannot be validated. "
        f"Reason: Message must be shorter than {maximum_bytes} bytes."
    )


def _attribute_bytes(attribute: MessageAttributeValue) -> int:
    return (
        _text_bytes(attribute.data_type or "")
        + _text_bytes(attribute.string_value or "")
        + len(attribute.binary_value or b"")
    )


def _text_bytes(text: str) -> int:
    """A batch is measured before its texts are checked, so a lone surrogate must not fail here."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
