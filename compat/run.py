"""Runs foreign clients against a server of ours: python compat/run.py [NAME ...]

Each folder beside this file that has a day.py is one client, with a virtual environment and a fresh server.
"""

import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
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

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
START_SECONDS, STOP_SECONDS, CLIENT_SECONDS, INSTALL_SECONDS = 15, 10, 180, 600
FIGURE = re.compile(r"\w+: (\d+)/(\d+) steps")


class Trouble(Exception):
    """Why a client could not be run, or its server was not well behaved. Always counts as a failure."""


@dataclass(frozen=True)
class Outcome:
    client: str
    passed: bool
    text: str


def main() -> int:
    names = sorted(path.parent.name for path in HERE.glob("*/day.py"))
    parser = argparse.ArgumentParser(description="Run foreign clients against this emulator.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all if none is given"
    )
    parser.add_argument(
        "--all", action="store_true", help="also the calls that are not yet expected to succeed"
    )
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"no such client: {', '.join(sorted(unknown))}")
    chosen = list(dict.fromkeys(options.names)) or names
    arguments = ["--all"] if options.all else []
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(len(chosen)) as pool:
        jobs = [pool.submit(outcome_of, name, arguments) for name in chosen]
        outcomes = [job.result() for job in printed(jobs)]
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


def outcome_of(name: str, arguments: list[str]) -> Outcome:
    lines: list[str] = []
    passed = False
    try:
        python = environment(name)
        with server() as endpoint:
            passed = work(name, python, endpoint, arguments, lines)
    except Trouble as trouble:
        lines.append(f"FAIL  {name}: {trouble}")
        passed = False
    return Outcome(name, passed, "\n".join(lines))


def environment(name: str) -> Path:
    """The client's Python. Built anew only when what it needs has changed."""
    requirements, home = HERE / name / "requirements.txt", CACHE / name
    if not requirements.exists():
        raise Trouble("has no requirements.txt")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "requirements.sha256"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    if not (stamp.exists() and python.exists() and stamp.read_text() == wanted):
        shutil.rmtree(home, ignore_errors=True)
        finish("make the environment", [sys.executable, "-m", "venv", str(home)], os.environ)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
        finish("install its requirements", [str(python), *install], os.environ)
        stamp.write_text(wanted)  # last, so that an installation cut short is begun again
    return python


def finish(what: str, command: list[str], env: "os._Environ[str]") -> None:
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Trouble(f"could not {what}: {error}") from error
    if done.returncode != 0:
        raise Trouble(f"could not {what}:\n{done.stdout}{done.stderr}")


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


def work(name: str, python: Path, endpoint: str, arguments: list[str], lines: list[str]) -> bool:
    """Run the script. It passes if it ended well and says that it did something: silence is not success."""
    command = [str(python), str(HERE / name / "day.py"), *arguments]
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
    return passed


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
