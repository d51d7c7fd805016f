import json
import logging
import re

import pytest

from emulator.logs import JsonLines, TextLines
from tests.cli.servers import running


def record(message="request", /, **fields):
    made = logging.LogRecord("emulator", logging.INFO, __file__, 1, message, (), None)
    made.fields = fields
    return made


def test_a_text_line_has_the_time_the_level_and_each_field():
    line = TextLines().format(record(id="a-1", action="SendMessage", status=200, ms=0.4))
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d\.\d{3} INFO request id=a-1 action=SendMessage status=200 ms=0\.4", line
    )


@pytest.mark.parametrize("value", ["two words", "a=b", 'say "hi"', "line\nbreak", "\x1b[31m", ""])
def test_a_value_cannot_be_mistaken_for_several_or_break_the_line(value):
    line = TextLines().format(record(queue=value))
    assert line.isprintable()
    assert json.loads(line.split(" queue=")[1]) == value


def test_a_message_with_a_line_break_stays_in_its_line():
    assert TextLines().format(record("one\ntwo")).endswith(r" INFO one\ntwo")


def test_a_json_line_is_one_object():
    line = json.loads(JsonLines().format(record("request", status=200, queue="a\nb")))
    assert line.pop("time")[:2] == "20"
    assert line == {"level": "info", "event": "request", "status": 200, "queue": "a\nb"}


def test_an_exception_stays_in_the_json_line():
    made = record("failed")
    made.exc_info = (ValueError, ValueError("no"), None)
    text = JsonLines().format(made)
    assert "\n" not in text
    assert json.loads(text)["traceback"] == "ValueError: no"


def test_requests_are_not_logged_by_default():
    with running() as server:
        server.call("ListQueues")
        assert server.stop() == (0, pytest.approx(0, abs=2), "")


def test_at_info_each_request_is_one_line_with_id_action_queue_status_and_time():
    with running("--log-level", "info") as server:
        server.call("CreateQueue", QueueName="orders")
        server.call("SendMessage", QueueUrl=f"{server.url}/000000000000/orders", MessageBody="hello")
        created, sent = server.stop()[2].splitlines()
    assert " INFO request id=" in created
    assert re.search(r" INFO request id=[0-9a-f-]{36} action=SendMessage queue=orders status=200 ms=\d", sent)


def test_json_lines_are_asked_for_by_flag():
    with running("--log-json", SQS_EMULATOR_LOG_LEVEL="info") as server:
        server.call("ListQueues")
        (line,) = server.stop()[2].splitlines()
    fields = json.loads(line)
    assert (fields["level"], fields["event"]) == ("info", "request")
    assert (fields["action"], fields["status"]) == ("ListQueues", 200)
