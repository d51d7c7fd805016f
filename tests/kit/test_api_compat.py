"""LocalStack's developer endpoint, as its own tests have it, and moto's reset."""

from urllib.parse import urlencode

import pytest

from tests.http.connections import FORM_TYPE, JSON_TYPE
from tests.kit.api import credential, refusal

MESSAGES = "/_aws/sqs/messages"
JSON = {"Accept": "application/json"}


def test_messages_are_listed_as_receive_message_lists_them(api, account):
    queue = api.queue("listed", account)
    ids = api.fill(queue, "one", "two & <three>", account=account)
    answer = api.ask("GET", MESSAGES, QueueUrl=queue)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/xml")
    messages = answer.xml.findall("ReceiveMessageResult/Message")
    assert [message.findtext("MessageId") for message in messages] == ids
    assert [message.findtext("Body") for message in messages] == ["one", "two & <three>"]
    assert messages[0].findtext("MD5OfBody") == "f97c5d29941bfb1b2fdab0874906ab82"
    assert messages[0].findtext("ReceiptHandle") == "SQS/BACKDOOR/ACCESS"
    attributes = {one.findtext("Name"): one.findtext("Value") for one in messages[0].findall("Attribute")}
    assert attributes == {
        "SenderId": account,
        "SentTimestamp": str(api.get("clock")["now_ms"]),
        "ApproximateReceiveCount": "0",
        "ApproximateFirstReceiveTimestamp": "0",
    }


def test_more_than_one_receive_may_return_are_listed_and_none_is_received(api, account):
    queue = api.queue("many", account)
    api.fill(queue, *"abcdefghijklm", account=account)
    for _ in range(2):
        assert len(listed(api, queue)) == 13
    (counted,) = api.get("queues", account=account, prefix="many")["queues"]
    assert (counted["visible"], counted["in_flight"]) == (13, 0)


def test_the_answer_is_json_for_who_accepts_json(api, account):
    queue = api.queue("json", account)
    assert document(api, queue) is None
    api.fill(
        queue, "one", account=account, MessageAttributes={"n": {"DataType": "Number", "StringValue": "7"}}
    )
    message = document(api, queue)["Message"]
    assert (message["Body"], message["MD5OfBody"]) == ("one", "f97c5d29941bfb1b2fdab0874906ab82")
    assert message["MessageAttribute"] == {"Name": "n", "Value": {"StringValue": "7", "DataType": "Number"}}
    api.fill(queue, "two", account=account)
    assert [message["Body"] for message in document(api, queue)["Message"]] == ["one", "two"]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/json", "application/json"),
        ("application/json, */*;q=0.1", "application/json"),
        ("*/*", "text/xml"),
        ("text/html,application/xml;q=0.9,*/*;q=0.8", "text/xml"),
    ],
)
def test_who_accepts_anything_else_gets_xml(api, account, accept, kind):
    queue = api.queue("accepted", account)
    assert (
        api.ask("GET", MESSAGES, headers={"Accept": accept}, QueueUrl=queue).headers["content-type"] == kind
    )


@pytest.mark.parametrize("yes", ["true", "True", "1"])
def test_messages_in_flight_are_shown_on_request(api, account, yes):
    queue = api.queue("flying", account)
    api.fill(queue, "one", "two", account=account)
    api.sqs("ReceiveMessage", account, QueueUrl=queue)
    assert [message["Body"] for message in listed(api, queue)] == ["two"]
    shown = listed(api, queue, ShowInvisible=yes)
    assert [(message["Body"], attribute(message, "IsVisible")) for message in shown] == [
        ("one", "false"),
        ("two", "true"),
    ]


def test_messages_that_their_group_locks_are_shown_with_those_in_flight(api, account):
    queue = api.queue("groups.fifo", account, FifoQueue="true", ContentBasedDeduplication="true")
    for body, group in (("a1", "a"), ("a2", "a"), ("b1", "b")):
        api.fill(queue, body, account=account, MessageGroupId=group)
    api.sqs("ReceiveMessage", account, QueueUrl=queue)
    assert [message["Body"] for message in listed(api, queue)] == ["b1"]
    shown = listed(api, queue, ShowInvisible="true")
    assert [(message["Body"], attribute(message, "IsVisible")) for message in shown] == [
        ("a1", "false"),
        ("a2", "true"),
        ("b1", "true"),
    ]
    assert attribute(shown[0], "MessageGroupId") == "a"


def test_delayed_messages_are_shown_on_request(api, account):
    queue = api.queue("delayed", account)
    api.fill(queue, "later", account=account, DelaySeconds=9)
    api.fill(queue, "now", account=account)
    assert [message["Body"] for message in listed(api, queue)] == ["now"]
    shown = listed(api, queue, ShowDelayed="1")
    assert [(message["Body"], attribute(message, "IsDelayed")) for message in shown] == [
        ("now", "false"),
        ("later", "true"),
    ]


