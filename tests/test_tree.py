"""What every file and function of the package keeps to."""

import ast
import importlib
import inspect
import pathlib
import re
import typing

import pytest

from emulator.operations import OPERATIONS

ROOT = pathlib.Path(__file__).parents[1]
FILES = sorted((ROOT / "emulator").rglob("*.py"))
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 45
TIME_AND_CHANCE = {"time", "random", "uuid", "secrets"}
READERS_OF_TIME_AND_CHANCE = {"emulator/clock.py", "emulator/ids.py"}


def _name(path: pathlib.Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_is_not_long(path: pathlib.Path):
    assert len(path.read_text().splitlines()) <= MAX_FILE_LINES


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_functions_fit_a_screen(path: pathlib.Path):
    too_long = {
        node.name: length
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION_LINES
    }
    assert too_long == {}


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_time_and_chance_are_arguments(path: pathlib.Path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            imported.add(node.module.partition(".")[0])
    if _name(path) not in READERS_OF_TIME_AND_CHANCE:
        assert imported.isdisjoint(TIME_AND_CHANCE)


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_nobody_asks_datetime_for_the_time_or_asyncio_to_sleep(path: pathlib.Path):
    calls = {
        ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    }
    assert calls.isdisjoint({"datetime.now", "datetime.utcnow", "datetime.datetime.now", "asyncio.sleep"})


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_operation_stands_in_the_file_that_is_named_after_it(name: str):
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    operation = OPERATIONS[name]
    module = importlib.import_module(f"emulator.operations.{snake}")
    assert operation.run is getattr(module, snake)
    assert operation.request is getattr(module, f"{name}Request")
    response = typing.get_type_hints(operation.run)["return"]
    if response is type(None):
        assert not hasattr(module, f"{name}Response")
    else:
        assert response is getattr(module, f"{name}Response")


def test_operations_are_listed_in_order():
    assert list(OPERATIONS) == sorted(OPERATIONS)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_operation_is_asynchronous(name: str):
    assert inspect.iscoroutinefunction(OPERATIONS[name].run)
