import json

import pytest

from tests.console.pages import Console, Element, queue_path
from tests.kit.api import refusal


def messages(console: Console, name: str, account: str, **parameters: str) -> list[Element]:
    return console.page(f"{queue_path(name, account)}/messages", **parameters).all("message-row")


def previews(found: list[Element]) -> list[str]:
    return [row.one(class_="preview").text for row in found]


def redrive_policy(account: str, target: str, count: int) -> str:
    arn = f"arn:aws:sqs:us-east-1:{account}:{target}"
    return json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": count})


def fact(page: Element, name: str) -> str:
    """What the list of attributes says under this name."""
    told = [one.text for one in page.one("attributes").walk() if one.tag in ("dt", "dd")]
    return told[told.index(name) + 1]


def test_a_queue_is_shown_with_counts_attributes_and_tags(console, account):
    queue = console.queue("orders", account, VisibilityTimeout="90", MessageRetentionPeriod="7200")
    console.sqs("TagQueue", account, QueueUrl=queue, Tags={"team": "shop"})
    console.fill(queue, "a", "b", account=account)
    page = console.queue_page("orders", account)
    assert page.one(tag="h1").text == "orders"
    assert page.one("count-visible").text == "2"
    assert [fact(page, name) for name in ("Visibility timeout", "Retention", "Delay")] == [
        "1 min 30 s",
        "2 h",
        "0 s",
    ]
    assert fact(page, "ARN") == f"arn:aws:sqs:us-east-1:{account}:orders Copy"
    assert fact(page, "URL") == f"{queue} Copy"
    assert page.one("tags").one(tag="dl").text == "teamshop"


def test_the_form_for_attributes_has_what_the_queue_has(console, account):
    console.queue("dead", account)
    policy = redrive_policy(account, "dead", 4)
    console.queue("orders", account, VisibilityTimeout="90", RedrivePolicy=policy)
    page = console.queue_page("orders", account)
    assert page.one(id="edit-VisibilityTimeout")["value"] == "90"
    assert page.one(id="edit-MessageRetentionPeriod")["value"] == "345600"
    assert page.one(id="edit-dlq")["value"] == f"arn:aws:sqs:us-east-1:{account}:dead"
    assert page.one(id="edit-max")["value"] == "4"
    assert page.all(id="edit-DeduplicationScope") == []


def test_a_fifo_queue_has_fields_of_its_own(console, account):
    console.queue("orders.fifo", account, FifoQueue="true", DeduplicationScope="messageGroup")
    page = console.queue_page("orders.fifo", account)
    (chosen,) = page.one(id="edit-DeduplicationScope").all(selected="")
    assert chosen.text == "messageGroup"
    assert "required" in page.one("send-group")
    assert page.all("send-delay") == []


def test_policies_are_shown_as_readable_json(console, account):
    policy = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": "*"}],
    }
    console.queue("open", account, Policy=json.dumps(policy))
    page = console.queue_page("open", account)
    shown = page.one("policy").one(tag="pre")
    assert "".join(str(text) for text in shown.children) == json.dumps(policy, indent=2)
    assert json.loads(page.one("policy-text").text) == policy


def test_where_dead_letters_go_and_come_from_is_said_with_links(console, account):
    console.queue("dead", account)
    console.queue("source", account, RedrivePolicy=redrive_policy(account, "dead", 4))
    assert fact(console.queue_page("source", account), "Dead letters") == "→ dead after 4 receives"
    dead = console.queue_page("dead", account)
    assert fact(dead, "Dead letters") == "from source"
    assert dead.one("attributes").one(tag="a")["href"] == f"/_emulator/{queue_path('source', account)}"


def test_messages_are_shown_in_every_state_with_the_moment_they_become_visible(console, account):
    queue = console.queue("states", account)
    console.fill(queue, "flying", "resting", account=account)
    console.fill(queue, "later", account=account, DelaySeconds=75)
    console.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=45)
    now_ms = console.get("clock")["now_ms"]
    flying, resting, later = messages(console, "states", account)
    assert [row["data-state"] for row in (flying, resting, later)] == ["in-flight", "visible", "delayed"]
    assert flying.one("countdown")["data-due-ms"] == str(now_ms + 45_000)
    assert (flying.one("countdown").text, later.one("countdown").text) == ("45 s", "1 min 15 s")
    assert resting.all("countdown") == []
    assert flying.one(class_="number receives").text == "1"


def test_looking_at_messages_changes_nothing(console, account):
    queue = console.queue("untouched", account)
    console.fill(queue, "a", account=account)
    seq = messages(console, "untouched", account)[0]["id"][1:]
    console.page(f"{queue_path('untouched', account)}/messages/{seq}")
    (row,) = messages(console, "untouched", account)
    assert (row["data-state"], row.one(class_="number receives").text) == ("visible", "0")


