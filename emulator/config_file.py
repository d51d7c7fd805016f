"""Reads the YAML config file: settings at the top level, queues to create at start, and planned faults.

YAML is taken as nodes, not as values: a node knows its line, so that every mistake is reported as
`FILE:LINE: key: what is wrong`, and its text as written, so that account 000000000000 stays what it is.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from emulator.ids import seeded_chance
from emulator.settings import SETTINGS, QueueDeclaration, RedriveDeclaration, StartError, Value, whole_number

if TYPE_CHECKING:
    import yaml

YAML_TAG = "tag:yaml.org,2002:"
MAX_DEPTH = 50
"""Of a policy or of merges. An alias may name the node it stands in, so there must be an end."""
MAX_PARTS = 1_000
"""Of a planned fault, likewise."""

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


class ConfigFile(msgspec.Struct, frozen=True, kw_only=True):
    values: dict[str, Value] = {}
    queues: tuple[QueueDeclaration, ...] = ()
    faults: tuple[str, ...] = ()
    """Rules as JSON."""


class Entry(msgspec.Struct, frozen=True):
    """One `key: value` of a mapping."""

    key: str
    line: int
    value: "yaml.Node"


def read_config_file(path: str) -> ConfigFile:
    """What the file says; a StartError with one line for each mistake that was found in it."""
    reader = _Reader(path)
    root = _compose(path)
    config = reader.config(root) if root is not None else ConfigFile()
    if reader.mistakes:
        raise StartError("\n".join(f"{path}:{line}: {what}" for line, what in sorted(reader.mistakes)))
    return config


def _compose(path: str) -> "yaml.Node | None":
    import yaml  # here, because a start without a config file needs no YAML

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise StartError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise StartError(f"{path}: cannot be read: it is not UTF-8 text") from None
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise StartError(f"{path}:{line}: not valid YAML: {error.problem or error.context}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise StartError(f"{path}:{line}: not valid YAML: {error.reason}") from None
    except (ValueError, OverflowError):  # from PyYAML's chr() for an escape such as "\UFFFFFFFF"
        raise StartError(f"{path}: not valid YAML: a character that does not exist") from None
    except RecursionError:
        raise StartError(f"{path}: not valid YAML: nested too deeply") from None


class _Reader:
    """Walks the nodes and collects mistakes, so that one run shows all of them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.mistakes: list[tuple[int, str]] = []

    def wrong(self, line: int, key: str, what: str) -> None:
        self.mistakes.append((line, f"{key}: {what}" if key else what))

    def config(self, root: "yaml.Node") -> ConfigFile:
        settings = {setting.name: setting for setting in SETTINGS if setting.name != "config"}
        values: dict[str, Value] = {}
        queues: tuple[QueueDeclaration, ...] = ()
        faults: tuple[str, ...] = ()
        for entry in self.entries(root, ""):
            if entry.key == "queues":
                queues = self.queues(entry)
            elif entry.key == "faults":
                faults = self.faults(entry)
            elif entry.key not in settings:
                what = f"unknown key; known are {', '.join(settings)}, queues and faults"
                self.wrong(entry.line, entry.key, what)
            elif (text := self.text(entry, entry.key)) is not None:
                try:
                    values[entry.key] = settings[entry.key].read(text)
                except ValueError as error:
                    self.wrong(entry.line, entry.key, str(error))
        return ConfigFile(values=values, queues=queues, faults=faults)

    def queues(self, section: Entry) -> tuple[QueueDeclaration, ...]:
        queues: dict[str, QueueDeclaration] = {}
        for queue in self.declarations(section):
            if queue.name in queues:
                first = queues[queue.name].lines["name"]
                self.wrong(queue.lines["name"], f"queues.{queue.name}", f"declared before, in line {first}")
            queues.setdefault(queue.name, queue)
        for queue in queues.values():
            if queue.redrive is not None and queue.redrive.to not in queues:
                what = f"no queue named {queue.redrive.to!r} is declared in this file"
                self.wrong(queue.lines["redrive.to"], f"queues.{queue.name}.redrive.to", what)
        return tuple(queues.values())

    def declarations(self, section: Entry) -> Iterator[QueueDeclaration]:
        """From `queues: [{name: orders, …}]`, `queues: [orders]` or `queues: {orders: {…}}`."""
        import yaml

        if isinstance(section.value, yaml.SequenceNode):
            for number, item in enumerate(section.value.value):
                line = item.start_mark.line + 1
                if isinstance(item, yaml.ScalarNode):
                    name = self.text(Entry("", line, item), f"queues[{number}]")
                    entries: list[Entry] = []
                elif not self.is_mapping(item, f"queues[{number}]"):
                    continue
                else:
                    entries = list(self.entries(item, f"queues[{number}]"))
                    name, line = self.name_among(entries, f"queues[{number}]", line)
                if name is not None:
                    yield self.queue(name, line, [entry for entry in entries if entry.key != "name"])
        elif isinstance(section.value, yaml.MappingNode):
            for entry in self.entries(section.value, "queues"):
                inner = [] if _is_null(entry.value) else self.entries(entry.value, f"queues.{entry.key}")
                yield self.queue(entry.key, entry.line, list(inner))
        elif not _is_null(section.value):
            self.wrong(section.line, "queues", "must be a list or a mapping of queues")

    def name_among(self, entries: list[Entry], where: str, line: int) -> tuple[str | None, int]:
        for entry in entries:
            if entry.key == "name":
                return self.text(entry, f"{where}.name"), entry.line
        self.wrong(line, where, "needs a name")
        return None, line

    def queue(self, name: str, line: int, entries: list[Entry]) -> QueueDeclaration:
        where = f"queues.{name}"
        lines = {"name": line}
        attributes: dict[str, str] = {}
        tags: dict[str, str] = {}
        redrive = None
        for entry in entries:
            lines[entry.key] = entry.line
            if entry.key == "attributes":
                attributes = self.texts(entry, where, lines, self.attribute)
            elif entry.key == "tags":
                tags = self.texts(entry, where, lines, self.text)
            elif entry.key == "redrive":
                redrive = self.redrive(entry, where, lines)
            else:
                what = "unknown key; known are name, attributes, tags and redrive"
                self.wrong(entry.line, f"{where}.{entry.key}", what)
        if redrive is not None and "RedrivePolicy" in attributes:
            self.wrong(lines["redrive"], f"{where}.redrive", "given together with attributes.RedrivePolicy")
        return QueueDeclaration(
            name=name, attributes=attributes, tags=tags, redrive=redrive, file=self.file, lines=lines
        )

    def texts(
        self,
        section: Entry,
        where: str,
        lines: dict[str, int],
        read: Callable[[Entry, str], str | None],
    ) -> dict[str, str]:
        """A mapping of text to text: attributes or tags."""
        values: dict[str, str] = {}
        for entry in self.entries(section.value, f"{where}.{section.key}"):
            lines[f"{section.key}.{entry.key}"] = entry.line
            text = read(entry, f"{where}.{section.key}.{entry.key}")
            if text is not None:
                values[entry.key] = text
        return values

    def redrive(self, section: Entry, where: str, lines: dict[str, int]) -> RedriveDeclaration | None:
        found: dict[str, str] = {}
        if not self.is_mapping(section.value, f"{where}.redrive"):
            return None
        for entry in self.entries(section.value, f"{where}.redrive"):
            key = f"{where}.redrive.{entry.key}"
            lines[f"redrive.{entry.key}"] = entry.line
            if entry.key not in ("to", "max_receive_count"):
                self.wrong(entry.line, key, "unknown key; known are to and max_receive_count")
            elif (text := self.text(entry, key)) is not None:
                found[entry.key] = text
        for missing in {"to", "max_receive_count"} - {key.removeprefix("redrive.") for key in lines}:
            self.wrong(section.line, f"{where}.redrive", f"needs {missing}")
        if len(found) < 2:
            return None
        try:
            count = int(whole_number(1, 1_000)(found["max_receive_count"]))
        except ValueError as error:
            self.wrong(lines["redrive.max_receive_count"], f"{where}.redrive.max_receive_count", str(error))
            count = 1
        return RedriveDeclaration(to=found["to"], max_receive_count=count)

    def faults(self, section: Entry) -> tuple[str, ...]:
        """From `faults: [{kind: duplicate, …}]` or `faults: {name: {kind: duplicate, …}}`."""
        from emulator.faults import Faults, InvalidRule, rule_of

        planned = Faults(seeded_chance(0))  # it tells names that are taken
        rules: list[str] = []
        for where, line, members, node in self.fault_nodes(section):
            lines, mistakes = {"": line}, len(self.mistakes)
            try:
                value = self.value(node, where, "", lines) if self.is_mapping(node, where) else None
                if len(self.mistakes) > mistakes or not isinstance(value, dict):
                    continue
                rule = planned.add(rule_of(members | value, texts=True))
                rules.append(msgspec.json.encode(rule).decode())
            except InvalidRule as error:
                key = f"{where}.{error.where}" if error.where else where
                self.wrong(_nearest(lines, error.where), key, error.what)
            except ValueError as error:
                self.wrong(line, where, str(error))
        return tuple(rules)

    def fault_nodes(self, section: Entry) -> Iterator[tuple[str, int, dict[str, Json], "yaml.Node"]]:
        """Where each fault stands, with its line and, in a mapping, its name."""
        import yaml

        if isinstance(section.value, yaml.SequenceNode):
            for number, item in enumerate(section.value.value):
                yield f"faults[{number}]", item.start_mark.line + 1, {}, item
        elif isinstance(section.value, yaml.MappingNode):
            for entry in self.entries(section.value, "faults"):
                yield f"faults.{entry.key}", entry.line, {"name": entry.key}, entry.value
        elif not _is_null(section.value):
            self.wrong(section.line, "faults", "must be a list or a mapping of faults")

    def value(self, node: "yaml.Node", where: str, path: str, lines: dict[str, int]) -> Json:
        """A rule's value; `lines` gets the line of each part, by its path. Numbers stay as written."""
        import yaml

        if path.count(".") + path.count("[") > MAX_DEPTH or len(lines) > MAX_PARTS:
            raise ValueError("is nested too deeply")
        if isinstance(node, yaml.MappingNode):
            members: dict[str, Json] = {}
            for entry in self.entries(node, f"{where}.{path}" if path else where):
                inner = f"{path}.{entry.key}" if path else entry.key
                lines[inner] = entry.line
                members[entry.key] = self.value(entry.value, where, inner, lines)
            return members
        if isinstance(node, yaml.SequenceNode):
            items: list[Json] = []
            for number, item in enumerate(node.value):
                inner = f"{path}[{number}]"
                lines[inner] = item.start_mark.line + 1
                items.append(self.value(item, where, inner, lines))
            return items
        if _is_null(node):
            return None
        text = str(node.value)
        return _is_true(text) if node.tag == YAML_TAG + "bool" else text

    def is_mapping(self, node: "yaml.Node", where: str) -> bool:
        import yaml

        if isinstance(node, yaml.MappingNode):
            return True
        what = "must be a mapping (key: value)" if where else "the file must be a mapping (key: value)"
        self.wrong(node.start_mark.line + 1, where, what)
        return False

    def entries(self, node: "yaml.Node", where: str, depth: int = 0) -> Iterator[Entry]:
        """The entries of a mapping, `<<: *alias` included; what is none, or stands twice, is a mistake."""
        import yaml

        if not self.is_mapping(node, where):
            return
        seen: dict[str, int] = {}
        merged: list[yaml.Node] = []
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.tag == YAML_TAG + "merge":
                merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
            elif not isinstance(key, yaml.ScalarNode):
                self.wrong(line, where, "a key must be plain text")
            elif key.value in seen:
                name = f"{where}.{key.value}" if where else key.value
                self.wrong(line, name, f"given before, in line {seen[key.value]}")
            else:
                seen[key.value] = line
                yield Entry(key.value, line, value)
        if merged and depth > MAX_DEPTH:
            self.wrong(node.start_mark.line + 1, where, "merges itself")
            return
        for mapping in merged:
            for entry in self.entries(mapping, where, depth + 1):
                if entry.key not in seen:
                    seen[entry.key] = entry.line
                    yield entry

    def text(self, entry: Entry, where: str) -> str | None:
        """A scalar's text as written; None, and a mistake, for anything else."""
        import yaml

        if not isinstance(entry.value, yaml.ScalarNode):
            self.wrong(entry.line, where, "must be a single value")
        elif _is_null(entry.value):
            self.wrong(entry.line, where, "has no value")
        else:
            return str(entry.value.value)
        return None

    def attribute(self, entry: Entry, where: str) -> str | None:
        """An attribute's value as AWS's string; a mapping becomes JSON text."""
        import yaml

        if isinstance(entry.value, yaml.MappingNode):
            try:
                return msgspec.json.encode(_json(entry.value)).decode()
            except ValueError as error:
                self.wrong(entry.line, where, str(error))
                return None
        text = self.text(entry, where)
        tag = entry.value.tag.removeprefix(YAML_TAG)
        if text is None or tag not in ("bool", "int", "float"):
            return text
        if tag == "bool":
            return "true" if _is_true(text) else "false"
        if re.fullmatch("-?[0-9]+", text):
            return text
        # YAML 1.1 takes 1_000, 0x10 and 1:30 for whole numbers too; do not guess what was meant.
        self.wrong(entry.line, where, f"{text} is not a whole number in plain digits")
        return None


def _is_null(node: "yaml.Node") -> bool:
    return node.tag == YAML_TAG + "null"


def _nearest(lines: dict[str, int], path: str) -> int:
    """The line of a member, or of what it would stand in."""
    while path not in lines:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return lines[path]


def _is_true(text: str) -> bool:
    return text.lower() in ("true", "yes", "on")


def _json(node: "yaml.Node", depth: int = 0) -> Json:
    """A policy's value. Only what JSON has too is more than text: `Version: 2012-10-17` is no date."""
    import yaml

    if depth > MAX_DEPTH:
        raise ValueError("is nested too deeply")
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _json(value, depth + 1) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_json(item, depth + 1) for item in node.value]
    text = str(node.value)
    match node.tag.removeprefix(YAML_TAG):
        case "null":
            return None
        case "bool":
            return _is_true(text)
        case "int" if re.fullmatch("-?(0|[1-9][0-9]*)", text):
            return int(text)
        case "float" if re.fullmatch(r"-?[0-9]+\.[0-9]+", text):
            return float(text)
    return text
