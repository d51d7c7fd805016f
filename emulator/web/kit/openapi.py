"""The OpenAPI document, made from the table of calls."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from emulator import __version__
from emulator.web.kit.calls import Call
from emulator.web.kit.problems import PROBLEM_TYPE, ProblemDetails

Json = dict[str, Any]
REFERENCE = "#/components/schemas/{name}"
ABOUT = """\
Time, isolation, messages, history and planned faults of a running sqs-emulator. Parameters and members that \
do not exist are refused. Requests that a browser sends for pages of other origins are refused with 403."""


def document(calls: Sequence[Call]) -> Json:
    types = [kind for call in calls for kind in (call.body, *_answers(call)) if kind not in (None, bytes)]
    found, components = _schemas([*types, ProblemDetails])
    by_type = list(zip([*types, ProblemDetails], found, strict=True))
    paths: dict[str, Json] = {}
    for call in calls:
        parameters, more = _parameters(call)
        components |= more
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call, parameters, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": "sqs-emulator test kit", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {"schemas": dict(sorted(components.items()))},
    }


def _schemas(types: Sequence[Any]) -> tuple[tuple[Json, ...], dict[str, Json]]:
    return msgspec.json.schema_components(types, ref_template=REFERENCE)


def _parameters(call: Call) -> tuple[list[Json], dict[str, Json]]:
    """The parameters, and the schemas that they refer to."""
    if call.parameters is None:
        return [], {}
    _, components = _schemas([call.parameters])
    own = components.pop(call.parameters.__name__)
    required = own.get("required", [])
    parameters = []
    for name, schema in own["properties"].items():
        in_path = f"{{{name}}}" in call.path
        parameter: Json = {
            "name": name,
            "in": "path" if in_path else "query",
            "required": in_path or name in required,
            "schema": _not_null(schema),
        }
        if not in_path:
            parameter |= {"style": "form", "explode": False}
        if "description" in schema:
            parameter["description"] = schema["description"]
        parameters.append(parameter)
    return parameters, components


def _not_null(schema: Json) -> Json:
    """A parameter that is not given is absent, never null."""
    schema = {name: value for name, value in schema.items() if (name, value) != ("default", None)}
    choices = [choice for choice in schema.pop("anyOf", []) if choice != {"type": "null"}]
    return choices[0] | schema if len(choices) == 1 else schema | ({"anyOf": choices} if choices else {})


def _operation(call: Call, parameters: list[Json], by_type: list[tuple[Any, Json]]) -> Json:
    operation: Json = {"operationId": _id(call), "summary": call.summary}
    if parameters:
        operation["parameters"] = parameters
    if call.body is not None:
        operation["requestBody"] = {"content": _content(call, (call.body,), by_type)}
    answer: Json = {"description": "Done" if call.answers is None else "The answer"}
    if call.answers is not None:
        answer["content"] = _content(call, _answers(call), by_type)
    operation["responses"] = {"204" if call.answers is None else "200": answer}
    for status in _refusals(call):
        operation["responses"][str(status)] = {
            "description": HTTPStatus(status).phrase,
            "content": {PROBLEM_TYPE: {"schema": _schema_of(ProblemDetails, by_type)}},
        }
    return operation


def _answers(call: Call) -> tuple[Any, ...]:
    return call.answers if isinstance(call.answers, tuple) else (call.answers,)


def _content(call: Call, kinds: tuple[Any, ...], by_type: list[tuple[Any, Json]]) -> Json:
    if kinds == (bytes,):
        return {call.media_type: {}}
    schemas = [_schema_of(kind, by_type) for kind in kinds]
    return {"application/json": {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}


def _schema_of(kind: Any, by_type: list[tuple[Any, Json]]) -> Json:
    return next(schema for known, schema in by_type if known == kind)


def _refusals(call: Call) -> list[int]:
    takes_something = call.parameters is not None or call.body is not None
    common = ([400] if takes_something else []) + ([] if call.is_open else [403])
    return sorted({*common, *call.problems})


def _id(call: Call) -> str:
    words = [part for part in call.path.replace("{", "").replace("}", "").split("/") if part]
    return "_".join([call.method.lower(), *(word.replace("-", "_").replace(".", "_") for word in words)])
