import pytest


@pytest.fixture
def engine(open_node):
    """Here there is one kind only."""
    return open_node()
