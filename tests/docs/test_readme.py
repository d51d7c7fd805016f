"""Runs the code blocks of README.md, which share a folder, so that what a newcomer copies works."""

import re
import shlex

import pytest
import yaml

from emulator.operations import OPERATIONS
from tests.cli.servers import running
from tests.docs.pages import LEAN, ROOT, USUAL, Page, run_python, shell

README = Page("README.md")


@pytest.fixture(scope="module")
def server():
    with running() as server:
        yield server


@pytest.fixture
def folder(tmp_path):
    for name, text in README.files().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@README.marked("", language="python")
def test_a_python_block_runs_and_prints_what_its_comments_say(block, server):
    run_python(block, server.url)


@README.marked("", language="sh")
def test_a_shell_block_runs(block, server, folder):
    done = shell(block.text.replace(USUAL, f"127.0.0.1:{server.port}"), folder)
    assert done.returncode == 0, done.stderr


@README.marked("starts a server")
def test_a_block_that_starts_a_server_starts_it(block, folder):
    program, command, *flags = shlex.split(block.text)
    assert (program, command) == ("sqs-emulator", "serve")
    with running(*flags, cwd=folder) as server:
        server.call("ListQueues")


@README.marked("pytest")
def test_a_test_of_the_readme_passes(block, folder):
    (folder / "test_orders.py").write_text(block.text, encoding="utf-8")
    done = shell(f"python -m pytest -W error {LEAN}", folder)
    assert done.returncode == 0, done.stdout


def test_the_config_file_of_the_readme_declares_its_queues(folder):
    with running("--config", "queues.yaml", cwd=folder) as server:
        assert len(server.call("ListQueues")["QueueUrls"]) == 2


@README.marked("workflow")
def test_the_ci_job_starts_the_emulator_and_waits_until_it_answers(block, folder):
    job = yaml.safe_load(block.text)["jobs"]["test"]
    assert job["env"]["AWS_ENDPOINT_URL_SQS"] == f"http://{USUAL}"
    (script,) = [step["run"] for step in job["steps"] if step.get("name") == "Start the emulator"]
    with running() as other:
        port = other.port  # free once that server has stopped
    started = shell(script.replace(USUAL, f"127.0.0.1:{port}"), folder, SQS_EMULATOR_PORT=str(port))
    assert started.returncode == 0, started.stderr
    assert '{"status":"ready"}' in started.stdout


@README.marked("compose")
def test_the_compose_example_waits_for_the_health_check_and_names_the_service(block):
    services = yaml.safe_load(block.text)["services"]
    assert services["worker"]["environment"]["AWS_ENDPOINT_URL_SQS"] == "http://sqs:9324"
    assert services["worker"]["depends_on"] == {"sqs": {"condition": "service_healthy"}}
    assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_every_block_is_run_or_says_why_not():
    known = r"|starts a server|pytest|file: \S+|workflow|compose|run by compat/\w+|not run: .+"
    for block in README.blocks():
        assert re.fullmatch(known, block.mark), block
        assert block.language in {"python", "sh", "yaml"}, block
        if block.mark.startswith("run by "):
            assert (ROOT / block.mark.removeprefix("run by ")).is_dir(), block


def test_every_link_to_a_file_leads_somewhere():
    assert README.dead_links() == []


def test_every_operation_is_in_the_table_of_what_is_supported():
    table = README.text.split("## What is supported")[1]
    assert {name for name in OPERATIONS if not re.search(rf"\b{name}\b", table)} == set()
