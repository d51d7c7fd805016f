"""The rules of SQS, read from the TOML files of this folder."""

import ast
import tomllib
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parents[1]
FILES = sorted(Path(__file__).parent.glob("*.toml"))
SOURCES = ("recorded", "reported", "documented", "model", "emulator", "unsure")


class Rule(NamedTuple):
    id: str
    text: str
    known: tuple[str, ...]
    tests: tuple[str, ...]
    """`contract/test_tags.py::test_keys_differ_by_case`, from the folder tests/."""
    why: str
    """Why there is no test, or what is to be said beside those that there are."""


class Section(NamedTuple):
    number: str
    title: str
    rules: tuple[Rule, ...]


def sections() -> list[Section]:
    found = [section for file in FILES for section in tomllib.loads(file.read_text("utf-8"))["section"]]
    return [Section(one["number"], one["title"], tuple(_rule(row) for row in one["rule"])) for one in found]


def all_rules() -> list[Rule]:
    return [rule for section in sections() for rule in section.rules]


def existing_tests() -> set[str]:
    """Every test function under tests/, found by reading the files."""
    return {
        f"{path.relative_to(TESTS).as_posix()}::{node.name}"
        for path in TESTS.rglob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def _rule(row: dict[str, object]) -> Rule:
    """A key that is misspelt must not pass for one that is missing."""
    assert row.keys() <= {"id", "rule", "known", "tests", "why"}, row
    return Rule(
        str(row["id"]),
        str(row["rule"]),
        _texts(row["known"]),
        _texts(row.get("tests", [])),
        str(row.get("why", "")),
    )


def _texts(value: object) -> tuple[str, ...]:
    assert isinstance(value, list), value
    return tuple(str(one) for one in value)
