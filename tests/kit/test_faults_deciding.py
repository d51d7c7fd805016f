import pytest

from emulator.domain.model import MessageAttributeValue
from emulator.faults import Faults, InvalidRule, rule_of
from emulator.faults.faults import Content, Occasion
from emulator.faults.profiles import AWS, HOSTILE
from emulator.faults.rules import KINDS, Duplicate, Latency, LostReply, Rule, Throttle
from emulator.ids import seeded_chance
from tests.kit.planned import planned


def call(action="SendMessage", account="000000000000", now_ms=0, queue="orders", **members):
    return Occasion(action, account, now_ms, queue, **members)


def acts(faults, times, occasion=None, kinds=Rule):
    """Which of so many occasions a rule acted on, counted from 1."""
    occasion = occasion or call()
    return [number for number in range(1, times + 1) if faults.strike(kinds, occasion) is not None]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"nth": 3}, [3]),
        ({"every": 2}, [2, 4, 6]),
        ({"sequence": [True, False, True]}, [1, 3]),
        ({"times": 2}, [1, 2]),
        ({"every": 2, "times": 2}, [2, 4]),
        ({"probability": 0}, []),
        ({"probability": 1}, [1, 2, 3, 4, 5, 6]),
        ({"nth": 3, "probability": 0}, []),
    ],
)
def test_a_rule_acts_on(when, expected):
    faults = planned({"kind": "throttle", "when": when})
    assert acts(faults, 6) == expected
    (counted,) = faults.rules()
    assert (counted.matched, counted.acted) == (6, len(expected))


def test_a_probability_is_that_of_each_occasion():
    assert 250 < len(acts(planned({"kind": "throttle", "when": {"probability": 0.3}}), 1000)) < 350


def test_calls_that_a_rule_is_not_for_do_not_count():
    faults = planned({"kind": "throttle", "match": {"queue": "orders"}, "when": {"nth": 2}})
    assert acts(faults, 5, call(queue="mail")) == []
    assert acts(faults, 5) == [2]


def test_a_window_in_time_is_closed_at_its_beginning_and_open_at_its_end():
    faults = planned({"kind": "throttle", "when": {"from_ms": 10, "until_ms": 20, "nth": 2}})
    assert [acts(faults, 1, call(now_ms=now_ms)) for now_ms in (9, 10, 19, 20)] == [[], [], [1], []]
    assert faults.rules()[0].matched == 2


@pytest.mark.parametrize(
    ("match", "occasion", "meets"),
    [
        ({"actions": ["SendMessage", "ListQueues"]}, call(), True),
        ({"actions": ["ListQueues"]}, call(), False),
        ({"queue": "ord*"}, call(), True),
        ({"queue": "ORDERS"}, call(), False),
        ({"queue": "order"}, call(), False),
        ({"queue": "*"}, call("ListQueues", queue=None), True),
        ({"queue": "orders"}, call("ListQueues", queue=None), False),
        ({"account": "111111111111"}, call(account="111111111111"), True),
        ({"account": "111111111111"}, call(), False),
        ({"body": "b$"}, call(messages=[Content("a", None), Content("ab", None)]), True),
        ({"body": "^b$"}, call(messages=[Content("a", None), Content("ab", None)]), False),
        ({"body": "b"}, call(), False),
    ],
)
def test_a_rule_is_for(match, occasion, meets):
    assert bool(acts(planned({"kind": "throttle", "match": match}), 1, occasion)) == meets


@pytest.mark.parametrize(
    ("asked", "meets"),
    [
        ({"name": "n"}, True),
        ({"name": "n", "value": "7"}, True),
        ({"name": "n", "value": "8"}, False),
        ({"name": "m"}, False),
        ({"name": "raw"}, True),
        ({"name": "raw", "value": "x"}, False),
    ],
)
def test_messages_are_told_by_an_attribute(asked, meets):
    attributes = {
        "n": MessageAttributeValue(data_type="Number", string_value="7"),
        "raw": MessageAttributeValue(data_type="Binary", binary_value=b"x"),
    }
    faults = planned({"kind": "throttle", "match": {"attribute": asked}})
    assert bool(acts(faults, 1, call(messages=[Content("a", attributes)]))) == meets


def test_one_message_must_have_both_the_body_and_the_attribute():
    attributes = {"n": MessageAttributeValue(data_type="String", string_value="7")}
    faults = planned({"kind": "throttle", "match": {"body": "a", "attribute": {"name": "n"}}})
    assert acts(faults, 1, call(messages=[Content("a", None), Content("b", attributes)])) == []
    assert acts(faults, 1, call(messages=[Content("a", attributes)])) == [1]


