"""The rules of planned misbehaviour, as JSON and YAML spell them: one struct for each kind.

`ABOUT` says what a rule counts and decides on: each call, or each message of a call.
"""

import enum
import re
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

RECEIVES = frozenset({"ReceiveMessage"})
SENDS = frozenset({"SendMessage", "SendMessageBatch"})
DELETES = frozenset({"DeleteMessage", "DeleteMessageBatch"})
LISTS = frozenset({"ListQueues"})
READS = frozenset({"GetQueueAttributes"})
ACTIONS = RECEIVES | SENDS | DELETES | LISTS | READS | {
    "AddPermission", "CancelMessageMoveTask", "ChangeMessageVisibility", "ChangeMessageVisibilityBatch",
    "CreateQueue", "DeleteQueue", "GetQueueUrl", "ListDeadLetterSourceQueues", "ListMessageMoveTasks",
    "ListQueueTags", "PurgeQueue", "RemovePermission", "SetQueueAttributes", "StartMessageMoveTask",
    "TagQueue", "UntagQueue",
}  # fmt: skip
"""All of them. They stand here again because the operations are further up."""

Name = Annotated[str, Meta(pattern="^([A-Za-z0-9][A-Za-z0-9_.-]{0,79})?$")]
Seconds = Annotated[float, Meta(ge=0, le=43_200)]
Milliseconds = Annotated[float, Meta(ge=0, le=900_000)]
Count = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Text = Annotated[str, Meta(min_length=1, max_length=1_000)]


class InvalidRule(ValueError):
    """Why a rule is refused. `where` is the member, such as `when.probability`; empty for the rule itself."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.where = where
        self.what = what


class About(enum.Enum):
    CALL = "call"
    """Counts calls. Those that send know messages: any of them may be the one that the rule asks for."""
    MESSAGE = "message"
    """Counts messages: each one of a batch is decided on by itself."""
    NOTHING = "nothing"
    """Counts calls or queues, before any message is looked at."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class AttributeMatch(_Part, frozen=True):
    """A message attribute; without a value, whatever its value is."""

    name: Text
    value: str | None = None


class Match(_Part, frozen=True):
    """Which calls and messages a rule is for. What is not given does not matter."""

    actions: tuple[str, ...] = ()
    queue: Text | None = None
    """The name, or a pattern with `*`, `?` and `[…]`."""
    account: Annotated[str, Meta(pattern="^[0-9]{12}$")] | None = None
    """Of the caller."""
    attribute: AttributeMatch | None = None
    body: Text | None = None
    """A regular expression, searched for in the body."""

    def __post_init__(self) -> None:
        for action in self.actions:
            if action not in ACTIONS:
                raise InvalidRule("match.actions", f"{action!r} is no action of SQS")
        try:
            re.compile(self.body or "")
        except re.error as error:
            raise InvalidRule("match.body", f"is no regular expression: {error}") from None


class When(_Part, frozen=True):
    """On which of the calls (or messages) that match the rule acts. Without any of this: on all."""

    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    nth: Count | None = None
    """Only on this one, counted from 1."""
    every: Count | None = None
    """On each n-th one."""
    sequence: tuple[bool, ...] = ()
    """On the first ones as listed, and on none after them."""
    times: Count | None = None
    """So often at most."""
    from_ms: int | None = None
    """By the account's clock. What comes before is not counted either."""
    until_ms: int | None = None

    def __post_init__(self) -> None:
        if (self.nth is not None) + (self.every is not None) + bool(self.sequence) > 1:
            raise InvalidRule("when", "only one of nth, every and sequence can be given")
        if self.from_ms is not None and self.until_ms is not None and self.from_ms >= self.until_ms:
            raise InvalidRule("when.until_ms", "must be later than from_ms")


class Rule(_Part, frozen=True, tag_field="kind"):
    ACTIONS: ClassVar[frozenset[str]] = ACTIONS
    """Those in which this kind happens."""
    ABOUT: ClassVar[About] = About.CALL
    STANDARD_ONLY: ClassVar[bool] = False
    """AWS rules it out on FIFO queues."""

    name: Name = ""
    """Its kind, with a number if that is taken, unless given."""
    match: Match = Match()
    when: When = When()

    def __post_init__(self) -> None:
        match, kind = self.match, self.kind
        for action in match.actions:
            if action not in self.ACTIONS:
                happens = " and ".join(sorted(self.ACTIONS))
                raise InvalidRule("match.actions", f"{kind} happens in {happens} only, not in {action}")
        if self.STANDARD_ONLY and match.queue is not None and match.queue.endswith(".fifo"):
            raise InvalidRule("match.queue", f"AWS rules out {kind} on FIFO queues, such as {match.queue}")
        asked = "match.body" if match.body is not None else "match.attribute"
        if match.body is not None or match.attribute is not None:
            if self.ABOUT is About.NOTHING:
                raise InvalidRule(asked, f"{kind} is decided before any message is looked at")
            if self.ABOUT is About.CALL and match.actions and SENDS.isdisjoint(match.actions):
                raise InvalidRule(asked, f"only calls that send messages can be told by them for {kind}")

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)


