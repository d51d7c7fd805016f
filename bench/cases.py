"""What is measured: one row a case, and the plan that load.lua follows for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.wire import ENTRY_NAMES, MESSAGE, body_of, head_of, request_of

GROUPS = 1000
GROUP, NUMBER = "1357", "975318642"
"""Stand for group and number in the requests that load.lua numbers."""
Plan = dict[str, Any]


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    kind: str
    """constant, numbered or pair: see load.lua."""
    action: str
    messages: int
    """How many messages one request (or pair) carries."""
    fifo: bool = False

    @property
    def is_pair(self) -> bool:
        return self.kind == "pair"


CASES = (
    Case("send", "SendMessage", "constant", "SendMessage", 1),
    Case("pair", "ReceiveMessage(1) + DeleteMessage", "pair", "DeleteMessage", 1),
    Case("send10", "SendMessageBatch(10)", "constant", "SendMessageBatch", 10),
    Case("pair10", "ReceiveMessage(10) + DeleteMessageBatch(10)", "pair", "DeleteMessageBatch", 10),
    Case("empty", "ReceiveMessage, empty queue", "constant", "ReceiveMessage", 0),
    Case("fifo-send", "FIFO SendMessage", "numbered", "SendMessage", 1, fifo=True),
    Case("fifo-pair", "FIFO ReceiveMessage(1) + DeleteMessage", "pair", "DeleteMessage", 1, fifo=True),
)
BY_NAME = {case.name: case for case in CASES}


def plan_of(case: Case, protocol: str, port: int, url: str, base: int) -> Plan:
    if case.kind == "pair":
        return _pair_plan(case, protocol, port, url)
    if case.kind == "numbered":
        members = {
            "QueueUrl": url,
            "MessageBody": MESSAGE,
            "MessageGroupId": f"group-{GROUP}",
            "MessageDeduplicationId": NUMBER,
        }
        text = request_of(protocol, case.action, members, port, url)
        head, rest = text.split(GROUP)
        middle, tail = rest.split(NUMBER)
        return {
            "kind": "numbered",
            "head": head,
            "middle": middle,
            "tail": tail,
            "groups": GROUPS,
            "base": base,
        }
    members = _constant_members(case, url)
    return {"kind": "constant", "request": request_of(protocol, case.action, members, port, url)}


def _constant_members(case: Case, url: str) -> dict[str, Any]:
    if case.action == "ReceiveMessage":
        return {"QueueUrl": url, "MaxNumberOfMessages": 10}
    if case.action == "SendMessage":
        return {"QueueUrl": url, "MessageBody": MESSAGE}
    return {"QueueUrl": url, "Entries": entries(case.messages)}


def entries(count: int, first: int | None = None) -> list[Mapping[str, Any]]:
    """Those of a SendMessageBatch; with `first`, each for a group and with a number of its own."""
    plain = [{"Id": f"m{number}", "MessageBody": MESSAGE} for number in range(count)]
    if first is None:
        return list(plain)
    return [
        entry | {"MessageGroupId": f"group-{at % GROUPS:04}", "MessageDeduplicationId": f"fill-{at}"}
        for at, entry in enumerate(plain, first)
    ]


def _pair_plan(case: Case, protocol: str, port: int, url: str) -> Plan:
    asked = {"QueueUrl": url, "MaxNumberOfMessages": case.messages}
    plan: Plan = {
        "kind": "pair",
        "receive": request_of(protocol, "ReceiveMessage", asked, port, url),
        "delete": head_of(protocol, case.action, port, url),
        "quoted": protocol == "query",
        "failure": '"SenderFault"' if protocol == "json" else "<BatchResultErrorEntry>",
        "tail": "",
        "between": "",
    }
    if protocol == "json":
        plan |= {"mark": '"ReceiptHandle"', "open": '"', "close": '"'}
    else:
        plan |= {"mark": "<ReceiptHandle", "open": ">", "close": "<"}
    head = body_of(protocol, case.action, {"QueueUrl": url})
    if protocol == "query":
        prefixes = ["&ReceiptHandle="]
        if case.messages > 1:
            name = ENTRY_NAMES[case.action]
            prefixes = [f"&{name}.{n}.Id=m{n}&{name}.{n}.ReceiptHandle=" for n in range(1, 11)]
        return plan | {"head": head, "prefixes": prefixes}
    if case.messages == 1:
        return plan | {"head": head[:-1], "prefixes": [', "ReceiptHandle": "'], "tail": '"}'}
    prefixes = [f'{{"Id": "m{n}", "ReceiptHandle": "' for n in range(1, 11)]
    head = head[:-1] + ', "Entries": ['
    return plan | {"head": head, "prefixes": prefixes, "between": '"}, ', "tail": '"}]}'}


def lua_of(value: Any) -> str:
    """A value as Lua source."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {lua_of(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ", ".join(lua_of(item) for item in value) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n")
    return f'"{text}"'
