"""A virtual environment or a tree of npm packages for each client, made anew only when that is needed."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
INSTALL_SECONDS = 600
NODE_MAJOR = 20


class Trouble(Exception):
    """Why a client could not be run, or its server was not well behaved. Always counts as a failure."""


def client_names() -> list[str]:
    return sorted(path.parent.name for path in (*HERE.glob("*/day.py"), *HERE.glob("*/day.mjs")))


def command_for(name: str) -> list[str]:
    """The command that runs the client's script, after what it needs has been installed."""
    if (HERE / name / "day.mjs").exists():
        return node_command(name)
    return [str(virtual_environment(name)), str(HERE / name / "day.py")]


def virtual_environment(name: str) -> Path:
    """The client's Python."""
    requirements, home = HERE / name / "requirements.txt", CACHE / name
    if not requirements.exists():
        raise Trouble("has no requirements.txt")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = digest_of([requirements], sys.version)
    if not (is_stamped(home, wanted) and python.exists()):
        shutil.rmtree(home, ignore_errors=True)
        run("make the environment", [sys.executable, "-m", "venv", str(home)])
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
        run("install its requirements", [str(python), *install])
        stamp(home, wanted)
    return python


def node_command(name: str) -> list[str]:
    """Node looks for packages in the folders above a script, so a copy of the scripts runs beside them."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Trouble(f"needs Node {NODE_MAJOR} or newer, with npm, on the PATH")
    version = run("ask for the version of Node", [node, "--version"]).strip()
    if int(version.removeprefix("v").split(".")[0]) < NODE_MAJOR:
        raise Trouble(f"needs Node {NODE_MAJOR} or newer, found {version}")
    home, files = CACHE / name, [HERE / name / "package.json", HERE / name / "package-lock.json"]
    if missing := [file.name for file in files if not file.exists()]:
        raise Trouble(f"has no {' and no '.join(missing)}")
    wanted = digest_of(files, version)
    if not is_stamped(home, wanted):
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        for file in (*files, HERE / name / ".npmrc"):
            shutil.copy(file, home)
        run("install its packages", [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], home)
        stamp(home, wanted)
    for folder in ("node_day", name):
        shutil.copytree(HERE / folder, home / folder, dirs_exist_ok=True)
    return [node, str(home / name / "day.mjs")]


def digest_of(files: Sequence[Path], version: str) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files) + version.encode()).hexdigest()


def is_stamped(home: Path, wanted: str) -> bool:
    file = home / "stamp"
    return file.exists() and file.read_text() == wanted


def stamp(home: Path, wanted: str) -> None:
    """Written last, so that an installation cut short is begun again."""
    (home / "stamp").write_text(wanted)


def run(what: str, command: Sequence[str], folder: Path = HERE) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Trouble(f"could not {what}: {error}") from error
    if done.returncode != 0:
        raise Trouble(f"could not {what}:\n{done.stdout}{done.stderr}")
    return done.stdout
