"""What every client's script shares: running steps one by one, comparing answers, and digests of its own."""

import concurrent.futures
import hashlib
import re
import struct
import time
import traceback
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

World = TypeVar("World")
Step = Callable[[World], None]

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def run_steps(
    client: str, steps: Sequence[Step[World]], world: World, workers: int = 1, unit: str = "steps"
) -> int:
    """Run every step, also after a failure, because each makes its own queues; the result is the exit code.

    Steps that wait for real time to pass may do so side by side: that is what the workers are for.
    """
    good = 0
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for step, complaint in zip(
            steps, pool.map(lambda each: complaint_of(each, world), steps), strict=True
        ):
            name = step_name(step)
            good += complaint is None
            print(f"ok  {name}" if complaint is None else f"FAIL  {name}: {complaint}", flush=True)
    print(f"{client}: {good}/{len(steps)} {unit}", flush=True)
    return 0 if steps and good == len(steps) else 1


def step_name(step: Step[Any]) -> str:
    return str(getattr(step, "title", None) or getattr(step, "__name__", step))


def complaint_of(step: Step[World], world: World) -> str | None:
    """Whatever goes wrong is the step's failure, so that one bad answer does not hide the other steps."""
    try:
        step(world)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [
            frame for frame in frames if "site-packages" not in frame.filename and frame.filename != __file__
        ]
        where = f" ({Path(ours[-1].filename).name}:{ours[-1].lineno})" if ours else ""
        return f"{type(error).__name__}: {error}{where}"
    return None


def fresh_name(word: str) -> str:
    """A name that no other step and no earlier run has used: AWS keeps a deleted name closed for a minute."""
    return f"{word}-{uuid.uuid4().hex[:10]}"


def equal(actual: object, expected: object, what: str = "answer") -> None:
    if actual != expected or type(actual) is not type(expected):
        raise AssertionError(f"{what}: expected {expected!r}, got {actual!r}")


def holds(condition: object, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def matches(text: object, pattern: str | re.Pattern[str], what: str = "text") -> None:
    holds(isinstance(text, str) and re.fullmatch(pattern, text), f"{what}: {text!r} is not {pattern!r}")


def members(answer: Mapping[str, Any], *names: str) -> None:
    """The answer has exactly these members: an extra one breaks strict clients as much as a missing one."""
    equal(sorted(set(answer) - {"ResponseMetadata"}), sorted(names), "members")


def between(value: float, low: float, high: float, what: str) -> None:
    holds(low <= value <= high, f"{what}: {value:.3f} is not between {low} and {high}")


def until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait for something that real time brings about; looking again every 50 ms keeps the runs short."""
    deadline = time.monotonic() + seconds
    while not condition():
        holds(time.monotonic() < deadline, f"not within {seconds} s: {what}")
        time.sleep(0.05)


def by_id(entries: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Entries of a batch answer; each id may stand there once."""
    listed = list(entries)
    found = {entry["Id"]: entry for entry in listed}
    equal(len(found), len(listed), "number of distinct ids")
    return found


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def md5_of_attributes(attributes: Mapping[str, Mapping[str, Any]]) -> str:
    """AWS's digest of message attributes, from its documentation, as a client must not judge itself."""
    digest = hashlib.md5()
    for name in sorted(attributes, key=str.encode):
        data_type = attributes[name]["DataType"]
        binary = data_type.split(".", 1)[0] == "Binary"
        value = attributes[name]["BinaryValue"] if binary else attributes[name]["StringValue"].encode()
        digest.update(_counted(name.encode()) + _counted(data_type.encode()))
        digest.update((b"\x02" if binary else b"\x01") + _counted(value))
    return digest.hexdigest()


def _counted(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data
