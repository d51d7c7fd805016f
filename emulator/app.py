"""The one place where the parts meet."""

from emulator.clock import Clock, SystemClock
from emulator.context import Context
from emulator.engine.base import Engine
from emulator.engine.local import open_local
from emulator.ids import Ids, RandomIds
from emulator.mover import Mover
from emulator.settings import Settings
from emulator.signals import Signals
from emulator.web.asgi import App, Asgi
from emulator.web.endpoint import Endpoint


class Emulator:
    """All parts of one running emulator. `asgi` is the application for an ASGI server."""

    def __init__(self, settings: Settings, engine: Engine, clock: Clock, ids: Ids) -> None:
        self.settings = settings
        self.engine = engine
        self.clock = clock
        self.ids = ids
        self.signals = Signals()
        self.mover = Mover(engine, clock, ids, self.signals)
        self.endpoint = Endpoint(settings, engine, clock, ids, self.signals, self.mover)
        self.asgi: App = Asgi(self.endpoint, settings.max_body_bytes, _build_admin)

    def context(self, account: str, region: str) -> Context:
        """For calls from inside, such as creating declared queues."""
        return self.endpoint.context(account, region)

    async def close(self) -> None:
        self.signals.close()
        self.mover.close()
        await self.engine.close()


async def open_emulator(
    settings: Settings, *, clock: Clock | None = None, ids: Ids | None = None
) -> Emulator:
    """Raises StartError if the data cannot be used."""
    ids = ids or RandomIds()
    engine = open_local(settings.data, ids)
    emulator = Emulator(settings, engine, clock or SystemClock(), ids)
    await emulator.mover.resume()
    return emulator


def _build_admin() -> App:
    from emulator.web.admin import build_admin  # at the first visit: nothing on the AWS path needs it

    app: App = build_admin()
    return app
