"""Starts the real command in a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Server:
    process: "subprocess.Popen[str]"
    start_line: str

    @property
    def url(self) -> str:
        found = re.search(r"http://\S+", self.start_line)
        assert found, self.start_line
        return found[0]

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return str(answer.read().decode())

    def call(self, action: str, **members: Any) -> Any:
        """One call in the JSON protocol."""
        headers = {"X-Amz-Target": f"AmazonSQS.{action}", "Content-Type": "application/x-amz-json-1.0"}
        request = urllib.request.Request(self.url, json.dumps(members).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def stop(self, by: signal.Signals = signal.SIGTERM) -> tuple[int, float, str]:
        """Exit code, seconds it took, and all of stderr."""
        started = time.monotonic()
        self.process.send_signal(by)
        _, log = self.process.communicate(timeout=20)
        return self.process.returncode, time.monotonic() - started, log


@contextmanager
def running(*flags: str, cwd: Path | None = None, **environment: str) -> Iterator[Server]:
    """A server that is ready, on a free port unless a setting names one; killed at the end if need be."""
    command = [sys.executable, "-m", "emulator", "serve", *flags]
    if "--port" not in flags and "SQS_EMULATOR_PORT" not in environment:
        command += ["--port", "0"]
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=clean_environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise AssertionError(f"the server did not start: {process.communicate(timeout=10)[1]}")
            yield Server(process, line)
        finally:
            if process.poll() is None:
                process.kill()


def run(*arguments: str, cwd: Path | None = None, **environment: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command that ends by itself."""
    done = subprocess.run(
        [sys.executable, "-m", "emulator", *arguments],
        cwd=cwd,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def refusal(*flags: str, cwd: Path | None = None, **environment: str) -> str:
    """What stderr says about a start that is refused."""
    code, said, complaint = run("serve", *flags, cwd=cwd, **environment)
    assert (code, said) == (2, ""), (code, said, complaint)
    return complaint


def clean_environment(**more: str) -> dict[str, str]:
    """Settings of the developer's own shell must not reach the tests."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("SQS_EMULATOR_")}
    root = str(Path(__file__).parents[2])
    return kept | {"PYTHONPATH": root, "PYTHONUNBUFFERED": "1"} | more
