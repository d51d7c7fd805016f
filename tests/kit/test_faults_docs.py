import json
import re
from pathlib import Path

import msgspec
import pytest

from emulator.config_file import read_config_file
from emulator.faults import rule_of
from emulator.faults.profiles import AWS, HOSTILE, PROFILES
from emulator.faults.rules import KINDS, Match, Rule, When

PAGE = (Path(__file__).parents[2] / "docs/faults.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([\w-]+)`[^\n]*\n(.*?)(?=^##)", PAGE + "\n##", re.DOTALL | re.MULTILINE))


def examples(language, text=PAGE):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def rows(text):
    """The first cells of the tables in a text."""
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall("`(.*?)`", cell)]


def test_each_kind_has_its_section():
    assert set(SECTIONS) == {*KINDS, *PROFILES, "match", "when"} - {"none"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_section_lists_the_parameters_of_its_kind_with_their_defaults(kind):
    common = {field.name for field in msgspec.structs.fields(Rule)}
    fields = {field.name: field.default for field in msgspec.structs.fields(KINDS[kind])}
    assert rows(SECTIONS[kind]) == [name for name in fields if name not in common]
    for name, default in re.findall(r"^\| `(\w+)` \| `(.*?)` \|", SECTIONS[kind], re.MULTILINE):
        assert json.loads(default) == fields[name]


@pytest.mark.parametrize(("section", "part"), [("match", Match), ("when", When)])
def test_what_rules_have_in_common_is_listed(section, part):
    known = [field.name for field in msgspec.structs.fields(part)]
    assert [name for name in rows(SECTIONS[section]) if name in known] == known


@pytest.mark.parametrize("kind", KINDS)
def test_a_section_has_an_example_which_is_the_same_in_json_and_yaml(kind, tmp_path):
    (as_json,), (as_yaml,) = examples("json", SECTIONS[kind]), examples("yaml", SECTIONS[kind])
    rule = rule_of(json.loads(as_json))
    assert rule.kind == kind
    assert without_name(in_config(as_yaml, tmp_path)) == rule
    assert "What to expect: " in SECTIONS[kind]


def test_the_first_example_is_the_same_in_json_and_yaml(tmp_path):
    assert rule_of(json.loads(examples("json")[0])) == in_config(examples("yaml")[0], tmp_path)


@pytest.mark.parametrize(("profile", "allowed"), [("aws", AWS), ("hostile", HOSTILE)])
def test_a_profile_lists_its_rules_and_the_pages_that_allow_them(profile, allowed):
    listed = [json.loads(rule) for rule in rows(SECTIONS[profile])]
    assert listed == [msgspec.json.decode(msgspec.json.encode(one.rule)) for one in allowed]
    assert re.findall(r"\]\((http\S+?)\)", SECTIONS[profile]) == [one.by.page for one in allowed]


def test_the_sentences_that_allow_the_faults_of_profiles_are_quoted():
    words = " ".join(PAGE.split())
    for allowed in (*AWS, *HOSTILE):
        assert allowed.by.text.split(". Exceeds")[0] in words


def in_config(text, folder):
    path = folder / "sqs.yaml"
    path.write_text(text, encoding="utf-8")
    (rule,) = read_config_file(str(path)).faults
    return rule_of(json.loads(rule))


def without_name(rule):
    return msgspec.structs.replace(rule, name="")
