"""What must hold in a data file, whenever the server that wrote it was killed."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

# Each finds rows only if something is wrong.
INVARIANTS = {
    "every message is in a queue": """
        SELECT seq, queue_id FROM message WHERE queue_id NOT IN (SELECT id FROM queue)""",
    "what deduplication remembers is of a queue": """
        SELECT queue_id, deduplication_key FROM deduplication WHERE queue_id NOT IN (SELECT id FROM queue)""",
    "every receive attempt is of a queue": """
        SELECT queue_id, attempt_id FROM receive_attempt WHERE queue_id NOT IN (SELECT id FROM queue)""",
    "a message of a standard queue that is not hidden has no time to wait for": """
        SELECT seq, due_ms FROM message WHERE due_ms <> 0 AND receive_count = 0 AND due_ms = sent_ms
           AND queue_id IN (SELECT id FROM queue WHERE name NOT LIKE '%.fifo')""",
    "numbers are reserved before they are used": """
        SELECT seq FROM message WHERE seq >= (SELECT value FROM meta WHERE name = 'next_seq')""",
    "a deduplication entry names a number that was drawn": """
        SELECT deduplication_key, seq FROM deduplication
         WHERE seq >= (SELECT value FROM meta WHERE name = 'next_seq')""",
}


@dataclass(frozen=True)
class Numbers:
    """Those that a file has in use, and the first that a server which opens it may draw."""

    used: frozenset[int] = frozenset()
    reserved: int = 0


def check_file(path: Path, earlier: Numbers = Numbers()) -> Numbers:
    """Opens the file, which no server may have open. `earlier`: what the server found that wrote it."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("PRAGMA integrity_check").fetchall()
        assert found == [("ok",)], f"the file passes SQLite's integrity check: {found[:5]}"
        for name, query in INVARIANTS.items():
            wrong = database.execute(query).fetchmany(5)
            assert not wrong, f"{name}: {wrong}"
        used = frozenset(row[0] for row in database.execute("SELECT seq FROM message"))
        reserved = database.execute("SELECT value FROM meta WHERE name = 'next_seq'").fetchone()
    again = sorted(number for number in used - earlier.used if number < earlier.reserved)
    assert not again, f"numbers are drawn once only: {again[:5]} are below {earlier.reserved}"
    return Numbers(used, reserved[0] if reserved else 0)


def check_copy(path: Path, folder: Path, earlier: Numbers = Numbers()) -> Numbers:
    """As check_file, on a copy: the next server gets the file as the killed one left it."""
    folder.mkdir(exist_ok=True)
    copy = folder / path.name
    for file in (copy, Path(f"{copy}-wal"), Path(f"{copy}-journal")):
        file.unlink(missing_ok=True)
        original = path.parent / file.name
        if original.exists():
            shutil.copyfile(original, file)
    return check_file(copy, earlier)
