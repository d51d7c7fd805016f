"""docs/fidelity.md: every rule has a test that is there, or says why it has none."""

from collections import Counter

from tests.fidelity.build import DOCUMENT, document
from tests.fidelity.rules import SOURCES, all_rules, existing_tests, sections

RULES = all_rules()


def test_the_document_is_up_to_date():
    assert DOCUMENT.read_text("utf-8") == document(), "run python -m tests.fidelity.build"


def test_every_test_that_is_named_exists():
    there = existing_tests()
    assert [(rule.id, name) for rule in RULES for name in rule.tests if name not in there] == []


def test_every_rule_has_a_test_or_says_why_not():
    assert [rule.id for rule in RULES if not rule.tests and not rule.why] == []


def test_ids_are_unique_and_those_of_their_section():
    assert [one for one, count in Counter(rule.id for rule in RULES).items() if count > 1] == []
    assert [
        rule.id for part in sections() for rule in part.rules if not rule.id.startswith(f"{part.number}-")
    ] == []


def test_it_is_said_how_each_rule_is_known():
    assert [rule.id for rule in RULES if not rule.known or not set(rule.known) <= set(SOURCES)] == []


def test_no_test_is_named_twice_by_a_rule():
    assert [rule.id for rule in RULES if len(set(rule.tests)) < len(rule.tests)] == []


def test_no_text_breaks_the_table():
    texts = [text for rule in RULES for text in (rule.text, rule.why)]
    assert [text for text in texts if "\n" in text] == []
