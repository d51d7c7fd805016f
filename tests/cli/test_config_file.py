import json
from pathlib import Path

import pytest

from emulator.config_file import read_config_file
from emulator.settings import RedriveDeclaration, StartError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(text):
        Path("sqs.yaml").write_text(text, encoding="utf-8")
        return read_config_file("sqs.yaml")

    return read


@pytest.fixture
def mistakes(read):
    def mistakes(text):
        with pytest.raises(StartError) as caught:
            read(text)
        return str(caught.value).splitlines()

    return mistakes


def test_the_example_file_declares_three_queues():
    config = read_config_file(str(ROOT / "docs/queues.example.yaml"))
    assert [queue.name for queue in config.queues] == ["orders", "orders-dlq", "mail"]


def test_an_empty_file_says_nothing(read):
    for text in ("", "# nothing yet\n", "queues:\n"):
        assert read(text).values == {}
        assert read(text).queues == ()


def test_settings_stand_at_the_top_level(read):
    assert read("port: 9555\ncooldowns: false\n").values == {"port": 9555, "cooldowns": False}


def test_an_account_with_leading_zeros_needs_no_quotes(read):
    assert read("account: 000000000012\n").values == {"account": "000000000012"}


def test_a_queue_carries_attributes_tags_and_redrive(read):
    (queue, _) = read("""
queues:
  - name: orders
    attributes: {VisibilityTimeout: 60, DelaySeconds: "5"}
    tags: {team: core, 007: yes}
    redrive: {to: dead, max_receive_count: 3}
  - dead
""").queues
    assert queue.attributes == {"VisibilityTimeout": "60", "DelaySeconds": "5"}
    assert queue.tags == {"team": "core", "007": "yes"}
    assert queue.redrive == RedriveDeclaration(to="dead", max_receive_count=3)
    assert queue.where("attributes.DelaySeconds") == "sqs.yaml:4: queues.orders.attributes.DelaySeconds"


def test_queues_may_be_a_mapping_of_names(read):
    queues = read("queues:\n  orders: {attributes: {DelaySeconds: 1}}\n  mail:\n").queues
    assert [(queue.name, queue.attributes) for queue in queues] == [
        ("orders", {"DelaySeconds": "1"}),
        ("mail", {}),
    ]


def test_true_and_false_become_the_strings_of_aws(read):
    (queue,) = read("queues: [{name: a.fifo, attributes: {FifoQueue: True, Some: no}}]").queues
    assert queue.attributes == {"FifoQueue": "true", "Some": "false"}


def test_a_policy_may_be_a_mapping_and_its_version_stays_text(read):
    (queue,) = read("""
queues:
  - name: orders
    attributes:
      Policy: {Version: 2012-10-17, Statement: [{Sid: 1, Effect: Allow, Principal: "*"}]}
""").queues
    assert json.loads(queue.attributes["Policy"]) == {
        "Version": "2012-10-17",
        "Statement": [{"Sid": 1, "Effect": "Allow", "Principal": "*"}],
    }


