import pytest

from tests.kit.api import refusal


def test_queues_are_listed_with_counts_attributes_and_tags(api, account):
    queue = api.queue("orders.fifo", account, FifoQueue="true", VisibilityTimeout="60")
    api.sqs("TagQueue", account, QueueUrl=queue, Tags={"team": "shop"})
    api.fill(queue, "a", "b", account=account, MessageGroupId="1", MessageDeduplicationId="a")
    (found,) = api.get("queues", account=account)["queues"]
    created_ms = found.pop("created_ms")
    attributes = found.pop("attributes")
    assert found == {
        "name": "orders.fifo",
        "account": account,
        "region": "us-east-1",
        "url": queue,
        "fifo": True,
        "visible": 1,
        "in_flight": 0,
        "delayed": 0,
        "tags": {"team": "shop"},
    }
    assert created_ms == api.get("clock")["now_ms"]
    assert attributes["VisibilityTimeout"] == "60"
    assert (
        attributes
        == api.sqs("GetQueueAttributes", account, QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    )


def test_queues_are_counted_exactly(api, account):
    queue = api.queue("counted", account)
    api.fill(queue, "a", "b", "c", account=account)
    api.fill(queue, "d", account=account, DelaySeconds=10)
    api.sqs("ReceiveMessage", account, QueueUrl=queue)
    (found,) = api.get("queues", account=account)["queues"]
    assert (found["visible"], found["in_flight"], found["delayed"]) == (2, 1, 1)


def test_queues_are_chosen_by_account_region_and_start_of_the_name(api, account):
    for name, region in (("a-1", "us-east-1"), ("a-2", "eu-west-1"), ("b-1", "us-east-1")):
        api.queue(name, account, region)
    assert names(api.get("queues", account=account)) == ["a-2", "a-1", "b-1"]
    assert names(api.get("queues", account=account, region="us-east-1")) == ["a-1", "b-1"]
    assert names(api.get("queues", account=account, prefix="a-")) == ["a-2", "a-1"]
    assert set(names(api.get("queues"))) >= {"a-1", "a-2", "b-1"}


def test_messages_are_looked_at_in_every_state(api, account):
    queue = api.queue("states", account)
    api.fill(queue, "flying", "resting", account=account)
    api.fill(queue, "later", account=account, DelaySeconds=10)
    api.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=45)
    now_ms = api.get("clock")["now_ms"]
    messages = api.get("messages", queue=queue)["messages"]
    assert [(one["body"], one["state"], one["due_ms"], one["seconds_left"]) for one in messages] == [
        ("flying", "in-flight", now_ms + 45_000, 45.0),
        ("resting", "visible", None, None),
        ("later", "delayed", now_ms + 10_000, 10.0),
    ]


def test_messages_of_a_locked_group_are_told_from_visible_ones(api, account):
    queue = api.queue("groups.fifo", account, FifoQueue="true", ContentBasedDeduplication="true")
    for body, group in (("a1", "a"), ("a2", "a"), ("b1", "b")):
        api.fill(queue, body, account=account, MessageGroupId=group)
    api.sqs("ReceiveMessage", account, QueueUrl=queue)
    messages = api.get("messages", queue="groups.fifo", account=account)["messages"]
    assert [(one["body"], one["state"]) for one in messages] == [
        ("a1", "in-flight"),
        ("a2", "locked"),
        ("b1", "visible"),
    ]
    assert [one["group_id"] for one in messages] == ["a", "a", "b"]
    assert all(one["deduplication_id"] and one["sequence_number"] for one in messages)


def test_looking_changes_nothing(api, account):
    queue = api.queue("untouched", account)
    (message_id,) = api.fill(queue, "a", account=account)
    for _ in range(3):
        (message,) = api.get("messages", queue="untouched", account=account)["messages"]
        assert (message["message_id"], message["receive_count"]) == (message_id, 0)
        assert (message["state"], message["first_received_ms"]) == ("visible", None)
    api.sqs("ReceiveMessage", account, QueueUrl=queue)
    (message,) = api.get("messages", queue="untouched", account=account)["messages"]
    assert message["receive_count"] == 1


def test_message_attributes_are_shown_as_sqs_spells_them(api, account):
    queue = api.queue("attributes", account)
    attributes = {
        "tenant": {"DataType": "String", "StringValue": "acme"},
        "blob": {"DataType": "Binary", "BinaryValue": "AAE="},
    }
    api.fill(queue, "a", account=account, MessageAttributes=attributes)
    (message,) = api.get("messages", queue=queue)["messages"]
    assert message["attributes"] == attributes


def test_messages_are_chosen_by_state_text_and_attribute(api, account):
    queue = api.queue("chosen", account)
    for body, tenant in (("red apple", "acme"), ("green apple", "zeta"), ("red plum", "acme")):
        attribute = {"DataType": "String", "StringValue": tenant}
        api.fill(queue, body, account=account, MessageAttributes={"tenant": attribute})
    api.fill(queue, "blue plum", account=account, DelaySeconds=5)
    assert bodies(api.get("messages", queue=queue, text="apple")) == ["red apple", "green apple"]
    assert bodies(api.get("messages", queue=queue, attribute="tenant")) == [
        "red apple",
        "green apple",
        "red plum",
    ]
    assert bodies(api.get("messages", queue=queue, attribute="tenant=acme")) == ["red apple", "red plum"]
    assert bodies(api.get("messages", queue=queue, attribute="tenant=acme", text="plum")) == ["red plum"]
    assert bodies(api.get("messages", queue=queue, state="delayed")) == ["blue plum"]
    assert len(bodies(api.get("messages", queue=queue, state="visible,delayed"))) == 4
    assert bodies(api.get("messages", queue=queue, state="in-flight,locked")) == []


