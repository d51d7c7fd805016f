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
    "every group with messages has a head, and no other": """
        SELECT queue_id, group_id FROM
            (SELECT DISTINCT queue_id, group_id FROM message WHERE sequenced = 1
             EXCEPT SELECT queue_id, group_id FROM message_group)
        UNION ALL SELECT queue_id, group_id FROM
            (SELECT queue_id, group_id FROM message_group
             EXCEPT SELECT queue_id, group_id FROM message WHERE sequenced = 1)""",
    "the head of a group is its oldest message": """
        SELECT queue_id, group_id, head_seq,
               (SELECT MIN(seq) FROM message WHERE message.queue_id = message_group.queue_id
                   AND message.group_id = message_group.group_id AND sequenced = 1) AS oldest
          FROM message_group WHERE head_seq IS NOT oldest""",
    "a group becomes visible with its head": """
        SELECT message_group.queue_id, message_group.group_id, head_visible_ms, due_ms
          FROM message_group JOIN message ON seq = head_seq WHERE head_visible_ms <> due_ms""",
    "numbers are reserved before they are used": """
        SELECT seq FROM message WHERE seq >= (SELECT value FROM meta WHERE name = 'next_seq')""",
    "a deduplication entry names a number that was drawn": """
        SELECT deduplication_key, seq FROM deduplication
         WHERE seq >= (SELECT value FROM meta WHERE name = 'next_seq')""",
}

KEPT_COUNTERS = """
    SELECT name, total, (SELECT COUNT(*) FROM message WHERE queue_id = queue.id) AS found
      FROM queue WHERE total <> found"""


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
        if "total" in [column[1] for column in database.execute("PRAGMA table_info(queue)")]:
            wrong = database.execute(KEPT_COUNTERS).fetchmany(5)
            assert not wrong, f"kept counters are right: {wrong}"
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
