"""AddPermission and RemovePermission."""

import json

import pytest

from tests.support.answers import (
    Refusal,
    content,
    error_of,
    invalid_value,
    missing,
    no_such_queue,
    queue_attributes,
)

ONE, OTHER = "111122223333", "444455556666"
GRANTABLE = [
    "*",
    "ChangeMessageVisibility",
    "DeleteMessage",
    "GetQueueAttributes",
    "GetQueueUrl",
    "ListDeadLetterSourceQueues",
    "PurgeQueue",
    "ReceiveMessage",
    "SendMessage",
]
OWNER_ONLY = [
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
]


def members(queue, label="shipping", accounts=(ONE,), actions=("ReceiveMessage",)):
    return {"QueueUrl": queue, "Label": label, "AWSAccountIds": list(accounts), "Actions": list(actions)}


def policy(sqs, queue):
    text = queue_attributes(sqs, queue).get("Policy")
    return None if text is None else json.loads(text)


def statement(arn, label="shipping", accounts=f"arn:aws:iam::{ONE}:root", actions="SQS:ReceiveMessage"):
    return {
        "Sid": label,
        "Effect": "Allow",
        "Principal": {"AWS": accounts},
        "Action": actions,
        "Resource": arn,
    }


def test_a_permission_becomes_a_statement_of_the_policy(sqs, queue, arn_of):
    assert content(sqs.add_permission(**members(queue))) == {}
    arn = arn_of(queue)
    assert policy(sqs, queue) == {
        "Version": "2008-10-17",
        "Id": f"{arn}/SQSDefaultPolicy",
        "Statement": [statement(arn)],
    }


def test_several_accounts_and_actions_become_lists(sqs, queue, arn_of):
    sqs.add_permission(**members(queue, accounts=[ONE, OTHER], actions=["SendMessage", "ReceiveMessage"]))
    accounts = [f"arn:aws:iam::{ONE}:root", f"arn:aws:iam::{OTHER}:root"]
    actions = ["SQS:SendMessage", "SQS:ReceiveMessage"]
    expected = statement(arn_of(queue), accounts=accounts, actions=actions)
    assert policy(sqs, queue)["Statement"] == [expected]


def test_a_second_permission_is_appended(sqs, queue, arn_of):
    sqs.add_permission(**members(queue, "one"))
    sqs.add_permission(**members(queue, "two"))
    arn = arn_of(queue)
    assert policy(sqs, queue)["Statement"] == [statement(arn, "one"), statement(arn, "two")]


def test_a_permission_is_appended_to_a_policy_that_was_set(sqs, queue, arn_of):
    mine = {"Sid": "mine", "Effect": "Deny", "Principal": "*", "Action": "SQS:*", "Resource": "*"}
    given = json.dumps({"Version": "2012-10-17", "Id": "my-policy", "Statement": [mine]})
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": given})
    sqs.add_permission(**members(queue))
    assert policy(sqs, queue) == {
        "Version": "2012-10-17",
        "Id": "my-policy",
        "Statement": [mine, statement(arn_of(queue))],
    }


def test_a_removed_permission_leaves_the_others(sqs, queue, arn_of):
    sqs.add_permission(**members(queue, "one"))
    sqs.add_permission(**members(queue, "two"))
    assert content(sqs.remove_permission(QueueUrl=queue, Label="one")) == {}
    assert policy(sqs, queue)["Statement"] == [statement(arn_of(queue), "two")]


def test_with_the_last_permission_the_policy_goes(sqs, queue):
    sqs.add_permission(**members(queue))
    sqs.remove_permission(QueueUrl=queue, Label="shipping")
    assert queue_attributes(sqs, queue, "Policy") == {}


def test_a_label_can_be_used_again_after_its_permission_was_removed(sqs, queue):
    for _ in range(2):
        sqs.add_permission(**members(queue))
        sqs.remove_permission(QueueUrl=queue, Label="shipping")


