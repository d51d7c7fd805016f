import json

from tests.console.pages import Console, Element, queue_path
from tests.kit.api import credential


def rows(console: Console, account: str) -> dict[str, Element]:
    """Those of one account, by the name of the queue."""
    page = console.page("/_emulator/")
    return {row["data-queue"]: row for row in page.all("queue-row") if f"/{account}/" in row["data-key"]}


def warned(console: Console, account: str) -> list[tuple[str, str]]:
    """Kinds and texts of the warnings of one account, but for the list of queues that have no DLQ."""
    found = console.page("console/overview/warnings").all("warning")
    return [
        (one["data-kind"], one["data-text"])
        for one in found
        if f"/{account}/" in one.attributes.get("data-warned", "")
    ]


def link(console: Console, account: str, source: str, target: str, count: int = 3) -> None:
    arn = f"arn:aws:sqs:us-east-1:{account}:{target}"
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": count})
    url = f"{console.url}/{account}/{source}"
    console.sqs("SetQueueAttributes", account, QueueUrl=url, Attributes={"RedrivePolicy": policy})


def count(row: Element, what: str) -> str:
    return row.one(f"count-{what}").text


def test_a_queue_is_shown_with_its_counts_and_the_age_of_its_oldest_message(console, account):
    queue = console.queue("orders", account)
    console.fill(queue, "a", "b", "c", account=account)
    console.fill(queue, "d", account=account, DelaySeconds=900)
    console.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=600)
    console.post("clock/advance", seconds=125)
    row = rows(console, account)["orders"]
    assert (count(row, "visible"), count(row, "in-flight"), count(row, "delayed")) == ("2", "1", "1")
    assert row.one(data_field="oldest_ms").text == "2 min 5 s"
    assert row.one(class_="queue-name")["href"] == f"/_emulator/{queue_path('orders', account)}"


def test_an_empty_queue_has_no_age(console, account):
    console.queue("empty", account)
    assert rows(console, account)["empty"].one(data_field="oldest_ms").text == "–"


def test_fifo_queues_and_dead_letter_queues_are_marked(console, account):
    console.queue("dead.fifo", account, FifoQueue="true")
    console.queue("live.fifo", account, FifoQueue="true")
    link(console, account, "live.fifo", "dead.fifo", 5)
    found = rows(console, account)
    assert found["dead.fifo"].one(class_="place").text == f"FIFO DLQ us-east-1 · {account}"
    assert found["dead.fifo"].one(class_="dead").text == "from 1 queue"
    assert found["live.fifo"].one(class_="place").text == f"FIFO us-east-1 · {account}"
    assert found["live.fifo"].one(class_="dead").text == "to → dead.fifo after 5"


def test_what_callers_did_is_a_bar_for_each_minute(console, account):
    queue = console.queue("busy", account)
    console.post("clock/set", now="2026-02-01T10:00:00Z")
    console.fill(queue, "a", "b", "c", account=account)
    console.post("clock/advance", seconds=120)
    console.fill(queue, "d", account=account)
    console.sqs("ReceiveMessage", account, QueueUrl=queue)
    row = rows(console, account)["busy"]
    sent = row.one(tag="svg", class_="spark sent")
    assert sent["data-values"] == ",".join(["0"] * 27 + ["3", "0", "1"])
    assert sent.one(tag="path")["d"] == "M110 20V1M118 20V13"
    assert row.one(tag="svg", class_="spark received")["data-values"].endswith(",0,0,1")
    assert row.all(tag="svg", class_="spark deleted") == []
    assert row["data-counted"] == "4,1,0"


def test_queues_are_listed_by_name_wherever_they_are(console, account):
    for name, region in (("b", "us-east-1"), ("C", "us-east-1"), ("a", "us-west-2"), ("b", "eu-west-1")):
        console.queue(name, account, region)
    page = console.page("/_emulator/")
    keys = [row["data-key"] for row in page.all("queue-row") if f"/{account}/" in row["data-key"]]
    assert keys == [
        f"{place}"
        for place in (
            f"us-west-2/{account}/a",
            f"eu-west-1/{account}/b",
            f"us-east-1/{account}/b",
            f"us-east-1/{account}/C",
        )
    ]


def test_accounts_and_regions_can_be_chosen(console, account):
    console.queue("here", account, "ap-south-1")
    page = console.page("/_emulator/")
    assert account in [one.text for one in page.one("filter-account").all(tag="option")]
    assert "ap-south-1" in [one.text for one in page.one("filter-region").all(tag="option")]


def test_where_dead_letters_go_is_drawn_with_arrows(console, account):
    for name in ("one", "two", "dead"):
        console.queue(name, account)
    link(console, account, "one", "dead", 3)
    link(console, account, "two", "dead", 7)
    drawn = [one for one in console.page("/_emulator/").all("relation") if f"/{account}/" in str(hrefs(one))]
    (drawing,) = drawn
    assert sorted(one.text for one in drawing.all(tag="title")) == [
        "dead",
        "one",
        "one to dead after 3 receives",
        "two",
        "two to dead after 7 receives",
    ]
    assert len(drawing.all(class_="arrow-line")) == len(drawing.all(class_="arrow-head")) == 2
    assert hrefs(drawing) == {f"/_emulator/{queue_path(name, account)}" for name in ("one", "two", "dead")}


def hrefs(drawing: Element) -> set[str]:
    return {one["href"] for one in drawing.all(tag="a")}