@pytest.mark.parametrize(
    ("state", "bodies"),
    [
        ("", ["a", "b", "c"]),
        ("visible", ["b"]),
        ("in-flight", ["a"]),
        ("delayed", ["c"]),
        ("odd", ["a", "b", "c"]),
    ],
)
def test_messages_are_chosen_by_state(console, account, state, bodies):
    queue = console.queue("states", account)
    console.fill(queue, "a", "b", account=account)
    console.fill(queue, "c", account=account, DelaySeconds=75)
    console.sqs("ReceiveMessage", account, QueueUrl=queue)
    assert previews(messages(console, "states", account, state=state)) == bodies


def test_messages_are_found_by_text_and_by_id(console, account):
    queue = console.queue("many", account)
    ids = console.fill(queue, '{"name": "Ada"}', '{"name": "Grace"}', "nobody", account=account)
    assert previews(messages(console, "many", account, text="aDA")) == ['{"name": "Ada"}']
    assert [row["data-message-id"] for row in messages(console, "many", account, text=ids[2])] == [ids[2]]
    page = console.page(f"{queue_path('many', account)}/messages", text="Linus")
    assert page.one("no-messages").text == "No message fits the filter."


def test_messages_are_paged(console, account):
    queue = console.queue("long", account)
    for first in range(0, 250, 10):
        entries = [{"Id": str(number), "MessageBody": str(first + number)} for number in range(10)]
        console.sqs("SendMessageBatch", account, QueueUrl=queue, Entries=entries)
    path, after, found = f"{queue_path('long', account)}/messages", "0", list[list[str]]()
    while True:
        page = console.page(path, after=after)
        found.append(previews(page.all("message-row")))
        if not page.all("next-page"):
            break
        after = page.one("next-page")["data-page"]
    assert [len(one) for one in found] == [50] * 5
    assert [body for page in found for body in page] == [str(number) for number in range(250)]


def test_a_search_finds_what_lies_behind_many_others(console, account):
    queue = console.queue("deep", account)
    for first in range(0, 2_000, 10):
        entries = [{"Id": str(number), "MessageBody": f"<{first + number}>"} for number in range(10)]
        console.sqs("SendMessageBatch", account, QueueUrl=queue, Entries=entries)
    assert previews(messages(console, "deep", account, text="<1999>")) == ["<1999>"]
    page = console.page(f"{queue_path('deep', account)}/messages", text="9>")
    assert len(page.all("message-row")) == 50
    assert len(page.all("next-page")) == 1


def test_an_empty_queue_says_so(console, account):
    console.queue("empty", account)
    assert console.queue_page("empty", account).one("no-messages").text == "The queue is empty."


def test_a_message_unfolds_with_body_attributes_and_what_is_known_of_it(console, account):
    queue = console.queue("detailed", account)
    attributes = {
        "kind": {"DataType": "String", "StringValue": "<i>"},
        "blob": {"DataType": "Binary", "BinaryValue": "AAEC"},
    }
    console.fill(queue, '{"a": [1, 2]}', account=account, MessageAttributes=attributes)
    seq = messages(console, "detailed", account)[0]["id"][1:]
    shown = console.page(f"{queue_path('detailed', account)}/messages/{seq}")
    assert shown.one("message-body")["data-kind"] == "json"
    cells = [[cell.text for cell in row.walk() if cell.tag in ("th", "td")] for row in shown.all(tag="tr")]
    assert sorted(cells[1:]) == [["blob", "Binary", "AAEC"], ["kind", "String", "<i>"]]
    assert "Sent2026-" in shown.one(tag="dl", class_="facts small").text


def test_a_body_is_shown_and_never_part_of_the_page(console, account):
    queue = console.queue("hostile", account)
    body = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'"
    console.fill(queue, body, account=account)
    page = console.queue_page("hostile", account)
    (row,) = page.all("message-row")
    assert row.one(class_="preview").text == body
    seq = row["id"][1:]
    unfolded = console.page(f"{queue_path('hostile', account)}/messages/{seq}")
    assert body in unfolded.one("message-body").text
    for shown in (page, unfolded):
        assert [one for one in shown.all(tag="script") if "src" not in one] == []
        assert shown.all(tag="img") == []


def test_a_preview_is_one_line_of_limited_length(console, account):
    queue = console.queue("huge", account)
    console.fill(queue, "a\n\tb", "x" * 100_000, account=account)
    first, second = previews(messages(console, "huge", account))
    assert (first, second) == ("a b", "x" * 240 + "…")


def test_a_message_that_is_gone_is_said_to_be(console, account):
    console.queue("empty", account)
    answer = console.ask("GET", f"{queue_path('empty', account)}/messages/1")
    assert refusal(answer) == (404, "The message is gone.")


