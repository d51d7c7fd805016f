"""Reads `.sql` files in which each statement stands under a line `-- :name the_name`."""

from importlib import resources


def text(package: str, file: str) -> str:
    return resources.files(package).joinpath(file).read_text("utf-8")


def load(package: str, file: str) -> dict[str, str]:
    statements: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text(package, file).splitlines():
        if line.startswith("-- :name "):
            lines = statements.setdefault(line.removeprefix("-- :name ").strip(), [])
        elif line.strip() and not line.lstrip().startswith("--"):
            lines.append(line)
    return {name: "\n".join(body) for name, body in statements.items()}
