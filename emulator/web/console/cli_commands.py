"""An AWS request as a command of the aws CLI, to be pasted into a shell such as bash."""

import base64
import json
import re
import shlex
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec

from emulator.web.console.asked import Asked

_FIRST_CAP = re.compile("(.)([A-Z][a-z]+)")
_LAST_CAP = re.compile("([a-z0-9])([A-Z])")
_READ_FROM = re.compile(r"(?:fileb?|https?)://")
"""The CLI takes such a value for the name of what has the value."""
_UNSAYABLE = re.compile("[\x00\ud800-\udfff]")
"""What an argument of a command cannot have, and JSON can."""
_WORD = re.compile(r"[A-Za-z0-9_./:+][A-Za-z0-9_./:+-]*")
SECRET = "test"
"""Any will do."""


class Command(msgspec.Struct, frozen=True):
    text: str
    """Empty: there is none."""
    note: str = ""


def command_for(asked: Asked, *, endpoint_url: str, account: str, region: str) -> Command:
    """For whoever can reach `endpoint_url`. The access key id stands for the account."""
    if asked.values is None:
        return Command("", "The request cannot be read as a whole, so there is no command for it.")
    values = _plain(asked.values)
    if isinstance(values.get("QueueUrl"), str):
        values["QueueUrl"] = _reachable(values["QueueUrl"], endpoint_url)
    lines = [
        f"AWS_ACCESS_KEY_ID={shlex.quote(account)} AWS_SECRET_ACCESS_KEY={SECRET}",
        f"aws {asked.service} {cli_name(asked.action)}",
        f"    --endpoint-url {shlex.quote(endpoint_url)} --region {shlex.quote(region)}",
    ]
    if _needs_json(values):
        lines.append(f"    --cli-input-json {shlex.quote(_json(values))}")
    else:
        lines += [f"    {_option(cli_name(name), value)}" for name, value in values.items()]
    note = "Binary values are written as version 2 of the CLI reads them." if _has_binary(values) else ""
    return Command(" \\\n".join(lines), note)


def cli_name(name: str) -> str:
    """`ReceiveMessageWaitTimeSeconds` is `receive-message-wait-time-seconds` there, as botocore makes it."""
    return _LAST_CAP.sub(r"\1-\2", _FIRST_CAP.sub(r"\1-\2", name)).lower()


def _option(name: str, value: Any) -> str:
    if value is True or value is False:
        return f"--{name}" if value else f"--no-{name}"
    if isinstance(value, list) and value and all(_is_word(item) for item in value):
        return f"--{name} {' '.join(value)}"
    text = value if isinstance(value, str) else _json(value)
    # What begins with a dash would be taken for the next option.
    return f"--{name}{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None and not _READ_FROM.match(value)


def _needs_json(values: dict[str, Any]) -> bool:
    """Whether a value would mean something else on a command line."""
    return any(
        _UNSAYABLE.search(value) or (_READ_FROM.match(value) and name != "QueueUrl")
        for name, value in values.items()
        if isinstance(value, str)
    )


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if _UNSAYABLE.search(text) else text


def _plain(value: Any) -> Any:
    """What CBOR has and JSON has not, as the CLI takes it."""
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value if isinstance(value, str | int | float) else str(value)


def _has_binary(value: Any) -> bool:
    if isinstance(value, dict):
        return "BinaryValue" in value or any(_has_binary(item) for item in value.values())
    return isinstance(value, list) and any(_has_binary(item) for item in value)


def _reachable(queue_url: str, endpoint_url: str) -> str:
    """Only the path of a queue URL counts, so it may as well begin with the host that is known here."""
    try:
        path = urlsplit(queue_url).path if "://" in queue_url else queue_url
    except ValueError:
        return queue_url
    return endpoint_url + path if path.startswith("/") else queue_url
