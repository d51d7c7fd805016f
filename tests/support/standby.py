"""A PostgreSQL primary with a synchronous standby, as SQS writes to several zones before it answers."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from tests.support import postgres
from tests.support.postgres import Server

DURABLE = {**postgres.FAST, "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
NAME = "standby"


@contextmanager
def primary_and_standby() -> Iterator[tuple[Server, Server, str]]:
    """Both, and a URL that names both. The standby has the primary's data, and is in step with it."""
    primary, standby = (Server(postgres.new_folder(), DURABLE) for _ in range(2))
    try:
        primary.create()
        primary.start()
        standby.copy_of(primary, NAME, NAME)
        standby.start()
        asyncio.run(_synchronize(primary))
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        yield primary, standby, f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write"
    finally:
        for server in (primary, standby):
            server.kill()
            shutil.rmtree(server.folder, ignore_errors=True)


async def _synchronize(primary: Server) -> None:
    connection = await asyncpg.connect(primary.url)
    await connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{NAME}'")
    await connection.execute("SELECT pg_reload_conf()")
    for _ in range(200):
        if await connection.fetchval("SELECT sync_state FROM pg_stat_replication") == "sync":
            await connection.close()
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the standby does not follow")
