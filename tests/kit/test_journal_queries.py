"""Looking for events, keeping only so many, and forgetting."""

import base64

import pytest

from emulator.domain.model import MessageAttributeValue
from emulator.journal import EventKind, Filter
from tests.kit.journals import HIDE_MS, Story, text
from tests.support.clocks import START_MS

OTHER = "222222222222"


@pytest.fixture
def story():
    return Story()


@pytest.fixture
def queue(story):
    return story.queue()


def numbers(events):
    return [event.number for event in events]


def test_by_queue_account_and_region(story, queue):
    story.send(queue, "a")
    story.send(story.queue("invoices"), "b")
    story.send(story.queue(region="eu-west-1"), "c")
    story.send(story.queue(account=OTHER), "d")
    assert numbers(story.events(queue="orders")) == [1, 3, 4]
    assert numbers(story.events(account=OTHER)) == [4]
    assert numbers(story.events(region="us-east-1", queue="orders")) == [1, 4]
    assert numbers(story.events(queue="nothing")) == []


def test_by_message_id(story, queue):
    story.live(queue, "a", "b")
    assert story.kinds(message_id="id-b") == ["sent", "received", "deleted"]
    assert story.kinds(message_id="nothing") == []


def test_a_move_is_found_by_both_ids(story, queue):
    source = story.queue("dead")
    story.send(source, "a")
    story.move(source, queue, "new")
    assert story.kinds(message_id="id-a") == ["sent", "moved"]
    assert story.kinds(message_id="new") == ["moved"]


def test_a_purge_is_found_by_the_messages_that_it_met(story, queue):
    story.send(queue, "a", attributes={"color": text("blue")})
    story.purge(queue)
    assert story.kinds(message_id="id-a") == ["sent", "purged"]
    assert story.kinds(attribute_name="color") == ["sent", "purged"]
    assert story.kinds(message_id="id-b") == []


def test_by_text_in_the_body(story, queue):
    story.live(queue, '{"order": 17}', '{"order": 18}')
    assert story.kinds(text='"order": 17') == ["sent", "received", "deleted"]
    assert story.kinds(text="ORDER") == []


def test_by_attribute(story, queue):
    blob = MessageAttributeValue(binary_value=b"\x00\xff", data_type="Binary")
    story.live(queue, "a", attributes={"color": text("blue"), "size": text("red")})
    story.send(queue, "b", attributes={"color": text("red"), "blob": blob})
    assert story.kinds(attribute_name="color", attribute_value="red") == ["sent"]
    assert story.kinds(attribute_name="color", attribute_value="blue") == ["sent", "received", "deleted"]
    assert story.kinds(attribute_name="size") == ["sent", "received", "deleted"]
    assert numbers(story.events(attribute_value="red")) == [1, 2, 3, 4]
    assert numbers(story.events(attribute_value=base64.b64encode(b"\x00\xff").decode())) == [4]


def test_what_has_no_message_has_no_text_and_no_attribute(story):
    story.journal.fault(story.caller, "slow", "latency")
    assert story.kinds(text="") == story.kinds(attribute_name="color") == []


def test_by_kind_and_time(story, queue):
    story.send(queue, "a")
    story.now_ms += HIDE_MS
    story.delete(queue, *story.receive(queue))
    assert story.kinds(kinds={EventKind.SENT, EventKind.DELETED}) == ["sent", "deleted"]
    assert story.kinds(from_ms=START_MS + 1) == ["received", "deleted"]
    assert story.kinds(from_ms=START_MS, to_ms=START_MS) == ["sent"]
    assert story.kinds(to_ms=START_MS - 1) == []


def test_all_that_is_given_must_fit(story, queue):
    story.live(queue, "a", "b")
    assert numbers(story.events(text="a", kinds={EventKind.DELETED}, queue="orders")) == [5]


def test_pages(story, queue):
    story.live(queue, "a", "b")
    first = story.journal.query(Filter(text="b"), limit=2)
    assert numbers(first) == [2, 4]
    assert numbers(story.journal.query(Filter(text="b"), after=4, limit=2)) == [6]
    assert story.journal.query(Filter(), after=6) == []


