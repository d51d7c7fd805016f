"""FIFO queues: messages that were sent before are taken and dropped, for five minutes."""

import hashlib

import pytest

from emulator.settings import Settings
from tests.contract.clients import client_of
from tests.contract.fifo import fifo_entries, fifo_members, send_fifo, take
from tests.support.answers import as_string, counts, error_of, handles, only, queue_attributes, receive
from tests.support.server import running_server

WINDOW_S = 300
SHA_256_OF_SAME = "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5"


@pytest.fixture
def queue(make_queue):
    return make_queue(fifo=True)


@pytest.fixture
def by_content(make_queue):
    return make_queue(fifo=True, ContentBasedDeduplication="true")


@pytest.fixture
def by_group(make_queue):
    return make_queue(fifo=True, DeduplicationScope="messageGroup")


def send_one(sqs, queue, body, *, group="g", dedup="x", **members):
    given = fifo_members(body, MessageGroupId=group, MessageDeduplicationId=dedup, **members)
    return sqs.send_message(QueueUrl=queue, **given)


def identity(answer):
    return answer["MessageId"], answer["SequenceNumber"]


# The id


def test_a_duplicate_is_answered_like_its_original_and_not_delivered(sqs, queue):
    first, second = send_one(sqs, queue, "a"), send_one(sqs, queue, "a")
    assert identity(second) == identity(first)
    assert counts(sqs, queue) == (1, 0, 0)
    assert take(sqs, queue) == ["a"]


def test_the_id_decides_and_not_the_body(sqs, queue):
    send_one(sqs, queue, "a", dedup="1")
    send_one(sqs, queue, "b", dedup="1")
    send_one(sqs, queue, "a", dedup="2")
    assert take(sqs, queue) == ["a", "a"]


def test_a_duplicate_is_answered_with_the_md5_of_its_own_body_and_attributes(sqs, queue):
    send_one(sqs, queue, "a", MessageAttributes={"k": as_string("y")})
    answer = send_one(sqs, queue, "hello", MessageAttributes={"k": as_string("x")})
    assert answer["MD5OfMessageBody"] == "5d41402abc4b2a76b9719d911017c592"
    assert answer["MD5OfMessageAttributes"] == "a45daa70926828a2f0a1db3418e6feb4"


def test_ids_differ_by_case(sqs, queue):
    send_one(sqs, queue, "a", dedup="x")
    send_one(sqs, queue, "b", dedup="X")
    assert take(sqs, queue) == ["a", "b"]


def test_the_id_is_received_with_the_message(sqs, queue):
    send_one(sqs, queue, "a", dedup="the-id")
    assert only(receive(sqs, queue))["Attributes"]["MessageDeduplicationId"] == "the-id"


def test_queues_do_not_share_ids(sqs, queue, make_queue):
    other = make_queue(fifo=True)
    send_one(sqs, queue, "a")
    send_one(sqs, other, "b")
    assert (take(sqs, queue), take(sqs, other)) == (["a"], ["b"])


# By content


def test_the_same_body_is_a_duplicate_by_content(sqs, by_content):
    first = send_one(sqs, by_content, "same", dedup=None)
    assert identity(send_one(sqs, by_content, "same", dedup=None)) == identity(first)
    send_one(sqs, by_content, "other", dedup=None)
    assert take(sqs, by_content) == ["same", "other"]


@pytest.mark.parametrize("body", ["same", "Grüße 😀", "a\r\nb"])
def test_the_id_by_content_is_the_sha_256_of_the_body(sqs, by_content, body):
    send_one(sqs, by_content, body, dedup=None)
    expected = hashlib.sha256(body.encode()).hexdigest()
    assert only(receive(sqs, by_content))["Attributes"]["MessageDeduplicationId"] == expected


def test_attributes_are_no_part_of_the_content(sqs, by_content):
    send_one(sqs, by_content, "same", dedup=None, MessageAttributes={"k": as_string("x")})
    send_one(sqs, by_content, "same", dedup=None)
    assert counts(sqs, by_content) == (1, 0, 0)


def test_an_id_that_is_given_wins_over_the_content(sqs, by_content):
    send_one(sqs, by_content, "same", dedup="1")
    send_one(sqs, by_content, "same", dedup="2")
    send_one(sqs, by_content, "other", dedup="1")
    assert take(sqs, by_content) == ["same", "same"]


