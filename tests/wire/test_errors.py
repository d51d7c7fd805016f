"""Every declared error in both protocols, against the tables of the specification (1.4, 1.5)."""

import json
import pathlib
from typing import Any
from xml.etree import ElementTree

import pytest

from emulator import errors
from emulator.errors import SqsError
from tests.wire.wire_requests import json_call, query_call

REQUEST_ID = "6b1f0d3e-8a4c-4d0e-9f58-2f0b6f1c7a11"
TABLE_FILE = pathlib.Path(__file__).parents[1] / "support" / "query-members.json"
MODELLED: dict[str, dict[str, Any]] = json.loads(TABLE_FILE.read_text())["errors"]

NEVER_SENT = {
    "InvalidAddress": "answered as NonExistentQueue: the conditions are not public",
    "InvalidIdFormat": "deprecated, and not seen on AWS",
    "InvalidSecurity": "no request is refused for its signature",
    "KmsAccessDenied": "there is no key service behind the emulator",
    "KmsDisabled": "there is no key service behind the emulator",
    "KmsInvalidKeyUsage": "there is no key service behind the emulator",
    "KmsInvalidState": "there is no key service behind the emulator",
    "KmsNotFound": "there is no key service behind the emulator",
    "KmsOptInRequired": "there is no key service behind the emulator",
    "KmsThrottled": "there is no key service behind the emulator",
    "MessageNotInflight": "AWS lets the call succeed instead",
}
OUTSIDE_THE_MODEL = {
    "InvalidParameterValueException": ("InvalidParameterValue", 400),
    "MissingRequiredParameterException": ("MissingParameter", 400),
    "UnknownOperationException": ("InvalidAction", 400),
    "SerializationException": ("MalformedInput", 400),
    "RequestEntityTooLargeException": ("RequestEntityTooLarge", 413),
    "InternalFailure": ("InternalFailure", 500),
    "ServiceUnavailable": ("ServiceUnavailable", 503),
}
"""JSON type, Query code and status; the first four are recorded."""


def _every_error() -> list[SqsError]:
    classes = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, SqsError)]
    classes.remove(SqsError)
    return [_instance(one) for one in classes]


def _instance(error: type[SqsError]) -> SqsError:
    try:
        return error() if error.message else error("a text")
    except TypeError:
        return error("a value")  # type: ignore[call-arg]


ERRORS = [pytest.param(error, id=type(error).__name__) for error in _every_error()]
BARE = errors.UnknownOperation


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_in_json(error: SqsError):
    answer = json_call("SendMessage").error(error, REQUEST_ID)
    fault = "Sender" if error.status < 500 else "Receiver"
    assert (answer.status, answer.content_type) == (error.status, b"application/x-amz-json-1.0")
    assert json.loads(answer.body) == {"__type": error.json_type, "message": error.message}
    assert dict(answer.headers)[b"x-amzn-query-error"] == f"{error.query_code};{fault}".encode()


@pytest.mark.parametrize("error", [row for row in ERRORS if not isinstance(row.values[0], BARE)])
def test_an_error_in_xml(error: SqsError):
    answer = query_call("SendMessage").error(error, REQUEST_ID)
    assert (answer.status, answer.content_type) == (error.status, b"text/xml")
    text = answer.body.decode()
    assert text.startswith('<?xml version="1.0"?>')
    assert "<Detail/>" in text
    root = ElementTree.fromstring(text)
    namespace = "{http://queue.amazonaws.com/doc/2012-11-05/}"
    assert root.tag == f"{namespace}ErrorResponse"
    assert [child.tag.removeprefix(namespace) for child in root] == ["Error", "RequestId"]
    assert root[1].text == REQUEST_ID
    assert {child.tag.removeprefix(namespace): child.text for child in root[0]} == {
        "Type": "Sender" if error.status < 500 else "Receiver",
        "Code": error.query_code,
        "Message": error.query_message,
        "Detail": None,
    }


@pytest.mark.parametrize("error", [row for row in ERRORS if not isinstance(row.values[0], BARE)])
def test_an_error_in_the_legacy_json_of_query(error: SqsError):
    answer = query_call("SendMessage", accept="application/json").error(error, REQUEST_ID)
    assert (answer.status, answer.content_type) == (error.status, b"application/json")
    body = json.loads(answer.body)
    assert body["RequestId"] == REQUEST_ID
    assert (body["Error"]["Code"], body["Error"]["Message"]) == (error.query_code, error.query_message)


@pytest.mark.parametrize("accept", ["", "application/json"])
def test_a_request_without_an_action_gets_a_bare_element(accept: str):
    call = query_call("", accept=accept)
    answer = call.error(call.unknown_operation(), REQUEST_ID)
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>")


@pytest.mark.parametrize("error", ERRORS)
def test_a_declared_error_stands_in_the_tables_of_the_specification(error: SqsError):
    prefix, _, shape = error.json_type.partition("#")
    if prefix == "com.amazonaws.sqs":
        row = MODELLED[shape]
        assert (error.query_code, error.status) == (row["queryCode"], row["status"])
    else:
        assert prefix == "com.amazon.coral.service"
        code, status = OUTSIDE_THE_MODEL[shape]
        assert error.query_code == code
        assert error.status == (404 if isinstance(error, BARE) else status)


@pytest.mark.parametrize("shape", sorted(MODELLED))
def test_a_modelled_error_is_declared_or_never_sent(shape: str):
    declared = {error.json_type.partition("#")[2] for error in _every_error()}
    assert (shape in declared) != (shape in NEVER_SENT)


def test_only_the_missing_queue_is_worded_differently_in_the_two_protocols():
    error = errors.QueueDoesNotExist()
    assert error.message == "The specified queue does not exist."
    assert error.query_message == "The specified queue does not exist for this wsdl version."
    others = [one for one in _every_error() if not isinstance(one, errors.QueueDoesNotExist)]
    assert [one for one in others if one.query_message != one.message] == []


def test_a_text_with_markup_is_escaped_in_xml_and_survives():
    error = errors.InvalidParameterValue('<a href="x">&amp;</a>\r\n')
    for answer in (
        query_call("SendMessage").error(error, REQUEST_ID),
        query_call("SendMessage", accept="application/json").error(error, REQUEST_ID),
    ):
        if answer.content_type == b"text/xml":
            root = ElementTree.fromstring(answer.body)
            assert root[0][2].text == error.message
        else:
            assert json.loads(answer.body)["Error"]["Message"] == error.message
