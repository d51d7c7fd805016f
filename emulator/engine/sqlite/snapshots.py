"""The whole state as the bytes of a data file, and back."""

import sqlite3
from contextlib import closing

import msgspec

from emulator.engine.sqlite import rows
from emulator.engine.sqlite.database import (
    MAX_QUICK_CHECK_BYTES,
    Database,
    create_schema,
    fault_of,
    migrate,
)
from emulator.engine.state.changes import Changes, Recorder
from emulator.engine.state.state import State
from emulator.errors import InvalidSnapshot

_JOURNAL_MODE = slice(18, 20)
"""Two bytes of the header: both 2 with a write-ahead log, else both 1."""
_MAX_KEY_BYTES = 64  # of BLAKE2
_MAX_NUMBER = 2**62
"""Of messages and queues: leaves room to go on from there."""
_UNREADABLE = (
    sqlite3.Error,
    msgspec.MsgspecError,
    AssertionError,
    LookupError,
    TypeError,
    ValueError,
)
"""What reading rows may come to that no emulator has written."""

_Columns = frozenset[tuple[str, str, int]]
"""Name, type, and whether it is NOT NULL."""


def take(state: State, handle_key: bytes) -> bytes:
    changes = Changes()
    state.tell_all(changes)
    changes.handle_key = handle_key
    with closing(_new_file()) as connection:
        connection.execute("BEGIN")
        rows.write(Database(connection), changes)
        connection.execute("COMMIT")
        return connection.serialize()


def read(snapshot: bytes, recorder: Recorder) -> tuple[State, bytes]:
    """The state, and the secret that signs its receipt handles. Raises InvalidSnapshot."""
    fault = fault_of(snapshot[:100], len(snapshot))
    if fault is not None:
        raise InvalidSnapshot(f"The snapshot {fault}.")
    database = bytearray(snapshot)
    database[_JOURNAL_MODE] = b"\1\1"  # a file that was closed has no log any more, but says 2
    with closing(_connect()) as connection:
        try:
            connection.deserialize(database)
            migrate(connection)
            _check(connection, len(database))
            return rows.read_state(Database(connection), recorder), _handle_key(connection)
        except _UNREADABLE as error:
            raise InvalidSnapshot(f"The snapshot is damaged ({type(error).__name__}: {error}).") from error


def _check(connection: sqlite3.Connection, size_bytes: int) -> None:
    """That it is sound, and has in each column what belongs there: SQLite itself leaves that open."""
    if size_bytes <= MAX_QUICK_CHECK_BYTES:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise InvalidSnapshot(f"The snapshot is damaged ({found}).")
    with closing(_new_file()) as ours:
        expected = _tables(ours)
    found_tables = _tables(connection)
    for table, columns in expected.items():
        if found_tables.get(table) != columns:
            raise InvalidSnapshot(f"The snapshot is damaged (the table {table} is not as it should be).")
        for name, kind, not_null in columns:
            allowed = f"('{kind}')" if not_null else f"('{kind}', 'null')"
            wrong = f"SELECT 1 FROM {table} WHERE typeof({name}) NOT IN {allowed} LIMIT 1"
            if kind != "blob" and connection.execute(wrong).fetchone():
                raise InvalidSnapshot(f"The snapshot is damaged (a value in {table}.{name} is no {kind}).")
    _check_numbers(connection)


def _check_numbers(connection: sqlite3.Connection) -> None:
    """That no number that is in use would be given again."""
    next_seq = connection.execute("SELECT value FROM meta WHERE name = 'next_seq'").fetchone()
    last_seq = connection.execute("SELECT max(seq) FROM message").fetchone()[0] or 0
    last_id = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'queue'").fetchone()
    highest_id = connection.execute("SELECT max(id) FROM queue").fetchone()[0] or 0
    sound = (
        all(type(row[0]) is int and row[0] < _MAX_NUMBER for row in (next_seq, last_id) if row)
        and last_seq < (next_seq[0] if next_seq else 1)
        and highest_id <= (last_id[0] if last_id else 0)
    )
    if not sound:
        raise InvalidSnapshot("The snapshot is damaged (its numbers do not go together).")


def _handle_key(connection: sqlite3.Connection) -> bytes:
    row = connection.execute("SELECT value FROM meta WHERE name = 'handle_key'").fetchone()
    if row is None or not isinstance(row[0], bytes) or not 0 < len(row[0]) <= _MAX_KEY_BYTES:
        raise InvalidSnapshot("The snapshot is damaged (it has no key for receipt handles).")
    return row[0]


def _tables(connection: sqlite3.Connection) -> dict[str, _Columns]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {name: _columns(connection, name) for (name,) in names if not name.startswith("sqlite_")}


def _columns(connection: sqlite3.Connection, table: str) -> _Columns:
    rows = connection.execute('SELECT name, lower(type), "notnull" FROM pragma_table_info(?)', (table,))
    return frozenset(rows.fetchall())


def _new_file() -> sqlite3.Connection:
    """An empty data file in memory."""
    connection = _connect()
    create_schema(connection)
    return connection


def _connect() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None)
