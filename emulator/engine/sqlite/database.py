"""Opening a data file, and the statements of queries.sql by name."""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emulator.engine import named_sql
from emulator.ids import Ids
from emulator.settings import StartError

APPLICATION_ID = 0x5351_5345  # "SQSE": tells our files from other programs' databases
SCHEMA_VERSION = 3
MIGRATIONS: dict[int, str] = {
    1: """
        DROP TABLE message_group; DROP INDEX message_due; DROP INDEX message_sent;
        DROP INDEX message_of_group; DROP INDEX deduplication_until; DROP INDEX move_task_source;
        DROP INDEX move_task_active; DROP INDEX queue_dead_letter;
        ALTER TABLE queue DROP COLUMN dead_letter_arn; ALTER TABLE message DROP COLUMN sequenced;
    """,
    2: """
        ALTER TABLE message ADD COLUMN dead_since_ms INTEGER;
        CREATE TABLE minute (queue_id INTEGER NOT NULL, start_ms INTEGER NOT NULL, minute TEXT NOT NULL,
            PRIMARY KEY (queue_id, start_ms)) WITHOUT ROWID;
        CREATE TABLE alarm (account TEXT NOT NULL, region TEXT NOT NULL, name TEXT NOT NULL,
            alarm TEXT NOT NULL, PRIMARY KEY (account, region, name)) WITHOUT ROWID;
    """,
}
"""SQL that leads from the version of its key to the next one."""

MAX_QUICK_CHECK_BYTES = 64 * 1024 * 1024
CUT_SHORT = "is damaged (it was cut short)"
_MAGIC = b"SQLite format 3\0"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_open_here: set[tuple[int, int]] = set()
"""Device and inode of the files that this process has open."""
_PACKAGE = "emulator.engine.sqlite"


class Database:
    """One connection, used by one thread at a time."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        identity: tuple[int, int] | None = None,
        path: Path | None = None,
    ) -> None:
        self._connection = connection
        self._path = path
        self._identity = identity
        if identity is not None:
            _open_here.add(identity)
        self._sql = named_sql.load(_PACKAGE, "queries.sql")

    def run(self, name: str, *parameters: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], parameters)

    def one(self, name: str, *parameters: Any) -> Any:
        return self._connection.execute(self._sql[name], parameters).fetchone()

    def many(self, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self._connection.executemany(self._sql[name], rows)

    def control(self, statement: str) -> None:
        self._connection.execute(statement)

    def handle_key(self, ids: Ids) -> bytes:
        """The secret that lives as long as the file; drawn if the file is new."""
        row = self.one("meta", "handle_key")
        key: bytes = row[0] if row else ids.secret()
        if row is None:
            self.run("set_meta", "handle_key", key)
        return key

    def size_bytes(self) -> int | None:
        """Of the file, without what is still in its log; None if it is gone."""
        if self._path is None:
            return None
        try:
            return self._path.stat().st_size
        except OSError:
            return None

    def close(self) -> None:
        self._connection.close()
        if self._identity is not None:
            _open_here.discard(self._identity)


def open_file(path: Path) -> Database:
    """Opens or creates a data file. Raises StartError, the file untouched, if it is not ours to use."""
    # Before anything opens it: closing it again would end the locks that this process has on it.
    if _identity(path) in _open_here:
        raise StartError(f"{path} is in use by another server")
    is_new = not path.exists() or path.stat().st_size == 0 or _is_unfinished(path)
    _require_writable(path)
    if not is_new:
        _check_header(path)
    try:
        connection = sqlite3.connect(
            path, isolation_level=None, cached_statements=256, timeout=0.2, check_same_thread=False
        )
        try:
            _open_checked(connection, path, is_new)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise StartError(explain(error, path)) from error
    return Database(connection, _identity(path), path)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open_checked(connection: sqlite3.Connection, path: Path, is_new: bool) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    if is_new:
        # Before WAL, so that a file that exists at all is either empty or complete.
        create_schema(connection)
    elif path.stat().st_size <= MAX_QUICK_CHECK_BYTES:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StartError(f"{path} is damaged ({found}); it was left untouched")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    migrate(connection)
    connection.executescript("BEGIN IMMEDIATE; ROLLBACK;")  # fails if nothing can be written after all


def _is_unfinished(path: Path) -> bool:
    """A server was killed while it laid the file down: the journal beside it takes it back to zero pages."""
    journal = path.with_name(path.name + "-journal")
    try:
        with journal.open("rb") as file:
            head = file.read(20)
    except OSError:
        return False
    return len(head) == 20 and head.startswith(_JOURNAL_MAGIC) and head[16:] == bytes(4)


def _has_log(path: Path) -> bool:
    beside = (path.with_name(path.name + ending) for ending in ("-wal", "-journal"))
    return any(one.exists() and one.stat().st_size > 0 for one in beside)


def _require_writable(path: Path) -> None:
    for one in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-journal")):
        if one.exists() and os.access(path, os.R_OK) and not os.access(one, os.W_OK):
            raise StartError(f"{path} cannot be written to")


def _check_header(path: Path) -> None:
    """Refuses what is not our database by its first bytes, before SQLite touches it."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StartError(f"{path} cannot be read: {error.strerror}") from error
    fault = fault_of(header, path.stat().st_size)
    if fault == CUT_SHORT and _has_log(path):
        return  # a server was killed, perhaps while it moved pages here from the log: SQLite will finish that
    if fault is not None:
        raise StartError(f"{path} {fault}; it was left untouched")


def fault_of(header: bytes, size_bytes: int) -> str | None:
    """What keeps a database that begins with these 100 bytes from being one of ours."""
    if not header.startswith(_MAGIC) or len(header) < 100:
        return "is not an SQLite database"
    if int.from_bytes(header[68:72]) != APPLICATION_ID:
        return "is a database of another program"
    version = int.from_bytes(header[60:64])
    if version > SCHEMA_VERSION:
        return f"was written by a newer version (schema {version}, this one knows {SCHEMA_VERSION})"
    page_bytes = int.from_bytes(header[16:18]) or 1
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    return CUT_SHORT if size_bytes < page_bytes * int.from_bytes(header[28:32]) else None


def create_schema(connection: sqlite3.Connection) -> None:
    schema = named_sql.text(_PACKAGE, "schema.sql")
    connection.executescript(
        f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; "
        f"PRAGMA user_version = {SCHEMA_VERSION}; {schema} COMMIT;"
    )


def migrate(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    for number in range(version, SCHEMA_VERSION):
        connection.executescript(
            f"BEGIN IMMEDIATE; {MIGRATIONS[number]}; PRAGMA user_version = {number + 1}; COMMIT;"
        )


def explain(error: sqlite3.Error, path: Path) -> str:
    text = str(error)
    if "locked" in text:
        return f"{path} is in use by another server"
    if "unable to open" in text:
        return f"{path} cannot be opened: is there such a folder, and may it be written to?"
    if "readonly" in text or "read-only" in text:
        return f"{path} cannot be written to"
    if "full" in text:
        return f"{path} cannot be written to: the disk is full"
    return f"{path} is damaged or cannot be used ({text}); it was left untouched"
