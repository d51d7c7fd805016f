"""A server in a thread of this process, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from emulator.settings import SETTINGS, Settings
from emulator.testing.clients import boto3_client
from emulator.testing.kit import Kit

NOT_HERE = ("admin", "admin_port", "log_level", "log_format")
"""Without the kit there would be nothing to test with, and logging belongs to the process around."""


class Server:
    """A server that answers at `url`. `kit` is the view of all accounts, with the server's own clock."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self.kit = Kit(url)

    def client(
        self, service: str = "sqs", *, account: str | None = None, region: str | None = None, **options: Any
    ) -> Any:
        """A boto3 client, on an account of its own if one is given (12 digits). It does not retry.

        `options` are those of `boto3.client`.
        """
        return boto3_client(service, self.url, account, region, options)

    def __repr__(self) -> str:
        return f"<sqs-emulator at {self.url}>"


@contextmanager
def running(
    *, frozen: bool = False, now_ms: int | None = None, config: str | None = None, **settings: Any
) -> Iterator[Server]:
    """A server in a thread of this process, on a free port, until the block ends.

    `frozen`: its clock stands still until the kit moves it. `now_ms`: where the clock begins. `config`: a
    config file, for its queues and settings. Other settings go by their names in docs/settings.md, as in
    `running(seed=7, region="eu-west-1")`.
    """
    # Here, because whoever uses a server elsewhere needs none of it.
    from emulator.clock import AdjustableClock
    from emulator.testing.thread import ServerThread

    thread = ServerThread(_settings(config, settings), AdjustableClock(now_ms, frozen))
    url = thread.start()
    try:
        yield Server(url)
    finally:
        thread.stop()


def _settings(config: str | None, given: dict[str, Any]) -> Settings:
    if unknown := given.keys() - {setting.name for setting in SETTINGS if setting.name not in NOT_HERE}:
        raise TypeError(f"there is no setting {', '.join(sorted(unknown))}, or it has no meaning here")
    chosen = {"port": 0, **given}
    if config is not None:
        from emulator.config_file import read_config_file

        file = read_config_file(config)
        chosen = file.values | chosen | {"queues": file.queues}
    return msgspec.convert(chosen, Settings)
