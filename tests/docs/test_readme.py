"""Runs the code blocks of README.md, so that what a newcomer copies works.

A comment before a block says what else to do with it: `<!-- starts a server -->`, `<!-- file: NAME -->`,
`<!-- run by compat/… -->`, `<!-- not run: REASON -->`. Blocks share a folder, as a newcomer's would.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from emulator.operations import OPERATIONS
from tests.cli.servers import clean_environment, running

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
USUAL = "127.0.0.1:9324"


class Block(NamedTuple):
    line: int
    mark: str
    language: str
    text: str


def blocks():
    pattern = r"^(?:<!-- ([^\n]*?) -->\n)?```(\w*)\n(.*?)^```$"
    for found in re.finditer(pattern, README, re.DOTALL | re.MULTILINE):
        line = README.count("\n", 0, found.start()) + 1
        yield Block(line, found[1] or "", found[2], found[3])


def marked(*marks, language=None):
    chosen = [
        block
        for block in blocks()
        if block.mark in marks and (language is None or block.language == language)
    ]
    assert chosen, f"README.md has no block marked {marks}"
    return pytest.mark.parametrize("block", chosen, ids=lambda block: f"line {block.line}")


@pytest.fixture(scope="module")
def server():
    with running() as server:
        yield server


@pytest.fixture
def folder(tmp_path):
    for block in blocks():
        if block.mark.startswith("file: "):
            (tmp_path / block.mark.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
    return tmp_path


def environment(**more):
    scripts = str(Path(sys.executable).parent)
    return clean_environment(PATH=f"{scripts}{os.pathsep}{os.environ['PATH']}", **more)


@marked("", language="python")
def test_a_python_block_runs_and_prints_what_its_comments_say(block, server):
    code = block.text.replace(USUAL, f"127.0.0.1:{server.port}")
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == re.findall(r"^\s*print\(.*\)  # (.*)$", block.text, re.MULTILINE)


@marked("", language="sh")
def test_a_shell_block_runs(block, server, folder):
    done = shell(block.text.replace(USUAL, f"127.0.0.1:{server.port}"), folder)
    assert done.returncode == 0, done.stderr


@marked("starts a server")
def test_a_block_that_starts_a_server_starts_it(block, folder):
    program, command, *flags = shlex.split(block.text)
    assert (program, command) == ("sqs-emulator", "serve")
    with running(*flags, cwd=folder) as server:
        server.call("ListQueues")


def test_the_config_file_of_the_readme_declares_its_queues(folder):
    with running("--config", "queues.yaml", cwd=folder) as server:
        assert len(server.call("ListQueues")["QueueUrls"]) == 2


@marked("workflow")
def test_the_ci_job_starts_the_emulator_and_waits_until_it_answers(block, folder):
    job = yaml.safe_load(block.text)["jobs"]["test"]
    assert job["env"]["AWS_ENDPOINT_URL_SQS"] == f"http://{USUAL}"
    (script,) = [step["run"] for step in job["steps"] if step.get("name") == "Start the emulator"]
    with running() as other:
        port = other.port  # free once that server has stopped
    started = shell(script.replace(USUAL, f"127.0.0.1:{port}"), folder, SQS_EMULATOR_PORT=str(port))
    assert started.returncode == 0, started.stderr
    assert '{"status":"ready"}' in started.stdout


@marked("compose")
def test_the_compose_example_waits_for_the_health_check_and_names_the_service(block):
    services = yaml.safe_load(block.text)["services"]
    assert services["worker"]["environment"]["AWS_ENDPOINT_URL_SQS"] == "http://sqs:9324"
    assert services["worker"]["depends_on"] == {"sqs": {"condition": "service_healthy"}}
    assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_every_block_is_run_or_says_why_not():
    known = r"|starts a server|file: \S+|workflow|compose|run by compat/\w+|not run: .+"
    for block in blocks():
        assert re.fullmatch(known, block.mark), block
        assert block.language in {"python", "sh", "yaml"}, block
        if block.mark.startswith("run by "):
            assert (ROOT / block.mark.removeprefix("run by ")).is_dir(), block


def test_every_link_to_a_file_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_every_operation_is_in_the_table_of_what_is_supported():
    table = README.split("## What is supported")[1]
    assert {name for name in OPERATIONS if not re.search(rf"\b{name}\b", table)} == set()


def shell(script, folder, **more):
    """Runs a script as CI would, and ends what it left in the background."""
    process = subprocess.Popen(
        ["bash", "-euc", script],
        cwd=folder,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    code = process.wait(timeout=50)
    with suppress(ProcessLookupError):  # nothing was left
        os.killpg(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=10)
    return subprocess.CompletedProcess(script, code, out, err)