def test_a_dead_letter_queue_that_has_messages_is_worth_a_look(console, account):
    console.queue("source", account)
    dead = console.queue("dead", account)
    link(console, account, "source", "dead")
    assert warned(console, account) == []
    console.fill(dead, "a", account=account)
    console.post("clock/advance", seconds=600)
    assert warned(console, account) == [("fills", "holds 1 dead letter")]
    console.fill(dead, "b", "c", account=account)
    assert warned(console, account) == [("fills", "holds 3 dead letters, 2 of them new in 5 min")]
    assert rows(console, account)["dead"].one(class_="badge warn")["title"] == (
        "holds 3 dead letters, 2 of them new in 5 min"
    )


def test_a_dead_letter_queue_that_is_gone_is_worth_a_look(console, account):
    console.queue("source", account)
    dead = console.queue("dead", account)
    link(console, account, "source", "dead")
    console.sqs("DeleteQueue", account, QueueUrl=dead)
    assert warned(console, account) == [("dangling", "its dead-letter queue dead does not exist")]


def test_messages_that_are_received_but_not_deleted_are_worth_a_look(console, account):
    queue = console.queue("undone", account, VisibilityTimeout="10")
    console.post("clock/set", now="2026-03-01T10:00:30Z")
    console.fill(queue, "a", "b", account=account)
    console.sqs("ReceiveMessage", account, QueueUrl=queue, MaxNumberOfMessages=10)
    console.post("clock/advance", seconds=30)
    assert warned(console, account) == []  # it may be at work still
    console.post("clock/advance", seconds=15)
    assert warned(console, account) == [("undeleted", "2 messages were received in 5 min, and none deleted")]
    console.post("clock/advance", seconds=300)
    assert warned(console, account) == []


def test_a_delete_shows_that_messages_are_dealt_with(console, account):
    queue = console.queue("done", account, VisibilityTimeout="10")
    console.fill(queue, "a", "b", account=account)
    found = console.sqs("ReceiveMessage", account, QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    console.sqs("DeleteMessage", account, QueueUrl=queue, ReceiptHandle=found[0]["ReceiptHandle"])
    console.post("clock/advance", seconds=120)
    assert warned(console, account) == []


def test_a_message_that_has_had_most_of_its_time_is_worth_a_look(console, account):
    queue = console.queue("old", account, MessageRetentionPeriod="1000")
    console.fill(queue, "a", account=account)
    console.post("clock/advance", seconds=799)
    assert warned(console, account) == []
    console.post("clock/advance", seconds=1)
    text = "its oldest message is 13 min 20 s old, and messages are kept for 16 min 40 s"
    assert warned(console, account) == [("lost", text)]


def test_an_alarm_is_worth_a_look_and_comes_first(console, account):
    queue = console.queue("watched", account, MessageRetentionPeriod="600")
    console.fill(queue, "a", account=account)
    alarm = {
        "AlarmName": "too-old",
        "Namespace": "AWS/SQS",
        "MetricName": "ApproximateAgeOfOldestMessage",
        "Dimensions": [{"Name": "QueueName", "Value": "watched"}],
        "Statistic": "Maximum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 120,
        "ComparisonOperator": "GreaterThanThreshold",
    }
    console.ask(
        "POST",
        "/",
        alarm,
        {
            "x-amz-target": "GraniteServiceVersion20100801.PutMetricAlarm",
            "content-type": "application/x-amz-json-1.0",
            "authorization": credential(account, "us-east-1"),
        },
    )
    console.post("clock/advance", seconds=60)
    assert warned(console, account) == []
    console.post("clock/advance", seconds=480)
    assert warned(console, account) == [
        ("alarm", "its alarm is in ALARM: too-old"),
        ("lost", "its oldest message is 9 min old, and messages are kept for 10 min"),
    ]
    assert rows(console, account)["watched"].one(class_="flags").one(class_="badge danger").text[:3] == "! 2"
    (shown,) = console.queue_page("watched", account).all("alarm")
    assert (shown["data-alarm"], shown["data-state"]) == ("too-old", "ALARM")
    assert "ApproximateAgeOfOldestMessage (Maximum) > 120, 1 × 1 min" in shown.text


def test_queues_without_a_dead_letter_queue_are_counted_in_one_line(console, account):
    console.queue("lonely", account)
    found = console.page("console/overview/warnings").all("warning", data_kind="no-dlq")
    (line,) = found
    assert "no dead-letter queue" in line.one(tag="summary").text
    assert f"/_emulator/{queue_path('lonely', account)}" in {one["href"] for one in line.all(tag="a")}


def test_further_rows_come_behind_the_first_fifty(console, account):
    for number in range(130):
        console.queue(f"zz-{number:03}", account)
    first = console.page("/_emulator/")
    shown = [row["data-key"] for row in first.all("queue-row")]
    assert len(shown) == 50
    rest: list[str] = []
    while page := console.page("console/overview/rows", after=(shown + rest)[-1]).all("queue-row"):
        assert all("hidden" in row for row in page)
        rest += [row["data-key"] for row in page]
    names = [key.rpartition("/")[2] for key in (*shown, *rest) if f"/{account}/" in key]
    assert names == [f"zz-{number:03}" for number in range(130)]
    assert int(first.one(id="queue-rows")["data-queue-count"]) == len(shown) + len(rest)


def test_rows_can_be_asked_for_by_key_and_bring_their_dead_letter_queues(console, account):
    for name in ("source", "dead", "other"):
        console.queue(name, account)
    link(console, account, "source", "dead")
    page = console.page("console/overview/rows", key=f"us-east-1/{account}/source")
    assert [row["data-queue"] for row in page.all("queue-row")] == ["dead", "source"]


def test_an_emulator_without_queues_says_how_to_make_one(console):
    console.post("reset")
    main = console.page("/_emulator/").one(tag="main")
    assert "No queues yet" in main.text
    assert f"aws sqs create-queue --queue-name orders --endpoint-url {console.url}" in main.text
    assert len(main.all("create-queue")) == 1
