"""pytest fixtures, there as soon as the emulator is installed. See docs/test-kit.md.

Each test works on an account of its own, so tests never meet, whatever server they share.
"""

import hashlib
import itertools
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from emulator.testing.clock import ClockControl
    from emulator.testing.faults import FaultControl
    from emulator.testing.journal import JournalView
    from emulator.testing.kit import Kit
    from emulator.testing.server import Server

URL_VARIABLE = "SQS_EMULATOR_URL"
REGION = "us-east-1"
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def sqs_server() -> "Iterator[Server]":
    """A server in a thread of this process, or the one that SQS_EMULATOR_URL names."""
    from emulator.testing.server import Server, running

    url = os.environ.get(URL_VARIABLE)
    if url:
        server = Server(url)
        server.kit.clock.read()  # fails here, with the reason, and not in the middle of a test
        yield server
        return
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def _sqs_run() -> str:
    """What no other run has, and all xdist workers of this one share."""
    from emulator.ids import RandomIds

    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or RandomIds().uuid()


@pytest.fixture
def sqs_account(sqs_server: "Server", _sqs_run: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The test's own account id. Everything the account has is gone after the test."""
    from emulator.testing.kit import Kit

    account = account_for(_sqs_run, os.environ.get("PYTEST_XDIST_WORKER", ""), request.node.nodeid)
    yield account
    Kit(sqs_server.url, account=account).reset()


def account_for(run: str, worker: str, test: str) -> str:
    """12 digits that no other test gets, of this run or of another on the same server."""
    text = f"{run} {worker} {next(_numbers)} {test}"
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    return str(10**11 + number % (9 * 10**11))


@pytest.fixture
def sqs_kit(sqs_server: "Server", sqs_account: str) -> "Kit":
    """The kit's client, on the test's account."""
    from emulator.testing.kit import Kit

    return Kit(sqs_server.url, account=sqs_account)


@pytest.fixture
def sqs_client_options() -> dict[str, Any]:
    """Arguments of `boto3.client` for the fixture `sqs`. Override it to have others."""
    return {}


@pytest.fixture
def sqs(sqs_server: "Server", sqs_account: str, sqs_client_options: dict[str, Any]) -> Iterator[Any]:
    """A boto3 client of the test's account."""
    from emulator.testing.clients import Boto3Missing

    try:
        client = sqs_server.client("sqs", account=sqs_account, **sqs_client_options)
    except Boto3Missing as error:
        pytest.fail(f"fixture 'sqs': {error}", pytrace=False)
    yield client
    client.close()


@pytest.fixture
def sqs_queue(sqs: Any) -> str:
    """The URL of a new standard queue, `queue`."""
    return str(sqs.create_queue(QueueName="queue")["QueueUrl"])


@pytest.fixture
def sqs_fifo_queue(sqs: Any) -> str:
    """The URL of a new FIFO queue, `queue.fifo`, that deduplicates by content."""
    attributes = {"FifoQueue": "true", "ContentBasedDeduplication": "true"}
    return str(sqs.create_queue(QueueName="queue.fifo", Attributes=attributes)["QueueUrl"])


@pytest.fixture
def sqs_clock(sqs_kit: "Kit") -> "ClockControl":
    """The clock of the test's account, which stands still until the test moves it."""
    sqs_kit.clock.freeze()
    return sqs_kit.clock


@pytest.fixture
def sqs_journal(sqs_kit: "Kit") -> "JournalView":
    """What happened to the messages of the test's account."""
    return sqs_kit.journal


@pytest.fixture
def sqs_faults(sqs_kit: "Kit") -> "FaultControl":
    """Plans faults for the calls of the test's account."""
    return sqs_kit.faults


@pytest.fixture
def aws_env(sqs_server: "Server", sqs_account: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Points AWS SDKs in this process and its children at the server, for one test. Returns the URL."""
    for name in (
        "AWS_PROFILE",
        "AWS_DEFAULT_PROFILE",
        "AWS_SESSION_TOKEN",
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", sqs_server.url)
    monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDWATCH", sqs_server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", sqs_account)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("AWS_REGION", REGION)
    if "boto3" in sys.modules:
        # Its default session remembers the credentials of the test before.
        monkeypatch.setattr(sys.modules["boto3"], "DEFAULT_SESSION", None)
    return sqs_server.url