def test_a_queue_is_named_by_parameter_form_field_or_path(api, account):
    queue = api.queue("named", account)
    api.fill(queue, "one", account=account)
    form = urlencode({"QueueUrl": queue, "Action": "ReceiveMessage", "Version": "2012-11-05"}).encode()
    asked = (
        api.ask("GET", MESSAGES, QueueUrl=queue),
        api.ask("POST", MESSAGES, QueueUrl=queue),
        api.ask("POST", MESSAGES, form, {"Content-Type": FORM_TYPE}),
        api.ask("GET", f"{MESSAGES}/us-east-1/{account}/named"),
    )
    assert [answer.xml.findtext("ReceiveMessageResult/Message/Body") for answer in asked] == ["one"] * 4


@pytest.mark.parametrize(
    "url",
    [
        "http://sqs.eu-west-1.localhost.localstack.cloud:4566/{account}/regional",
        "http://eu-west-1.queue.localhost.localstack.cloud:4566/{account}/regional",
        "http://localhost:4566/queue/eu-west-1/{account}/regional",
    ],
)
def test_the_region_is_read_from_the_queue_url(api, account, url):
    api.queue("regional", account, "eu-west-1")
    assert api.ask("GET", MESSAGES, QueueUrl=url.format(account=account)).status == 200


def test_the_region_is_that_of_the_signature_if_the_url_has_none(api, account):
    queue = api.queue("signed", account, "eu-west-1")
    assert api.ask("GET", MESSAGES, QueueUrl=queue).status == 400
    signed = {"Authorization": credential(account, "eu-west-1")}
    assert api.ask("GET", MESSAGES, headers=signed, QueueUrl=queue).status == 200


def test_an_sdk_may_have_it_for_its_endpoint_url(api, account):
    queue = api.queue("sdk", account)
    api.fill(queue, "one", account=account)
    headers = {"Content-Type": JSON_TYPE, "X-Amz-Target": "AmazonSQS.ReceiveMessage"}
    answer = api.ask("POST", MESSAGES, {"QueueUrl": queue, "MaxNumberOfMessages": 1}, headers)
    assert answer.headers["content-type"] == JSON_TYPE
    assert [message["Body"] for message in answer.json["Messages"]] == ["one"]


def test_an_sdk_cannot_do_anything_else_there(api, account):
    queue = api.queue("sdk-only", account)
    headers = {"Content-Type": JSON_TYPE, "X-Amz-Target": "AmazonSQS.SendMessage"}
    answer = api.ask("POST", MESSAGES, {"QueueUrl": queue, "MessageBody": "no"}, headers)
    assert (answer.status, answer.code) == (400, "InvalidRequest")
    form = urlencode({"QueueUrl": queue, "Action": "PurgeQueue"}).encode()
    answer = api.ask("POST", MESSAGES, form, {"Content-Type": FORM_TYPE})
    assert (answer.status, answer.code) == (400, "InvalidRequest")


@pytest.mark.parametrize(
    ("target", "status", "code"),
    [
        (MESSAGES, 400, "AWS.SimpleQueueService.NonExistentQueue"),
        (f"{MESSAGES}?QueueUrl=http://localhost:4566/nonsense", 404, "InvalidAddress"),
        (f"{MESSAGES}?QueueUrl=http://[/000000000000/a", 404, "InvalidAddress"),
        (f"{MESSAGES}?QueueUrl=/000000000000/nope", 400, "AWS.SimpleQueueService.NonExistentQueue"),
        (f"{MESSAGES}/us-east-1/000000000000/nope", 400, "AWS.SimpleQueueService.NonExistentQueue"),
        (f"{MESSAGES}?QueueUrl=%ff", 400, "MalformedInput"),
    ],
)
def test_errors_are_those_of_localstack_in_either_shape(api, target, status, code):
    answer = api.ask("GET", target)
    assert (answer.status, answer.code) == (status, code)
    answer = api.ask("GET", target, headers=JSON)
    assert (answer.status, answer.json["ErrorResponse"]["Error"]["Code"]) == (status, code)


@pytest.mark.parametrize("body", [b"{", b'{"QueueUrl": 7}'])
def test_a_malformed_call_is_an_error_in_the_shape_of_its_protocol(api, body):
    headers = {"Content-Type": JSON_TYPE, "X-Amz-Target": "AmazonSQS.ReceiveMessage"}
    answer = api.ask("POST", MESSAGES, body, headers)
    assert (answer.status, answer.code) == (400, "MalformedInput")


def test_other_paths_beside_them_are_nobody_s(api):
    assert refusal(api.ask("GET", "/moto-api/data.json"))[0] == 404
    assert refusal(api.ask("GET", f"{MESSAGES}/only-two/parts"))[0] == 404
    assert refusal(api.ask("GET", "/moto-api/reset"))[0] == 405


def document(api, queue, **parameters):
    answer = api.ask("GET", MESSAGES, headers=JSON, QueueUrl=queue, **parameters)
    return answer.json["ReceiveMessageResponse"]["ReceiveMessageResult"]


def listed(api, queue, **parameters):
    found = document(api, queue, **parameters)["Message"]
    return found if isinstance(found, list) else [found]


def attribute(message, name):
    return {one["Name"]: one["Value"] for one in message["Attribute"]}[name]
