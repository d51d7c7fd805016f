"""What can go wrong between us and PostgreSQL, and what of it may be tried again."""

import asyncio
from typing import Final

import asyncpg

REFUSED: Final = (
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.LockNotAvailableError,
)
"""The server has undone the transaction because of others: it may be tried again on the same connection."""

LOST: Final = (
    OSError,
    TimeoutError,
    asyncio.IncompleteReadError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shut down, crashed, starting up, or a statement took too long
    asyncpg.InsufficientResourcesError,  # too many connections, out of memory, a full disk
    asyncpg.ReadOnlySQLTransactionError,  # the primary has become a standby
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InternalServerError,
    asyncpg.PostgresIOError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
)
"""The connection, or the server behind it, is of no use."""


class NotDone(Exception):
    """The transaction did not happen, for sure. `__cause__` says why."""


class Unknown(Exception):
    """The connection was lost while a COMMIT was on its way: perhaps the transaction happened."""


def explain(error: BaseException) -> str:
    """One line."""
    text = " ".join(str(error).split())
    return text or type(error).__name__
