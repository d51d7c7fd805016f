"""Our own HTTP surface, under `/_emulator/`."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from emulator import __version__


def build_admin() -> Starlette:
    return Starlette(
        routes=[Route("/_emulator/health", health), Route("/_emulator/ready", ready)],
    )


async def health(request: Request) -> Response:
    """The process answers."""
    return JSONResponse({"status": "ok", "version": __version__})


async def ready(request: Request) -> Response:
    """Queues of the config file exist and requests are served: the port opens only then."""
    return JSONResponse({"status": "ready"})
