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
        answer = dict(error.response)
    failure = answer.pop("Error", None)
    shape: Shape = {"status": str(answer.pop("ResponseMetadata")["HTTPStatusCode"])}
    if failure is not None:
        shape["code"] = failure.get("Code", "none")
        shape["type"] = failure.get("QueryErrorCode", shape["code"])
        shape["fault"] = failure.get("Type", "none")
    shape.update(leaves(answer))
    return shape


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
        return "digits" if value.isdecimal() else "text"
    return type(value).__name__


def differences(ours: Shape, theirs: Shape) -> frozenset[str]:
    """One line for each path that differs, as it stands in the table of departures."""
    return frozenset(
        f"{path}: ours {ours.get(path, 'absent')}, moto {theirs.get(path, 'absent')}"
        for path in ours.keys() | theirs.keys()
        if ours.get(path) != theirs.get(path)
    )
