from collections.abc import Iterator

import pytest

from emulator.testing import Server, running


@pytest.fixture(scope="package")
def shared() -> Iterator[Server]:
    """One server for the tests of this folder. Each works on an account of its own."""
    with running() as server:
        yield server
