"""Fair queues: standard queues whose messages carry a MessageGroupId, one for each tenant (spec 3.10)."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from emulator.domain.activity import Gauges
from emulator.domain.limits import NOISY_IN_FLIGHT, QUIET_AFTER_MS
from emulator.engine.state.message import DELAYED, IN_FLIGHT, Message

if TYPE_CHECKING:
    from emulator.engine.state.backlog import DeadLetters
    from emulator.engine.state.standard import StandardBacklog

MAX_PASSED = 10_000
"""A claim looks past so many messages of noisy tenants at most, which bounds its cost."""
MAX_TENANTS = 10_000


class Tenants:
    """What each tenant has in flight, and when it last sent something, as far as anybody remembers."""

    def __init__(self) -> None:
        self._in_flight: Counter[str] = Counter()
        self._busy: set[str] = set()
        """Those with so many messages in flight that they may be noisy."""
        self._sent_ms: dict[str, int] = {}

    def sent(self, tenant: str, sent_ms: int) -> None:
        self._sent_ms.pop(tenant, None)
        self._sent_ms[tenant] = sent_ms
        if len(self._sent_ms) > MAX_TENANTS:
            self._sent_ms.pop(next(iter(self._sent_ms)))

    def count_in_flight(self, tenant: str, change: int) -> None:
        count = self._in_flight[tenant] + change
        if count:
            self._in_flight[tenant] = count
        else:
            del self._in_flight[tenant]
        if count >= NOISY_IN_FLIGHT:
            self._busy.add(tenant)
        else:
            self._busy.discard(tenant)

    def clear_in_flight(self) -> None:
        self._in_flight.clear()
        self._busy.clear()

    def noisy(self, in_flight: int, now_ms: int) -> list[str]:
        """Those with more than a tenth of all messages in flight; first the one with the fewest."""
        found = [
            (self._in_flight[tenant], tenant)
            for tenant in self._busy
            if self._in_flight[tenant] * 10 > in_flight
            and now_ms < self._sent_ms.get(tenant, now_ms) + QUIET_AFTER_MS
        ]
        return [tenant for _, tenant in sorted(found)]


def with_quiet_groups(gauges: Gauges, backlog: "StandardBacklog", noisy: list[str]) -> Gauges:
    """The figures without the messages of noisy tenants. Looks at all messages, if any tenant is noisy."""
    visible, in_flight, delayed = gauges.visible, gauges.in_flight, gauges.delayed
    oldest_ms = gauges.oldest_ms
    if noisy:
        loud = [one for one in backlog.messages.values() if one.group_id in noisy]
        hidden = Counter(message.hidden for message in loud)
        in_flight -= hidden[IN_FLIGHT]
        delayed -= hidden[DELAYED]
        visible -= len(loud) - hidden[IN_FLIGHT] - hidden[DELAYED]
        oldest_ms = backlog.oldest_ms(without=noisy)
    return msgspec.structs.replace(
        gauges,
        noisy_groups=len(noisy),
        quiet_visible=visible,
        quiet_in_flight=in_flight,
        quiet_delayed=delayed,
        quiet_oldest_ms=oldest_ms,
    )


def pick(
    backlog: "StandardBacklog",
    leave: Callable[[], Message | None],
    noisy: list[str],
    limit: int,
    dead_letters: "DeadLetters | None",
) -> list[Message]:
    """Messages of quiet tenants first; then those of noisy ones, beginning with the fewest in flight."""
    taken: list[Message] = []
    passed: list[Message] = []
    while len(taken) < limit and len(passed) < MAX_PASSED and (message := leave()) is not None:
        if dead_letters is None or not dead_letters.takes(message, backlog):
            (passed if message.group_id in noisy else taken).append(message)
    for tenant in noisy:
        of_tenant = [message for message in passed if message.group_id == tenant]
        taken += of_tenant[: limit - len(taken)]
    kept = {message.seq for message in taken}
    backlog.put_back([message for message in passed if message.seq not in kept])
    return taken
