"""Planned faults in words, and the fields of the form that plans one."""

from collections.abc import Callable
from typing import Any

import msgspec

from emulator.faults.profiles import PROFILES
from emulator.faults.rules import (
    KINDS,
    DelayedSend,
    DropConnection,
    Duplicate,
    EarlyExpiry,
    FaultRule,
    Latency,
    LostDelete,
    PartialPoll,
    Reorder,
    ServerError,
    StaleAttributes,
    StaleList,
)
from emulator.web.console.life import ordinal
from emulator.web.kit.clock import iso


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter of a kind of fault."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...] = ()
    """Value as JSON, and what it is called; without any, the value is a number."""
    value: str = ""
    """To begin with; empty: it may be left out."""
    least: float = 0
    most: float = 43_200
    step: str = "any"
    goes_with: str = ""
    """Latency: the distributions, with blanks between, that have it."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    about: str
    actions: tuple[str, ...]
    standard_only: bool
    fields: tuple[Field, ...]


_AFTER = Field(name="after_s", label="After, in seconds", value="0")
_FIELDS: dict[str, tuple[Field, ...]] = {
    "duplicate": (_AFTER,),
    "lost-delete": (Field(name="after_s", label="Back after, in seconds (else its timeout)"),),
    "reorder": (Field(name="window", label="Among the first", value="10", least=2, most=1000, step="1"),),
    "partial-poll": (
        Field(name="partitions", label="Partitions", value="4", least=1, most=100, step="1"),
        Field(name="sampled", label="Looked at", value="3", most=99, step="1"),
    ),
    "early-expiry": (Field(name="fraction", label="Fraction of the timeout", value="0.5", most=0.999),),
    "delayed-send": (Field(name="delay_s", label="Delay, in seconds", value="1", most=900),),
    "stale-list": (Field(name="lag_s", label="Behind, in seconds", value="1"),),
    "stale-attributes": (Field(name="lag_s", label="Behind, in seconds", value="60"),),
    "error": (Field(name="status", label="Status", options=(("500", "500"), ("503", "503"))),),
    "latency": (
        Field(
            name="distribution",
            label="Latency is",
            options=(
                ("", "the same for each call"),
                ('"uniform"', "uniform"),
                ('"normal"', "normal"),
                ('"exponential"', "exponential"),
            ),
        ),
        Field(name="ms", label="Milliseconds", value="200", most=900_000, goes_with="fixed"),
        Field(name="low_ms", label="From, in ms", value="50", most=900_000, goes_with="uniform"),
        Field(name="high_ms", label="To, in ms", value="500", most=900_000, goes_with="uniform"),
        Field(name="mean_ms", label="Mean, in ms", value="200", most=900_000, goes_with="normal exponential"),
        Field(name="deviation_ms", label="Deviation, in ms", value="50", most=900_000, goes_with="normal"),
    ),
    "drop-connection": (
        Field(
            name="at",
            label="Cut",
            options=(('"before"', "before the call has its effect"), ('"after"', "after it")),
        ),
    ),
}


def kinds() -> list[Kind]:
    """In the order of the documentation."""
    return [
        Kind(
            name=name,
            about=(kind.__doc__ or "").strip(),
            actions=tuple(sorted(kind.ACTIONS)),
            standard_only=kind.STANDARD_ONLY,
            fields=_FIELDS.get(name, ()),
        )
        for name, kind in KINDS.items()
    ]


def profile_of(names: list[str]) -> str:
    """The profile that rules of these names are of: theirs begin with its name, and no others can."""
    return next((one for one in PROFILES if any(name.startswith(f"{one}:") for name in names)), "none")


def what(rule: FaultRule) -> str:
    """What a rule does."""
    say = _SAID.get(rule.kind)
    return str(type(rule).__doc__).strip().rstrip(".") if say is None else say(rule)


def _latency(rule: Latency) -> str:
    amount = {
        None: f"{rule.ms:g} ms" if rule.ms is not None else "",
        "uniform": f"{rule.low_ms:g} to {rule.high_ms:g} ms" if rule.high_ms is not None else "",
        "normal": f"about {rule.mean_ms:g} ± {rule.deviation_ms:g} ms"
        if rule.deviation_ms is not None
        else "",
        "exponential": f"{rule.mean_ms:g} ms on average" if rule.mean_ms is not None else "",
    }
    return f"Waits {amount[rule.distribution]} before it takes effect"


def _duplicate(rule: Duplicate) -> str:
    return "Hands a copy out" + (f" {rule.after_s:g} s later" if rule.after_s else " at once")


def _lost_delete(rule: LostDelete) -> str:
    after = "when its timeout ends" if rule.after_s is None else f"after {rule.after_s:g} s"
    return f"Acknowledges the delete; the message comes back {after}"


def _reorder(rule: Reorder) -> str:
    return f"Takes any of the first {rule.window} messages"


def _partial_poll(rule: PartialPoll) -> str:
    return f"Looks at {rule.sampled} of {rule.partitions} partitions"


def _early_expiry(rule: EarlyExpiry) -> str:
    return f"Ends the visibility timeout after {rule.fraction:.0%} of it"


def _delayed_send(rule: DelayedSend) -> str:
    return f"Makes the message wait for {rule.delay_s:g} s"


def _stale(rule: StaleList | StaleAttributes) -> str:
    return f"Tells how things stood {rule.lag_s:g} s ago"


def _error(rule: ServerError) -> str:
    return f"Answers {rule.status}, without effect"


def _drop(rule: DropConnection) -> str:
    return f"Cuts the connection {rule.at} the call has its effect"


_SAID: dict[str, Callable[[Any], str]] = {
    "duplicate": _duplicate,
    "lost-delete": _lost_delete,
    "reorder": _reorder,
    "partial-poll": _partial_poll,
    "early-expiry": _early_expiry,
    "delayed-send": _delayed_send,
    "stale-list": _stale,
    "stale-attributes": _stale,
    "error": _error,
    "latency": _latency,
    "drop-connection": _drop,
}


def whom(rule: FaultRule) -> str:
    """Which calls and messages it is for."""
    match = rule.match
    parts = [
        ", ".join(match.actions) or (" and ".join(sorted(rule.ACTIONS)) if len(rule.ACTIONS) < 4 else "all")
    ]
    if match.queue is not None:
        parts.append(f"queue {match.queue}")
    if match.account is not None:
        parts.append(f"account {match.account}")
    if match.attribute is not None:
        value = "" if match.attribute.value is None else f" = {match.attribute.value}"
        parts.append(f"attribute {match.attribute.name}{value}")
    if match.body is not None:
        parts.append(f"body has /{match.body}/")
    return " · ".join(parts)


def when(rule: FaultRule) -> str:
    """On which of those it acts."""
    given = rule.when
    parts: list[str] = []
    if given.nth is not None:
        parts.append(f"the {ordinal(given.nth)} only")
    if given.every is not None:
        parts.append(f"every {ordinal(given.every)}")
    if given.sequence:
        parts.append("as listed: " + " ".join("✓" if one else "–" for one in given.sequence))
    if given.probability < 1:
        parts.append(f"{given.probability * 100:g} %")
    if given.times is not None:
        parts.append("once" if given.times == 1 else f"{given.times} times at most")
    if given.from_ms is not None:
        parts.append(f"from {iso(given.from_ms)}")
    if given.until_ms is not None:
        parts.append(f"until {iso(given.until_ms)}")
    return ", ".join(parts) or "always"
