"""Opening a database: its pool, its schema, and the secret that lives in it."""

import asyncpg

from emulator.engine import named_sql
from emulator.engine.postgres.database import PACKAGE, SESSION
from emulator.engine.postgres.faults import LOST, explain
from emulator.engine.postgres.notices import name_of
from emulator.engine.postgres.work import SCHEMA_LOCK
from emulator.ids import Ids
from emulator.settings import StartError

SCHEMA_VERSION = 1
MIGRATIONS: dict[int, str] = {}
"""SQL that leads from the version of its key to the next one."""
CONNECT_S = 5.0


async def _as_it_is(connection: object) -> None:
    """Connections are left in order, so the pool need not clean them."""


async def open_pool(
    url: str, schema: str, *, connections: int, statement_s: float
) -> "asyncpg.Pool[asyncpg.Record]":
    """Raises StartError."""
    try:
        pool = asyncpg.create_pool(
            url,
            min_size=0,
            max_size=connections,
            max_queries=10_000_000,
            reset=_as_it_is,
            timeout=CONNECT_S,
            command_timeout=statement_s,
            statement_cache_size=500,
            max_cached_statement_lifetime=0,
            server_settings=session_of(schema),
        )
        await pool
    except (*LOST, asyncpg.PostgresError, ValueError, asyncpg.InterfaceError) as error:
        raise StartError(f"PostgreSQL cannot be used: {explain(error)}") from error
    return pool


def session_of(schema: str) -> dict[str, str]:
    return {**SESSION, "search_path": f'"{schema}"'}


async def prepare(pool: "asyncpg.Pool[asyncpg.Record]", schema: str, ids: Ids) -> bytes:
    """Lays the schema down, or brings it up to date; nodes may start together. The handle key.

    Raises StartError.
    """
    try:
        async with pool.acquire() as connection:
            await _require_usable(connection)
            async with connection.transaction():
                await connection.execute(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})")
                await _migrate(connection, schema)
                return await _handle_key(connection, ids)
    except (*LOST, asyncpg.PostgresError, ValueError) as error:
        raise StartError(f"PostgreSQL cannot be used: {explain(error)}") from error


async def _require_usable(connection: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]") -> None:
    row = await connection.fetchrow("SELECT pg_is_in_recovery(), current_setting('server_encoding')")
    if row is not None and row[0]:
        raise StartError("PostgreSQL cannot be used: the server is a standby, which only reads")
    if row is not None and row[1] != "UTF8":
        raise StartError(f"PostgreSQL cannot be used: the database has the encoding {row[1]}, not UTF8")


async def _migrate(connection: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]", schema: str) -> None:
    there = await connection.fetchval("SELECT to_regclass('meta') IS NOT NULL")
    if not there:
        if not await connection.fetchval("SELECT to_regnamespace($1) IS NOT NULL", schema):
            await connection.execute(f'CREATE SCHEMA "{schema}"')  # takes a right that not everybody has
        await connection.execute(named_sql.text(PACKAGE, "sql/schema.sql"))
        version = SCHEMA_VERSION
    else:
        found = await connection.fetchval("SELECT value FROM meta WHERE name = 'schema_version'")
        version = int.from_bytes(found or b"")
    if not 0 < version <= SCHEMA_VERSION:
        raise StartError(
            f"PostgreSQL cannot be used: the schema {schema} was written by a newer version "
            f"(schema version {version}, this one knows {SCHEMA_VERSION})"
        )
    for number in range(version, SCHEMA_VERSION):
        await connection.execute(MIGRATIONS[number])
    await connection.execute(
        "INSERT INTO meta (name, value) VALUES ('schema_version', $1)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        SCHEMA_VERSION.to_bytes(2),
    )


async def _handle_key(connection: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]", ids: Ids) -> bytes:
    await connection.execute(
        "INSERT INTO meta (name, value) VALUES ('handle_key', $1) ON CONFLICT (name) DO NOTHING", ids.secret()
    )
    key: bytes = await connection.fetchval("SELECT value FROM meta WHERE name = 'handle_key'")
    return key


async def connect(url: str, schema: str) -> "asyncpg.Connection[asyncpg.Record]":
    """One more connection, beside the pool. Raises what connecting raises."""
    return await asyncpg.connect(
        url,
        timeout=CONNECT_S,
        server_settings={**session_of(schema), "application_name": name_of(schema)},
    )