def test_attributes_can_be_shared_with_a_yaml_merge(read):
    queues = read("""
queues:
  - {name: a, attributes: &slow {VisibilityTimeout: 600, DelaySeconds: 9}}
  - {name: b, attributes: {<<: *slow, DelaySeconds: 1}}
""").queues
    assert queues[1].attributes == {"VisibilityTimeout": "600", "DelaySeconds": "1"}


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("- a\n- b\n", "1: the file must be a mapping (key: value)"),
        ("\nport: loud\n", "2: port: 'loud' is not a whole number from 0 to 65535"),
        ("port: [1]\n", "1: port: must be a single value"),
        ("port:\n", "1: port: has no value"),
        ("port: 1\nhost: a\nport: 2\n", "3: port: given before, in line 1"),
        ("? [a]\n: 1\n", "1: a key must be plain text"),
        ("queues: 5\n", "1: queues: must be a list or a mapping of queues"),
        ("queues:\n  - attributes: {}\n", "2: queues[0]: needs a name"),
        ("queues:\n  - [a]\n", "2: queues[0]: must be a mapping (key: value)"),
        ("queues:\n  - name: [a]\n", "2: queues[0].name: must be a single value"),
        ("queues:\n  - a\n  - b\n  - name: a\n", "4: queues.a: declared before, in line 2"),
        ("queues:\n  a: {}\n  a: {}\n", "3: queues.a: given before, in line 2"),
        ("queues: {a: {colour: 1}}", "1: queues.a.colour: unknown key; known are "),
        ("queues: {a: {attributes: 5}}", "1: queues.a.attributes: must be a mapping (key: value)"),
        ("queues: {a: {attributes: {X: }}}", "1: queues.a.attributes.X: has no value"),
        ("queues: {a: {attributes: {X: [1]}}}", "1: queues.a.attributes.X: must be a single value"),
        ("queues: {a: {attributes: {X: 1_0}}}", "1: queues.a.attributes.X: 1_0 is not a whole number"),
        ("queues: {a: {attributes: {X: 1.5}}}", "1: queues.a.attributes.X: 1.5 is not a whole number"),
        ("queues: {a: {attributes: {X: &x {y: *x}}}}", "1: queues.a.attributes.X: is nested too deeply"),
        ("queues: {a: {tags: {x: {}}}}", "1: queues.a.tags.x: must be a single value"),
        ("queues: {a: {redrive: b}}", "1: queues.a.redrive: must be a mapping (key: value)"),
        ("queues: {a: {redrive: {to: a}}}", "1: queues.a.redrive: needs max_receive_count"),
        ("queues: {a: {redrive: {max_receive_count: 1}}}", "1: queues.a.redrive: needs to"),
        (
            "queues:\n  a:\n    redrive:\n      to: b\n      max_receive_count: 1\n",
            "4: queues.a.redrive.to: no queue named 'b' is declared in this file",
        ),
        (
            "queues: {a: {redrive: {to: a, max_receive_count: 0}}}",
            "1: queues.a.redrive.max_receive_count: '0' is not a whole number from 1 to 1000",
        ),
        (
            "queues: {a: {redrive: {to: a, max_receive_count: 1, from: b}}}",
            "1: queues.a.redrive.from: unknown key; known are to and max_receive_count",
        ),
        (
            "queues: {a: {attributes: {RedrivePolicy: x}, redrive: {to: a, max_receive_count: 1}}}",
            "1: queues.a.redrive: given together with attributes.RedrivePolicy",
        ),
        ("a: b: c\n", "1: not valid YAML: mapping values are not allowed here"),
        ("port: 1\n---\nport: 2\n", "2: not valid YAML: but found another document"),
        ("port: *nowhere\n", "1: not valid YAML: found undefined alias 'nowhere'"),
        ("port: 1\nhost: \x07\n", "2: not valid YAML: special characters are not allowed"),
        ('port: "\\UFFFFFFFF"\n', " not valid YAML: a character that does not exist"),
        ("port: " + "[" * 5_000, " not valid YAML: nested too deeply"),
        ("port: 1\nqueues: {a: &a {<<: &b {<<: *a}}}\n", "2: queues.a: merges itself"),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_key(mistakes, text, mistake):
    (line,) = mistakes(text)
    assert line.startswith(f"sqs.yaml:{mistake}")


def test_an_unknown_key_is_answered_with_the_known_ones(mistakes):
    (line,) = mistakes("prot: 9555\n")
    assert line.startswith("sqs.yaml:1: prot: unknown key; known are host, port, data, postgres_schema, ")


def test_a_config_file_cannot_name_another_one(mistakes):
    (line,) = mistakes("config: other.yaml\n")
    assert line.startswith("sqs.yaml:1: config: unknown key")


def test_all_mistakes_are_reported_together_in_order_of_line(mistakes):
    lines = mistakes("""port: x
queues:
  - name: a
    redrive: {to: nowhere, max_receive_count: 3}
  - name: a
colour: red
""")
    assert [line.split(": ")[0] for line in lines] == [f"sqs.yaml:{number}" for number in (1, 4, 5, 6)]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(StartError, match=r"nowhere\.yaml: cannot be read: No such file or directory$"):
        read_config_file(str(tmp_path / "nowhere.yaml"))
    with pytest.raises(StartError, match=r": cannot be read: Is a directory$"):
        read_config_file(str(tmp_path))
    (tmp_path / "latin.yaml").write_bytes(b"host: \xe9\n")
    with pytest.raises(StartError, match=r"latin\.yaml: cannot be read: it is not UTF-8 text$"):
        read_config_file(str(tmp_path / "latin.yaml"))
