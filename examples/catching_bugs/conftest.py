"""Each test runs on the mended consumer beside it, or on the buggy one: `pytest --consumer buggy`."""

import importlib.util

import pytest


def pytest_addoption(parser):
    parser.addoption("--consumer", choices=["buggy", "mended"], default="mended")


@pytest.fixture
def consumer(request):
    path = request.path.parent / f"{request.config.getoption('consumer')}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
