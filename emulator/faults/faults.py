"""The faults of one world: its rules, how often they met something and acted, and what they draw from."""

import copy
import fnmatch
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from emulator.domain.model import MessageAttributes
from emulator.faults.past import Past
from emulator.faults.profiles import PROFILES
from emulator.faults.rules import FaultRule, InvalidRule, Rule
from emulator.ids import Chance
from emulator.settings import Settings

R = TypeVar("R", bound=Rule)


class Content(NamedTuple):
    """What rules can tell a message by."""

    body: str
    attributes: MessageAttributes | None


class Occasion(NamedTuple):
    """One call, or one message or queue of a call, on which a rule may act."""

    action: str
    account: str
    now_ms: int
    queue: str | None = None
    is_fifo: bool = False
    messages: Sequence[Content] = ()
    """One of them must be what the rule asks for."""


class PlannedFault(msgspec.Struct, frozen=True):
    """A rule that is set."""

    rule: FaultRule
    matched: int
    """How many calls or messages it was for."""
    acted: int


class _Planned:
    """A rule with its counters."""

    def __init__(self, rule: FaultRule, profile: str | None) -> None:
        self.rule = rule
        self.profile = profile
        self.matched = 0
        self.acted = 0
        match = rule.match
        self._is_for_queue = None if match.queue is None else re.compile(fnmatch.translate(match.queue)).match
        self._found_in_body = None if match.body is None else re.compile(match.body).search

    def is_for(self, occasion: Occasion) -> bool:
        match, when = self.rule.match, self.rule.when
        return (
            occasion.action in (match.actions or self.rule.ACTIONS)
            and not (occasion.is_fifo and self.rule.STANDARD_ONLY)
            and match.account in (None, occasion.account)
            and (when.from_ms is None or occasion.now_ms >= when.from_ms)
            and (when.until_ms is None or occasion.now_ms < when.until_ms)
            and (self._is_for_queue is None or bool(self._is_for_queue(occasion.queue or "")))
            and (
                (match.attribute is None and match.body is None)
                or any(self._is_for_message(message) for message in occasion.messages)
            )
        )

    def _is_for_message(self, message: Content) -> bool:
        if self._found_in_body is not None and not self._found_in_body(message.body):
            return False
        asked = self.rule.match.attribute
        if asked is None:
            return True
        attribute = (message.attributes or {}).get(asked.name)
        return attribute is not None and asked.value in (None, attribute.string_value)

    def is_due(self, chance: Chance) -> bool:
        """On the match that was counted last. Draws only where nothing else decides."""
        when, number = self.rule.when, self.matched
        if when.times is not None and self.acted >= when.times:
            return False
        if when.nth is not None and number != when.nth:
            return False
        if when.every is not None and number % when.every:
            return False
        if when.sequence and not (number <= len(when.sequence) and when.sequence[number - 1]):
            return False
        return when.probability >= 1 or chance.random() < when.probability


class Faults:
    """Not made before the first rule is set: a world without rules has none."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.past = Past()
        self._planned: dict[str, _Planned] = {}
        self._by_kinds: dict[object, list[_Planned]] = {}

    def __len__(self) -> int:
        return len(self._planned)

    def add(self, rule: FaultRule) -> FaultRule:
        """The rule with its name filled in. Raises InvalidRule if the name is taken."""
        return self._add(rule, None)

    def remove(self, name: str) -> bool:
        """False: there is no rule of this name."""
        self._by_kinds.clear()
        return self._planned.pop(name, None) is not None

    def clear(self) -> None:
        self._by_kinds.clear()
        self._planned.clear()
        self.past.clear()

    def use_profile(self, name: str) -> None:
        """Sets its rules instead of those of another profile; `none` has none. Other rules stay."""
        for planned in [planned for planned in self._planned.values() if planned.profile is not None]:
            self.remove(planned.rule.name)
        for allowed in PROFILES[name]:
            self._add(allowed.rule, name)

    def rules(self) -> list[PlannedFault]:
        """In the order in which they were set, which is the order in which they are asked."""
        return [PlannedFault(one.rule, one.matched, one.acted) for one in self._planned.values()]

    def restart(self, chance: Chance) -> None:
        """From here on everything repeats: counters begin anew, and nothing that happened is remembered."""
        self.chance = chance
        self.past.clear()
        for planned in self._planned.values():
            planned.matched = planned.acted = 0

    def drawing_from(self, chance: Chance) -> "Faults":
        """The same rules and counters for a world that has no rules but a chance of its own.

        So accounts that share the server's rules, and run next to each other, do not share draws and past.
        """
        other = copy.copy(self)
        other.chance = chance
        other.past = Past()
        return other

    def has(self, *kinds: type[Rule]) -> bool:
        return any(self._of(kind) for kind in kinds)

    def strike(
        self,
        kinds: type[R] | tuple[type[R], ...],
        occasion: Occasion,
        applies: Callable[[R], bool] | None = None,
    ) -> R | None:
        """The rule of these kinds that acts, if any does: the first one that is due.

        Each rule that is for the occasion counts it, also where another one acts. `applies`: whether the rule
        would make a difference; where it would not, there is no occasion for it.
        """
        striking: R | None = None
        for planned in self._of(kinds):
            rule: R = planned.rule  # type: ignore[assignment]  # _of chose it by its type
            if not planned.is_for(occasion) or not (applies is None or applies(rule)):
                continue
            planned.matched += 1
            if striking is None and planned.is_due(self.chance):
                planned.acted += 1
                striking = rule
        return striking

    def _add(self, rule: FaultRule, profile: str | None) -> FaultRule:
        name = rule.name or self._free_name(rule.kind)
        if name in self._planned:
            raise InvalidRule("name", f"{name} is the name of another fault")
        rule = msgspec.structs.replace(rule, name=name)
        self._by_kinds.clear()
        self._planned[name] = _Planned(rule, profile)
        return rule

    def _free_name(self, kind: str) -> str:
        name, number = kind, 1
        while name in self._planned:
            number += 1
            name = f"{kind}-{number}"
        return name

    def _of(self, kinds: type[Rule] | tuple[type[Rule], ...]) -> list[_Planned]:
        found = self._by_kinds.get(kinds)
        if found is None:
            found = [planned for planned in self._planned.values() if isinstance(planned.rule, kinds)]
            self._by_kinds[kinds] = found
        return found


def declared_faults(settings: Settings, chance: Chance) -> Faults | None:
    """Those of the profile, then those of the config file; None if there are none."""
    faults = Faults(chance)
    faults.use_profile(settings.faults_profile)
    for text in settings.faults:
        faults.add(msgspec.json.decode(text, type=FaultRule))
    return faults or None