def test_the_sha_256_as_a_given_id_is_the_same_id(sqs, by_content):
    send_one(sqs, by_content, "other", dedup=SHA_256_OF_SAME)
    send_one(sqs, by_content, "same", dedup=None)
    assert take(sqs, by_content) == ["other"]


def test_deduplication_by_content_can_be_switched_on_later(sqs, queue):
    attributes = {"ContentBasedDeduplication": "true"}
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=attributes)
    send_one(sqs, queue, "same", dedup=None)
    send_one(sqs, queue, "same", dedup=None)
    assert take(sqs, queue) == ["same"]


# Scope


def test_with_the_scope_of_the_queue_the_groups_do_not_matter(sqs, queue):
    first = send_one(sqs, queue, "a", group="g1")
    assert identity(send_one(sqs, queue, "b", group="g2")) == identity(first)
    assert take(sqs, queue) == ["a"]


def test_with_the_scope_of_the_group_each_group_has_its_own_ids(sqs, by_group):
    send_one(sqs, by_group, "a", group="g1")
    send_one(sqs, by_group, "b", group="g2")
    send_one(sqs, by_group, "c", group="g1")
    assert take(sqs, by_group) == ["a", "b"]


def test_the_scope_of_the_group_works_by_content_too(sqs, make_queue):
    scope = {"DeduplicationScope": "messageGroup", "ContentBasedDeduplication": "true"}
    queue = make_queue(fifo=True, **scope)
    for group in ("g1", "g2", "g1"):
        send_one(sqs, queue, "same", group=group, dedup=None)
    assert take(sqs, queue) == ["same", "same"]


@pytest.mark.parametrize(
    ("created", "later", "count"), [("queue", "messageGroup", 1), ("messageGroup", "queue", 2)]
)
def test_a_queue_keeps_the_scope_it_was_created_with(sqs, make_queue, created, later, count):
    queue = make_queue(fifo=True, DeduplicationScope=created)
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"DeduplicationScope": later})
    assert queue_attributes(sqs, queue, "DeduplicationScope") == {"DeduplicationScope": later}
    send_one(sqs, queue, "a", group="g1")
    send_one(sqs, queue, "b", group="g2")
    assert counts(sqs, queue) == (count, 0, 0)


# The five minutes


def test_an_id_is_remembered_for_five_minutes(sqs, queue, clock):
    first = send_one(sqs, queue, "a")
    clock.advance(ms=WINDOW_S * 1000 - 1)
    assert identity(send_one(sqs, queue, "b")) == identity(first)
    clock.advance(ms=1)
    assert identity(send_one(sqs, queue, "c")) != identity(first)
    assert take(sqs, queue) == ["a", "c"]


def test_a_duplicate_does_not_extend_the_five_minutes(sqs, queue, clock):
    send_one(sqs, queue, "a")
    clock.advance(seconds=WINDOW_S - 1)
    send_one(sqs, queue, "b")
    clock.advance(seconds=1)
    send_one(sqs, queue, "c")
    assert take(sqs, queue) == ["a", "c"]


def test_the_next_original_starts_five_minutes_of_its_own(sqs, queue, clock):
    send_one(sqs, queue, "a")
    clock.advance(seconds=WINDOW_S)
    second = send_one(sqs, queue, "b")
    clock.advance(seconds=WINDOW_S - 1)
    assert identity(send_one(sqs, queue, "c")) == identity(second)


def test_a_message_in_flight_still_has_duplicates(sqs, queue):
    send_one(sqs, queue, "a")
    take(sqs, queue, VisibilityTimeout=0)
    send_one(sqs, queue, "b")
    assert take(sqs, queue) == ["a"]


def test_a_deleted_message_still_has_duplicates(sqs, queue):
    first = send_one(sqs, queue, "a")
    (handle,) = handles(receive(sqs, queue))
    sqs.delete_message(QueueUrl=queue, ReceiptHandle=handle)
    assert identity(send_one(sqs, queue, "b")) == identity(first)
    assert take(sqs, queue) == []