@pytest.mark.parametrize("accounts", [[ONE], [OTHER]])
def test_a_label_can_be_used_once(sqs, queue, accounts):
    sqs.add_permission(**members(queue))
    refusal = error_of(sqs.add_permission, **members(queue, accounts=accounts))
    assert refusal == invalid_value("shipping", "Label", "Already exists.")


def test_an_unknown_label_cannot_be_removed(sqs, queue):
    refusal = error_of(sqs.remove_permission, QueueUrl=queue, Label="shipping")
    assert refusal == invalid_value("shipping", "Label", "can't find label.")


@pytest.mark.parametrize("label", ["a", "x" * 80, "Aa0-_"])
def test_a_label_may_be(sqs, queue, label):
    sqs.add_permission(**members(queue, label))
    assert policy(sqs, queue)["Statement"][0]["Sid"] == label


@pytest.mark.parametrize("label", ["", "x" * 81, "a b", "a.b", "ä"])
def test_a_label_may_not_be(sqs, queue, label):
    refusal = error_of(sqs.add_permission, **members(queue, label))
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")
    assert policy(sqs, queue) is None


@pytest.mark.parametrize("action", GRANTABLE)
def test_these_actions_can_be_granted(sqs, queue, action):
    sqs.add_permission(**members(queue, actions=[action]))
    assert policy(sqs, queue)["Statement"][0]["Action"] == f"SQS:{action}"


@pytest.mark.parametrize("action", OWNER_ONLY)
def test_these_actions_are_for_the_owner_only(sqs, queue, action):
    refusal = error_of(sqs.add_permission, **members(queue, actions=["SendMessage", action]))
    reason = "Only the queue owner is allowed to invoke this action."
    assert refusal == invalid_value(f"SQS:{action}", "ActionName", reason)


@pytest.mark.parametrize("action", ["Foobar", "SQS:SendMessage", "sendmessage"])
def test_an_unknown_action_is_refused(sqs, queue, action):
    refusal = error_of(sqs.add_permission, **members(queue, actions=[action]))
    reason = "Please refer to the appropriate WSDL for a list of valid actions."
    assert refusal == invalid_value(f"SQS:{action}", "ActionName", reason)


def test_seven_actions_can_be_granted_at_once(sqs, queue):
    sqs.add_permission(**members(queue, actions=GRANTABLE[1:8]))
    refusal = error_of(sqs.add_permission, **members(queue, "more", actions=GRANTABLE[1:9]))
    assert refusal == Refusal(403, "OverLimit", "8 Actions were found, maximum allowed is 7.")


def test_a_policy_has_at_most_20_permissions(sqs, queue):
    for number in range(20):
        sqs.add_permission(**members(queue, f"label-{number}"))
    refusal = error_of(sqs.add_permission, **members(queue, "one-more"))
    assert refusal == Refusal(403, "OverLimit", "21 Statements were found, maximum allowed is 20.")


def test_a_permission_needs_an_account(sqs, queue):
    refusal = error_of(sqs.add_permission, **members(queue, accounts=[]))
    assert refusal == invalid_value("[]", "PrincipalId", "Unable to verify.")


@pytest.mark.parametrize("account", ["1", "11112222333x", "1111222233334"])
def test_an_account_has_twelve_digits(sqs, queue, account):
    refusal = error_of(sqs.add_permission, **members(queue, accounts=[account]))
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")


def test_a_permission_needs_an_action(sqs, queue):
    assert error_of(sqs.add_permission, **members(queue, actions=[])) == missing("ActionName")


def test_permissions_are_for_queues_that_exist(sqs, queue, protocol):
    refused = no_such_queue(protocol)
    assert error_of(sqs.add_permission, **members(f"{queue}-not")) == refused
    assert error_of(sqs.remove_permission, QueueUrl=f"{queue}-not", Label="x") == refused
