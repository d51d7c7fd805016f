"""From the arguments of a call to the parameters of the Query protocol, whatever the arguments are."""

import json
import pathlib
from typing import Any

QUERY_FILE = pathlib.Path(__file__).parents[1] / "support" / "query-members.json"
QUERY: dict[str, Any] = json.loads(QUERY_FILE.read_text())["operations"]


def flattened(operation: str, arguments: dict[str, Any]) -> dict[str, str]:
    fields: dict[str, str] = {}
    _add_members(fields, "", QUERY[operation]["input"], arguments)
    return fields


def _add_members(
    fields: dict[str, str], prefix: str, members: dict[str, Any], values: dict[str, Any]
) -> None:
    for name, value in values.items():
        if name in members:
            _add(fields, prefix + members[name]["wire"].removesuffix(".{n}"), members[name], value)


def _add(fields: dict[str, str], name: str, member: dict[str, Any], value: Any) -> None:
    item = member.get("item", {})
    if isinstance(value, dict) and "key" in member:
        for number, (key, one) in enumerate(value.items(), 1):
            fields[f"{name}.{number}.{member['key']}"] = key
            _add(fields, f"{name}.{number}.{member['value']}", item, one)
    elif isinstance(value, dict):
        _add_members(fields, f"{name}.", member.get("members", {}), value)
    elif isinstance(value, list):
        for number, one in enumerate(value, 1):
            _add(fields, f"{name}.{number}", item, one)
    else:
        fields[name] = value if isinstance(value, str) else json.dumps(value)
