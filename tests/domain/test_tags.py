import pytest

from emulator.domain.tags import require_new_tags, require_tags, without_tags
from emulator.errors import InvalidParameterValue, MissingParameter
from tests.domain.factories import refused

KEY_LENGTH = "Tag keys must be between 1 and 128 characters in length."


def numbered(count):
    return {f"key{n}": "" for n in range(count)}


def test_tags_are_added_and_overwritten():
    assert require_tags("orders", {"a": "1", "b": "2"}, {"b": "", "C": "3"}) == {"a": "1", "b": "", "C": "3"}


def test_keys_are_case_sensitive():
    assert require_tags("orders", {"a": "1"}, {"A": "2"}) == {"a": "1", "A": "2"}


@pytest.mark.parametrize("added", [None, {}])
def test_tagging_needs_tags(added):
    with refused(MissingParameter, "The request must contain the parameter Tags."):
        require_tags("orders", {}, added)


@pytest.mark.parametrize("tags", [None, {}])
def test_a_new_queue_needs_no_tags(tags):
    assert require_new_tags("orders", tags) == {}


def test_a_queue_has_at_most_fifty_tags():
    assert len(require_tags("orders", numbered(49), {"one": ""})) == 50
    assert len(require_tags("orders", numbered(50), {"key1": "other"})) == 50
    assert len(require_new_tags("orders", numbered(50))) == 50
    with refused(InvalidParameterValue, "Too many tags added for queue orders."):
        require_tags("orders", numbered(50), {"one": ""})
    with refused(InvalidParameterValue, "Too many tags added for queue orders."):
        require_new_tags("orders", numbered(51))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("k" * 128, "v" * 256),
        ("_.:/=+-@ 9", "_.:/=+-@ 9"),
        ("größe", "日本"),
        ("a\u00a0b", ""),
        ("aws", "aws:x"),
    ],
)
def test_keys_and_values_have_letters_digits_blanks_and_some_punctuation(key, value):
    assert require_new_tags("orders", {key: value}) == {key: value}


@pytest.mark.parametrize("key", ["", "k" * 129])
def test_a_key_has_one_to_128_characters(key):
    with refused(InvalidParameterValue, KEY_LENGTH):
        require_tags("orders", {}, {key: "x"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("k", "v" * 257),
        ("aws:x", ""),
        ("AWS:x", ""),
        ("k!", ""),
        ("k", "<"),
        ("k\n", ""),
        ("k", "\t"),
        ("\0", ""),
    ],
)
def test_other_keys_and_values_are_refused(key, value):
    with refused(InvalidParameterValue):
        require_new_tags("orders", {key: value})


def test_untagging_ignores_unknown_keys():
    assert without_tags({"a": "1", "b": "2"}, ["b", "B", "c"]) == {"a": "1"}


@pytest.mark.parametrize("keys", [None, [], [""], ["a", "k" * 129]])
def test_untagging_needs_keys_of_proper_length(keys):
    with refused(InvalidParameterValue, KEY_LENGTH):
        without_tags({"a": "1"}, keys)
