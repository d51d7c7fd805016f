"""Clients for other servers, accounts and regions than those of the fixtures."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from emulator.settings import Settings
from tests.contract.conftest import json_client
from tests.support.query_client import QueryClient
from tests.support.server import TestServer, running_server


def client_of(protocol: str, url: str, account: str = "test", region: str = "us-east-1") -> Any:
    make = json_client if protocol == "json" else QueryClient
    return make(url, account, region)


@contextmanager
def server_with(protocol: str, **settings: Any) -> Iterator[tuple[TestServer, Any]]:
    """A server of its own with these settings, and a client of it."""
    with running_server(Settings(**settings)) as server:
        yield server, client_of(protocol, server.url)
