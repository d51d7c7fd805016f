import pytest

from tests.kit.api import good, refusal


@pytest.fixture(autouse=True)
def no_faults_of_the_server_are_left(api):
    yield
    api.ask("DELETE", "faults")


def test_a_fault_is_planned_and_gets_a_name(api, account):
    rule = {"kind": "latency", "ms": 20, "match": {"queue": "orders*"}}
    added = add(api, rule, account=account)
    named = {"kind": "latency", "name": "latency", "match": {"queue": "orders*"}, "ms": 20.0}
    assert added == [{"name": "latency", "kind": "latency", "rule": named, "matched": 0, "acted": 0}]
    assert api.get("faults", account=account) == {"faults": added, "account": account}
    assert api.get("faults") == {"faults": []}


def test_several_faults_are_planned_at_once(api, account):
    added = add(
        api, [{"kind": "throttle"}, {"kind": "throttle"}, {"kind": "error", "name": "boom"}], account=account
    )
    assert [fault["name"] for fault in added] == ["throttle", "throttle-2", "boom"]


def test_of_several_faults_none_is_planned_if_one_is_bad(api, account):
    bad = [{"kind": "throttle"}, {"kind": "throttle", "when": {"nth": 0}}]
    assert refusal(api.ask("POST", "faults", bad, account=account))[0] == 400
    taken = [{"kind": "throttle", "name": "one"}, {"kind": "throttle", "name": "one"}]
    answer = api.ask("POST", "faults", taken, account=account)
    assert refusal(answer) == (409, "name: one is the name of another fault")
    assert api.get("faults", account=account)["faults"] == []


def test_the_servers_faults_hold_for_accounts_without_their_own(api, account):
    add(api, {"kind": "throttle", "name": "for-all"})
    assert api.get("faults", account=account) == api.get("faults")
    add(api, {"kind": "throttle", "name": "mine"}, account=account)
    assert names(api, account=account) == ["mine"]
    good(api.ask("DELETE", "faults", account=account))
    assert names(api, account=account) == ["for-all"]


def test_an_account_can_do_without_the_servers_faults(api, account):
    add(api, {"kind": "throttle"})
    assert good(api.ask("PUT", "faults/profile", {"profile": "none", "account": account}))["faults"] == []
    assert names(api, account=account) == []
    assert names(api) == ["throttle"]


def test_one_fault_is_taken_away(api, account):
    add(api, [{"kind": "throttle"}, {"kind": "error"}], account=account)
    left = good(api.ask("DELETE", "faults/throttle", account=account))
    assert [fault["name"] for fault in left["faults"]] == ["error"]
    good(api.ask("DELETE", "faults/error", account=account))
    assert api.get("faults", account=account) == {"faults": []}


def test_a_fault_that_is_not_there_cannot_be_taken_away(api, account):
    add(api, {"kind": "throttle"})
    answer = api.ask("DELETE", "faults/throttle", account=account)
    assert refusal(answer) == (404, f"name: account {account} has no fault named throttle")
    assert refusal(api.ask("DELETE", "faults/nope")) == (404, "name: the server has no fault named nope")


@pytest.mark.parametrize("profile", ["aws", "hostile"])
def test_a_profile_is_planned_and_replaced(api, account, profile):
    add(api, {"kind": "throttle", "name": "stays"}, account=account)
    planned = good(api.ask("PUT", "faults/profile", {"profile": profile, "account": account}))
    assert len(planned["faults"]) > 1
    assert planned["faults"][0]["name"] == "stays"
    good(api.ask("PUT", "faults/profile", {"profile": "none", "account": account}))
    assert names(api, account=account) == ["stays"]


def test_a_planned_fault_acts_and_is_counted(api, account):
    queue = api.queue("unlucky", account)
    add(api, {"kind": "throttle", "when": {"nth": 2}, "match": {"actions": ["SendMessage"]}}, account=account)
    api.fill(queue, "a", account=account)
    with pytest.raises(AssertionError, match="RequestThrottled"):
        api.fill(queue, "b", account=account)
    api.fill(queue, "c", account=account)
    (fault,) = api.get("faults", account=account)["faults"]
    assert (fault["matched"], fault["acted"]) == (3, 1)


def test_a_seed_makes_the_counters_begin_anew(api, account):
    queue = api.queue("again", account)
    add(api, {"kind": "latency", "ms": 0}, account=account)
    api.fill(queue, "a", account=account)
    api.post("seed", seed=1, account=account)
    (fault,) = api.get("faults", account=account)["faults"]
    assert fault["matched"] == 0


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({}, "needs kind"),
        ({"kind": "gremlins"}, "kind: 'gremlins' is no kind of fault; known are duplicate, "),
        ({"kind": "latency"}, "needs ms with a fixed latency"),
        ({"kind": "latency", "ms": "1"}, "ms: must be a number, not text"),
        ({"kind": "throttle", "speed": 1}, "speed: unknown; known are "),
        ({"kind": "throttle", "when": {"probability": 2}}, "when.probability: must be a number <= 1.0"),
        ({"kind": "throttle", "match": {"actions": ["Fly"]}}, "match.actions: 'Fly' is no action of SQS"),
        ({"kind": "reorder", "match": {"queue": "a.fifo"}}, "match.queue: AWS rules out reorder on FIFO"),
        ([{"kind": "throttle"}, 7], "[1]: must be an object, not a whole number"),
        ("throttle", "must be an object, not text"),
    ],
)  # fmt: skip
def test_a_bad_rule_is_refused_in_words_that_name_the_member(api, rule, text):
    status, detail = refusal(api.ask("POST", "faults", rule))
    assert status == 400
    assert detail.startswith(text)
    assert api.get("faults") == {"faults": []}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "profile: is missing"),
        ({"profile": "gentle"}, "profile: 'gentle' is none of aws, hostile, none"),
        ({"profile": "aws", "seed": 1}, "seed: there is no such member"),
    ],
)
def test_a_bad_profile_is_refused(api, body, text):
    assert refusal(api.ask("PUT", "faults/profile", body)) == (400, text)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_bad_account_is_refused(api, method):
    body = {"kind": "throttle"} if method == "POST" else None
    text = "account: must be an account id of 12 digits"
    assert refusal(api.ask(method, "faults", body, account="me")) == (400, text)


def add(api, rules, **parameters):
    return good(api.ask("POST", "faults", rules, **parameters))["faults"]


def names(api, **parameters):
    return [fault["name"] for fault in api.get("faults", **parameters)["faults"]]
