"""Planned misbehaviour, set from the outside."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import msgspec

from emulator.testing.answers import Fault
from emulator.testing.connection import Connection

MATCH = ("actions", "queue", "attribute", "body")
WHEN = ("probability", "nth", "every", "sequence", "times", "from_ms", "until_ms")


class Faults(msgspec.Struct, frozen=True):
    faults: list[Fault]


class FaultControl:
    """The faults of one account; with `account=None` those of all that have none of their own."""

    def __init__(self, connection: Connection, account: str | None) -> None:
        self._connection = connection
        self._account = account

    def add(self, kind: str, **rule: Any) -> Fault:
        """Plans a fault: `add("duplicate", queue="orders", every=2)`.

        Which calls and messages it is for: `actions`, `queue` (a name, a pattern or a URL), `attribute`
        (`"name"` or `"name=value"`), `body`. When it acts: `probability`, `nth`, `every`, `sequence`,
        `times`, `from_ms`, `until_ms`. The rest: its `name`, and what belongs to its kind, such as `ms=200`
        of `latency`. docs/test-kit.md describes all of them.
        """
        planned: dict[str, Any] = {"kind": kind, "match": {}, "when": {}}
        for name, value in rule.items():
            if name in MATCH:
                planned["match"][name] = _READ.get(name, _as_it_is)(value)
            elif name in WHEN:
                planned["when"][name] = value
            else:
                planned[name] = value
        return self.add_rule(planned)

    def add_rule(self, rule: Mapping[str, object]) -> Fault:
        """Plans a fault spelled as in the API and in config files: with `match` and `when`."""
        path = "faults" if self._account is None else f"faults?account={self._account}"
        (added,) = self._connection.post(path, Faults, rule).faults
        return added

    def planned(self) -> list[Fault]:
        """Those that hold, in the order in which they are asked, each with its counts."""
        return self._connection.get("faults", Faults, {"account": self._account}).faults

    def remove(self, name: str) -> None:
        self._connection.call("DELETE", f"faults/{quote(name, safe='')}", query={"account": self._account})

    def clear(self) -> None:
        self._connection.call("DELETE", "faults", query={"account": self._account})

    def profile(self, name: str) -> None:
        """Plans all that a profile has: `aws`, `hostile`; `none` clears."""
        self._connection.call("PUT", "faults/profile", body={"profile": name, "account": self._account})


def _as_it_is(value: object) -> object:
    return value


def _queue_pattern(queue: str) -> str:
    return unquote(urlsplit(queue).path).rpartition("/")[2] if "/" in queue else queue


def _attribute(attribute: str) -> dict[str, str]:
    name, given, value = attribute.partition("=")
    return {"name": name, "value": value} if given else {"name": name}


_READ: dict[str, Callable[[Any], object]] = {"queue": _queue_pattern, "attribute": _attribute}
