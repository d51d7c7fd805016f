"""How each server is started."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.processes import SERVER_CORE, Process, Unavailable, free_port

HERE = Path(__file__).parent
ROOT = HERE.parent
CACHE = HERE / ".cache"
FAUXQS = "1.9.2"
Start = Callable[[], Process]


def emulator(
    tree: Path = ROOT, data: Path | str | None = None, cores: Sequence[int] = (SERVER_CORE,)
) -> Process:
    """`tree` holds the package that is measured, so that a changed copy can be compared."""
    port = free_port()
    command = [sys.executable, "-m", "emulator", "serve", "--port", str(port)]
    if data is not None:
        command += ["--data", str(data)]
    return Process(command, port, folder=tree, cores=cores)


def floor() -> Process:
    port = free_port()
    return Process([sys.executable, str(HERE / "floor.py"), str(port)], port)


def moto() -> Process:
    port = free_port()
    return Process([sys.executable, "-m", "moto.server", "-p", str(port)], port)


def fauxqs() -> Process:
    node = shutil.which("node")
    if node is None:
        raise Unavailable("node is not installed")
    script = _install_fauxqs()
    port = free_port()
    return Process(
        [node, str(script)], port, environment={"FAUXQS_PORT": str(port), "FAUXQS_LOGGER": "false"}
    )


def _install_fauxqs() -> Path:
    script = CACHE / "node_modules" / "fauxqs" / "dist" / "cli.js"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise Unavailable("npm is not installed")
        CACHE.mkdir(exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(CACHE), f"fauxqs@{FAUXQS}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            raise Unavailable("npm install did not end in 300 s") from None
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines()
            raise Unavailable(f"npm install: {lines[-1] if lines else 'failed'}")
    return script


PEERS: dict[str, Start] = {"moto": moto, "fauxqs": fauxqs}
