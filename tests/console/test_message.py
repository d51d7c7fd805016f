"""The page of a message."""

import json

import pytest

from emulator.journal import Event, EventKind
from emulator.journal.events import NO_DETAILS
from emulator.settings import Settings
from emulator.traffic import Traffic
from emulator.web.console.life import _TEXTS, MAX_STEPS, life_of, ordinal
from tests.console.pages import Console
from tests.support.server import running_server


def look(console, message_id, account, queue="orders", path=""):
    where = f"console/messages/{message_id}{path}"
    return console.page(where, account=account, region="us-east-1", queue=queue)


def kinds(page):
    return [step["data-kind"] for step in page.all("timeline-event")]


def receive(console, url, account, **members):
    return console.sqs("ReceiveMessage", account, QueueUrl=url, **members).get("Messages", [])


def test_a_life_is_told_from_the_first_event_to_the_last(console, account):
    console.post("clock/freeze", account=account)
    console.queue("orders-dlq", account)
    policy = {"deadLetterTargetArn": f"arn:aws:sqs:us-east-1:{account}:orders-dlq", "maxReceiveCount": 1}
    url = console.queue("orders", account, RedrivePolicy=json.dumps(policy))
    (message_id,) = console.fill(url, "hello", account=account, DelaySeconds=5)
    console.post("clock/advance", account=account, seconds=5)
    receive(console, url, account, VisibilityTimeout=30)
    console.post("clock/advance", account=account, seconds=90)
    receive(console, url, account)
    page = look(console, message_id, account)
    assert kinds(page) == ["sent", "received", "returned", "dead-lettered"]
    assert [step.one(class_="step-head").text for step in page.all("timeline-event")] == [
        "Sent to orders, delayed for 5 s",
        "Received from orders, hidden for 30 s",
        "Visible again in orders, its visibility timeout ended",
        "Dead-lettered from orders to orders-dlq, received too often without being deleted",
    ]
    assert "5 s later" in page.all("timeline-event")[1].text
    assert "Visible now in orders-dlq" in page.one("message-now").text


def test_an_event_has_its_request_and_who_made_it(console, account):
    url = console.queue("orders", account)
    (message_id,) = console.fill(url, "hello", account=account)
    step = look(console, message_id, account).one("timeline-event")
    request = step.one("raw-request")
    assert '"MessageBody": "hello"' in request.text
    assert "POST /" in request.text
    (link,) = [one for one in request.all(tag="a") if "requests" in one["href"]]
    assert console.look(link["href"]).status == 200
    assert "by AIDA" in step.text


def test_a_message_in_flight_counts_down(console, account):
    url = console.queue("orders", account)
    (message_id,) = console.fill(url, "hello", account=account)
    receive(console, url, account, VisibilityTimeout=90)
    now = look(console, message_id, account).one("message-now")
    assert now["data-state"] == "in-flight"
    assert now.one("countdown")["data-due-ms"] == str(console.server.clock.now_ms() + 90_000)


def test_a_message_that_moved_is_found_by_its_old_id_and_its_new_one(console, account):
    url = console.queue("orders", account)
    console.queue("orders-dlq", account)
    arn = f"arn:aws:sqs:us-east-1:{account}:orders"
    policy = {"deadLetterTargetArn": f"{arn}-dlq", "maxReceiveCount": 1}
    attributes = {"RedrivePolicy": json.dumps(policy)}
    console.sqs("SetQueueAttributes", account, QueueUrl=url, Attributes=attributes)
    (message_id,) = console.fill(url, "hello", account=account)
    receive(console, url, account, VisibilityTimeout=0)
    receive(console, url, account)
    console.sqs("StartMessageMoveTask", account, SourceArn=f"{arn}-dlq")
    old = look(console, message_id, account)
    new_id = old.one("message-id").text
    assert new_id != message_id
    assert message_id in old.text
    assert kinds(look(console, new_id, account)) == kinds(old)
    assert "now in orders" in old.one("message-now").text


def test_a_message_that_is_gone_keeps_its_life_and_body(console, account):
    url = console.queue("orders", account)
    (message_id,) = console.fill(url, '{"order": 1}', account=account)
    (received,) = receive(console, url, account)
    console.sqs("DeleteMessage", account, QueueUrl=url, ReceiptHandle=received["ReceiptHandle"])
    page = look(console, message_id, account)
    assert kinds(page) == ["sent", "received", "deleted"]
    assert page.one("message-now").text == "Gone It is in no queue any more."
    assert "order: 1" in page.one("message-body").text


def test_attributes_and_fifo_facts_are_shown(console, account):
    url = console.queue("steps.fifo", account, FifoQueue="true")
    attributes = {"type": {"DataType": "String", "StringValue": "<b>order</b>"}}
    members = {"MessageGroupId": "g<1>", "MessageDeduplicationId": "d", "MessageAttributes": attributes}
    (message_id,) = console.fill(url, "hello", account=account, **members)
    page = look(console, message_id, account, "steps.fifo")
    assert "typeString<b>order</b>" in page.text
    assert page.all(tag="b") == []
    for fact in ("g<1>", "Deduplication id", "Sequence number"):
        assert fact in page.text


def test_only_the_life_is_asked_for_again(console, account):
    url = console.queue("orders", account)
    (message_id,) = console.fill(url, "hello", account=account)
    page = look(console, message_id, account)
    part = console.page(page.one(id="life")["data-href"])
    assert part.all(tag="html") == []
    assert kinds(part) == ["sent"]


def test_a_message_that_nobody_knows_is_not_found(console, account):
    assert console.look("console/messages/none", account=account).status == 404


def test_without_the_journal_a_message_is_still_shown(account):
    with running_server(Settings(journal_size=0)) as server:
        console = Console(server)
        url = console.queue("orders", account)
        (message_id,) = console.fill(url, "hello", account=account)
        page = look(console, message_id, account)
        assert page.one("message-body").text == "Text 5 B hello"
        assert "The journal is off" in page.text


def test_without_kept_requests_events_have_their_ids(account):
    with running_server(Settings(requests_kept=0)) as server:
        console = Console(server)
        url = console.queue("orders", account)
        (message_id,) = console.fill(url, "hello", account=account)
        page = look(console, message_id, account)
        assert page.all("raw-request") == []
        assert "which is not kept any more" in page.one("timeline-event").text


def test_every_kind_of_event_has_words():
    assert set(_TEXTS) == set(EventKind)


def sent(number):
    place = {"account": "000000000000", "region": "us-east-1", "queue": "orders"}
    who = {"message_id": "m", "request_id": None, "caller": None}
    return Event(number=number, kind=EventKind.SENT, at_ms=number, details=NO_DETAILS, **place, **who)


def test_a_very_long_life_is_shown_from_its_end():
    found = life_of([sent(number) for number in range(1, 1001)], Traffic(0))
    assert (len(found.steps), found.left_out, found.steps[-1].number) == (MAX_STEPS, 1000 - MAX_STEPS, 1000)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (21, "21st"),
        (113, "113th"),
    ],
)
def test_ordinals_are_english(number, text):
    assert ordinal(number) == text
