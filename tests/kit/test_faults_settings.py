import json
from pathlib import Path

import msgspec
import pytest

from emulator.cli import load_settings
from emulator.config_file import read_config_file
from emulator.faults import declared_faults
from emulator.faults.profiles import AWS
from emulator.ids import seeded_chance
from emulator.settings import Settings, StartError


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(text):
        Path("sqs.yaml").write_text(text, encoding="utf-8")
        return [json.loads(rule) for rule in read_config_file("sqs.yaml").faults]

    return read


@pytest.fixture
def mistakes(read):
    def mistakes(text):
        with pytest.raises(StartError) as caught:
            read(text)
        return str(caught.value).splitlines()

    return mistakes


def names(settings):
    faults = declared_faults(settings, seeded_chance(1))
    return None if faults is None else [one.rule.name for one in faults.rules()]


def test_faults_stand_in_the_config_file_as_in_json(read):
    text = """
faults:
  - name: twice
    kind: duplicate
    match:
      queue: orders-*
      account: 000000000012
      attribute: {name: tenant, value: 7}
      body: 42
    when: {probability: 0.5, sequence: [yes, no, true], times: 3}
    after_s: 1.5
  - kind: error
    status: 503
"""
    twice, error = read(text)
    assert twice == {
        "name": "twice",
        "kind": "duplicate",
        "match": {
            "queue": "orders-*",
            "account": "000000000012",
            "attribute": {"name": "tenant", "value": "7"},
            "body": "42",
        },
        "when": {"probability": 0.5, "sequence": [True, False, True], "times": 3},
        "after_s": 1.5,
    }
    assert error == {"name": "error", "kind": "error", "status": 503}


def test_faults_may_be_a_mapping_of_names(read):
    assert read("faults: {busy: {kind: throttle}}") == [{"name": "busy", "kind": "throttle"}]


def test_parts_of_rules_can_be_shared_with_a_yaml_merge(read):
    text = """
faults:
  - {kind: throttle, when: &rare {probability: 0.1}}
  - {kind: lost-reply, when: {<<: *rare, times: 1}}
"""
    assert read(text)[1]["when"] == {"probability": 0.1, "times": 1}


def test_no_faults_are_none(read):
    assert read("faults:\n") == read("faults: []") == read("port: 1") == []


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("faults: 5\n", "1: faults: must be a list or a mapping of faults"),
        ("faults:\n  - 5\n", "2: faults[0]: must be a mapping (key: value)"),
        ("faults:\n  - name: a\n", "2: faults[0]: needs kind"),
        ("faults:\n  a:\n    kind: b\n", "3: faults.a.kind: 'b' is no kind of fault; known are "),
        ("faults:\n  - kind: error\n    state: 5\n", "3: faults[0].state: unknown; known are "),
        ("faults:\n  - kind: error\n    status: 5\n", "3: faults[0].status: must be one of 500, 503"),
        ("faults: [{kind: throttle, kind: error}]", "1: faults[0].kind: given before, in line 1"),
        (
            "faults:\n  - kind: throttle\n    when:\n      probability: often\n",
            "4: faults[0].when.probability: must be a number, not text",
        ),
        (
            "faults:\n  - kind: throttle\n    when:\n      sequence:\n        - yes\n        - maybe\n",
            "6: faults[0].when.sequence[1]: must be true or false, not text",
        ),
        (
            "faults:\n  - kind: reorder\n    match:\n      queue: a.fifo\n",
            "4: faults[0].match.queue: AWS rules out reorder on FIFO queues, such as a.fifo",
        ),
        ("faults:\n  - kind: throttle\n    name: &a [*a, *a]\n", "2: faults[0]: is nested too deeply"),
        (
            "faults:\n  - kind: throttle\n  - kind: throttle\n    name: throttle\n",
            "4: faults[1].name: throttle is the name of another fault",
        ),
    ],
)
def test_a_mistake_is_reported_with_file_line_and_key(mistakes, text, mistake):
    first = mistakes(text)[0]
    assert first.startswith(f"sqs.yaml:{mistake}"), first


def test_all_mistakes_are_reported_together(mistakes):
    assert len(mistakes("port: x\nfaults:\n  - {kind: a}\n  - {kind: b}\n")) == 3


def test_faults_of_a_profile_come_before_those_of_the_config_file():
    rule = '{"kind":"throttle","name":"mine"}'
    profile = [allowed.rule.name for allowed in AWS]
    assert names(Settings(faults_profile="aws", faults=(rule,))) == [*profile, "mine"]
    assert names(Settings(faults=(rule,))) == ["mine"]
    assert names(Settings()) is None


def test_profile_and_seed_are_settings_like_others(tmp_path):
    config = tmp_path / "sqs.yaml"
    config.write_text("faults_profile: aws\nseed: 5\nfaults: [{kind: throttle}]\n")
    settings = load_settings({"seed": "6"}, {"SQS_EMULATOR_CONFIG": str(config)})
    assert (settings.faults_profile, settings.seed) == ("aws", 6)
    assert msgspec.json.decode(settings.faults[0]) == {"name": "throttle", "kind": "throttle"}
    with pytest.raises(StartError, match="--faults-profile: 'mean' is none of none, aws, hostile"):
        load_settings({"faults_profile": "mean"}, {})
