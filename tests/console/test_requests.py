"""The pages of AWS requests."""

import gzip
import json

import pytest

from emulator.traffic import BUCKETS_S, RequestFigures
from emulator.web.console.exchanges import caller_of, json_laid_out, time_text, xml_laid_out
from emulator.web.console.requests import durations
from tests.http.connections import ask, ask_json
from tests.kit.api import credential


def rows(console, account, **filters):
    """Of the account, the latest first: action and status."""
    page = console.page("console/requests", **filters)
    found = [row for row in page.all("request-row") if account in row.text]
    return [(row["data-action"], row["data-status"]) for row in found]


def latest(console, action):
    """The page of the latest request of this action."""
    row = console.page("console/requests", action=action).all("request-row")[0]
    return console.page(f"console/requests/{row['data-request-id']}")


def test_requests_are_listed_with_what_they_came_to(console, account):
    url = console.queue("orders", account)
    console.fill(url, "hello", account=account)
    ask_json(
        console.url, "GetQueueUrl", {"QueueName": "none"}, authorization=credential(account, "us-east-1")
    )
    assert rows(console, account) == [("GetQueueUrl", "400"), ("SendMessage", "200"), ("CreateQueue", "200")]
    row = console.page("console/requests", action="SendMessage").all("request-row")[0]
    assert "orders" in row.text
    assert "us-east-1 · AWS JSON 1.0" in row.text


def test_requests_are_filtered_by_action_status_and_queue(console, account):
    url = console.queue("Invoices", account)
    console.fill(url, "a", "b", account=account)
    ask_json(
        console.url, "GetQueueUrl", {"QueueName": "none"}, authorization=credential(account, "us-east-1")
    )
    assert rows(console, account, action="SendMessage") == [("SendMessage", "200")] * 2
    assert rows(console, account, outcome="error") == [("GetQueueUrl", "400")]
    assert rows(console, account, outcome="failure") == []
    assert len(rows(console, account, queue="invoice")) == 3
    assert console.page("console/requests", queue="nobody's").one("no-requests").text == (
        "No request that is kept fits the filter."
    )


def test_a_page_ends_after_a_hundred_and_the_next_goes_on_there(console, account):
    url = console.queue("many", account)
    console.fill(url, *map(str, range(120)), account=account)
    first = console.page("console/requests", queue="many")
    assert len(first.all("request-row")) == 100
    query = dict(part.split("=") for part in first.one("older")["href"][1:].split("&"))
    second = console.page("console/requests", **query)
    ids = [row["id"] for page in (first, second) for row in page.all("request-row")]
    assert (len(ids), len(set(ids))) == (121, 121)
    assert second.all("older") == []


def test_the_list_alone_is_given_to_the_script(console, account):
    console.queue("orders", account)
    part = console.page("console/requests/rows", action="CreateQueue")
    assert part.all(tag="html") == []
    assert part.all("request-row")


def test_a_request_is_opened_with_both_sides_and_its_command(console, account):
    url = console.queue("orders", account)
    (message_id,) = console.fill(url, "it's", account=account)
    page = latest(console, "SendMessage")
    assert page.one(tag="h1").text == "SendMessage"
    assert page.one("copy-cli")["data-copy"] == page.one("cli-command").children[0]
    assert page.one("cli-command").text == (
        f"AWS_ACCESS_KEY_ID={account} AWS_SECRET_ACCESS_KEY=test \\ aws sqs send-message \\ "
        f"--endpoint-url {console.url} --region us-east-1 \\ --queue-url {url} \\ "
        "--message-body 'it'\"'\"'s'"
    )
    assert '"MessageBody": "it\'s"' in page.one("came-in").text
    assert f'"MessageId": "{message_id}"' in page.one("went-out").text
    assert message_id in [link.text for link in page.all(tag="a")]


def test_a_query_request_is_shown_as_fields_and_its_answer_as_indented_xml(console, account):
    console.queue("orders", account)
    body = b"Action=SendMessage&MessageBody=a%20%3Cb%3E&Version=2012-11-05"
    headers = {"authorization": credential(account, "us-east-1")}
    assert ask(console.url, "POST", f"/{account}/orders", body, headers).status == 200
    page = latest(console, "SendMessage")
    assert "MessageBodya <b>" in page.one("came-in").text
    answer = page.one("went-out").all(class_="body")[0].children[0]
    assert "\n  <SendMessageResult>\n    <MessageId>" in answer
    assert f"POST /{account}/orders" in page.text


def test_secrets_are_not_shown(console, account):
    console.queue("orders", account)
    secret = "5ec2e7" * 8
    headers = {
        "authorization": f"{credential(account, 'us-east-1')}, Signature={secret}",
        "x-amz-security-token": secret,
        "cookie": f"session={secret}",
    }
    target = f"/?Action=GetQueueUrl&QueueName=orders&X-Amz-Signature={secret}&X-Amz-Security-Token={secret}"
    assert ask(console.url, "GET", target, headers=headers).status == 200
    text = console.look("console/requests", action="GetQueueUrl").body.decode()
    page = latest(console, "GetQueueUrl")
    assert secret not in text
    assert secret not in page.text
    assert "Signature=***" in page.one("came-in").text


