"""What of an answer is compared: its members and their types, its error codes and its HTTP status."""

from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

Shape = dict[str, str]
"""From the path of each value in the answer, such as Messages[].Attributes.SentTimestamp, to its type."""


def shape_of(call: Callable[..., Mapping[str, Any]], arguments: Mapping[str, Any]) -> Shape:
    try:
        answer = dict(call(**arguments))
    except ClientError as error:
        return error_shape(error.response)
    status = answer.pop("ResponseMetadata")["HTTPStatusCode"]
    return {"status": str(status)} | leaves(answer)


def error_shape(answer: Mapping[str, Any]) -> Shape:
    """Only the error itself: what botocore puts beside it depends on the error's name, not on the server."""
    error = answer["Error"]
    code = str(error.get("Code"))
    return {
        "status": str(answer["ResponseMetadata"]["HTTPStatusCode"]),
        "code": code,
        "type": str(error.get("QueryErrorCode", code)),
        "fault": str(error.get("Type")),
        "text": "there" if error.get("Message") else "empty",
    }


def leaves(value: Any, path: str = "") -> Shape:
    """The length of a list does not count, only what is in it; an empty list or map is seen as such."""
    if isinstance(value, dict):
        children = [(f"{path}.{name}".lstrip("."), child) for name, child in value.items()]
    elif isinstance(value, list):
        children = [(f"{path}[]", child) for child in value]
    else:
        return {path: type_of(path, value)}
    found = {path: "empty"} if path and not children else {}
    for child_path, child in children:
        found |= leaves(child, child_path)
    return found


def type_of(path: str, value: Any) -> str:
    """Codes are values, not just text; whole numbers written as text are told from other text."""
    if path.endswith("Failed[].Code"):
        return f"code {value}"
    if isinstance(value, str):
        # A sender is known by digits or letters, depending on the kind of its credentials.
        return "digits" if value.isdecimal() and not path.endswith("SenderId") else "text"
    return type(value).__name__


def differences(ours: Shape, theirs: Shape) -> frozenset[str]:
    """A line for each path that differs. Where only one refuses or breaks, the two outcomes say it all."""
    if ours["status"][0] != theirs["status"][0] or ours.get("before") != theirs.get("before"):
        return frozenset({f"ours {outcome(ours)}, moto {outcome(theirs)}"})
    return frozenset(
        f"{path}: ours {ours.get(path, 'absent')}, moto {theirs.get(path, 'absent')}"
        for path in ours.keys() | theirs.keys()
        if ours.get(path) != theirs.get(path)
    )


def outcome(shape: Shape) -> str:
    return " ".join(shape[path] for path in ("before", "status", "code", "type") if path in shape)
