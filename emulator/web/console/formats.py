"""Figures as people read them: the filters of the templates."""

from datetime import UTC, datetime

_KIB = 1024
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def when(ms: int) -> str:
    """A moment for people, to the second, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def when_exactly(ms: int) -> str:
    """The same to the millisecond."""
    return f"{when(ms)}.{ms % 1000:03}"


def duration(seconds: float) -> str:
    """The two largest units that count: `2 h 5 min`, `4 d`, `45 s`, `0 s`."""
    left = int(seconds)
    parts: list[str] = []
    for size, unit in _UNITS:
        count, left = divmod(left, size)
        if count or (parts and left):
            parts.append(f"{count} {unit}")
    return " ".join(part for part in parts[:2] if not part.startswith("0 ")) or "0 s"


def ago(ms: int, now_ms: int) -> str:
    """How long before `now_ms` it was, or after it."""
    past = now_ms - ms
    return f"{duration(past / 1000)} ago" if past >= 0 else f"in {duration(-past / 1000)}"


def size(count: int) -> str:
    """Bytes for people: `812 B`, `1.5 KiB`, `1 MiB`."""
    if count < _KIB:
        return f"{count} B"
    scaled, unit = (count / _KIB, "KiB") if count < _KIB * _KIB else (count / _KIB / _KIB, "MiB")
    return f"{scaled:.1f}".removesuffix(".0") + f" {unit}"


def number(count: int) -> str:
    """With commas between thousands."""
    return f"{count:,}"
