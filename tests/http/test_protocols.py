"""Which protocol a request speaks, where it may be sent, and what the answer looks like (spec 1.1 to 1.3)."""

import json
import re
from urllib.parse import urlencode

import pytest

from tests.http.connections import FORM_TYPE, JSON_TYPE, Answer, ask, ask_json, ask_query, form_of
from tests.support.server import TestServer

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NOT_VALID = "The action {} is not valid for this endpoint."


def test_json_is_answered_in_json(server: TestServer, queue: str):
    answer = ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "hello"})
    assert answer.status == 200
    assert answer.headers["content-type"] == JSON_TYPE
    assert answer.json["MD5OfMessageBody"] == "5d41402abc4b2a76b9719d911017c592"


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_query_is_answered_in_xml(server: TestServer, queue: str, method: str):
    fields = {"QueueUrl": queue, "MessageBody": "hello"}
    answer = ask_query(server.url, "SendMessage", fields, method=method)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/xml"
    assert answer.xml.findtext("SendMessageResult/MD5OfMessageBody") == "5d41402abc4b2a76b9719d911017c592"


@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_query_takes_the_queue_from_the_path(server: TestServer, path: str, method: str, slash: str):
    answer = ask_query(server.url, "SendMessage", {"MessageBody": "x"}, path=path + slash, method=method)
    assert answer.status == 200
    got = ask_query(server.url, "GetQueueAttributes", "AttributeName=ApproximateNumberOfMessages", path=path)
    assert got.xml.findtext("GetQueueAttributesResult/Attribute/Value") == "1"


def test_json_may_be_sent_to_the_queue_s_path(server: TestServer, queue: str, path: str):
    answer = ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "x"}, path=path)
    assert answer.status == 200


def test_json_without_a_queue_url_finds_no_queue(server: TestServer, path: str):
    answer = ask_json(server.url, "SendMessage", {"MessageBody": "x"}, path=path)
    assert (answer.status, answer.code) == (400, "AWS.SimpleQueueService.NonExistentQueue")


def test_the_parameter_counts_before_the_path(server: TestServer, make_queue):
    one, other = make_queue(), make_queue()
    path = one.removeprefix(server.url)
    ask_query(server.url, "SendMessage", {"QueueUrl": other, "MessageBody": "x"}, path=path)
    assert ask_json(server.url, "ReceiveMessage", {"QueueUrl": one}).json == {}
    assert ask_json(server.url, "ReceiveMessage", {"QueueUrl": other}).json["Messages"][0]["Body"] == "x"


@pytest.mark.parametrize("operation", ["CreateQueue", "ListQueues"])
def test_a_queue_s_path_does_not_serve_the_root_s_actions(server: TestServer, path: str, operation: str):
    answer = ask_query(server.url, operation, {"QueueName": "new"}, path=path)
    assert (answer.status, answer.code, answer.message) == (400, "InvalidAction", NOT_VALID.format(operation))


def test_a_queue_s_path_tells_any_queue_s_url(server: TestServer, make_queue):
    one, other = make_queue(), make_queue()
    fields = {"QueueName": other.rpartition("/")[2]}
    answer = ask_query(server.url, "GetQueueUrl", fields, path=one.removeprefix(server.url))
    assert answer.xml.findtext("GetQueueUrlResult/QueueUrl") == other


def test_a_queue_operation_on_the_root_needs_a_queue(server: TestServer):
    answer = ask_query(server.url, "SendMessage", {"MessageBody": "x"})
    assert (answer.status, answer.code, answer.message) == (
        400,
        "InvalidAction",
        NOT_VALID.format("SendMessage"),
    )


@pytest.mark.parametrize("path", ["/", "/000000000000/orders"])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_an_unknown_action_is_refused(server: TestServer, path: str, method: str):
    answer = ask_query(server.url, "FooBar", path=path, method=method)
    assert (answer.status, answer.code, answer.message) == (400, "InvalidAction", NOT_VALID.format("FooBar"))


def test_an_unknown_target_is_refused(server: TestServer):
    answer = ask_json(server.url, "FooBar")
    assert (answer.status, answer.code) == (400, "InvalidAction")
    assert answer.json["__type"] == "com.amazon.coral.service#UnknownOperationException"


def test_json_without_a_target_is_an_unknown_operation(server: TestServer):
    answer = ask(server.url, "POST", "/", b"{}", {"Content-Type": JSON_TYPE})
    assert (answer.status, answer.code, answer.headers["content-type"]) == (400, "InvalidAction", JSON_TYPE)
    assert answer.json["__type"] == "com.amazon.coral.service#UnknownOperationException"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("target", ["/", "/000000000000/orders", "/favicon.ico", "/?Foo=Bar", "/emulator"])
