"""The code blocks of a page, and what it takes to run them.

A comment before a block says what to do with it: `<!-- starts a server -->`, `<!-- file: NAME -->`,
`<!-- run by compat/… -->`, `<!-- not run: REASON -->` and others that the tests of the page know.
"""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.servers import clean_environment

ROOT = Path(__file__).parents[2]
USUAL = "127.0.0.1:9324"
LEAN = "-q -p no:cacheprovider -p no:hypothesispytest --assert=plain"
"""Options of pytest: without what our own environment adds."""


class Block(NamedTuple):
    line: int
    mark: str
    language: str
    text: str


class Page:
    def __init__(self, name):
        self.name = name
        self.path = ROOT / name
        self.text = self.path.read_text(encoding="utf-8")

    def blocks(self):
        pattern = r"^(?:<!-- ([^\n]*?) -->\n)?```(\w*)\n(.*?)^```$"
        for found in re.finditer(pattern, self.text, re.DOTALL | re.MULTILINE):
            line = self.text.count("\n", 0, found.start()) + 1
            yield Block(line, found[1] or "", found[2], found[3])

    def marked(self, *marks, language=None):
        """A parameter `block` for each block with one of these marks."""
        chosen = [
            block
            for block in self.blocks()
            if block.mark in marks and (language is None or block.language == language)
        ]
        assert chosen, f"{self.name} has no block marked {marks}"
        return pytest.mark.parametrize("block", chosen, ids=lambda block: f"line {block.line}")

    def files(self):
        """What the blocks marked as files contain, by name."""
        start = "file: "
        return {b.mark.removeprefix(start): b.text for b in self.blocks() if b.mark.startswith(start)}

    def dead_links(self):
        targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", self.text)
        return [t for t in targets if not t.startswith("http") and not (self.path.parent / t).exists()]


def environment(**more):
    scripts = str(Path(sys.executable).parent)
    return clean_environment(PATH=f"{scripts}{os.pathsep}{os.environ['PATH']}", **more)


def run_python(block, url):
    """Runs a block as a program of its own; what it prints must be what its comments say."""
    code = block.text.replace(f"http://{USUAL}", url)
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == re.findall(r"^\s*print\(.*\)  # (.*)$", block.text, re.MULTILINE)


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
