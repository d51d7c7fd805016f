import json

import pytest

from emulator.domain.policy import GRANTABLE, OWNER_ONLY, require_policy, with_permission, without_permission
from emulator.errors import InvalidAttributeValue, InvalidParameterValue, MissingParameter, OverLimit
from tests.domain.factories import refused

ARN = "arn:aws:sqs:us-east-1:000000000000:orders"
STATEMENT = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": ARN}


def document(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def grant(policy=None, label="label", accounts=("111122223333",), actions=("ReceiveMessage",)):
    return with_permission(policy, ARN, label, accounts, actions)


def labels(policy):
    return [statement["Sid"] for statement in json.loads(policy)["Statement"]]


@pytest.mark.parametrize(
    "text",
    [
        document(STATEMENT),
        document(*[STATEMENT] * 20),
        json.dumps({"Statement": STATEMENT}, indent=2),
        document({**STATEMENT, "Effect": "Deny", "Condition": {"ArnEquals": {"aws:SourceArn": "x"}}}),
        document({**STATEMENT, "Principal": {"AWS": ["1"] * 50}}),
        document({**STATEMENT, "Condition": {"StringEquals": {str(n): "x" for n in range(10)}}}),
    ],
)
def test_a_policy_is_kept_as_given(text):
    assert require_policy(text) == text
    assert require_policy(text, new_queue=True) == text


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "{",
        "[]",
        "{}",
        '"x"',
        '{"Statement":[]}',
        '{"Statement":"x"}',
        '{"Statement":[1]}',
        '{"Statement":[{}]}',
        '{"Statement":[{"Effect":"allow"}]}',
        '{"Statement":[{"Effect":"Allow","Condition":1}]}',
        document(STATEMENT) + "\ud800",
    ],
)
def test_what_is_no_policy_document_is_refused(text):
    with refused(InvalidAttributeValue, "Invalid value for the parameter Policy."):
        require_policy(text)


def test_a_policy_has_at_most_8192_bytes():
    text = document(STATEMENT)
    padded = text + " " * (8192 - len(text))
    assert require_policy(padded) == padded
    with refused(InvalidAttributeValue, "Invalid value for the parameter Policy."):
        require_policy(padded + " ")


def test_a_policy_has_at_most_twenty_statements():
    text = document(*[{"Effect": "Allow"}] * 21)
    with refused(OverLimit, "21 Statements were found, maximum allowed is 20."):
        require_policy(text)
    with refused(
        InvalidParameterValue, "21 statements were found in the submitted policy, max allowed is 20"
    ):
        require_policy(text, new_queue=True)


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            [
                {**STATEMENT, "Principal": {"AWS": ["1"] * 49}},
                STATEMENT,
                {**STATEMENT, "Principal": {"AWS": "1"}},
            ],
            "51 Principals were found, maximum allowed is 50.",
        ),
        (
            [{**STATEMENT, "Condition": {"StringEquals": {str(n): "x" for n in range(11)}}}],
            "11 Conditions were found, maximum allowed is 10.",
        ),
    ],
)
def test_a_policy_has_at_most_fifty_principals_and_ten_conditions(statements, message):
    with refused(OverLimit, message):
        require_policy(document(*statements))


def test_the_first_permission_makes_a_policy():
    assert grant() == (
        f'{{"Version":"2008-10-17","Id":"{ARN}/SQSDefaultPolicy","Statement":['
        '{"Sid":"label","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},'
        f'"Action":"SQS:ReceiveMessage","Resource":"{ARN}"}}]}}'
    )


def test_several_accounts_and_actions_are_lists():
    policy = grant(accounts=("111122223333", "444455556666"), actions=("SendMessage", "*"))
    statement = json.loads(policy)["Statement"][0]
    assert statement["Principal"] == {
        "AWS": ["arn:aws:iam::111122223333:root", "arn:aws:iam::444455556666:root"]
    }
    assert statement["Action"] == ["SQS:SendMessage", "SQS:*"]


def test_a_permission_is_appended_to_the_policy():
    existing = json.dumps({"Version": "2012-10-17", "Id": "mine", "Statement": STATEMENT})
    policy = json.loads(grant(existing))
    assert (policy["Version"], policy["Id"], policy["Statement"][0]) == ("2012-10-17", "mine", STATEMENT)
    assert policy["Statement"][1]["Sid"] == "label"
    assert labels(grant(grant(), label="other")) == ["label", "other"]


