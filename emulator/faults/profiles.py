"""Ready-made sets of rules. Each rule has the sentence of AWS's documentation that allows it.

No profile makes calls wait or go unanswered: with a frozen clock, or a client without a timeout, the caller
would wait for ever.
"""

from typing import NamedTuple

from emulator.faults.rules import (
    DropConnection,
    Duplicate,
    EarlyExpiry,
    FaultRule,
    LostDelete,
    Match,
    PartialPoll,
    Reorder,
    ServerError,
    StaleAttributes,
    StaleList,
    Throttle,
    When,
)

GUIDE = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/"
REFERENCE = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/"


class Sentence(NamedTuple):
    text: str
    page: str


class Allowed(NamedTuple):
    rule: FaultRule
    by: Sentence


AT_LEAST_ONCE = Sentence(
    "On rare occasions, one of the servers that stores a copy of a message might be unavailable when you "
    "receive or delete a message. If this occurs, the copy of the message isn't deleted on the unavailable "
    "server, and you might get that message copy again when you receive messages.",
    GUIDE + "standard-queues.html",
)
AFTER_DELETE = Sentence(
    "For standard queues, it is possible to receive a message even after you delete it.",
    REFERENCE + "API_DeleteMessage.html",
)
BEST_EFFORT = Sentence(
    "A standard queue makes a best effort to preserve the order of messages, but more than one copy of a "
    "message might be delivered out of order.",
    GUIDE + "standard-queues.html",
)
SAMPLED = Sentence(
    "If the number of messages in the queue is extremely small, you might not receive any messages in a "
    "particular ReceiveMessage response.",
    REFERENCE + "API_ReceiveMessage.html",
)
NO_GUARANTEE = Sentence(
    "When using standard queues, visibility timeout isn't a guarantee against receiving a message twice.",
    "https://docs.aws.amazon.com/sdk-for-cpp/v1/developer-guide/examples-sqs-visibility-timeout.html",
)
WAIT_AFTER_CREATE = Sentence(
    "After you create a queue, you must wait at least one second after the queue is created to be able to "
    "use the queue.",
    REFERENCE + "API_CreateQueue.html",
)
SLOW_DELETION = Sentence(
    "When you delete a queue, the deletion process takes up to 60 seconds.",
    REFERENCE + "API_DeleteQueue.html",
)
PROPAGATION = Sentence(
    "When you change a queue's attributes, the change can take up to 60 seconds for most of the attributes "
    "to propagate throughout the Amazon SQS system.",
    REFERENCE + "API_SetQueueAttributes.html",
)
THROTTLED = Sentence(
    "The request was denied due to request throttling. Exceeds the permitted request rate for the queue or "
    "for the recipient of the request.",
    REFERENCE + "API_SendMessage.html",
)
UNKNOWN_ERROR = Sentence(
    "The request processing has failed because of an unknown error, exception or failure.",
    REFERENCE + "CommonErrors.html",
)
TEMPORARY_FAILURE = Sentence(
    "The request has failed due to a temporary failure of the server.",
    REFERENCE + "CommonErrors.html",
)
NEVER_RECEIVED = Sentence(
    "Because Amazon SQS is a distributed system, it is possible for a consumer to not receive a message even "
    "when Amazon SQS marks the message as delivered while returning successfully from a ReceiveMessage API "
    "method call.",
    GUIDE + "avoiding-inconsistent-message-processing.html",
)

AWS: tuple[Allowed, ...] = (
    Allowed(Duplicate(name="aws:duplicate", after_s=1, when=When(probability=0.001)), AT_LEAST_ONCE),
    Allowed(LostDelete(name="aws:lost-delete", when=When(probability=0.0002)), AFTER_DELETE),
    Allowed(Reorder(name="aws:reorder", window=10, when=When(probability=0.2)), BEST_EFFORT),
    Allowed(PartialPoll(name="aws:partial-poll", partitions=4, sampled=3), SAMPLED),
    Allowed(StaleList(name="aws:stale-list", lag_s=1), WAIT_AFTER_CREATE),
    Allowed(StaleAttributes(name="aws:stale-attributes", lag_s=60, when=When(probability=0.2)), PROPAGATION),
    Allowed(ServerError(name="aws:error-500", status=500, when=When(probability=0.0001)), UNKNOWN_ERROR),
    Allowed(ServerError(name="aws:error-503", status=503, when=When(probability=0.0001)), TEMPORARY_FAILURE),
)
HOSTILE: tuple[Allowed, ...] = (
    Allowed(Duplicate(name="hostile:duplicate", when=When(probability=0.25)), AT_LEAST_ONCE),
    Allowed(LostDelete(name="hostile:lost-delete", when=When(probability=0.1)), AFTER_DELETE),
    Allowed(Reorder(name="hostile:reorder", window=100), BEST_EFFORT),
    Allowed(PartialPoll(name="hostile:partial-poll", partitions=4, sampled=1), SAMPLED),
    Allowed(EarlyExpiry(name="hostile:early-expiry", fraction=0.1, when=When(probability=0.1)), NO_GUARANTEE),
    Allowed(StaleList(name="hostile:stale-list", lag_s=60), SLOW_DELETION),
    Allowed(StaleAttributes(name="hostile:stale-attributes", lag_s=60), PROPAGATION),
    Allowed(Throttle(name="hostile:throttle", when=When(probability=0.05)), THROTTLED),
    Allowed(ServerError(name="hostile:error-500", status=500, when=When(probability=0.02)), UNKNOWN_ERROR),
    Allowed(
        ServerError(name="hostile:error-503", status=503, when=When(probability=0.02)), TEMPORARY_FAILURE
    ),
    Allowed(
        DropConnection(
            name="hostile:undelivered",
            at="after",
            match=Match(actions=("ReceiveMessage",)),
            when=When(probability=0.02),
        ),
        NEVER_RECEIVED,
    ),
)
PROFILES: dict[str, tuple[Allowed, ...]] = {"none": (), "aws": AWS, "hostile": HOSTILE}
