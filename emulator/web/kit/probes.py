"""Whether the process answers: for whoever starts and watches it. Always there."""

from typing import Literal

import msgspec

from emulator import __version__
from emulator.errors import ServiceUnavailable
from emulator.web.kit.calls import Call, Visit
from emulator.web.kit.problems import Problem


class Health(msgspec.Struct, frozen=True, kw_only=True):
    status: Literal["ok"] = "ok"
    version: str = __version__


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    status: Literal["ready"] = "ready"


async def health(visit: Visit) -> Health:
    """The process answers."""
    return Health()


async def ready(visit: Visit) -> Ready:
    """Queues of the config file exist and requests are served: the port opens only then.

    503 while the database that the state is in can store nothing.
    """
    if visit.parts.nodes is not None:
        try:
            await visit.parts.nodes.check()
        except ServiceUnavailable as error:
            raise Problem(503, "The database cannot be reached, or stores nothing.") from error
    return Ready()


CALLS = (
    Call(
        method="GET",
        path="/_emulator/health",
        run=health,
        answers=Health,
        summary="The process answers",
        is_open=True,
    ),
    Call(
        method="GET",
        path="/_emulator/ready",
        run=ready,
        answers=Ready,
        summary="Declared queues exist and requests are served",
        problems=(503,),
        is_open=True,
    ),
)