def test_a_message_in_the_dead_letter_queue_still_has_duplicates(sqs, with_dead_letters):
    source, dead = with_dead_letters(1, fifo=True)
    send_one(sqs, source, "a")
    take(sqs, source, VisibilityTimeout=0)
    take(sqs, source)
    send_one(sqs, source, "b")
    assert (take(sqs, source), take(sqs, dead)) == ([], ["a"])


def test_an_expired_message_still_has_duplicates(sqs, make_queue, clock):
    queue = make_queue(fifo=True, MessageRetentionPeriod=60)
    first = send_one(sqs, queue, "a")
    clock.advance(seconds=60)
    assert identity(send_one(sqs, queue, "b")) == identity(first)
    assert take(sqs, queue) == []


def test_a_purge_forgets_all_ids(sqs, queue):
    first = send_one(sqs, queue, "a")
    sqs.purge_queue(QueueUrl=queue)
    assert identity(send_one(sqs, queue, "b")) != identity(first)
    assert take(sqs, queue) == ["b"]


def test_a_queue_of_the_same_name_knows_no_ids_of_its_predecessor(sqs, queue, clock):
    send_one(sqs, queue, "a")
    sqs.delete_queue(QueueUrl=queue)
    clock.advance(seconds=60)
    sqs.create_queue(QueueName=queue.rsplit("/", 1)[1], Attributes={"FifoQueue": "true"})
    send_one(sqs, queue, "b")
    assert take(sqs, queue) == ["b"]


def test_a_message_that_was_refused_is_not_remembered(sqs, queue):
    refused = fifo_members("g-1", DelaySeconds=5)
    error_of(sqs.send_message, QueueUrl=queue, **refused)
    batch = [*fifo_entries("g-1"), {"Id": "b", **fifo_members("g-2", MessageGroupId=None)}]
    error_of(sqs.send_message_batch, QueueUrl=queue, Entries=batch)
    send_fifo(sqs, queue, "g-1")
    assert take(sqs, queue) == ["g-1"]


# Batches


def test_a_later_entry_of_a_batch_is_a_duplicate_of_an_earlier_one(sqs, queue):
    entries = fifo_entries("g-1", "g-2", "g-3", MessageDeduplicationId="x")
    first, second, third = sqs.send_message_batch(QueueUrl=queue, Entries=entries)["Successful"]
    assert [one["Id"] for one in (first, second, third)] == ["0", "1", "2"]
    assert identity(first) == identity(second) == identity(third)
    assert take(sqs, queue) == ["g-1"]


def test_a_batch_may_repeat_what_was_sent_before(sqs, queue):
    (original,) = send_fifo(sqs, queue, "g-1")
    answer = sqs.send_message_batch(QueueUrl=queue, Entries=fifo_entries("g-1", "g-2"))
    assert identity(answer["Successful"][0]) == identity(original)
    assert take(sqs, queue) == ["g-1", "g-2"]


def test_a_batch_by_content_drops_equal_bodies(sqs, by_content):
    entries = fifo_entries("g-1", "g-2", "g-1", MessageDeduplicationId=None)
    sqs.send_message_batch(QueueUrl=by_content, Entries=entries)
    assert take(sqs, by_content) == ["g-1", "g-2"]


# A restart


def test_ids_are_remembered_over_a_restart(protocol, tmp_path):
    settings = Settings(data=str(tmp_path / "data"))
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        sqs.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})
        first = send_one(sqs, "q.fifo", "a")
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        assert identity(send_one(sqs, "q.fifo", "b")) == identity(first)
        server.clock.advance(seconds=WINDOW_S)
        assert identity(send_one(sqs, "q.fifo", "c")) != identity(first)
        assert take(sqs, "q.fifo") == ["a", "c"]


def test_the_scope_is_kept_over_a_restart(protocol, tmp_path):
    settings = Settings(data=str(tmp_path / "data"))
    scope = {"FifoQueue": "true", "DeduplicationScope": "messageGroup"}
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        sqs.create_queue(QueueName="q.fifo", Attributes=scope)
        sqs.set_queue_attributes(QueueUrl="q.fifo", Attributes={"DeduplicationScope": "queue"})
    with running_server(settings) as server:
        sqs = client_of(protocol, server.url)
        send_one(sqs, "q.fifo", "a", group="g1")
        send_one(sqs, "q.fifo", "b", group="g2")
        assert take(sqs, "q.fifo") == ["a", "b"]