def test_a_permission_of_a_queue_in_china_names_its_partition():
    policy = with_permission(None, ARN.replace("aws", "aws-cn"), "l", ["111122223333"], ["SendMessage"])
    assert "arn:aws-cn:iam::111122223333:root" in policy


def test_a_label_is_new():
    with refused(
        InvalidParameterValue, "Value label for parameter Label is invalid. Reason: Already exists."
    ):
        grant(grant())


@pytest.mark.parametrize("label", ["a", "A-z_09", "l" * 80])
def test_a_label_has_letters_digits_hyphens_and_underscores(label):
    assert labels(grant(label=label)) == [label]


@pytest.mark.parametrize("label", ["", "l" * 81, "a b", "a.b", "ü", "a\n"])
def test_other_labels_are_refused(label):
    with refused(InvalidParameterValue):
        grant(label=label)


@pytest.mark.parametrize(
    ("accounts", "shown"),
    [
        (None, "[]"),
        ([], "[]"),
        (["x"], "[x]"),
        (["111122223333", "1"], "[111122223333, 1]"),
        (["1" * 13], f"[{'1' * 13}]"),
    ],
)
def test_accounts_have_twelve_digits(accounts, shown):
    with refused(
        InvalidParameterValue,
        f"Value {shown} for parameter PrincipalId is invalid. Reason: Unable to verify.",
    ):
        grant(accounts=accounts)


@pytest.mark.parametrize("action", sorted(GRANTABLE))
def test_actions_of_messages_and_of_reading_can_be_granted(action):
    assert json.loads(grant(actions=[action]))["Statement"][0]["Action"] == f"SQS:{action}"


@pytest.mark.parametrize("action", sorted(OWNER_ONLY))
def test_actions_of_the_owner_cannot_be_granted(action):
    with refused(
        InvalidParameterValue,
        f"Value SQS:{action} for parameter ActionName is invalid. "
        "Reason: Only the queue owner is allowed to invoke this action.",
    ):
        grant(actions=["SendMessage", action])


@pytest.mark.parametrize("action", ["Foo", "", "sendMessage", "SQS:SendMessage", "SendMessageBatch"])
def test_unknown_actions_are_refused(action):
    with refused(
        InvalidParameterValue,
        f"Value SQS:{action} for parameter ActionName is invalid. "
        "Reason: Please refer to the appropriate WSDL for a list of valid actions.",
    ):
        grant(actions=[action])


def test_at_most_seven_actions_are_granted_at_once():
    actions = sorted(GRANTABLE)
    assert len(json.loads(grant(actions=actions[:7]))["Statement"][0]["Action"]) == 7
    with refused(OverLimit, "8 Actions were found, maximum allowed is 7."):
        grant(actions=actions[:8])


def test_a_policy_grows_to_twenty_statements():
    policy = None
    for number in range(20):
        policy = grant(policy, label=f"label{number}")
    with refused(OverLimit, "21 Statements were found, maximum allowed is 20."):
        grant(policy)


def test_label_and_actions_are_required():
    with refused(MissingParameter, "The request must contain the parameter Label."):
        grant(label=None)
    for actions in (None, []):
        with refused(MissingParameter, "The request must contain the parameter ActionName."):
            grant(actions=actions)


def test_a_permission_is_removed_by_its_label():
    two = grant(grant(), label="other")
    remaining = without_permission(two, "label")
    assert labels(remaining) == ["other"]
    assert remaining == grant(label="other")


def test_with_the_last_permission_the_policy_goes():
    assert without_permission(grant(), "label") is None
    single = json.dumps({"Statement": {**STATEMENT, "Sid": "only"}})
    assert without_permission(single, "only") is None


@pytest.mark.parametrize("policy", [None, document(STATEMENT), document({**STATEMENT, "Sid": "Label"})])
def test_an_unknown_label_cannot_be_removed(policy):
    with refused(
        InvalidParameterValue, "Value label for parameter Label is invalid. Reason: can't find label."
    ):
        without_permission(policy, "label")


def test_removing_needs_a_label():
    with refused(MissingParameter, "The request must contain the parameter Label."):
        without_permission(None, None)