def test_an_authorization_that_is_no_signature_is_hidden_whole(console, account):
    ask(console.url, "POST", "/", b"Action=ListQueues", {"authorization": "Bearer 5ec2e7"})
    page = latest(console, "ListQueues")
    assert "5ec2e7" not in page.text
    assert "authorization***" in page.text


def test_what_was_compressed_is_shown_unpacked(console, account):
    console.queue("orders", account)
    body = gzip.compress(json.dumps({"QueueName": "orders"}).encode())
    headers = {
        "authorization": credential(account, "us-east-1"),
        "x-amz-target": "AmazonSQS.GetQueueUrl",
        "content-type": "application/x-amz-json-1.0",
        "content-encoding": "gzip",
    }
    assert ask(console.url, "POST", "/", body, headers).status == 200
    page = latest(console, "GetQueueUrl")
    assert '"QueueName": "orders"' in page.one("came-in").text
    assert "--queue-name orders" in page.one("cli-command").text


def test_a_request_cut_by_a_fault_says_so(console, account):
    console.queue("orders", account)
    console.ask("POST", "faults", {"kind": "drop-connection", "when": {"times": 1}}, account=account)
    with pytest.raises(ConnectionError):
        ask_json(console.url, "ListQueues", {}, authorization=credential(account, "us-east-1"))
    console.ask("DELETE", "faults", account=account)
    page = latest(console, "ListQueues")
    assert "no answer: a planned fault cut the connection" in page.one("went-out").text


def test_a_body_that_is_too_long_to_be_kept_has_no_command(console, account):
    url = console.queue("orders", account)
    console.fill(url, "x" * 100_000, account=account)
    page = latest(console, "SendMessage")
    assert page.all("copy-cli") == []
    assert "Only the first 64 KiB were kept." in page.one("came-in").text
    assert "orders" in console.page("console/requests", action="SendMessage").all("request-row")[0].text


def test_a_request_that_is_no_request_of_aws_is_shown_too(console):
    ask(console.url, "POST", "/", b'{"__proto__": "\\ud800"}', {"content-type": "application/x-amz-json-1.0"})
    page = latest(console, "-")
    assert page.one(tag="h1").text == "Unknown action"
    assert "\\ud800" in page.one("came-in").text


def test_a_request_that_is_not_kept_is_not_found(console):
    assert console.look("console/requests/none").status == 404


def test_durations_are_summed_up_by_action(console, account):
    console.queue("orders", account)
    assert "CreateQueue" in console.page("console/requests/durations").text


def test_of_durations_average_and_bounds_are_told():
    fast, slow = RequestFigures("SendMessage", 200), RequestFigures("SendMessage", 400)
    fast.buckets[BUCKETS_S.index(0.0005)] = 18
    slow.buckets[-1] = 2
    fast.sum_s, slow.sum_s = 0.006, 60.0
    (found,) = durations([fast, slow])
    assert (found.count, found.refused) == (20, 2)
    assert (found.mean, found.half, found.most) == ("3 s", "500 µs", "longer")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0000871, "87.1 µs"), (0.00125, "1.25 ms"), (0.5, "500 ms"), (20.0, "20 s"), (0.0, "0 µs")],
)
def test_durations_have_three_digits(seconds, text):
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("agent", "caller"),
    [
        ("Boto3/1.42.1 md/Botocore#1.42.1 ua/2.1", "Boto3 1.42.1"),
        ("aws-cli/1.45.11 Python/3.11", "aws-cli 1.45.11"),
        ("aws-sdk-js/3.500.0 ua/2.0", "aws-sdk-js 3.500.0"),
        ("sqs-emulator-console", "this console"),
        ("something", "something"),
        ("", ""),
    ],
)
def test_callers_are_told_by_their_user_agent(agent, caller):
    assert caller_of({"user-agent": agent}) == caller


def test_json_that_cannot_be_read_stays_as_it_is():
    assert json_laid_out('{"a": ') == '{"a": '
    deep = "[" * 100_000
    assert json_laid_out(deep) == deep


def test_xml_is_laid_out_one_element_a_line():
    text = '<?xml version="1.0"?><a x="1"><b>t &lt;c&gt;</b><d/><e></e><f><g>1</g></f></a>'
    assert xml_laid_out(text).splitlines() == [
        '<?xml version="1.0"?>',
        '<a x="1">',
        "  <b>t &lt;c&gt;</b>",
        "  <d/>",
        "  <e></e>",
        "  <f>",
        "    <g>1</g>",
        "  </f>",
        "</a>",
    ]