def test_rules_without_a_queue_pass_fifo_queues_by_where_aws_rules_them_out():
    fifo = call("ReceiveMessage", queue="orders.fifo", is_fifo=True)
    assert acts(planned({"kind": "duplicate"}), 1, fifo) == []
    assert acts(planned({"kind": "duplicate", "match": {"queue": "*"}}), 1, fifo) == []
    assert acts(planned({"kind": "throttle"}), 1, fifo) == [1]


def test_a_kind_acts_only_in_the_actions_in_which_it_happens():
    assert acts(planned({"kind": "duplicate"}), 1, call("SendMessage"), Duplicate) == []


def test_the_first_rule_that_is_due_acts_and_the_others_count():
    faults = planned(
        {"kind": "throttle", "name": "a", "when": {"every": 2}},
        {"kind": "throttle", "name": "b", "when": {"nth": 2}},
        {"kind": "throttle", "name": "c"},
    )
    assert [faults.strike(Throttle, call()).name for _ in range(3)] == ["c", "a", "c"]
    assert [(one.matched, one.acted) for one in faults.rules()] == [(3, 1), (3, 0), (3, 2)]


def test_rules_of_several_kinds_are_asked_in_the_order_in_which_they_were_set():
    faults = planned({"kind": "lost-reply"}, {"kind": "throttle"}, {"kind": "latency", "ms": 1})
    assert faults.strike((Throttle, LostReply), call()).kind == "lost-reply"
    assert faults.strike(Latency, call()).ms == 1


def test_where_a_rule_would_change_nothing_it_neither_acts_nor_counts():
    faults = planned({"kind": "latency", "ms": 1})
    assert faults.strike(Latency, call(), lambda rule: rule.ms > 1) is None
    assert faults.rules()[0].matched == 0


def test_the_same_seed_and_the_same_calls_give_the_same_decisions():
    rules = [
        {"kind": "throttle", "when": {"probability": 0.3}},
        {"kind": "lost-reply", "when": {"probability": 0.3}},
    ]
    first, again, other = (acts(planned(*rules, seed=seed), 50) for seed in (1, 1, 2))
    assert first == again != other


def test_a_restart_repeats_everything():
    faults = planned({"kind": "throttle", "when": {"probability": 0.3, "times": 5}}, seed=3)
    first = acts(faults, 50)
    assert acts(faults, 50) == []
    faults.restart(seeded_chance(3))
    assert acts(faults, 50) == first


def test_accounts_that_share_rules_share_their_counters_but_not_their_draws():
    shared = planned({"kind": "throttle", "when": {"probability": 0.5}})
    one, two = shared.drawing_from(seeded_chance(1)), shared.drawing_from(seeded_chance(1))
    turns = [(bool(acts(one, 1)), bool(acts(two, 1))) for _ in range(20)]
    assert all(first == second for first, second in turns)
    assert shared.rules()[0].matched == 40
    one.add(rule_of({"kind": "lost-reply"}))
    assert two.strike(LostReply, call()) is not None


def test_rules_without_a_name_get_that_of_their_kind_and_a_number():
    faults = planned(*[{"kind": "throttle"}] * 3, {"kind": "throttle", "name": "mine"})
    assert [one.rule.name for one in faults.rules()] == ["throttle", "throttle-2", "throttle-3", "mine"]


def test_a_name_is_given_once():
    faults = planned({"kind": "throttle", "name": "a"})
    with pytest.raises(InvalidRule, match="name: a is the name of another fault"):
        faults.add(rule_of({"kind": "lost-reply", "name": "a"}))
    assert faults.remove("a")
    assert not faults.remove("a")
    assert len(faults) == 0
    assert acts(faults, 1) == []


def test_a_profile_replaces_another_and_leaves_other_rules_alone():
    faults = planned({"kind": "throttle"})
    faults.use_profile("aws")
    assert [one.rule for one in faults.rules()[1:]] == [allowed.rule for allowed in AWS]
    faults.use_profile("hostile")
    assert [one.rule for one in faults.rules()[1:]] == [allowed.rule for allowed in HOSTILE]
    faults.use_profile("none")
    assert [one.rule.name for one in faults.rules()] == ["throttle"]
    faults.clear()
    assert len(faults) == 0


def test_no_profile_makes_a_caller_wait():
    for allowed in (*AWS, *HOSTILE):
        assert not isinstance(allowed.rule, Latency | LostReply)
        assert type(allowed.rule) in KINDS.values()


def test_a_world_without_rules_draws_nothing():
    class Untouched:
        def random(self):
            raise AssertionError

    faults = Faults(Untouched())
    faults.add(rule_of({"kind": "throttle", "when": {"every": 2, "probability": 0.5}}))
    assert faults.strike(Throttle, call()) is None  # not its turn: nothing to draw for
