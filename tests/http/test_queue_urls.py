"""Queue URLs lead back to where the caller came in."""

from urllib.parse import urlsplit

import pytest

from emulator.settings import Settings
from tests.http.connections import ask, ask_json, ask_query, connection
from tests.support.server import TestServer, running_server


@pytest.mark.parametrize("host", ["localhost:9324", "sqs.example.com", "sqs:4566", "[::1]:9324"])
def test_a_queue_url_has_the_host_that_the_caller_used(server: TestServer, queue: str, host: str):
    name = queue.rpartition("/")[2]
    wanted = f"http://{host}/000000000000/{name}"
    for answer in (
        ask_json(server.url, "GetQueueUrl", {"QueueName": name}, Host=host),
        ask_json(server.url, "CreateQueue", {"QueueName": name}, Host=host),
    ):
        assert answer.json["QueueUrl"] == wanted
    listed = ask_json(server.url, "ListQueues", {"QueueNamePrefix": name}, Host=host)
    assert wanted in listed.json["QueueUrls"]
    answer = ask_query(server.url, "GetQueueUrl", {"QueueName": name}, Host=host)
    assert answer.xml.findtext("GetQueueUrlResult/QueueUrl") == wanted


@pytest.mark.parametrize(
    "url",
    [
        "{server}/000000000000/{name}",
        "{server}/000000000000/{name}/",
        "https://sqs.us-east-1.amazonaws.com/000000000000/{name}",
        "https://us-east-1.queue.amazonaws.com/000000000000/{name}",
        "http://elsewhere:1/000000000000/{name}",
        "/000000000000/{name}",
        "000000000000/{name}",
        "{name}",
        "http://localhost:4566/queue/us-east-1/000000000000/{name}",
        "http://localhost:9324/queue/{name}",
    ],
)
def test_every_usual_form_of_queue_url_finds_the_queue(server: TestServer, queue: str, url: str):
    given = url.format(server=server.url, name=queue.rpartition("/")[2])
    answer = ask_json(server.url, "SendMessage", {"QueueUrl": given, "MessageBody": "x"})
    assert answer.status == 200


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "/",
        "//",
        "http://",
        "http://whatever",
        "http://whatever/nothing",
        "http://[/000000000000/q",
        "http://[::1/000000000000/q",
        "http://]/000000000000/q",
        "//[x/000000000000/q",
        "http://a\u2100b/000000000000/q",
        "http://x:port/000000000000/q",
        "/00000000000/q",
        "/０００００００００００0/q",
        "/000000000000/q/more",
        "/000000000000/%00",
        "/000000000000/%ff",
        "/000000000000/" + "q" * 100_000,
        "arn:aws:sqs:us-east-1:000000000000:q",
        "\x00",
        "\r\n",
        "日本語",
        "../../etc/passwd",
        "' OR 1=1 --",
        "/000000000000/' OR 1=1 --",
    ],
)
def test_any_other_text_is_no_queue(server: TestServer, url: str):
    for answer in (
        ask_json(server.url, "ListQueueTags", {"QueueUrl": url}),
        ask_query(server.url, "ListQueueTags", {"QueueUrl": url}),
    ):
        assert (answer.status, answer.code) == (400, "AWS.SimpleQueueService.NonExistentQueue")


@pytest.mark.parametrize(
    "path",
    ["//", "//[x/q", "/nothing", "/a/b/c", "/%00", "/%ff/%fe", "/000000000000/%2e%2e", "/" + "x" * 5_000],
)
def test_any_other_path_is_no_queue(server: TestServer, path: str):
    answer = ask_query(server.url, "ListQueueTags", path=path)
    assert answer.status == 400
    assert answer.code in ("AWS.SimpleQueueService.NonExistentQueue", "InvalidAction")


def test_a_base_url_counts_before_the_host():
    with running_server(Settings(base_url="https://sqs.example.com/sub")) as server:
        answer = ask_json(server.url, "CreateQueue", {"QueueName": "orders"})
        assert answer.json["QueueUrl"] == "https://sqs.example.com/sub/000000000000/orders"


def test_without_a_host_a_queue_url_still_names_one(server: TestServer, queue: str):
    name = queue.rpartition("/")[2]
    with connection(server.url) as opened:
        opened.send(f"GET /?Action=GetQueueUrl&QueueName={name} HTTP/1.0\r\n\r\n".encode())
        url = opened.read_answer().xml.findtext("GetQueueUrlResult/QueueUrl")
    assert url is not None
    assert urlsplit(url).hostname


def test_the_access_key_may_be_an_account(server: TestServer):
    credential = "AWS4-HMAC-SHA256 Credential={}/20260101/eu-central-1/sqs/aws4_request, SignedHeaders=host"
    mine = credential.format("222233334444")
    made = ask_json(server.url, "CreateQueue", {"QueueName": "mine"}, Authorization=mine)
    assert made.json["QueueUrl"] == f"{server.url}/222233334444/mine"
    other = credential.format("AKIAEXAMPLE")
    assert ask_json(server.url, "GetQueueUrl", {"QueueName": "mine"}, Authorization=other).status == 400
    assert ask_json(server.url, "GetQueueUrl", {"QueueName": "mine"}, Authorization=mine).status == 200


def test_two_regions_never_meet(server: TestServer):
    credential = "AWS4-HMAC-SHA256 Credential=222233334444/20260101/{}/sqs/aws4_request, SignedHeaders=host"
    west, east = credential.format("eu-west-1"), credential.format("ap-east-1")
    ask_json(server.url, "CreateQueue", {"QueueName": "regional"}, Authorization=west)
    assert ask_json(server.url, "GetQueueUrl", {"QueueName": "regional"}, Authorization=east).status == 400


@pytest.mark.parametrize("host", ["<script>", "a&b", "a\"b'c", "x y", "\xff"])
def test_an_odd_host_does_no_harm(server: TestServer, queue: str, host: str):
    name = queue.rpartition("/")[2]
    answer = ask_query(server.url, "GetQueueUrl", {"QueueName": name}, Host=host)
    assert answer.status in (200, 400)
    assert ask(server.url, "GET", "/?Action=ListQueues").status == 200
