import pytest

from emulator.settings import Settings
from tests.kit.api import Api, refusal
from tests.support.server import running_server


@pytest.fixture(scope="module")
def api_without_journal():
    with running_server(Settings(journal_size=0)) as server:
        yield Api(server)


def test_the_life_of_a_message_is_told(api, account):
    queue = api.queue("lived", account)
    (message_id,) = api.fill(queue, "hello", account=account)
    (received,) = api.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=30)["Messages"]
    api.post("clock/advance", seconds=2, account=account)
    api.sqs("DeleteMessage", account, QueueUrl=queue, ReceiptHandle=received["ReceiptHandle"])
    life = api.get(f"journal/{message_id}")
    assert (life["message_id"], life["body"]) == (message_id, "hello")
    assert [event["kind"] for event in life["events"]] == ["sent", "received", "deleted"]
    assert [event["at_ms"] - life["events"][0]["at_ms"] for event in life["events"]] == [0, 0, 2000]
    assert life["events"][1]["details"] == {"receive_count": 1, "timeout_s": 30}
    for event in life["events"]:
        assert (event["account"], event["region"], event["queue"]) == (account, "us-east-1", "lived")
        assert event["message_id"] == message_id
        assert event["caller"]["account"] == account
        assert event["request_id"]


def test_what_time_alone_did_is_told_without_anybody_having_looked(api, account):
    queue = api.queue("returns", account, MessageRetentionPeriod="60")
    (message_id,) = api.fill(queue, "hello", account=account)
    sent_ms = api.get("clock", account=account)["now_ms"]
    api.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=20)
    api.post("clock/advance", seconds=100, account=account)
    events = api.get(f"journal/{message_id}")["events"]
    assert [(event["kind"], event["at_ms"] - sent_ms) for event in events[2:]] == [
        ("returned", 20_000),
        ("expired", 60_000),
    ]
    assert kinds(api.get("journal", account=account, kind="returned,expired")) == ["returned", "expired"]


def test_events_are_chosen_by_everything_that_they_have(api, account):
    red, blue = api.queue("red", account), api.queue("blue", account)
    tenant = {"tenant": {"DataType": "String", "StringValue": "acme"}}
    (first,) = api.fill(red, "red apple", account=account, MessageAttributes=tenant)
    api.fill(blue, "blue plum", account=account)
    start_ms = api.get("clock", account=account)["now_ms"]
    api.post("clock/advance", seconds=1, account=account)
    api.sqs("ReceiveMessage", account, QueueUrl=red)

    def found(**filters):
        return [
            (event["queue"], event["kind"])
            for event in api.get("journal", account=account, **filters)["events"]
        ]

    everything = [("red", "sent"), ("blue", "sent"), ("red", "received")]
    assert found() == everything
    for spelling in ("red", red, f"arn:aws:sqs:us-east-1:{account}:red"):
        assert found(queue=spelling) == [("red", "sent"), ("red", "received")]
    assert found(region="eu-west-1") == []
    assert found(message_id=first) == [("red", "sent"), ("red", "received")]
    assert (
        found(attribute="tenant")
        == found(attribute="tenant=acme")
        == found(text="apple")
        == found(queue="red")
    )
    assert found(attribute="tenant=zeta") == []
    assert found(kind="received") == [("red", "received")]
    assert found(kind="received,sent") == everything
    assert found(from_ms=start_ms + 1) == [("red", "received")]
    assert found(to_ms=start_ms) == everything[:2]


def test_a_queue_name_alone_is_that_of_every_account(api, account):
    api.fill(api.queue("anybodys", account), "one", account=account)
    api.fill(api.queue("anybodys"), "two")
    events = api.get("journal", queue="anybodys")["events"]
    assert [event["account"] for event in events] == [account, "000000000000"]


def test_events_come_in_pages(api, account):
    api.fill(api.queue("paged", account), *"abcde", account=account)
    page = api.get("journal", account=account, limit=3)
    assert len(page["events"]) == 3
    assert page["next"] == page["events"][-1]["number"]
    rest = api.get("journal", account=account, limit=3, after=page["next"])
    assert (len(rest["events"]), rest["next"]) == (2, None)
    assert rest["last"] == rest["events"][-1]["number"]


def test_the_history_of_what_is_reset_is_forgotten(api, account):
    queue = api.queue("forgotten", account)
    api.fill(queue, "a", account=account)
    api.fill(api.queue("remembered", account), "b", account=account)
    api.post("reset", queue="forgotten", account=account)
    assert {event["queue"] for event in api.get("journal", account=account)["events"]} == {"remembered"}
    api.post("reset", account=account)
    assert api.get("journal", account=account)["events"] == []


def test_a_message_that_the_journal_does_not_know_is_not_found(api, account):
    (message_id,) = api.fill(api.queue("known", account), "a", account=account)
    assert refusal(api.ask("GET", "journal/nope")) == (404, "message_id: the journal knows no message nope")
    other = api.ask("GET", f"journal/{message_id}", account="000000000009")
    assert refusal(other) == (404, f"message_id: the journal knows no message {message_id}")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"kind": "lost"}, "kind[0]: 'lost' is none of sent, deduplicated, received, "),
        ({"after": -1}, "after: must be a whole number >= 0"),
        ({"after": "x"}, "after: must be a whole number, not text"),
        ({"limit": 0}, "limit: must be a whole number >= 1"),
        ({"from_ms": "noon"}, "from_ms: must be a whole number, not text"),
        ({"to_ms": -1}, "to_ms: must be a whole number >= 0"),
        ({"queue": "arn:aws:sns:a:b:c"}, "queue: 'arn:aws:sns:a:b:c' is no name, URL or ARN of a queue"),
        ({"account": "1"}, "account: must be an account id of 12 digits"),
        ({"events": "all"}, "events: there is no such parameter"),
    ],
)
def test_bad_parameters_are_refused(api, parameters, text):
    status, detail = refusal(api.ask("GET", "journal", **parameters))
    assert status == 400
    assert detail.startswith(text)


@pytest.mark.parametrize("path", ["journal", "journal/some-id"])
def test_without_a_journal_nothing_can_be_told(api_without_journal, path):
    answer = api_without_journal.ask("GET", path)
    assert refusal(answer) == (409, "the journal is off: its size is 0")


def test_without_a_journal_nothing_can_be_waited_for(api_without_journal):
    answer = api_without_journal.ask("POST", "wait", {"drained": "any"})
    assert refusal(answer) == (409, "the journal is off: its size is 0")


def test_without_a_journal_the_rest_works(api_without_journal):
    queue = api_without_journal.queue("plain")
    api_without_journal.fill(queue, "a")
    assert len(api_without_journal.get("messages", queue="plain")["messages"]) == 1
    assert api_without_journal.post("reset") == {"queues": 1}


def kinds(page):
    return [event["kind"] for event in page["events"]]
