"""Runs the code blocks of docs/test-kit.md, and checks that its tables name all there is."""

import inspect
import re
import shlex
import sys

import pytest
import yaml

from emulator import cli
from emulator.cli_kit import COMMANDS
from emulator.testing import Kit, plugin, running
from emulator.web.kit.app import CALLS
from tests.docs.pages import LEAN, ROOT, USUAL, Page, run_python, shell

PAGE = Page("docs/test-kit.md")
NEW_YEAR_MS = 1_767_225_600_000


@pytest.fixture
def server():
    with running(frozen=True, now_ms=NEW_YEAR_MS, seed=1) as server:
        yield server


def test_the_tests_on_the_page_pass(tmp_path):
    blocks = [block for block in PAGE.blocks() if block.mark == "pytest"]
    assert len(blocks) == 5
    for block in blocks:
        (tmp_path / f"test_line_{block.line}.py").write_text(block.text, encoding="utf-8")
    done = shell(f"python -m pytest -W error {LEAN}", tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"{len(blocks)} passed" in done.stdout


@PAGE.marked("unittest")
def test_the_unittest_on_the_page_passes(block, tmp_path):
    (tmp_path / "test_orders.py").write_text(block.text, encoding="utf-8")
    done = shell("python -W error -m unittest", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Ran 1 test" in done.stderr


@PAGE.marked("", language="python")
def test_a_python_block_prints_what_its_comments_say(block, server):
    run_python(block, server.url)


@PAGE.marked("shell")
def test_a_shell_block_runs(block, server, tmp_path):
    done = shell(block.text.replace(f"http://{USUAL}", server.url), tmp_path)
    assert done.returncode == 0, done.stderr


@PAGE.marked("console")
def test_commands_answer_as_the_page_shows(block, server, monkeypatch, capsys):
    monkeypatch.setenv("SQS_EMULATOR_URL", server.url)
    server.client().create_queue(QueueName="orders")
    capsys.readouterr()
    shown = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)
    assert len(shown) > 4
    for command, answer in shown:
        program, *words = shlex.split(command)
        assert program == "sqs-emulator"
        monkeypatch.setattr(sys, "argv", [program, *words])
        with pytest.raises(SystemExit):
            cli.main()
        assert capsys.readouterr().out == answer, command


@PAGE.marked("service container")
def test_the_service_container_is_used_by_the_plugin(block):
    job = yaml.safe_load(block.text)["jobs"]["test"]
    service = job["services"]["sqs"]
    assert service["ports"] == ["9324:9324"]
    assert job["env"] == {plugin.URL_VARIABLE: f"http://{USUAL}"}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "HEALTHCHECK" in dockerfile
    for name in service["env"]:
        assert f"{name}=" in dockerfile


@PAGE.marked("compose")
def test_the_compose_example_waits_for_the_health_check_and_names_the_service(block):
    services = yaml.safe_load(block.text)["services"]
    assert services["tests"]["environment"] == {plugin.URL_VARIABLE: "http://sqs:9324"}
    assert services["tests"]["depends_on"] == {"sqs": {"condition": "service_healthy"}}


def test_every_block_is_run():
    known = r"|pytest|unittest|shell|console|service container|compose"
    for block in PAGE.blocks():
        assert re.fullmatch(known, block.mark), block
        assert block.mark or block.language == "python", block


def test_every_link_to_a_file_leads_somewhere():
    assert PAGE.dead_links() == []


def test_every_link_within_the_page_leads_to_a_heading():
    headings = re.findall(r"^#+ (.*)$", PAGE.text, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-").replace(",", "") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE.text)) <= anchors


def test_every_fixture_is_in_its_table():
    fixtures = [
        name for name, value in vars(plugin).items() if type(value).__name__ == "FixtureFunctionDefinition"
    ]
    public = {name for name in fixtures if not name.startswith("_")}
    assert {"sqs", "sqs_queue", "aws_env"} < public
    assert set(re.findall(r"^\| `(\w+)` \| ", PAGE.text.split("## unittest")[0], re.MULTILINE)) == public


def test_every_argument_of_running_is_in_its_table():
    named = {name for name in inspect.signature(running).parameters if name != "settings"}
    table = PAGE.text.split("## unittest")[1].split("## The client")[0]
    assert set(re.findall(r"^\| `(\w+)` \| ", table, re.MULTILINE)) == named


def test_every_method_of_the_client_is_in_its_table():
    kit = Kit("http://127.0.0.1:1")
    table = PAGE.text.split("## The client")[1].split("## Commands")[0]
    for part in (kit, kit.clock, kit.journal, kit.faults):
        for name, _ in inspect.getmembers(part, inspect.ismethod):
            assert name.startswith("_") or re.search(rf"\.{name}\(", table), name


def test_every_command_is_in_its_table():
    table = PAGE.text.split("## Commands")[1].split("## CI")[0]
    rows = re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE)
    assert [name for name in COMMANDS if not any(f"{name}" in row for row in rows)] == []


def test_every_call_of_the_api_is_in_its_table():
    listed = set(re.findall(r"^\| `([A-Z]+) (/\S+)` \| ", PAGE.text, re.MULTILINE))
    ours = {(call.method, call.path) for call in CALLS if call.path.startswith("/_emulator/")}
    assert listed == ours
    for other in {call.path.partition("{")[0] for call in CALLS} - {
        path.partition("{")[0] for _, path in ours
    }:
        assert other.rstrip("/") in PAGE.text
