"""Plain text tables for a terminal."""

import shutil
import sys
import unicodedata
from collections.abc import Sequence

Cell = str | int | None
GAP = "  "


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], *, width: int | None = None) -> str:
    """Columns under their heads, numbers to the right. Columns without any value are left out.

    The last column takes what is left of `width` and is cut there.
    """
    kept = [number for number in range(len(heads)) if any(row[number] is not None for row in rows)]
    cells = [[heads[number] for number in kept]]
    cells += [["-" if row[number] is None else _one_line(row[number]) for number in kept] for row in rows]
    right = [all(isinstance(row[number], int | None) for row in rows) for number in kept]
    widths = [max(_width(line[place]) for line in cells) for place in range(len(kept))]
    return "\n".join(_cut(_line(line, widths, right), width) for line in cells)


def terminal_width() -> int | None:
    """None where no terminal is: what goes into a file or a pipe is never cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        " " * (width - _width(cell)) + cell if at_right else cell + " " * (width - _width(cell))
        for cell, width, at_right in zip(cells, widths, right, strict=True)
    ]
    return GAP.join(padded).rstrip()


def _one_line(cell: Cell) -> str:
    """Line breaks and other characters that would move the cursor, written as in Python."""
    text = str(cell)
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _width(text: str) -> int:
    """Columns of a terminal: Chinese, Japanese and Korean characters and most emoji take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _cut(text: str, width: int | None) -> str:
    if width is None or _width(text) <= width:
        return text
    kept, used = [], 1
    for c in text:
        used += _width(c)
        if used > width:
            break
        kept.append(c)
    return "".join(kept) + "…"
