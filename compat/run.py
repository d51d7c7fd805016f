"""Runs foreign clients against a server of ours: python compat/run.py [NAME ...]

Each folder here that has a day.py or a day.mjs is one client, with an environment and a server of its own.
"""

import argparse
import concurrent.futures
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from environments import Trouble, client_names, command_for

HERE = Path(__file__).resolve().parent
START_SECONDS, STOP_SECONDS, CLIENT_SECONDS = 15, 10, 180
FIGURE = re.compile(r"\w+: (\d+)/(\d+) \w+")
# Clients measure how soon they are woken, so not all at once; they wait a lot, so more than processors.
AT_ONCE = (os.cpu_count() or 1) + 2


@dataclass(frozen=True)
class Outcome:
    client: str
    passed: bool
    text: str
    figure: str
    seconds: float


def main() -> int:
    names = client_names()
    parser = argparse.ArgumentParser(description="Run foreign clients against this emulator.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all if none is given"
    )
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"no such client: {', '.join(sorted(unknown))}")
    chosen = list(dict.fromkeys(options.names)) or names
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [pool.submit(outcome_of, name) for name in chosen]
        outcomes = sorted((job.result() for job in printed(jobs)), key=lambda each: each.client)
    print("== all")
    for each in outcomes:
        print(f"{'ok ' if each.passed else 'FAIL'} {each.figure} ({each.seconds:.1f} s)")
    good = sum(outcome.passed for outcome in outcomes)
    print(f"{good} of {len(chosen)} clients passed in {time.monotonic() - started:.1f} s")
    return 0 if good == len(chosen) else 1


def printed(
    jobs: list["concurrent.futures.Future[Outcome]"],
) -> Iterator["concurrent.futures.Future[Outcome]"]:
    """A client's lines together, as soon as it is done."""
    for job in concurrent.futures.as_completed(jobs):
        print(f"== {job.result().client}\n{job.result().text}", flush=True)
        yield job


def outcome_of(name: str) -> Outcome:
    started = time.monotonic()
    lines: list[str] = []
    passed, figure = False, f"{name}: no figure"
    try:
        command = command_for(name)
        with server() as endpoint:
            passed, figure = work(name, command, endpoint, lines)
    except Trouble as trouble:
        lines.append(f"FAIL  {name}: {trouble}")
        passed = False
    return Outcome(name, passed, "\n".join(lines), figure, time.monotonic() - started)


@contextmanager
def server() -> Iterator[str]:
    """A fresh server; it must stop on SIGTERM with exit code 0, whatever the client did to it."""
    port = free_port()
    command = [sys.executable, "-m", "emulator", "serve", "--port", str(port)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, cwd=HERE.parent, stdout=log, stderr=subprocess.STDOUT)
        try:
            endpoint = f"http://127.0.0.1:{port}"
            wait_until_ready(process, endpoint, log)
            yield endpoint
        finally:
            code = stop(process)
        if code != 0:
            raise Trouble(f"the server's exit code after SIGTERM was {code}:\n{text_of(log)}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(process: "subprocess.Popen[bytes]", endpoint: str, log: IO[str]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Trouble(f"the server ended with {process.returncode} while starting:\n{text_of(log)}")
        try:
            with urllib.request.urlopen(f"{endpoint}/_emulator/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.05)
    raise Trouble(f"the server was not ready within {START_SECONDS} s:\n{text_of(log)}")


def stop(process: "subprocess.Popen[bytes]") -> int:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def text_of(log: IO[str]) -> str:
    log.seek(0)
    return log.read()[-4000:]


def work(name: str, command: list[str], endpoint: str, lines: list[str]) -> tuple[bool, str]:
    """Run the script. It passes if it ended well and says that it did something: silence is not success."""
    env = client_env(endpoint)
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=CLIENT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise Trouble(f"not done within {CLIENT_SECONDS} s; so far:\n{error.stdout!r}") from error
    lines.append(f"{done.stdout}{done.stderr}".rstrip())
    figure = FIGURE.fullmatch(done.stdout.rstrip().rsplit("\n", 1)[-1])
    passed = done.returncode == 0 and figure is not None and figure[1] == figure[2] != "0"
    if not passed:
        lines.append(f"FAIL  {name}: exit code {done.returncode}")
    return passed, figure[0] if figure else f"{name}: no figure"


def client_env(endpoint: str) -> dict[str, str]:
    """No setting of the user's own AWS account may reach a client, and no proxy may stand in between."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return mine | {
        "SQS_ENDPOINT": endpoint,
        "PYTHONPATH": str(HERE),
        "PYTHONUTF8": "1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",
    }


if __name__ == "__main__":
    sys.exit(main())
