"""Dead-letter queues: RedrivePolicy on the source, RedriveAllowPolicy on the target (spec 3.9)."""

import msgspec

from emulator.domain.limits import MAX_RECEIVE_COUNT_LIMIT
from emulator.domain.model import Queue, QueueKey, arn_of, key_of_arn
from emulator.domain.texts import invalid_value
from emulator.errors import InvalidParameterValue

TARGET = "deadLetterTargetArn"
MAX_COUNT = "maxReceiveCount"
PERMISSIONS = frozenset({"allowAll", "denyAll", "byQueue"})
MAX_SOURCE_ARNS = 10
FIFO_SUFFIX = ".fifo"


class RedrivePolicy(msgspec.Struct, frozen=True, rename="camel"):
    """The order of the members is the order of the text that is read back."""

    dead_letter_target_arn: str
    max_receive_count: int


class RedriveAllowPolicy(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    redrive_permission: str
    source_queue_arns: tuple[str, ...] = ()


def parse_redrive_policy(text: str, queue_key: QueueKey | None) -> RedrivePolicy:
    """Checks all that needs no look at the target; account and region only with the source's key."""
    try:
        members = msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise InvalidParameterValue(
            "Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map."
        ) from None
    for name in (MAX_COUNT, TARGET):
        if members.get(name) is None:
            raise _invalid(text, f"Redrive policy does not contain mandatory attribute: {name}.")
    if len(members) > 2:
        raise _invalid(text, f"Only following attributes are supported: [{MAX_COUNT}, {TARGET}].")
    return RedrivePolicy(
        _require_target_arn(text, members[TARGET], queue_key), _require_max_count(text, members[MAX_COUNT])
    )


def canonical_redrive_policy(policy: RedrivePolicy) -> str:
    """No blanks, the count as a number even if it was sent as a text (spec 3.9)."""
    return msgspec.json.encode(policy).decode()


def require_redrive_target(text: str, policy: RedrivePolicy, source: QueueKey, target: Queue | None) -> None:
    """What only the target can tell. `text` is the policy as sent, `target` the queue that its ARN names."""
    if target is None:
        raise _invalid(text, "Dead letter target does not exist.")
    source_arn = arn_of(source)
    if policy.dead_letter_target_arn == source_arn:
        return  # A queue may be its own dead-letter queue (spec 3.9).
    if target.is_fifo != source.name.endswith(FIFO_SUFFIX):
        # Two full stops, as AWS has it.
        raise _invalid(text, "Dead-letter queue must be same type of queue as the source..")
    if not allows_source(target.attributes.get("RedriveAllowPolicy"), source_arn):
        raise _invalid(text, "Dead-letter queue does not allow this source queue.")  # our own text (U18)


def parse_redrive_allow_policy(text: str) -> str:
    """The policy as it is read back: no blanks, ARNs only with byQueue (spec 3.9)."""
    try:
        policy = msgspec.json.decode(text, type=RedriveAllowPolicy)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise _unsupported_allow_policy() from None
    if policy.redrive_permission not in PERMISSIONS:
        raise _unsupported_allow_policy()
    arn_count = len(policy.source_queue_arns)
    if policy.redrive_permission != "byQueue" and arn_count:
        raise _invalid_allow(
            text, "To specify one or more source queue ARNs, you must set redrivePermission to byQueue."
        )
    if policy.redrive_permission == "byQueue" and not arn_count:
        raise _invalid_allow(
            text,
            "When you specify the byQueue permission type, "
            "you must also specify one or more sourceQueueArns values.",
        )
    if arn_count > MAX_SOURCE_ARNS:
        raise _invalid_allow(text, "The maximum number of source queue ARNs you can specify is 10.")
    return msgspec.json.encode(policy).decode()


def allows_source(allow_policy_text: str | None, source_arn: str) -> bool:
    """Without a policy every queue of the account may use the dead-letter queue."""
    if allow_policy_text is None:
        return True
    policy = msgspec.json.decode(allow_policy_text, type=RedriveAllowPolicy)
    return policy.redrive_permission == "allowAll" or source_arn in policy.source_queue_arns


def _require_target_arn(text: str, arn: object, queue_key: QueueKey | None) -> str:
    if not isinstance(arn, str) or not arn.startswith("arn:"):
        # Recorded, E1 row 12, over the emulators' text, which is left for half an ARN.
        raise _invalid(text, f"Invalid value for {TARGET}.")
    parts = arn.split(":")
    if len(parts) < 6 or not all(parts):
        raise _invalid(text, "Dead-letter target ARN should be fully qualified ARN.")
    target = key_of_arn(arn)
    if target is None:
        raise _invalid(text, f"Only SQS queues are valid resources for {TARGET}.")
    if queue_key is not None:
        if target.account != queue_key.account:
            raise _invalid(text, "Dead-letter target owner should be same as the source.")
        if target.region != queue_key.region:
            # The rule is documented, the text is our own (spec 3.9).
            raise _invalid(text, "Dead-letter target should be in the same region as the source.")
    return arn


def _require_max_count(text: str, count: object) -> int:
    """A number or the text of one (recorded, R1)."""
    number = int(count) if isinstance(count, str) and _is_short_number(count) else count
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_RECEIVE_COUNT_LIMIT:
        shown = count if isinstance(count, str) else msgspec.json.encode(count).decode()
        raise _invalid(
            text,
            f"Invalid value for {MAX_COUNT}: {shown}, valid values are from 1 to 1000 both inclusive.",
        )
    return number


def _is_short_number(text: str) -> bool:
    return len(text) <= 10 and text.isascii() and text.isdigit()


def _invalid(text: str, reason: str) -> InvalidParameterValue:
    return invalid_value(text, "RedrivePolicy", reason)


def _invalid_allow(text: str, reason: str) -> InvalidParameterValue:
    return invalid_value(
        text, "RedriveAllowPolicy", f"Amazon SQS can't create the redrive allow policy. {reason}"
    )


def _unsupported_allow_policy() -> InvalidParameterValue:
    return InvalidParameterValue(
        "Invalid value for the parameter RedriveAllowPolicy. Reason: "
        "Amazon SQS can't create the redrive allow policy, as it’s in an unsupported format."
    )
