"""docs/metrics.md, docs/cloudwatch.md, and the dashboard and alert rules beside them."""

import json
import re
import subprocess

import pytest

from emulator.cloudwatch.door import ACTIONS
from emulator.domain.metrics import METRICS
from emulator.testing import running
from emulator.web.metrics import PREFIX
from tests.docs.pages import LEAN, ROOT, Page, run_python, shell
from tests.http.test_metrics import promtool

METRICS_PAGE = Page("docs/metrics.md")
CLOUDWATCH_PAGE = Page("docs/cloudwatch.md")
RULES = (ROOT / "docs/alerts.yml").read_text(encoding="utf-8")
DASHBOARD = json.loads((ROOT / "docs/grafana/sqs-emulator.json").read_text(encoding="utf-8"))
SERIES = re.compile(rf"\b({PREFIX}\w+|process_\w+)")
OF_THE_SERVER = {
    "request_duration_seconds_bucket",
    "request_duration_seconds_count",
    "engine_commit_requests_count",
    "engine_commit_requests_sum",
    "engine_database_size_bytes",
}
THERE_ARE = (
    {PREFIX + metric.prometheus for metric in METRICS}
    | {PREFIX + name for name in OF_THE_SERVER}
    | {"process_resident_memory_bytes"}
)


def test_the_table_has_each_metric_with_its_name_in_cloudwatch():
    found = re.findall(rf"^\| `{PREFIX}(\w+)` \| `(\w+)` \| ", METRICS_PAGE.text, re.MULTILINE)
    assert found == [(metric.prometheus, metric.name) for metric in METRICS]


def test_the_dashboard_asks_for_metrics_that_there_are():
    expressions = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    assert len(expressions) >= len(DASHBOARD["panels"]) > 10
    asked = {name for expression in expressions for name in SERIES.findall(expression)}
    assert asked - THERE_ARE == set()
    assert asked >= {
        PREFIX + metric.prometheus for metric in METRICS if metric.prometheus.startswith("messages_")
    }


def test_the_panels_of_the_dashboard_do_not_overlap():
    taken = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells


def test_the_alert_rules_are_sound_and_ask_for_metrics_that_there_are():
    done = subprocess.run(
        [promtool(), "check", "rules", "docs/alerts.yml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "SUCCESS: 4 rules found" in done.stdout
    assert set(SERIES.findall(RULES)) - THERE_ARE == set()


def test_the_page_on_cloudwatch_names_all_actions():
    (table,) = re.findall(
        r"^\| Action \| \|\n\|---\|---\|\n((?:\|.*\n)+)", CLOUDWATCH_PAGE.text, re.MULTILINE
    )
    named = re.findall(r"\w+", " ".join(row.split("|")[1] for row in table.splitlines()))
    assert sorted(named) == sorted(ACTIONS)


@CLOUDWATCH_PAGE.marked("", language="python")
def test_a_python_block_prints_what_its_comments_say(block):
    with running(frozen=True) as server:
        run_python(block, server.url)


def test_the_test_on_the_page_passes(tmp_path):
    (block,) = [block for block in CLOUDWATCH_PAGE.blocks() if block.mark == "pytest"]
    (tmp_path / "test_alarm.py").write_text(block.text, encoding="utf-8")
    done = shell(f"python -m pytest -W error {LEAN}", tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.parametrize("page", [METRICS_PAGE, CLOUDWATCH_PAGE], ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page):
    assert page.dead_links() == []