def test_messages_come_in_pages(api, account):
    queue = api.queue("paged", account)
    api.fill(queue, "1", "2", "3", "4", "5", account=account)
    found, after = [], {}
    for size in (2, 2, 1):
        page = api.get("messages", queue=queue, limit=2, **after)
        assert len(page["messages"]) == size
        found += bodies(page)
        after = {"after": page["next"]}
    assert page["next"] is None
    assert found == ["1", "2", "3", "4", "5"]


def test_a_full_page_that_is_the_last_says_so(api, account):
    queue = api.queue("full-page", account)
    api.fill(queue, "1", "2", account=account)
    assert api.get("messages", queue=queue, limit=2)["next"] is None
    assert api.get("messages", queue=queue, limit=2, text="2")["next"] is None


def test_pages_of_chosen_messages_go_on_where_they_ended(api, account):
    queue = api.queue("chosen-pages", account)
    api.fill(queue, "yes 1", "no", "yes 2", "no", "yes 3", account=account)
    first = api.get("messages", queue=queue, text="yes", limit=2)
    assert bodies(first) == ["yes 1", "yes 2"]
    rest = api.get("messages", queue=queue, text="yes", limit=2, after=first["next"])
    assert (bodies(rest), rest["next"]) == (["yes 3"], None)


def test_a_dead_letter_tells_where_it_came_from(api, account):
    dead = api.queue("dead", account)
    arn = f"arn:aws:sqs:us-east-1:{account}:dead"
    policy = f'{{"deadLetterTargetArn": "{arn}", "maxReceiveCount": "1"}}'
    queue = api.queue("source", account, RedrivePolicy=policy)
    api.fill(queue, "poison", account=account)
    for _ in range(2):
        api.sqs("ReceiveMessage", account, QueueUrl=queue, VisibilityTimeout=0)
    (message,) = api.get("messages", queue=arn)["messages"]
    assert (message["body"], message["receive_count"]) == ("poison", 1)
    assert message["dead_letter_source_arn"] == f"arn:aws:sqs:us-east-1:{account}:source"
    assert bodies(api.get("messages", queue=dead)) == ["poison"]


@pytest.mark.parametrize(
    "spelling", ["{name}", "{url}", "arn:aws:sqs:us-east-1:{account}:{name}", "/{account}/{name}"]
)
def test_a_queue_is_named_by_name_url_or_arn(api, account, spelling):
    url = api.queue("spelled", account)
    api.fill(url, "found", account=account)
    queue = spelling.format(name="spelled", url=url, account=account)
    assert bodies(api.get("messages", queue=queue, account=account)) == ["found"]


@pytest.mark.parametrize(
    ("parameters", "status", "text"),
    [
        ({}, 400, "queue: is missing"),
        ({"queue": ""}, 400, "queue: must be text that is not empty"),
        ({"queue": "arn:aws:s3:::b"}, 400, "queue: 'arn:aws:s3:::b' is no name, URL or ARN of a queue"),
        ({"queue": "http://[/x"}, 400, "queue: 'http://[/x' is no name, URL or ARN of a queue"),
        ({"queue": "nope", "account": "000000000009"}, 404,
         "queue: there is no queue nope in account 000000000009 and region us-east-1"),
        ({"queue": "nope", "region": "eu-west-1"}, 404,
         "queue: there is no queue nope in account 000000000000 and region eu-west-1"),
        ({"queue": "a", "region": "EU"}, 400,
         "region: must be the name of a region, such as us-east-1"),
        ({"queue": "a", "state": "gone"}, 400,
         "state[0]: 'gone' is none of visible, in-flight, delayed, locked"),
        ({"queue": "a", "limit": 0}, 400, "limit: must be a whole number >= 1"),
        ({"queue": "a", "limit": 1001}, 400, "limit: must be a whole number <= 1000"),
        ({"queue": "a", "limit": "ten"}, 400, "limit: must be a whole number, not text"),
        ({"queue": "a", "attribute": ""}, 400, "attribute: must be text that is not empty"),
        ({"queue": "a", "states": "visible"}, 400, "states: there is no such parameter"),
    ],
)  # fmt: skip
def test_bad_parameters_for_messages_are_refused(api, parameters, status, text):
    assert refusal(api.ask("GET", "messages", **parameters)) == (status, text)


def test_a_place_that_is_no_page_s_is_refused(api, account):
    api.queue("no-page", account)
    asked = api.ask("GET", "messages", queue="no-page", account=account, after="x")
    assert refusal(asked) == (400, "after: is no `next` of a page")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"account": "1"}, "account: must be an account id of 12 digits"),
        ({"region": "Paris!"}, "region: must be the name of a region, such as us-east-1"),
        ({"name": "a"}, "name: there is no such parameter"),
    ],
)
def test_bad_parameters_for_queues_are_refused(api, parameters, text):
    assert refusal(api.ask("GET", "queues", **parameters)) == (400, text)


def test_lists_are_not_posted_to(api):
    answer = api.ask("POST", "queues", {})
    assert refusal(answer)[0] == 405
    assert "GET" in answer.headers["allow"]


def names(found):
    return [queue["name"] for queue in found["queues"]]


def bodies(page):
    return [message["body"] for message in page["messages"]]