class Duplicate(Rule, frozen=True, tag="duplicate"):
    """A delivered message is handed out once more, as a copy of its own, whether it is deleted or not."""

    ACTIONS = RECEIVES
    ABOUT = About.MESSAGE
    STANDARD_ONLY = True
    after_s: Seconds = 0.0


class LostDelete(Rule, frozen=True, tag="lost-delete"):
    """A delete is acknowledged, and yet the message comes back."""

    ACTIONS = DELETES
    ABOUT = About.MESSAGE
    STANDARD_ONLY = True
    after_s: Seconds | None = None
    """Without it: when its visibility timeout ends."""


class Reorder(Rule, frozen=True, tag="reorder"):
    """A receive takes any of the first messages, in any order."""

    ACTIONS = RECEIVES
    ABOUT = About.NOTHING
    STANDARD_ONLY = True
    window: Annotated[int, Meta(ge=2, le=1_000)] = 10


class PartialPoll(Rule, frozen=True, tag="partial-poll"):
    """A short poll looks at some of the partitions of a queue only."""

    ACTIONS = RECEIVES
    ABOUT = About.NOTHING
    STANDARD_ONLY = True
    partitions: Annotated[int, Meta(ge=1, le=100)] = 4
    sampled: Annotated[int, Meta(ge=0, le=99)] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sampled >= self.partitions:
            raise InvalidRule("sampled", f"must be less than partitions, which is {self.partitions}")


class EarlyExpiry(Rule, frozen=True, tag="early-expiry"):
    """The visibility timeout of a delivered message ends before its time."""

    ACTIONS = RECEIVES
    ABOUT = About.MESSAGE
    STANDARD_ONLY = True
    fraction: Annotated[float, Meta(ge=0, lt=1)] = 0.5
    """Of the timeout, after which the message is visible again."""


class DelayedSend(Rule, frozen=True, tag="delayed-send"):
    """A message that was sent can be received only later."""

    ACTIONS = SENDS
    ABOUT = About.MESSAGE
    STANDARD_ONLY = True
    delay_s: Annotated[float, Meta(ge=0, le=900)] = 1.0


class StaleList(Rule, frozen=True, tag="stale-list"):
    """ListQueues does not know of queues created, or still knows those deleted, a moment ago."""

    ACTIONS = LISTS
    ABOUT = About.NOTHING
    lag_s: Seconds = 1.0


class StaleAttributes(Rule, frozen=True, tag="stale-attributes"):
    """GetQueueAttributes tells attributes and counts as they were a moment ago."""

    ACTIONS = READS
    ABOUT = About.NOTHING
    lag_s: Seconds = 60.0


class Throttle(Rule, frozen=True, tag="throttle"):
    """A call is refused with RequestThrottled."""


class ServerError(Rule, frozen=True, tag="error"):
    """A call is answered with 500 or 503, and has no effect."""

    status: Literal[500, 503] = 500


class Latency(Rule, frozen=True, tag="latency"):
    """A call waits, by the account's clock, before it takes effect."""

    ms: Milliseconds | None = None
    """The same for each call; or else a distribution."""
    distribution: Literal["uniform", "normal", "exponential"] | None = None
    low_ms: Milliseconds | None = None
    high_ms: Milliseconds | None = None
    mean_ms: Milliseconds | None = None
    deviation_ms: Milliseconds | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        needed = _LATENCY_MEMBERS[self.distribution]
        for member in ("ms", "low_ms", "high_ms", "mean_ms", "deviation_ms"):
            given = getattr(self, member) is not None
            if given and member not in needed:
                raise InvalidRule(member, f"does not go with {_latency_by(self.distribution)}")
            if not given and member in needed:
                raise InvalidRule("", f"needs {member} with {_latency_by(self.distribution)}")
        if self.low_ms is not None and self.high_ms is not None and self.low_ms > self.high_ms:
            raise InvalidRule("high_ms", "must not be less than low_ms")


_LATENCY_MEMBERS: dict[str | None, tuple[str, ...]] = {
    None: ("ms",),
    "uniform": ("low_ms", "high_ms"),
    "normal": ("mean_ms", "deviation_ms"),
    "exponential": ("mean_ms",),
}


def _latency_by(distribution: str | None) -> str:
    return "a fixed latency (no distribution)" if distribution is None else f"distribution {distribution}"


class DropConnection(Rule, frozen=True, tag="drop-connection"):
    """The connection is cut instead of an answer, before the call has its effect or after."""

    at: Literal["before", "after"] = "before"


class LostReply(Rule, frozen=True, tag="lost-reply"):
    """The call has its effect, and is never answered: the caller waits until it gives up."""


FaultRule = (
    Duplicate
    | LostDelete
    | Reorder
    | PartialPoll
    | EarlyExpiry
    | DelayedSend
    | StaleList
    | StaleAttributes
    | Throttle
    | ServerError
    | Latency
    | DropConnection
    | LostReply
)
KINDS: dict[str, type[FaultRule]] = {str(kind.__struct_config__.tag): kind for kind in FaultRule.__args__}
