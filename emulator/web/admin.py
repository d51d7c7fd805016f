"""Our own HTTP surface: `/_emulator/`, and the endpoints of other emulators that suites ask for."""

from starlette.applications import Starlette

from emulator.web.kit.app import CALLS, PROBES, application
from emulator.web.kit.calls import Parts


def build_admin(parts: Parts, *, aws_port: int | None = None) -> Starlette:
    """The test kit. `aws_port`: the port that answers AWS requests, if it is another."""
    return application(parts, CALLS, aws_port)


def build_probes(parts: Parts) -> Starlette:
    """What is left on the port of AWS requests when the kit has a port of its own, or is off."""
    return application(parts, PROBES, None)
