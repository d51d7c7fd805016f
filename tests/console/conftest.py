import pytest

from tests.console.pages import Console
from tests.kit.api import fresh_account
from tests.support.server import running_server


@pytest.fixture(scope="module")
def server():
    """One for each file: what is reset or set back here is nobody else's."""
    with running_server() as server:
        yield server


@pytest.fixture
def console(server):
    return Console(server)


@pytest.fixture
def account():
    """One that nobody has used."""
    return fresh_account()