@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_no_action_is_a_bare_element(server: TestServer, method: str, target: str, accept: str):
    answer = ask(server.url, method, target, headers={"Accept": accept})
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>")
    assert answer.headers["content-type"] == "text/xml"


@pytest.mark.parametrize("version", ["", "&Version=2009-02-01", "&Version=nonsense"])
def test_the_version_need_not_be_given(server: TestServer, version: str):
    answer = ask(server.url, "POST", "/", f"Action=ListQueues{version}".encode(), {"Content-Type": FORM_TYPE})
    assert answer.status == 200


def test_a_form_without_a_content_type_is_read(server: TestServer):
    assert ask(server.url, "POST", "/", b"Action=ListQueues").status == 200


def test_a_form_may_name_its_charset(server: TestServer, queue: str):
    body = form_of("SendMessage", {"QueueUrl": queue, "MessageBody": "grün"}).encode()
    answer = ask(server.url, "POST", "/", body, {"Content-Type": f"{FORM_TYPE}; charset=utf-8"})
    assert answer.status == 200
    assert receive_body(server, queue) == "grün"


def test_query_string_and_form_are_read_as_one(server: TestServer, queue: str):
    target = "/?" + urlencode({"Action": "SendMessage", "QueueUrl": queue})
    assert ask(server.url, "POST", target, b"MessageBody=x", {"Content-Type": FORM_TYPE}).status == 200
    assert receive_body(server, queue) == "x"


def test_a_presigned_get_speaks_for_its_account_and_region(server: TestServer):
    credential = "111122223333/20260101/eu-west-3/sqs/aws4_request"
    signing = {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": credential,
        "X-Amz-Date": "20260101T000000Z",
        "X-Amz-Expires": "60",
        "X-Amz-SignedHeaders": "host",
        "X-Amz-Signature": "0" * 64,
    }
    made = ask_query(server.url, "CreateQueue", {"QueueName": "presigned", **signing}, method="GET")
    url = f"{server.url}/111122223333/presigned"
    assert made.xml.findtext("CreateQueueResult/QueueUrl") == url
    fields = {"QueueUrl": url, "AttributeName.1": "QueueArn", **signing}
    got = ask_query(server.url, "GetQueueAttributes", fields, method="GET")
    arn = got.xml.findtext("GetQueueAttributesResult/Attribute/Value")
    assert arn == "arn:aws:sqs:eu-west-3:111122223333:presigned"


def test_an_operation_without_output_has_an_empty_json_body(server: TestServer, queue: str):
    answer = ask_json(server.url, "TagQueue", {"QueueUrl": queue, "Tags": {"a": "b"}})
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "0")
    assert answer.headers["content-type"] == JSON_TYPE


@pytest.mark.parametrize("operation", ["ReceiveMessage", "ListQueueTags", "ListDeadLetterSourceQueues"])
def test_a_result_with_nothing_to_say_is_an_empty_object(server: TestServer, queue: str, operation: str):
    assert ask_json(server.url, operation, {"QueueUrl": queue}).body == b"{}"
    xml = ask_query(server.url, operation, {"QueueUrl": queue}).body.decode()
    assert f"<{operation}Result/>" in xml


def test_request_ids_are_fresh_and_equal_in_header_and_body(server: TestServer, queue: str):
    answers: list[Answer] = []
    for fields in ({"QueueUrl": queue}, {"QueueUrl": "nowhere"}):
        answers += [ask_query(server.url, "ListQueueTags", fields) for _ in range(3)]
        answers += [ask_json(server.url, "ListQueueTags", fields) for _ in range(3)]
        answers += [
            ask_query(server.url, "ListQueueTags", fields, Accept="application/json") for _ in range(3)
        ]
    ids = [answer.headers["x-amzn-requestid"] for answer in answers]
    assert len(set(ids)) == len(ids)
    assert all(UUID.fullmatch(one) for one in ids)
    for answer, request_id in zip(answers, ids, strict=True):
        if answer.headers["content-type"] != JSON_TYPE:
            assert request_id in answer.body.decode()


def test_an_xml_error_has_its_request_id_beside_the_error(server: TestServer):
    answer = ask_query(server.url, "ListQueueTags", {"QueueUrl": "nowhere"})
    assert answer.status == 400
    assert [node.tag for node in answer.xml] == ["Error", "RequestId"]
    assert answer.xml.findtext("RequestId") == answer.headers["x-amzn-requestid"]
    assert answer.xml.findtext("Error/Type") == "Sender"
    assert "<Detail/>" in answer.body.decode()
    assert answer.message == "The specified queue does not exist for this wsdl version."


