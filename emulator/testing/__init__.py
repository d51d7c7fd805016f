"""For tests of programs that use SQS: a server in the test's process, its client, and pytest fixtures.

Names are imported at first use: pytest loads the plugin beside this file at every start, needed or not.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from emulator.testing.connection import KitError, NotReached, WaitedInVain
    from emulator.testing.kit import Kit
    from emulator.testing.server import Server, running

__all__ = ["Kit", "KitError", "NotReached", "Server", "WaitedInVain", "running"]

_HOMES = {
    "Kit": "kit",
    "KitError": "connection",
    "NotReached": "connection",
    "Server": "server",
    "WaitedInVain": "connection",
    "running": "server",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
