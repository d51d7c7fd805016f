"""Server processes: started on a core of their own, read from /proc, stopped by their id."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO

SERVER_CORE, LOAD_CORE = 0, 1
START_S = 30
STOP_S = 10


class Unavailable(Exception):
    """A server that cannot be measured here; the text says why."""


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def cpu_s(pid: int, *, with_ended: bool = False) -> float:
    """User and system time of a process; `with_ended`: also that of its children which are gone."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if with_ended else 13])) / os.sysconf("SC_CLK_TCK")


def machine_s() -> float:
    """Time that all cores together were at work, for whatever process."""
    user, nice, system, _idle, _waiting, *rest = Path("/proc/stat").read_text().split("\n")[0].split()[1:]
    return sum(map(int, (user, nice, system, *rest[:2]))) / os.sysconf("SC_CLK_TCK")


class Process:
    """One server. Its port answers once the constructor returns."""

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        cores: Sequence[int] = (SERVER_CORE,),
    ) -> None:
        self.port = port
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        os.set_blocking(self._errors.fileno(), False)
        try:
            self._wait_for_port()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def _errors(self) -> IO[bytes]:
        assert self._process.stderr is not None
        return self._process.stderr

    def _wait_for_port(self) -> None:
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s:
            if self._process.poll() is not None:
                lines = (self._errors.read() or b"").decode(errors="replace").strip().splitlines()
                raise Unavailable(lines[-1] if lines else f"exit code {self._process.returncode}")
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.001)
        raise Unavailable(f"does not listen after {START_S} s")

    @property
    def ports(self) -> list[int]:
        """All that the load is spread over."""
        return [self.port]

    def cpu_s(self) -> float:
        """User and system time of all its threads."""
        return cpu_s(self.pid)

    def database_cpu_s(self) -> float:
        """Of a database that the server stands on."""
        return 0.0

    def running_ns(self) -> int:
        """Time on a core of the threads that live, to the nanosecond."""
        threads = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)

    def rss_mb(self) -> float:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._errors.close()

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