def test_a_json_error_names_its_type_and_its_query_code(server: TestServer):
    answer = ask_json(server.url, "ListQueueTags", {"QueueUrl": "nowhere"})
    assert answer.status == 400
    assert answer.headers["x-amzn-query-error"] == "AWS.SimpleQueueService.NonExistentQueue;Sender"
    assert answer.json == {
        "__type": "com.amazonaws.sqs#QueueDoesNotExist",
        "message": "The specified queue does not exist.",
    }


def test_the_legacy_json_of_query_mirrors_the_xml(server: TestServer, queue: str):
    def ask_legacy(operation: str, fields: dict[str, str]) -> Answer:
        answer = ask_query(server.url, operation, fields, Accept="application/json")
        assert answer.headers["content-type"] == "application/json"
        return answer

    listed = ask_legacy("ListQueues", {"QueueNamePrefix": queue.rpartition("/")[2]})
    assert queue in listed.json["ListQueuesResponse"]["ListQueuesResult"]["queueUrls"]
    got = ask_legacy("GetQueueAttributes", {"QueueUrl": queue, "AttributeName.1": "DelaySeconds"})
    result = got.json["GetQueueAttributesResponse"]["GetQueueAttributesResult"]
    assert result["Attributes"] == [{"Name": "DelaySeconds", "Value": "0"}]
    assert ask_legacy("ReceiveMessage", {"QueueUrl": queue}).json["ReceiveMessageResponse"][
        "ReceiveMessageResult"
    ] == {"messages": None}
    ask_legacy("SendMessage", {"QueueUrl": queue, "MessageBody": "x"})
    received = ask_legacy("ReceiveMessage", {"QueueUrl": queue}).json["ReceiveMessageResponse"]
    assert received["ReceiveMessageResult"]["messages"][0]["Body"] == "x"
    assert set(received["ResponseMetadata"]) == {"RequestId"}


def test_a_legacy_json_error(server: TestServer):
    answer = ask_query(server.url, "ListQueueTags", {"QueueUrl": "nowhere"}, Accept="application/json")
    assert (answer.status, answer.headers["content-type"]) == (400, "application/json")
    assert answer.json["Error"]["Code"] == "AWS.SimpleQueueService.NonExistentQueue"
    assert answer.json["RequestId"] == answer.headers["x-amzn-requestid"]


@pytest.mark.parametrize(
    "body", ["a\rb", "a\r\nb", "<a>&amp;</a>", "]]>", "\t\n", "日本語 \U0001f600", " x "]
)
def test_a_body_survives_both_protocols(server: TestServer, queue: str, body: str):
    ask_query(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": body})
    ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": body})
    answer = ask_query(server.url, "ReceiveMessage", {"QueueUrl": queue})
    assert answer.xml.findtext("ReceiveMessageResult/Message/Body") == body
    assert receive_body(server, queue) == body


def test_the_trace_header_of_the_request_goes_with_the_message(server: TestServer, queue: str):
    trace = "Root=1-67891233-abcdef012345678912345678;Sampled=1"
    headers = {"X_Amzn_Trace_Id": trace}
    ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "json"}, **headers)
    ask_query(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "query"}, **headers)
    entries = [{"Id": "a", "MessageBody": "batch"}]
    ask_json(server.url, "SendMessageBatch", {"QueueUrl": queue, "Entries": entries}, **headers)
    own = {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=own"}}
    body = {"QueueUrl": queue, "MessageBody": "own", "MessageSystemAttributes": own}
    ask_json(server.url, "SendMessage", body, **headers)
    ask_json(server.url, "SendMessage", {"QueueUrl": queue, "MessageBody": "none"})
    wanted = {"QueueUrl": queue, "MaxNumberOfMessages": 10, "MessageSystemAttributeNames": ["All"]}
    messages = ask_json(server.url, "ReceiveMessage", wanted).json["Messages"]
    found = {message["Body"]: message["Attributes"].get("AWSTraceHeader") for message in messages}
    assert found == {"json": trace, "query": trace, "batch": trace, "own": "Root=own", "none": None}


def receive_body(server: TestServer, queue: str) -> str:
    answer = ask_json(server.url, "ReceiveMessage", {"QueueUrl": queue})
    return str(json.loads(answer.body)["Messages"][0]["Body"])
