"""Our own HTTP surface: `/_emulator/`, `/metrics`, and endpoints of other emulators that suites ask for."""

from starlette.applications import Starlette
from starlette.routing import Route

from emulator.web.asgi import App, Scope, Send
from emulator.web.bodies import Receive
from emulator.web.kit.app import CALLS, PROBES, application
from emulator.web.kit.calls import Parts

CONSOLE_PATHS = ("/_emulator", "/_emulator/", "/_emulator/console", "/_emulator/console/{rest:path}")


def build_admin(parts: Parts, *, aws_port: int | None = None) -> Starlette:
    """Test kit and console. `aws_port`: the port that answers AWS requests, if it is another."""
    console = _Console(parts, aws_port)
    return application(parts, CALLS, aws_port, [Route(path, console) for path in CONSOLE_PATHS])


def build_probes(parts: Parts) -> Starlette:
    """What is left on the port of AWS requests when the kit has a port of its own, or is off."""
    return application(parts, PROBES, None)


class _Console:
    """The console, which is imported and built at the first visit."""

    def __init__(self, parts: Parts, aws_port: int | None) -> None:
        self._parts = parts
        self._aws_port = aws_port
        self._app: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            from emulator.web.console.app import routes

            self._app = Starlette(routes=routes(self._parts, self._aws_port))
        await self._app(scope, receive, send)
