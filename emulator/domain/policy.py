"""The Policy attribute (spec 2.20, 3.1) and the statements AddPermission writes into it (spec 2.1, 2.17)."""

import re
from collections.abc import Sequence

import msgspec

from emulator.domain.texts import invalid_value
from emulator.errors import (
    InvalidAttributeValue,
    InvalidParameterValue,
    MissingParameter,
    OverLimit,
    SqsError,
)

MAX_POLICY_BYTES = 8_192
MAX_STATEMENTS = 20
MAX_PRINCIPALS = 50
MAX_CONDITIONS = 10
MAX_ACTIONS = 7

GRANTABLE = frozenset(
    {
        "*",
        "ChangeMessageVisibility",
        "DeleteMessage",
        "GetQueueAttributes",
        "GetQueueUrl",
        "ListDeadLetterSourceQueues",
        "PurgeQueue",
        "ReceiveMessage",
        "SendMessage",
    }
)
OWNER_ONLY = frozenset(
    {
        "AddPermission",
        "CancelMessageMoveTask",
        "CreateQueue",
        "DeleteQueue",
        "ListMessageMoveTasks",
        "ListQueues",
        "ListQueueTags",
        "RemovePermission",
        "SetQueueAttributes",
        "StartMessageMoveTask",
        "TagQueue",
        "UntagQueue",
    }
)

_LABEL = re.compile("[A-Za-z0-9_-]{1,80}")
_ACCOUNT = re.compile("[0-9]{12}")

Members = dict[str, object]


class Statement(msgspec.Struct, frozen=True, rename="pascal"):
    """What the checks look at; the members that are not named here are kept in the text."""

    effect: str
    principal: object = None
    condition: dict[str, dict[str, object]] = {}


class Document(msgspec.Struct, frozen=True, rename="pascal"):
    statement: Statement | list[Statement]

    @property
    def statements(self) -> list[Statement]:
        return self.statement if isinstance(self.statement, list) else [self.statement]


def require_policy(text: str, *, new_queue: bool = False) -> str:
    """A policy document, as given. CreateQueue refuses a long one in other words than SetQueueAttributes."""
    try:
        size_bytes = len(text.encode())
        statements = msgspec.json.decode(text, type=Document).statements
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise _invalid_policy() from None
    if size_bytes > MAX_POLICY_BYTES or not statements:
        raise _invalid_policy()
    if any(statement.effect not in ("Allow", "Deny") for statement in statements):
        raise _invalid_policy()
    for count, maximum, things in (
        (len(statements), MAX_STATEMENTS, "Statements"),
        # AWS documents these two limits; their texts follow that for statements.
        (
            sum(_principal_count(statement.principal) for statement in statements),
            MAX_PRINCIPALS,
            "Principals",
        ),
        (sum(_condition_count(statement) for statement in statements), MAX_CONDITIONS, "Conditions"),
    ):
        if count > maximum:
            raise _too_many(count, maximum, things, new_queue=new_queue)
    return text


def with_permission(
    policy_text: str | None,
    queue_arn: str,
    label: str | None,
    account_ids: Sequence[str] | None,
    actions: Sequence[str] | None,
) -> str:
    """The policy with one more statement (recorded, sqs_permission_lifecycle)."""
    label = _require_new_label(policy_text, label)
    account_ids = _require_accounts(account_ids)
    actions = _require_actions(actions)
    policy: Members = {"Version": "2008-10-17", "Id": f"{queue_arn}/SQSDefaultPolicy"}
    if policy_text is not None:
        policy = msgspec.json.decode(policy_text, type=Members)
    statements = [*_statements_of(policy), _statement_for(queue_arn, label, account_ids, actions)]
    if len(statements) > MAX_STATEMENTS:
        raise _too_many(len(statements), MAX_STATEMENTS, "Statements")
    return _compact(policy | {"Statement": statements})


def without_permission(policy_text: str | None, label: str | None) -> str | None:
    """None when the last statement went: the Policy attribute disappears then (recorded, R1)."""
    if label is None:
        raise MissingParameter("Label")
    policy = {} if policy_text is None else msgspec.json.decode(policy_text, type=Members)
    statements = _statements_of(policy)
    rest = [statement for statement in statements if statement.get("Sid") != label]
    if len(rest) == len(statements):
        raise invalid_value(label, "Label", "can't find label.")
    return _compact(policy | {"Statement": rest}) if rest else None


def _statement_for(
    queue_arn: str, label: str, account_ids: Sequence[str], actions: Sequence[str]
) -> dict[str, object]:
    partition = queue_arn.split(":")[1]
    principals = [f"arn:{partition}:iam::{account_id}:root" for account_id in account_ids]
    return {
        "Sid": label,
        "Effect": "Allow",
        "Principal": {"AWS": _one_or_list(principals)},
        "Action": _one_or_list([f"SQS:{action}" for action in actions]),
        "Resource": queue_arn,
    }


def _require_new_label(policy_text: str | None, label: str | None) -> str:
    if label is None:
        raise MissingParameter("Label")
    if not _LABEL.fullmatch(label):
        # The rule is documented, the text is our own (spec 2.1).
        raise invalid_value(
            label,
            "Label",
            "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.",
        )
    if policy_text is not None:
        statements = _statements_of(msgspec.json.decode(policy_text, type=Members))
        if any(statement.get("Sid") == label for statement in statements):
            raise invalid_value(label, "Label", "Already exists.")  # recorded, E1 row 44
    return label


def _require_accounts(account_ids: Sequence[str] | None) -> Sequence[str]:
    account_ids = account_ids or ()
    if not account_ids or not all(_ACCOUNT.fullmatch(account_id) for account_id in account_ids):
        raise invalid_value(f"[{', '.join(account_ids)}]", "PrincipalId", "Unable to verify.")
    return account_ids


def _require_actions(actions: Sequence[str] | None) -> Sequence[str]:
    if not actions:
        raise MissingParameter("ActionName")
    if len(actions) > MAX_ACTIONS:
        raise OverLimit(f"{len(actions)} Actions were found, maximum allowed is {MAX_ACTIONS}.")
    for action in actions:
        if action in OWNER_ONLY:
            raise _invalid_action(action, "Only the queue owner is allowed to invoke this action.")
        if action not in GRANTABLE:
            raise _invalid_action(action, "Please refer to the appropriate WSDL for a list of valid actions.")
    return actions


def _statements_of(policy: Members) -> list[Members]:
    """A policy may have its only statement without a list around it."""
    statements = policy.get("Statement", [])
    return msgspec.convert(statements if isinstance(statements, list) else [statements], list[Members])


def _principal_count(principal: object) -> int:
    if isinstance(principal, dict):
        return sum(len(value) if isinstance(value, list) else 1 for value in principal.values())
    return 0 if principal is None else 1


def _condition_count(statement: Statement) -> int:
    return sum(len(keys) for keys in statement.condition.values())


def _one_or_list(values: list[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else values


def _compact(policy: Members) -> str:
    return msgspec.json.encode(policy).decode()


def _invalid_policy() -> InvalidAttributeValue:
    return InvalidAttributeValue("Invalid value for the parameter Policy.")


def _invalid_action(action: str, reason: str) -> InvalidParameterValue:
    return invalid_value(f"SQS:{action}", "ActionName", reason)


def _too_many(count: int, maximum: int, things: str, *, new_queue: bool = False) -> SqsError:
    if new_queue:
        return InvalidParameterValue(
            f"{count} {things.lower()} were found in the submitted policy, max allowed is {maximum}"
        )
    return OverLimit(f"{count} {things} were found, maximum allowed is {maximum}.")
