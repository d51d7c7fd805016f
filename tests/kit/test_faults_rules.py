import msgspec
import pytest

from emulator.faults import InvalidRule, rule_of
from emulator.faults.profiles import PROFILES
from emulator.faults.rules import ACTIONS, KINDS, FaultRule
from emulator.operations import OPERATIONS

FULL = {
    "kind": "throttle",
    "name": "busy",
    "match": {
        "actions": ["SendMessage"],
        "queue": "orders-*",
        "account": "123456789012",
        "attribute": {"name": "tenant", "value": "a"},
        "body": "^{",
    },
    "when": {"probability": 0.5, "every": 2, "times": 3, "from_ms": 1, "until_ms": 2},
}
STANDARD_ONLY = ["duplicate", "lost-delete", "reorder", "partial-poll", "early-expiry", "delayed-send"]


def test_the_actions_of_rules_are_those_of_sqs():
    assert set(OPERATIONS) == ACTIONS


@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_needs_no_more_than_its_kind(kind):
    more = {"ms": 1} if kind == "latency" else {}
    rule = rule_of({"kind": kind, **more})
    assert (rule.kind, rule.name) == (kind, "")


def test_a_rule_is_told_as_it_was_given():
    assert msgspec.json.decode(msgspec.json.encode(rule_of(FULL))) == FULL
    assert msgspec.json.decode(msgspec.json.encode(rule_of(FULL)), type=FaultRule) == rule_of(FULL)


@pytest.mark.parametrize("kind", KINDS)
def test_what_aws_rules_out_on_fifo_queues_cannot_be_planned_for_one(kind):
    rule = {"kind": kind, "match": {"queue": "orders.fifo"}, **({"ms": 1} if kind == "latency" else {})}
    if kind in STANDARD_ONLY:
        with pytest.raises(InvalidRule, match=f"AWS rules out {kind} on FIFO queues, such as orders.fifo"):
            rule_of(rule)
    else:
        rule_of(rule)


@pytest.mark.parametrize(
    ("rule", "refusal"),
    [
        ([], "must be an object, not a list"),
        ("duplicate", "must be an object, not text"),
        ({}, "needs kind"),
        ({"kind": "double"}, "kind: 'double' is no kind of fault; known are duplicate, lost-delete,"),
        ({"kind": "error", "after_s": 1}, "after_s: unknown; known are name, match, when, status"),
        ({"kind": "error", "status": 404}, "status: must be one of 500, 503"),
        ({"kind": "throttle", "name": "a b"}, "name: must be text matching regex"),
        ({"kind": "throttle", "match": {"queues": "a"}}, "match.queues: unknown; known are actions, queue,"),
        (
            {"kind": "throttle", "match": {"actions": "SendMessage"}},
            "match.actions: must be a list",
        ),
        ({"kind": "throttle", "match": {"actions": ["Send"]}}, "match.actions: 'Send' is no action of SQS"),
        ({"kind": "throttle", "match": {"account": "1"}}, "match.account: must be text matching regex"),
        ({"kind": "throttle", "match": {"attribute": {"value": "a"}}}, "match.attribute: needs name"),
        ({"kind": "throttle", "match": {"body": "("}}, "match.body: is no regular expression: missing \\)"),
        ({"kind": "throttle", "when": {"probability": 1.5}}, "when.probability: must be a number <= 1.0"),
        ({"kind": "throttle", "when": {"nth": 0}}, "when.nth: must be a whole number >= 1"),
        ({"kind": "throttle", "when": {"nth": 1.5}}, "when.nth: must be a whole number, not a number"),
        ({"kind": "throttle", "when": {"sequence": [1]}}, r"when.sequence\[0\]: must be true or false"),
        ({"kind": "throttle", "when": {"nth": 1, "every": 2}}, "when: only one of nth, every and sequence"),
        ({"kind": "throttle", "when": {"from_ms": 2, "until_ms": 2}}, "when.until_ms: must be later than"),
        (
            {"kind": "duplicate", "match": {"actions": ["SendMessage"]}},
            "match.actions: duplicate happens",
        ),
        ({"kind": "duplicate", "after_s": -1}, "after_s: must be a number >= 0.0"),
        ({"kind": "reorder", "match": {"body": "a"}}, "match.body: reorder is decided before any message"),
        (
            {"kind": "throttle", "match": {"body": "a", "actions": ["ReceiveMessage"]}},
            "match.body: only calls that send messages can be told by them for throttle",
        ),
        ({"kind": "partial-poll", "sampled": 4}, "sampled: must be less than partitions, which is 4"),
        ({"kind": "latency"}, r"needs ms with a fixed latency \(no distribution\)"),
        ({"kind": "latency", "ms": 1, "mean_ms": 1}, "mean_ms: does not go with a fixed latency"),
        ({"kind": "latency", "distribution": "normal", "mean_ms": 1}, "needs deviation_ms with distribution"),
        ({"kind": "latency", "distribution": "flat"}, "distribution: must be one of uniform, normal, exp"),
        ({"kind": "latency", "distribution": "uniform", "low_ms": 2, "high_ms": 1}, "high_ms: must not be"),
    ],
)
def test_a_rule_is_refused_in_words_that_name_the_member(rule, refusal):
    with pytest.raises(InvalidRule, match=f"^{refusal}"):
        rule_of(rule)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_rules_of_a_profile_are_as_valid_as_any_and_bear_its_name(profile):
    for allowed in PROFILES[profile]:
        as_given = msgspec.to_builtins(allowed.rule)
        name = as_given.pop("name")
        assert name.startswith(f"{profile}:")  # which no rule that a user names can begin with
        assert msgspec.structs.replace(rule_of(as_given), name=name) == allowed.rule
