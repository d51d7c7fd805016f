"""The page of clocks and planned faults."""

import json

import pytest

from emulator.faults.profiles import PROFILES
from emulator.faults.reading_rules import rule_of
from emulator.faults.rules import KINDS
from emulator.web.console import planned
from emulator.web.console.time import state_of


def look(console, account=None, path=""):
    return console.page(f"console/time{path}", **({} if account is None else {"account": account}))


def test_the_page_shows_the_servers_clock_and_how_it_goes(console):
    page = look(console)
    assert page.one("clock-now").text == "2026-01-01 00:00:00"
    assert page.one("clock-state").text.startswith("Stands still, ")
    assert page.one("no-faults")


def test_an_account_follows_the_server_until_its_clock_is_adjusted(console, account):
    assert "Follows the server's clock." in look(console, account).text
    console.post("clock/advance", account=account, seconds=3600)
    page = look(console, account)
    assert page.one("clock-now").text == "2026-01-01 01:00:00"
    assert "A clock of its own." in page.text
    assert look(console).one("clock-now").text == "2026-01-01 00:00:00"


def test_buttons_say_whose_clock_they_move(console, account):
    button = look(console, account).one("advance-60")
    assert button["data-kit"] == "POST /_emulator/clock/advance"
    assert json.loads(button["data-body"]) == {"account": account, "seconds": 60}
    assert json.loads(look(console).one("freeze")["data-body"]) == {}
    assert look(console, account).one("restore")["data-kit"] == f"DELETE /_emulator/clock?account={account}"


def test_what_time_will_do_next_is_listed_and_can_be_advanced_to(console, account):
    console.post("clock/freeze", account=account)
    url, other = console.queue("orders", account), console.queue("later", account)
    console.fill(url, "a", account=account)
    console.sqs("ReceiveMessage", account, QueueUrl=url, VisibilityTimeout=90)
    console.fill(other, "b", account=account, DelaySeconds=600)
    first, second = look(console, account).all("due-row")
    assert "orders changes in 1 min 30 s" in first.text
    assert "later changes in 10 min" in second.text
    step = json.loads(first.one("advance-to-next")["data-body"])
    assert step == {"account": account, "ms": 90_000}
    console.post("clock/advance", **step)
    assert "later" in look(console, account).all("due-row")[0].text


@pytest.mark.parametrize(
    ("clock", "text"),
    [
        ({"frozen": False, "speed": 1.0, "offset_ms": 400}, "real time"),
        ({"frozen": True, "speed": 1.0, "offset_ms": 0}, "stands still"),
        ({"frozen": False, "speed": 10.0, "offset_ms": 0}, "runs 10 times as fast as real time"),
        ({"frozen": False, "speed": 1.0, "offset_ms": 7_200_000}, "2 h ahead of real time"),
        ({"frozen": True, "speed": 2.0, "offset_ms": -60_000}, "stands still, 1 min behind real time"),
    ],
)
def test_how_a_clock_goes_is_told_in_words(clock, text):
    assert state_of(**clock) == text


def plan(console, account, *rules):
    answer = console.ask("POST", "faults", list(rules), account=account)
    assert answer.status == 200, answer.body


def test_planned_faults_are_listed_with_how_often_they_acted(console, account):
    plan(console, account, {"kind": "throttle", "name": "busy", "when": {"nth": 2}})
    console.queue("orders", account)
    console.ask(
        "POST", "/", b"Action=ListQueues", {"authorization": f"Credential={account}/20260101/us-east-1/"}
    )
    row = look(console, account).one("fault-row")
    assert (row["data-name"], row["data-kind"]) == ("busy", "throttle")
    assert row.one("fault-acted").text == "1"
    assert "the 2nd only" in row.text
    assert row.one("fault-remove")["data-kit"] == f"DELETE /_emulator/faults/busy?account={account}"
    assert look(console, account, "/faults").one("fault-clear")