def test_only_so_many_events_are_kept(queue, story):
    story = Story(size=10)
    queue = story.queue()
    for number in range(30):
        story.send(queue, str(number))
        assert len(story.events()) == min(number + 1, 10)
    assert numbers(story.events()) == list(range(21, 31))
    assert story.journal.history("id-0").events == []


def test_events_leave_without_being_asked_for():
    story = Story(size=32)
    queue = story.queue()
    for number in range(1000):
        story.send(queue, str(number))
    kept = numbers(story.events())
    assert kept[-1] == story.journal.last_number == 1000
    assert 32 - 2 <= len(kept) <= 32


def test_the_latest_request_can_be_asked_for_however_small_the_journal_is():
    story = Story(size=3, max_bytes=1)
    queue = story.queue()
    story.send(queue, *"abcdef")
    assert story.journal.last_number == 6
    assert numbers(story.events()) == []  # too many bytes
    story.purge(queue)
    assert numbers(story.events()) == [7]


def test_contents_are_bounded_in_bytes_whoever_asks_or_does_not():
    for asks in (False, True):
        story = Story(max_bytes=100_000)
        queue = story.queue()
        for number in range(100):
            story.live(queue, f"{number:03}" + "x" * 10_000)
            if asks:
                story.events()
        bodies = {story.journal.history(event.message_id).body for event in story.events()}
        assert f"{99:03}" + "x" * 10_000 in bodies
        assert 4 <= len(bodies) <= 10


def test_a_body_counts_once_however_often_it_is_received():
    story = Story(max_bytes=150_000)
    queue = story.queue()
    story.send(queue, "x" * 60_000)
    for _ in range(20):
        story.receive(queue)
        story.now_ms += HIDE_MS
        story.events()
    assert len(story.events()) == 1 + 2 * 20 - 1


def test_an_event_of_a_message_that_nothing_else_is_known_of_has_no_message_id():
    story = Story(size=2)
    queue = story.queue()
    story.send(queue, "a")
    deliveries = story.receive(queue)
    story.send(queue, "b")
    story.send(queue, "c")
    story.delete(queue, *deliveries)
    assert [(event.kind, event.message_id) for event in story.events()] == [
        ("sent", "id-c"),
        ("deleted", None),
    ]


def test_what_is_known_of_messages_leaves_with_their_last_event():
    story = Story(size=20)
    queue, dead = story.queue(), story.queue("dead")
    for number in range(100):
        story.send(queue, str(number))
        story.receive(queue, dead)
        story.now_ms += HIDE_MS
        story.receive(queue, dead)
        story.move(dead, queue, f"new-{number}")
        story.delete(queue, *story.receive(queue))
        story.events()
    story.journal.query(Filter())
    assert len(story.journal._chronicle._lives) <= 20
    story.journal.forget(account="000000000000")
    assert (story.journal._chronicle._lives, story.journal._chronicle.content_bytes) == ({}, 0)


def test_after_all_is_forgotten_numbers_begin_anew(story, queue):
    story.live(queue, "a")
    story.journal.forget()
    assert (story.events(), story.journal.last_number) == ([], 0)
    story.send(queue, "b")
    assert numbers(story.events()) == [1]


def test_an_account_a_region_or_a_queue_is_forgotten_alone(story, queue):
    story.send(queue, "a")
    story.send(story.queue("invoices"), "b")
    story.send(story.queue(region="eu-west-1"), "c")
    story.send(story.queue(account=OTHER), "d")
    story.journal.forget(account=OTHER)
    assert numbers(story.events()) == [1, 2, 3]
    story.journal.forget(region="eu-west-1")
    assert numbers(story.events()) == [1, 2]
    story.journal.forget(account="000000000000", region="us-east-1", queue="orders")
    assert numbers(story.events()) == [2]
    assert story.journal.history("id-a").events == []
    story.send(queue, "e")
    assert numbers(story.events()) == [2, 5]


def test_messages_of_a_queue_that_was_reset_are_not_purged_later(story, queue):
    dead = story.queue("dead")
    story.send(queue, "a")
    story.receive(queue, dead)
    story.now_ms += HIDE_MS
    story.receive(queue, dead)
    story.journal.forget(queue="dead")
    story.purge(dead)
    assert story.life("id-a") == ["sent", "received", "returned", "dead-lettered"]
