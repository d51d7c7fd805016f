"""What the journal knows about messages."""

import msgspec
import pytest

from emulator.domain.model import Outcome
from emulator.journal import Caller as Who
from emulator.journal import Details, Event, EventKind, MessageHistory
from tests.engine.factories import RETENTION_MS, draft
from tests.kit.journals import HIDE_MS, Caller, Story, at_once, text
from tests.support.clocks import START_MS

OTHER = "222222222222"


@pytest.fixture
def story():
    return Story()


@pytest.fixture
def queue(story):
    return story.queue()


def test_an_event_says_what_happened_when_where_and_by_whom(story, queue):
    story.caller = Caller(request_id="request-7", sender_id="AIDAME", account=OTHER)
    story.send(queue, "hello")
    assert story.events() == [
        Event(
            number=1,
            kind=EventKind.SENT,
            at_ms=START_MS,
            account="000000000000",
            region="us-east-1",
            queue="orders",
            message_id="id-hello",
            request_id="request-7",
            caller=Who(OTHER, "AIDAME"),
            details=Details(),
        )
    ]


def test_a_message_is_sent_received_hidden_longer_and_deleted(story, queue):
    story.send(queue, "hello")
    (delivery,) = story.receive(queue)
    story.now_ms += 1_000
    story.hide(queue, delivery, 60_000)
    story.delete(queue, delivery)
    assert [(event.kind, event.at_ms - START_MS, event.details) for event in story.events()] == [
        ("sent", 0, Details()),
        ("received", 0, Details(receive_count=1, timeout_s=30)),
        ("visibility-changed", 1_000, Details(receive_count=1, timeout_s=60)),
        ("deleted", 1_000, Details(receive_count=1)),
    ]
    assert {event.message_id for event in story.events()} == {"id-hello"}


def test_a_delayed_send_says_so(story, queue):
    story.send(queue, "hello", delay_ms=5_000)
    assert story.events()[0].details == Details(delay_s=5)


def test_a_deleted_message_stays_readable(story, queue):
    members = {"attributes": {"color": text("blue")}, "group_id": "tenant", "trace_header": "Root=1"}
    story.live(queue, "hello", **members)
    history = story.journal.history("id-hello")
    assert history == MessageHistory(
        message_id="id-hello",
        body="hello",
        attributes={"color": text("blue")},
        group_id="tenant",
        trace_header="Root=1",
        sender_id="AIDASENDER",
        events=story.events(),
    )


def test_of_an_unknown_message_there_are_no_events(story):
    assert story.journal.history("nothing") == MessageHistory(message_id="nothing")


def test_a_message_that_returns_is_recorded_with_the_moment_at_which_its_timeout_ended(story, queue):
    story.send(queue, "hello")
    story.receive(queue)
    story.now_ms += 10 * HIDE_MS
    story.receive(queue)
    assert story.life("id-hello") == ["sent", "received", "returned", "received"]
    returned = story.events(kinds={EventKind.RETURNED})[0]
    assert (returned.at_ms, returned.caller, returned.request_id) == (START_MS + HIDE_MS, None, None)
    assert story.events()[-1].details.receive_count == 2


def test_a_message_expires(story, queue):
    story.send(queue, "hello")
    story.now_ms += RETENTION_MS
    story.look(queue)
    assert story.life("id-hello") == ["sent", "expired"]


def test_a_duplicate_is_an_event_of_the_original(story):
    fifo = story.queue("orders.fifo")
    story.send(fifo, "hello", group="g", dedup="once")
    story.send(fifo, "again", group="g", dedup="once")
    assert story.life("id-hello") == ["sent", "deduplicated"]
    assert story.life("id-again") == []
    assert story.journal.history("id-hello").body == "hello"


def test_an_outcome_other_than_done_is_no_event(story, queue):
    story.send(queue, "hello")
    (delivery,) = story.receive(queue)
    story.delete(queue, delivery)
    assert story.delete(queue, delivery) == [Outcome.GONE]
    story.hide(queue, delivery, 1_000)
    assert story.kinds() == ["sent", "received", "deleted"]
    assert story.journal.last_number == 3


def test_a_stale_handle_says_which_receive_it_is_from(story, queue):
    story.send(queue, "hello")
    (first,) = story.receive(queue)
    story.now_ms += HIDE_MS
    story.receive(queue)
    story.delete(queue, first)
    assert story.events()[-1].details == Details(receive_count=1)


@pytest.mark.parametrize("suffix", ["", ".fifo"])
def test_a_message_keeps_its_history_in_a_dead_letter_queue(story, suffix):
    members = {"group": "g"} if suffix else {}
    source, target = story.queue("orders" + suffix), story.queue("dead" + suffix)
    story.send(source, "hello", **members)
    story.receive(source, target)
    story.now_ms += HIDE_MS
    story.receive(source, target)
    story.delete(target, *story.receive(target))
    assert story.life("id-hello") == [
        "sent", "received", "returned", "dead-lettered", "received", "deleted",
    ]  # fmt: skip
    (dead,) = story.events(kinds={EventKind.DEAD_LETTERED})
    assert (dead.queue, dead.details) == (source.name, Details(target_queue=target.name))
    assert story.kinds(queue=target.name) == ["dead-lettered", "received", "deleted"]


def test_a_moved_message_has_one_history_under_both_ids(story):
    source, target = story.queue("dead"), story.queue("orders")
    story.send(source, "hello")
    story.move(source, target, "new-id")
    story.delete(target, *story.receive(target))
    assert story.life("id-hello") == story.life("new-id") == ["sent", "moved", "received", "deleted"]
    assert [event.message_id for event in story.events()] == ["id-hello", "id-hello", "new-id", "new-id"]
    (moved,) = story.events(kinds={EventKind.MOVED})
    assert moved.details == Details(target_queue="orders", new_message_id="new-id")
    assert story.journal.history("new-id").body == "hello"


