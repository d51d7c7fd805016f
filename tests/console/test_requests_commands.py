"""An AWS request as a command of the aws CLI."""

import json
import shlex
from datetime import UTC, datetime

import botocore
import botocore.session
import cbor2
import pytest

from emulator.cloudwatch.door import ACTIONS
from emulator.operations import OPERATIONS
from emulator.web.console.asked import Asked, asked_of, opened, queue_name
from emulator.web.console.cli_commands import cli_name, command_for
from emulator.wire.messages import WireRequest

URL = "http://127.0.0.1:9324"
QUEUE = f"{URL}/000000000000/orders"


def asked(action, values, service="sqs"):
    return Asked(service=service, protocol="", action=action, values=values)


def words(action, values, service="sqs"):
    """What the shell makes of the command, from the action on."""
    command = command_for(
        asked(action, values, service), endpoint_url=URL, account="111122223333", region="eu-west-1"
    )
    found = shlex.split(command.text.replace("\\\n", " "))
    assert found[:4] == ["AWS_ACCESS_KEY_ID=111122223333", "AWS_SECRET_ACCESS_KEY=test", "aws", service]
    assert found[5:9] == ["--endpoint-url", URL, "--region", "eu-west-1"]
    return [found[4], *found[9:]]


def test_a_request_is_one_command_with_its_members_as_options():
    assert words("SendMessage", {"QueueUrl": QUEUE, "MessageBody": "hello", "DelaySeconds": 5}) == [
        "send-message", "--queue-url", QUEUE, "--message-body", "hello", "--delay-seconds", "5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    ["it's", 'a "quoted" $HOME `id` \\ !', "two\nlines", "é ✓", " ", "", "a\\", "'", "#", "*", "&& rm", "~"],
)
def test_the_shell_takes_a_body_as_it_was(body):
    assert words("SendMessage", {"MessageBody": body}) == ["send-message", "--message-body", body]


@pytest.mark.parametrize("body", ["-n", "--queue-url", "-"])
def test_a_value_that_looks_like_an_option_is_tied_to_its_own(body):
    assert words("SendMessage", {"MessageBody": body}) == ["send-message", f"--message-body={body}"]


@pytest.mark.parametrize(
    "body", ["file:///etc/passwd", "fileb://x", "http://example.com", "https://x", "\x00", "\ud800"]
)
def test_a_value_that_the_command_line_would_change_goes_in_as_json(body):
    values = {"QueueUrl": QUEUE, "MessageBody": body}
    action, option, text = words("SendMessage", values)
    assert (action, option, json.loads(text)) == ("send-message", "--cli-input-json", values)


def test_maps_and_lists_are_json_and_lists_of_words_are_words():
    attributes = {"k": {"DataType": "String", "StringValue": "it's"}}
    assert words("SendMessage", {"MessageAttributes": attributes})[2] == json.dumps(attributes)
    assert words("GetQueueAttributes", {"AttributeNames": ["All", "Policy"]})[1:] == [
        "--attribute-names", "All", "Policy",
    ]  # fmt: skip
    assert words("UntagQueue", {"TagKeys": ["a b", "-c"]})[1:] == ["--tag-keys", '["a b", "-c"]']
    assert words("UntagQueue", {"TagKeys": []})[1:] == ["--tag-keys", "[]"]


@pytest.mark.parametrize("queue_url", ["/000000000000/orders", "http://sqs:9324/000000000000/orders"])
def test_a_queue_url_begins_with_the_host_that_is_known_here(queue_url):
    assert words("PurgeQueue", {"QueueUrl": queue_url}) == ["purge-queue", "--queue-url", QUEUE]


def test_truth_is_a_flag():
    assert words("PutMetricAlarm", {"ActionsEnabled": True}, "cloudwatch")[1:] == ["--actions-enabled"]
    assert words("PutMetricAlarm", {"ActionsEnabled": False}, "cloudwatch")[1:] == ["--no-actions-enabled"]


def test_moments_are_written_in_iso_8601():
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert words("GetMetricData", {"StartTime": moment}, "cloudwatch")[1:] == [
        "--start-time", "2026-01-01T00:00:00+00:00",
    ]  # fmt: skip


def test_binary_values_come_with_a_note():
    value = {"k": {"DataType": "Binary", "BinaryValue": "AAH/"}}
    command = command_for(
        asked("SendMessage", {"MessageAttributes": value}), endpoint_url=URL, account="1", region="eu-west-1"
    )
    assert command.note == "Binary values are written as version 2 of the CLI reads them."


def test_there_is_no_command_for_what_cannot_be_read():
    command = command_for(asked("SendMessage", None), endpoint_url=URL, account="1", region="eu-west-1")
    assert (command.text, command.note) == (
        "",
        "The request cannot be read as a whole, so there is no command for it.",
    )


