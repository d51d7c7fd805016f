"""Handles of move tasks: base64 of a JSON object (recorded, spec 3.12)."""

import base64

import msgspec

from emulator.domain.model import MoveTask
from emulator.errors import InvalidParameterValue


class TaskReference(msgspec.Struct, frozen=True, rename="camel"):
    task_id: str
    source_arn: str


def task_handle(task: MoveTask) -> str:
    reference = TaskReference(task.task_id, task.source_arn)
    return base64.b64encode(msgspec.json.encode(reference)).decode()


def task_of_handle(handle: str) -> TaskReference:
    """Raises InvalidParameterValue for what cannot be decoded (recorded, E1 row 49)."""
    try:
        return msgspec.json.decode(base64.b64decode(handle, validate=True), type=TaskReference)
    except (ValueError, msgspec.DecodeError, RecursionError) as error:
        raise InvalidParameterValue("Value for parameter TaskHandle is invalid.") from error
