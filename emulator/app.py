"""The one place where the parts meet."""

from emulator.clock import AdjustableClock
from emulator.context import Context
from emulator.declared_queues import create_declared_queues
from emulator.engine.base import Engine, SharedEngine
from emulator.engine.local import open_local
from emulator.errors import ServiceUnavailable
from emulator.ids import Ids, RandomIds, SeededIds
from emulator.journal import Journal
from emulator.mover import Mover
from emulator.nodes import Nodes, Operation
from emulator.settings import Settings, StartError
from emulator.signals import Signals
from emulator.traffic import Traffic
from emulator.web.asgi import App, Asgi
from emulator.web.endpoint import Endpoint
from emulator.worlds import Worlds

POSTGRES = ("postgresql://", "postgres://")
"""How a --data that is no file begins."""


class Emulator:
    """All parts of one running emulator. `asgi` is the application for an ASGI server."""

    def __init__(self, settings: Settings, engine: Engine, clock: AdjustableClock, ids: Ids) -> None:
        self.settings = settings
        self.engine = engine
        self.clock = clock
        """The server's; accounts may have others, in `worlds`."""
        self.worlds = Worlds(clock, ids)
        self.signals = Signals()
        self.journal = _journal(settings, engine)
        self.traffic = Traffic(settings.requests_kept if settings.admin else 0)
        self.mover = Mover(engine, self.worlds, self.signals, self.journal)
        self.nodes: Nodes | None = None
        """None if no other server may have the same state."""
        self.endpoint = Endpoint(
            settings, engine, self.worlds, self.signals, self.mover, self.journal, self.traffic
        )
        self.asgi: App = Asgi(self.endpoint, settings.max_body_bytes, self._own_pages)

    def context(self, account: str, region: str) -> Context:
        """For calls from inside, such as creating declared queues."""
        return self.endpoint.context(account, region)

    async def declare_queues(self) -> None:
        """Creates the queues of the config file. Raises StartError."""
        context = self.context(self.settings.account, self.settings.region)
        await create_declared_queues(context, self.settings.queues)

    async def adjust_clock(self, account: str | None, operation: Operation) -> None:
        """That of an account, or the server's, on all nodes. Raises what `operation` raises."""
        if self.nodes is not None:
            await self.nodes.adjust_clock(account, operation)
        else:
            operation(self.worlds.clock_of(account))

    async def drop_worlds(self, account: str | None) -> None:
        """Nothing is the account's own any more; None: of no account. Its clock follows on all nodes."""
        if account is None:
            self.worlds.drop_all()
        else:
            self.worlds.drop(account)
        if self.nodes is not None:
            await self.nodes.forget_clocks(account)

    def admin(self, *, aws_port: int | None = None) -> App:
        """The test kit. `aws_port`: where AWS requests are answered, if the kit has a port of its own."""
        from emulator.web.admin import build_admin  # at the first visit: nothing on the AWS path needs it

        app: App = build_admin(self, aws_port=aws_port)
        return app

    def _own_pages(self) -> App:
        if self.settings.admin and self.settings.admin_port is None:
            return self.admin()
        from emulator.web.admin import build_probes

        app: App = build_probes(self)
        return app

    def stop_waiting(self) -> None:
        """Ends long polls and waits of the kit: the server is stopping."""
        self.signals.close()
        if self.journal is not None:
            self.journal.close()

    async def close(self) -> None:
        self.stop_waiting()
        if self.nodes is not None:
            self.nodes.close()
        self.mover.close()
        await self.engine.close()


async def open_emulator(
    settings: Settings, *, clock: AdjustableClock | None = None, ids: Ids | None = None
) -> Emulator:
    """Raises StartError if the data cannot be used."""
    ids = ids or (RandomIds() if settings.seed is None else SeededIds(settings.seed))
    shared = await _open_shared(settings, ids)
    engine = shared or open_local(settings.data, ids)
    emulator = Emulator(settings, engine, clock or AdjustableClock(), ids)
    _plan_misbehaviour(settings, emulator.worlds)
    if shared is not None:
        emulator.nodes = Nodes(shared, emulator.worlds, emulator.signals, emulator.mover)
        try:
            await emulator.nodes.start()
        except ServiceUnavailable as error:
            await emulator.close()
            raise StartError("PostgreSQL cannot be used: it went away") from error
    await emulator.mover.resume()
    return emulator


async def _open_shared(settings: Settings, ids: Ids) -> SharedEngine | None:
    """None: the state is not in a database."""
    if settings.data is None or not str(settings.data).startswith(POSTGRES):
        return None
    try:
        from emulator.engine.postgres.engine import open_postgres  # asyncpg need not be there
    except ModuleNotFoundError as error:
        hint = "pip install 'sqs-emulator[postgres]'"
        raise StartError(f"--data postgresql://… needs the package {error.name}: {hint}") from None
    return await open_postgres(
        settings.data, ids, schema=settings.postgres_schema, connections=settings.postgres_connections
    )


def _plan_misbehaviour(settings: Settings, worlds: Worlds) -> None:
    if settings.seed is not None:
        worlds.reseed(worlds.server, settings.seed)
    if settings.faults or settings.faults_profile != "none":
        from emulator.faults import declared_faults  # nothing of it is needed without rules

        worlds.server.faults = declared_faults(settings, worlds.server.chance)


def _journal(settings: Settings, engine: Engine) -> Journal | None:
    if not settings.journal_size:
        return None
    journal = Journal(settings.journal_size, engine.key_of)
    engine.watch(journal)
    return journal
