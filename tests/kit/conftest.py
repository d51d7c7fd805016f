import pytest

from tests.kit.api import Api, fresh_account
from tests.kit.system import System
from tests.support.server import running_server


@pytest.fixture
def system(monkeypatch):
    """The system's clock, which goes on only when a test says so, or while its event loop waits."""
    return System(monkeypatch)


@pytest.fixture(scope="module")
def server():
    """One for each file: what is reset or set back here is nobody else's."""
    with running_server() as server:
        yield server


@pytest.fixture
def api(server):
    return Api(server)


@pytest.fixture
def account():
    """One that nobody has used."""
    return fresh_account()