@pytest.mark.parametrize(("service", "actions"), [("sqs", OPERATIONS), ("cloudwatch", ACTIONS)])
def test_actions_and_members_are_called_as_in_the_cli(service, actions):
    model = botocore.session.get_session().get_service_model(service)
    names = {name for action in actions for name in _names(model, action)}
    assert {name: cli_name(name) for name in names} == {
        name: botocore.xform_name(name, "-") for name in names
    }


def _names(model, action):
    shape = model.operation_model(action).input_shape
    return [action, *(shape.members if shape is not None else ())]


# What a request asked for, in each protocol


def form_request(text, path="/", **headers):
    return WireRequest(method="POST", path=path, query="", headers=headers, body=text.encode())


def json_request(target, values):
    headers = {"x-amz-target": target, "content-type": "application/x-amz-json-1.0"}
    return WireRequest(method="POST", path="/", query="", headers=headers, body=json.dumps(values).encode())


def test_both_protocols_ask_for_the_same():
    values = {
        "QueueUrl": QUEUE,
        "MessageBody": "a b",
        "MessageAttributes": {"k": {"DataType": "String", "StringValue": "v"}},
    }
    form = (
        f"Action=SendMessage&QueueUrl={QUEUE}&MessageBody=a+b&MessageAttribute.1.Name=k"
        "&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=v&Version=2012-11-05"
    )
    assert asked_of("SendMessage", form_request(form)).values == values
    assert asked_of("SendMessage", json_request("AmazonSQS.SendMessage", values)).values == values


def test_the_queue_of_a_query_request_may_stand_in_its_path():
    request = form_request("Action=PurgeQueue", path="/000000000000/orders")
    assert asked_of("PurgeQueue", request).values == {"QueueUrl": "/000000000000/orders"}
    assert queue_name(request) == "orders"


def test_members_that_sqs_does_not_know_are_left_out():
    request = json_request("AmazonSQS.PurgeQueue", {"QueueUrl": QUEUE, "Colour": "red"})
    assert asked_of("PurgeQueue", request).values == {"QueueUrl": QUEUE}


ALARM = {
    "AlarmName": "old",
    "Period": 60,
    "Threshold": 1.5,
    "Dimensions": [{"Name": "QueueName", "Value": "orders"}],
    "Namespace": "AWS/SQS",
    "MetricName": "NumberOfMessagesSent",
}


def test_cloudwatch_is_read_in_its_three_protocols():
    target = "GraniteServiceVersion20100801"
    cbor = WireRequest(
        method="POST",
        path=f"/service/{target}/operation/PutMetricAlarm",
        query="",
        headers={},
        body=cbor2.dumps(ALARM),
    )
    form = form_request(
        "Action=PutMetricAlarm&AlarmName=old&Period=60&Threshold=1.5&Dimensions.member.1.Name=QueueName"
        "&Dimensions.member.1.Value=orders&Namespace=AWS/SQS&MetricName=NumberOfMessagesSent&Version=2010-08-01"
    )
    for request in (cbor, form, json_request(f"{target}.PutMetricAlarm", ALARM)):
        found = asked_of("PutMetricAlarm", request)
        assert (found.service, found.values) == ("cloudwatch", ALARM)


@pytest.mark.parametrize(
    "request_",
    [
        json_request("AmazonSQS.SendMessage", ["no", "object"]),
        WireRequest(
            method="POST",
            path="/",
            query="",
            headers={"x-amz-target": "AmazonSQS.SendMessage"},
            body=b'{"Queu',
        ),
        form_request("Action=SendMessage&DelaySeconds=soon"),
        form_request("Action=SendMessage&MessageBody=%ff"),
    ],
)
def test_what_cannot_be_read_has_no_values(request_):
    assert asked_of("SendMessage", request_).values is None


def test_an_unknown_action_has_no_values():
    assert asked_of("-", json_request("AmazonSQS.Nothing", {})).values is None


def test_a_body_that_does_not_fit_its_encoding_stays_as_it_is():
    request = form_request("not gzip", **{"content-encoding": "gzip"})
    assert opened(request).body == b"not gzip"


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"QueueUrl": QUEUE}, "orders"),
        ({"MessageBody": '{"QueueUrl": "http://x/1/other"}', "QueueUrl": QUEUE}, "orders"),
        ({"QueueName": "orders.fifo"}, "orders.fifo"),
        ({"SourceArn": "arn:aws:sqs:us-east-1:000000000000:dlq"}, "dlq"),
        ({}, ""),
    ],
)
def test_the_name_of_the_queue_is_found_without_reading_all(values, name):
    assert queue_name(json_request("AmazonSQS.SendMessage", values)) == name
