"""The bugs of docs/catching-bugs.md are caught, by the code that stands there."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.docs.pages import LEAN, ROOT, Page, shell

PAGE = Page("docs/catching-bugs.md")
EXAMPLES = ROOT / "examples/catching_bugs"
pytestmark = pytest.mark.timeout(150)  # the first test waits for two runs
BUGS = sorted(path.parent.name for path in EXAMPLES.glob("*/buggy.py"))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What became of the tests, by bug, run on the `buggy` or on the `mended` consumers."""
    report = tmp_path_factory.mktemp("reports")

    def run(consumer):
        file = report / f"{consumer}.xml"
        timed = "-p tests.docs.cpu_time -o junit_duration_report=call"
        done = shell(
            f"python -m pytest {LEAN} {timed} --consumer {consumer} --junitxml={file} {EXAMPLES}", ROOT
        )
        cases = list(ElementTree.parse(file).iter("testcase"))
        assert len(cases) == len(BUGS), done.stdout
        return {case.get("classname", "").split(".")[-2]: case for case in cases}

    return {consumer: run(consumer) for consumer in ("buggy", "mended")}


@pytest.mark.parametrize("bug", BUGS)
def test_the_bug_is_caught(results, bug):
    failure = results["buggy"][bug].find("failure")
    assert failure is not None
    assert failure.get("message").startswith("AssertionError")


@pytest.mark.parametrize("bug", BUGS)
def test_the_mended_consumer_passes(results, bug):
    assert [part.tag for part in results["mended"][bug]] == ["properties"]


@pytest.mark.parametrize("bug", BUGS)
def test_it_takes_less_than_a_second(results, bug):
    """Of work. A machine that is busy with other things takes longer, but nothing waits for SQS."""
    for consumer in ("buggy", "mended"):
        case = results[consumer][bug]
        assert float(case.find("./properties/property[@name='cpu_s']").get("value")) < 1
        assert float(case.get("time")) < 10


def test_the_page_shows_the_code_that_is_run():
    shown = PAGE.files()
    files = [path for path in EXAMPLES.rglob("*.py") if path.name != "__init__.py"]
    assert set(shown) == {path.relative_to(ROOT).as_posix() for path in files}
    for path in files:
        assert shown[path.relative_to(ROOT).as_posix()] == path.read_text(encoding="utf-8")


def test_every_bug_has_a_heading():
    assert len(BUGS) == len(re.findall(r"^## \d\. ", PAGE.text, re.MULTILINE)) == 5


def test_every_link_to_a_file_leads_somewhere():
    assert PAGE.dead_links() == []


def test_every_block_is_a_file_or_run_elsewhere():
    for block in PAGE.blocks():
        assert block.mark.startswith("file: ") or block.mark == "run by the tests of this page", block
        assert not block.mark.startswith("file: ") or Path(ROOT, block.mark.removeprefix("file: ")).is_file()
