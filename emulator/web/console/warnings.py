"""What deserves a look: small rules over how queues stand and what happened to them lately."""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from emulator.domain.activity import MINUTE_MS, Gauges, Minute
from emulator.domain.model import Queue, QueueKey
from emulator.web.console.formats import duration, number
from emulator.web.console.relations import Link

WINDOW_MS = 5 * MINUTE_MS
"""What counts as lately."""
SHARE_OF_RETENTION = 0.8

LEVELS = {
    "alarm": "alarm",
    "lost": "alarm",
    "fills": "warn",
    "dangling": "warn",
    "undeleted": "warn",
    "no-dlq": "info",
}


class Warned(msgspec.Struct, frozen=True):
    kind: str
    """One of LEVELS."""
    key: QueueKey
    text: str
    """What is said of the queue; its name stands before it."""

    @property
    def level(self) -> str:
        return LEVELS[self.kind]


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """One queue, as the rules look at it."""

    queue: Queue
    gauges: Gauges
    minutes: Sequence[Minute]
    """As Engine.history gives them, from before WINDOW_MS on."""
    now_ms: int
    link: Link | None = None
    """Where its own spent messages go."""
    is_target: bool = False
    """It is a dead-letter queue."""
    alarms: Collection[str] = ()
    """Names of its alarms that are in the state ALARM."""


def warnings_of(one: Watched) -> list[Warned]:
    """The worst first."""
    texts = (
        ("alarm", in_alarm(one)),
        ("lost", near_the_end(one)),
        ("fills", fills(one)),
        ("dangling", leads_nowhere(one)),
        ("undeleted", received_and_not_deleted(one)),
        ("no-dlq", without_dead_letter_queue(one)),
    )
    return [Warned(kind, one.queue.key, text) for kind, text in texts if text is not None]


def in_alarm(one: Watched) -> str | None:
    if not one.alarms:
        return None
    noun = "alarm is" if len(one.alarms) == 1 else "alarms are"
    return f"its {noun} in ALARM: {', '.join(sorted(one.alarms))}"


def near_the_end(one: Watched) -> str | None:
    """The oldest message has had most of its time."""
    if one.gauges.oldest_ms is None:
        return None
    age_ms = one.now_ms - one.gauges.oldest_ms
    if age_ms < SHARE_OF_RETENTION * one.queue.retention_ms:
        return None
    age, kept = duration(age_ms / 1000), duration(one.queue.retention_ms / 1000)
    return f"its oldest message is {age} old, and messages are kept for {kept}"


def fills(one: Watched) -> str | None:
    """A dead-letter queue that has messages."""
    count = one.gauges.messages
    if not one.is_target or not count:
        return None
    text = f"holds {number(count)} dead letter{'' if count == 1 else 's'}"
    more = count - _count_at(one.minutes, one.now_ms - WINDOW_MS)
    return text if more <= 0 else f"{text}, {number(more)} of them new in {duration(WINDOW_MS / 1000)}"


def leads_nowhere(one: Watched) -> str | None:
    if one.link is None or not one.link.is_dangling:
        return None
    return f"its dead-letter queue {one.link.target.name} does not exist"


def received_and_not_deleted(one: Watched) -> str | None:
    """Only once a message could have been dealt with: its visibility timeout is over."""
    lately = [minute for minute in one.minutes if minute.start_ms > one.now_ms - WINDOW_MS]
    received = [minute for minute in lately if minute.tally.received]
    if not received or any(minute.tally.deleted for minute in lately):
        return None
    latest_ms = received[0].start_ms + MINUTE_MS + one.queue.visibility_timeout_s * 1000
    if one.now_ms < latest_ms:
        return None
    count = sum(minute.tally.received for minute in received)
    noun = "message was" if count == 1 else "messages were"
    return f"{number(count)} {noun} received in {duration(WINDOW_MS / 1000)}, and none deleted"


def without_dead_letter_queue(one: Watched) -> str | None:
    return None if one.link is not None or one.is_target else "has no dead-letter queue"


def _count_at(minutes: Iterable[Minute], moment_ms: int) -> int:
    """How many messages were there then: what the last minute that ended by then says."""
    count = 0
    for minute in minutes:
        if minute.start_ms + MINUTE_MS > moment_ms:
            break
        count = minute.gauges.messages
    return count