def test_groups_of_a_fifo_queue_have_a_lock_and_a_head(console, account):
    queue = console.queue("groups.fifo", account, FifoQueue="true", ContentBasedDeduplication="true")
    ids = console.fill(queue, "a1", "a2", account=account, MessageGroupId="a")
    ids += console.fill(queue, "b1", account=account, MessageGroupId="b")
    console.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=50, MaxNumberOfMessages=1)
    page = console.page(f"{queue_path('groups.fifo', account)}/groups")
    first, second = page.all("group-row")
    assert [one["data-group"] for one in (first, second)] == ["a", "b"]
    assert first.text == f"a2 Locked 50 s {ids[0][:8]}"
    assert second.text == f"b1 Open {ids[2][:8]}"
    assert [row["data-state"] for row in messages(console, "groups.fifo", account)] == [
        "in-flight",
        "locked",
        "visible",
    ]


def test_a_message_is_deleted_whatever_its_state_and_the_journal_knows(console, account):
    queue = console.queue("doomed", account)
    console.fill(queue, "a", "b", account=account)
    console.sqs("ReceiveMessage", account, QueueUrl=queue)
    flying, resting = messages(console, "doomed", account)
    where = {"queue": "doomed", "account": account, "region": "us-east-1"}
    console.post("console/messages/delete", **where, seq=int(flying["id"][1:]))
    console.post("console/messages/delete", **where, message_id=resting["data-message-id"])
    assert messages(console, "doomed", account) == []
    events = console.get("journal", account=account, kind="deleted")["events"]
    assert [event["message_id"] for event in events] == [
        flying["data-message-id"],
        resting["data-message-id"],
    ]


@pytest.mark.parametrize("which", [{"seq": 1}, {"message_id": "none"}, {}])
def test_a_message_that_is_not_there_cannot_be_deleted(console, account, which):
    console.queue("empty", account)
    where = {"queue": "empty", "account": account, "region": "us-east-1"}
    answer = console.ask("POST", "console/messages/delete", where | which)
    assert refusal(answer) == (404, "The message is gone.")


def test_a_delete_that_opens_a_group_wakes_who_waits_for_it(console, account):
    queue = console.queue("waiting.fifo", account, FifoQueue="true", ContentBasedDeduplication="true")
    console.fill(queue, "first", "second", account=account, MessageGroupId="g")
    console.sqs("ReceiveMessage", account, QueueUrl=queue, MaxNumberOfMessages=1)
    seq = int(messages(console, "waiting.fifo", account)[0]["id"][1:])
    where = {"queue": "waiting.fifo", "account": account, "region": "us-east-1"}
    console.post("console/messages/delete", **where, seq=seq)
    (found,) = console.sqs("ReceiveMessage", account, QueueUrl=queue)["Messages"]
    assert found["Body"] == "second"


def test_a_redrive_is_shown_with_its_progress_and_can_be_cancelled(console, account):
    dead = console.queue("dead", account)
    console.queue("source", account, RedrivePolicy=redrive_policy(account, "dead", 1))
    console.fill(dead, *map(str, range(10)), account=account)
    source = f"arn:aws:sqs:us-east-1:{account}:dead"
    to = f"arn:aws:sqs:us-east-1:{account}:source"
    console.sqs(
        "StartMessageMoveTask", account, SourceArn=source, DestinationArn=to, MaxNumberOfMessagesPerSecond=2
    )
    console.post("clock/advance", seconds=1)
    tasks = console.page(f"{queue_path('dead', account)}/tasks")
    (task,) = tasks.all("redrive-progress")
    moved = task.one(tag="progress")["value"]
    assert task.one(tag="progress")["max"] == "10"
    assert f"{moved} of 10 moved to source, 2 per second" in task.text
    body = json.loads(task.one("redrive-cancel")["data-body"])
    console.sqs("CancelMessageMoveTask", account, **body)
    console.post("clock/advance", seconds=1)
    (task,) = console.page(f"{queue_path('dead', account)}/tasks").all("redrive-progress")
    assert (task["data-status"], task.all("redrive-cancel")) == ("CANCELLED", [])


def test_only_dead_letter_queues_offer_a_redrive(console, account):
    console.queue("dead", account)
    console.queue("source", account, RedrivePolicy=redrive_policy(account, "dead", 1))
    assert len(console.queue_page("dead", account).all("redrive")) == 1
    assert console.queue_page("source", account).all("redrive") == []


def test_warnings_stand_on_the_page_of_their_queue(console, account):
    dead = console.queue("dead", account)
    console.queue("source", account, RedrivePolicy=redrive_policy(account, "dead", 1))
    console.fill(dead, "a", account=account)
    page = console.queue_page("dead", account)
    assert page.one("queue-warnings").text == "! Holds 1 dead letter, 1 of them new in 5 min."


def test_the_page_shows_the_clock_of_its_account(console, account):
    console.queue("elsewhen", account)
    console.post("clock/set", account=account, now="2031-05-06T07:08:09Z")
    page = console.queue_page("elsewhen", account)
    assert page.one(tag="html")["data-account"] == account
    assert page.one(data_clock_text="").text == "2031-05-06 07:08:09"
    console.post("reset", account=account)
