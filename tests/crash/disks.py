"""Disks that are full and can be emptied again: a limit on file sizes, and, for root, a small file system."""

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol


class Disk(Protocol):
    def fill(self, pid: int) -> None:
        """From now on the process can write next to nothing."""

    def empty(self, pid: int) -> None: ...


class SizeLimit:
    """No file of the server may grow further. Python ignores SIGXFSZ, so a write just fails."""

    def fill(self, pid: int) -> None:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))

    def empty(self, pid: int) -> None:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class SmallDisk:
    """A file system in memory that a filler leaves no room in."""

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"

    def fill(self, pid: int = 0, *, leave_bytes: int = 40_960) -> None:
        with self._filler.open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"x" * 4096)
            except OSError:
                filler.truncate(filler.tell() - leave_bytes)

    def empty(self, pid: int = 0) -> None:
        self._filler.unlink()


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Raises PermissionError where mounting is not allowed."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PermissionError(done.stderr)
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
