"""What every page of the console keeps to."""

import json

import pytest

from tests.console.pages import HTML, queue_path, read
from tests.kit.api import refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGES = ["/_emulator/", "console/charts", "console/requests", "console/time"]


@pytest.mark.parametrize("path", [*PAGES, "console/static/live.js", "console/nowhere"])
def test_every_answer_forbids_foreign_and_inline_scripts(console, path):
    headers = console.look(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_no_inline_scripts_styles_or_handlers(console, path):
    page = console.page(path)
    assert [one.attributes for one in page.all(tag="script") if "src" not in one] == []
    assert page.all(tag="style") == []
    names = {name for one in page.walk() for name in one.attributes}
    assert {name for name in names if name == "style" or name.startswith("on")} == set()


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_one_heading_of_their_own_and_say_where_one_is(console, path):
    page = console.page(path)
    assert len(page.all(tag="h1")) == 1
    assert len(page.all(aria_current="page")) == 1
    assert page.one(id="main").tag == "main"


@pytest.mark.parametrize("path", ["/_emulator/", "console/live", "console/static/live.js", "console/banner"])
def test_pages_of_other_origins_are_refused(console, path):
    answer = console.ask("GET", path, headers={"origin": "http://evil.example"})
    assert refusal(answer) == (403, "pages of other origins (http://evil.example) are not served")


@pytest.mark.parametrize("path", ["console/aws/ListQueues", "console/messages/delete"])
def test_actions_from_other_origins_are_refused(console, path):
    answer = console.ask("POST", path, {}, {"sec-fetch-site": "cross-site"})
    assert refusal(answer) == (403, "pages of other origins are not served")


def test_a_page_that_is_not_there_says_so_in_the_looks_of_the_console(console):
    answer = console.look("console/nowhere")
    assert answer.status == 404
    page = read(answer.body.decode())
    assert page.one(tag="h1").text == "Not Found"
    assert "There is no page /_emulator/console/nowhere." in page.one(tag="main").text


def test_scripts_get_a_problem_document_instead_of_a_page(console):
    answer = console.ask("GET", queue_path("nowhere", "123456789012"))
    assert refusal(answer) == (
        404,
        "queue: there is no queue nowhere in account 123456789012 and region us-east-1",
    )


@pytest.mark.parametrize("path", ["/_emulator", "console"])
def test_other_ways_to_the_console_lead_to_the_overview(console, path):
    answer = console.ask("GET", path, headers=HTML)
    assert (answer.status, answer.headers["location"]) == (307, "/_emulator/")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("console.css", "text/css; charset=utf-8"),
        ("live.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_files_are_served_with_their_type_and_asked_for_again_each_time(console, name, kind):
    answer = console.ask("GET", f"console/static/{name}")
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == (kind, "no-cache")
    again = console.ask("GET", f"console/static/{name}", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fapp.py", "%2e%2e%2fapp.py", "app.py", ".hidden"])
def test_nothing_but_the_files_of_the_console_is_served(console, name):
    assert console.ask("GET", f"console/static/{name}").status == 404


def test_an_action_is_an_aws_request_of_the_account_and_region(console, account):
    answer = console.ask(
        "POST", f"console/aws/CreateQueue?account={account}&region=eu-west-1", {"QueueName": "made"}
    )
    assert answer.json == {"QueueUrl": f"{console.url}/{account}/made"}
    (found,) = console.get("queues", account=account)["queues"]
    assert (found["name"], found["region"]) == ("made", "eu-west-1")


def test_an_action_that_fails_answers_as_aws_does(console, account):
    answer = console.ask("POST", f"console/aws/PurgeQueue?account={account}", {"QueueUrl": "/nowhere"})
    assert (answer.status, answer.json["__type"]) == (400, "com.amazonaws.sqs#QueueDoesNotExist")


def test_an_action_stands_among_the_requests_and_in_the_journal(console, account):
    queue = console.queue("seen", account)
    body = json.dumps({"QueueUrl": queue, "MessageBody": "hello"}).encode()
    answer = console.ask("POST", f"console/aws/SendMessage?account={account}", body)
    traffic = console.server.emulator.traffic
    exchange = traffic.find(answer.headers["x-amzn-requestid"])
    assert (exchange.action, exchange.account, exchange.request.headers["user-agent"]) == (
        "SendMessage",
        account,
        "sqs-emulator-console",
    )
    (event,) = console.get("journal", account=account, kind="sent")["events"]
    assert event["message_id"] == answer.json["MessageId"]


@pytest.mark.parametrize("place", ["account=1", "region=US", "account=12345678901x"])
def test_an_action_for_no_account_or_region_is_refused(console, place):
    answer = console.ask("POST", f"console/aws/ListQueues?{place}", {})
    assert refusal(answer) == (400, "account, region: are no account and region")


def test_a_planned_fault_that_cuts_the_connection_is_told_as_such(console, account):
    rule = {"kind": "drop-connection", "match": {"actions": ["ListQueues"]}}
    console.ask("POST", f"faults?account={account}", rule)
    answer = console.ask("POST", f"console/aws/ListQueues?account={account}", {})
    assert refusal(answer) == (502, "A planned fault cut the connection.")


def test_there_is_no_banner_while_time_is_real_and_no_fault_planned(console, account):
    console.ask("DELETE", "clock")
    try:
        assert console.page("console/banner").all("banner") == []
    finally:
        console.post("clock/set", now="2026-01-01T00:00:00Z")
        console.post("clock/freeze")


def test_the_banner_says_that_the_clock_stands_still(console):
    banner = console.page("/_emulator/").one("banner")
    assert "The server: the clock stands still at" in banner.text


def test_the_banner_tells_accounts_whose_time_or_faults_are_their_own(console, account):
    console.queue("any", account)
    console.post("clock/speed", account=account, speed=10)
    console.ask("POST", f"faults?account={account}", {"kind": "duplicate"})
    banner = console.page("console/banner").one("banner")
    texts = [one.text for one in banner.all(tag="li")]
    assert f"Account {account}: the clock runs 10 times as fast as real time" in texts
    assert f"Account {account}: 1 fault is planned: duplicate" in texts
    console.post("reset", account=account)
    assert account not in console.page("console/banner").text


def test_forms_offer_the_arns_of_an_account_and_region(console, account):
    console.queue("here", account)
    console.queue("there", account, "eu-west-1")
    assert console.get("console/arns", account=account, region="us-east-1") == [
        f"arn:aws:sqs:us-east-1:{account}:here"
    ]