def test_a_move_to_another_account_says_whose_queue_it_goes_to(story, queue):
    target = story.queue("theirs", account=OTHER, region="eu-west-1")
    story.send(queue, "hello")
    story.move(queue, target, "new-id")
    (moved,) = story.events(account=OTHER)
    assert moved.details == Details(
        target_queue="theirs", target_account=OTHER, target_region="eu-west-1", new_message_id="new-id"
    )


def test_a_purge_is_an_event_of_all_that_was_in_the_queue(story, queue):
    other = story.queue("other")
    story.live(queue, "deleted before")
    story.send(queue, "a", "b")
    story.send(other, "elsewhere")
    story.purge(queue)
    story.send(queue, "later")
    story.purge(queue)
    assert story.life("id-a") == story.life("id-b") == story.life("id-later") == ["sent", "purged"]
    assert story.life("id-elsewhere") == ["sent"]
    assert story.life("id-deleted before") == ["sent", "received", "deleted"]
    assert [event.message_id for event in story.events(kinds={EventKind.PURGED})] == [None, None]


def test_messages_of_a_deleted_queue_are_purged_and_the_event_says_why(story, queue):
    story.send(queue, "hello")
    story.delete_queue(queue)
    assert story.life("id-hello") == ["sent", "purged"]
    assert story.events()[-1].details == Details(queue_deleted=True)


def test_a_fault_is_an_event_of_a_message_or_of_a_whole_request(story, queue):
    story.send(queue, "hello")
    story.journal.fault(story.caller, "twice", "duplicate", queue, message_id="id-hello")
    story.journal.fault(story.caller, "slow", "latency")
    assert story.life("id-hello") == ["sent", "fault"]
    first, second = story.events(kinds={EventKind.FAULT})
    assert first.details == Details(fault="twice", fault_kind="duplicate")
    assert (second.account, second.region, second.queue) == ("000000000000", None, None)
    assert (second.message_id, second.at_ms) == (None, START_MS)


def test_a_fault_may_tell_of_a_message_before_it_is_sent(story, queue):
    story.journal.fault(story.caller, "later", "delayed-send", queue, message_id="id-hello")
    story.send(queue, "hello", delay_ms=5_000)
    assert story.life("id-hello") == ["fault", "sent"]
    assert story.journal.history("id-hello").body == "hello"


def test_a_copy_of_a_message_belongs_to_its_history(story, queue):
    story.send(queue, "hello")
    (first,) = story.receive(queue)
    again = draft("hello", message_id="id-hello", sent_ms=story.now_ms)
    at_once(story.engine.append(queue.id, [again]))
    (second,) = story.receive(queue)
    story.delete(queue, first, second)
    assert first.seq != second.seq
    assert story.life("id-hello") == ["sent", "received", "received", "deleted", "deleted"]


def test_a_message_from_before_the_journal_is_known_by_its_first_receive(story, queue):
    with_nobody_watching = story.journal.forget
    story.send(queue, "hello")
    with_nobody_watching()
    story.delete(queue, *story.receive(queue))
    history = story.journal.history("id-hello")
    assert (history.body, [event.kind for event in history.events]) == ("hello", ["received", "deleted"])


def test_equal_ids_in_two_accounts_are_two_messages(story, queue):
    theirs = story.queue(account=OTHER)
    story.live(queue, "mine", message_id="same")
    story.send(theirs, "theirs", message_id="same")
    assert story.journal.history("same", account=OTHER).body == "theirs"
    mine = story.journal.history("same", account="000000000000")
    assert (mine.body, len(mine.events)) == ("mine", 3)
    assert len(story.journal.history("same").events) == 4


def test_a_later_message_with_the_id_of_an_earlier_one_is_another_message(story, queue):
    story.live(queue, "first", message_id="same")
    story.send(queue, "second", message_id="same")
    history = story.journal.history("same")
    assert (history.body, [event.kind for event in history.events]) == ("second", ["sent"])


def test_after_a_restore_another_message_may_have_the_number_of_an_earlier_one(story, queue):
    other = Story()
    other.send(other.queue(), "theirs")
    story.send(queue, "mine")
    at_once(story.engine.restore(at_once(other.engine.snapshot())))
    (delivery,) = story.receive(queue)
    story.delete(queue, delivery)
    assert delivery.message_id == "id-theirs"
    assert story.life("id-mine") == ["sent"]
    assert story.life("id-theirs") == ["received", "deleted"]
    assert story.journal.history("id-theirs").body == "theirs"


def test_the_same_story_has_the_same_bytes_whenever_somebody_asks():
    def told(*, asks: bool) -> bytes:
        story = Story()
        source, dead = story.queue("orders"), story.queue("dead")
        for body in "abc":
            story.send(source, body, attributes={"color": text("blue")})
            story.receive(source, dead)
            story.now_ms += HIDE_MS
            if asks:
                story.events()
        story.move(dead, source, "new-id")
        story.purge(source)
        return msgspec.json.encode(story.events())

    assert told(asks=True) == told(asks=False)


def test_an_event_in_json_has_details_only_where_there_are_some(story, queue):
    story.send(queue, "hello")
    assert msgspec.json.decode(msgspec.json.encode(story.events()[0])) == {
        "number": 1,
        "kind": "sent",
        "at_ms": START_MS,
        "account": "000000000000",
        "region": "us-east-1",
        "queue": "orders",
        "message_id": "id-hello",
        "request_id": "request-1",
        "caller": {"account": "000000000000", "sender_id": "AIDASENDER"},
        "details": {},
    }