def test_rules_that_are_the_servers_cannot_be_removed_for_an_account(console, account):
    console.post("faults", kind="throttle", match={"queue": "none"})
    page = look(console, account)
    assert page.one("fault-row")
    assert page.all("fault-remove") == page.all("fault-clear") == []
    assert "These are the server's." in page.text
    console.ask("DELETE", "faults")


def test_the_profile_that_holds_is_marked(console, account):
    console.ask("PUT", "faults/profile", {"account": account, "profile": "aws"})
    pressed = {one["data-profile"]: one["aria-pressed"] for one in look(console, account).all("profile")}
    assert pressed == {"none": "false", "aws": "true", "hostile": "false"}


def test_what_a_rule_matches_is_escaped(console, account):
    plan(console, account, {"kind": "throttle", "match": {"body": "<img src=x>", "queue": "<b>*"}})
    page = look(console, account)
    assert page.all(tag="img") == page.all(tag="b") == []
    assert "queue <b>* · body has /<img src=x>/" in page.one("fault-row").text


def test_every_kind_of_fault_can_be_planned_with_what_the_form_begins_with(console):
    page = look(console)
    assert [option.text for option in page.one("fault-kind").all(tag="option")] == list(KINDS)
    for kind in page.all(class_="kind"):
        rule = {"kind": kind["data-kind"]}
        for field in kind.all(tag="input"):
            beside = [place for place in kind.all(class_="field") if field in place.all(tag="input")]
            if field["value"] and beside[0].attributes.get("data-goes-with", "fixed") == "fixed":
                rule[field["name"]] = json.loads(field["value"])
        for choice in kind.all(tag="select"):
            value = choice.all(tag="option")[0]["value"]
            if value:
                rule[choice["name"]] = json.loads(value)
        assert rule_of(rule).kind == kind["data-kind"]


def test_the_form_has_all_parameters_of_every_kind():
    common = {"name", "match", "when"}
    for kind in planned.kinds():
        fields = {name for name in KINDS[kind.name].__struct_fields__ if name not in common}
        assert {field.name for field in kind.fields} == fields


@pytest.mark.parametrize(
    ("rule", "what", "whom", "when"),
    [
        (
            {"kind": "error", "status": 503, "when": {"probability": 0.1, "times": 1}},
            "Answers 503, without effect",
            "all",
            "10 %, once",
        ),
        (
            {"kind": "duplicate", "after_s": 2, "match": {"attribute": {"name": "type", "value": "order"}}},
            "Hands a copy out 2 s later",
            "ReceiveMessage · attribute type = order",
            "always",
        ),
        (
            {"kind": "latency", "distribution": "normal", "mean_ms": 200, "deviation_ms": 50},
            "Waits about 200 ± 50 ms before it takes effect",
            "all",
            "always",
        ),
        (
            {"kind": "lost-delete", "when": {"every": 3, "times": 5}},
            "Acknowledges the delete; the message comes back when its timeout ends",
            "DeleteMessage and DeleteMessageBatch",
            "every 3rd, 5 times at most",
        ),
        (
            {"kind": "throttle", "match": {"actions": ["SendMessage"]}, "when": {"sequence": [True, False]}},
            "A call is refused with RequestThrottled",
            "SendMessage",
            "as listed: ✓ –",
        ),
        (
            {"kind": "drop-connection", "when": {"from_ms": 0, "until_ms": 1000}},
            "Cuts the connection before the call has its effect",
            "all",
            "from 1970-01-01T00:00:00.000Z, until 1970-01-01T00:00:01.000Z",
        ),
    ],
)
def test_a_rule_is_told_in_words(rule, what, whom, when):
    read = rule_of(rule)
    assert (planned.what(read), planned.whom(read), planned.when(read)) == (what, whom, when)


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "none"])
def test_the_rules_of_every_profile_have_words(profile):
    rules = [allowed.rule for allowed in PROFILES[profile]]
    assert planned.profile_of([rule.name for rule in rules]) == profile
    assert all(planned.what(rule) and planned.whom(rule) and planned.when(rule) for rule in rules)


def test_an_account_that_is_none_is_refused(console):
    assert console.look("console/time", account="12").status == 400
