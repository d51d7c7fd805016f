"""What must hold whatever happens: each invariant has a name, and a failure begins with it.

The checks of a receive compare what the emulator handed out with the reference as it was just before.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.model.reference import Message, Queue, Reference, Refused


@dataclass(frozen=True)
class Delivered:
    """One message as ReceiveMessage returned it."""

    number: int
    message_id: str
    body: str
    handle: str
    attributes: Mapping[str, str]

    @property
    def receives(self) -> int:
        return int(self.attributes["ApproximateReceiveCount"])


Batch = Sequence[Delivered]


def check_receive(reference: Reference, queue: Queue, batch: Batch) -> None:
    """All that can be said of a receive before asking the reference what it would have handed out."""
    deduplicated_sends_add_nothing(reference, batch)
    nothing_deleted_returns(reference, batch)
    expired_messages_never_appear(reference, batch)
    a_message_is_in_one_place(queue, batch)
    before = {message.number: message for message in queue.messages}
    pairs = [(one, before[one.number]) for one in batch]
    a_hidden_message_is_not_handed_out(reference, pairs)
    receive_counts_rise_by_one(pairs)
    dead_lettering_happens_at_receive_n_plus_one(reference, queue, pairs)
    a_handle_belongs_to_one_receive(reference, batch)
    if queue.is_fifo:
        order_within_a_group(queue, pairs)
        a_group_in_flight_is_locked(reference, queue, pairs)


Pairs = Sequence[tuple[Delivered, Message]]


def nothing_deleted_returns(reference: Reference, batch: Batch) -> None:
    returned = [one.number for one in batch if one.number in reference.deleted]
    assert not returned, f"nothing deleted returns: {returned}"


def expired_messages_never_appear(reference: Reference, batch: Batch) -> None:
    appeared = [one.number for one in batch if one.number in reference.expired]
    assert not appeared, f"expired messages never appear: {appeared}"


def deduplicated_sends_add_nothing(reference: Reference, batch: Batch) -> None:
    added = [one.number for one in batch if one.number in reference.duplicates]
    assert not added, f"deduplicated sends add nothing: {added}"


def a_message_is_in_one_place(queue: Queue, batch: Batch) -> None:
    numbers = [one.number for one in batch]
    assert len(numbers) == len(set(numbers)), f"a message is in one place: {numbers}"
    here = {message.number for message in queue.messages}
    strangers = [number for number in numbers if number not in here]
    assert not strangers, f"a message is in one place: {strangers} are not in {queue.name}"


def a_hidden_message_is_not_handed_out(reference: Reference, pairs: Pairs) -> None:
    hidden = [one.number for one, before in pairs if before.due_ms > reference.now_ms]
    assert not hidden, f"a hidden message is not handed out: {hidden}"


def receive_counts_rise_by_one(pairs: Pairs) -> None:
    for one, before in pairs:
        assert one.receives == before.receives + 1, (
            f"receive counts rise by one: {one.number} went from {before.receives} to {one.receives}"
        )


def dead_lettering_happens_at_receive_n_plus_one(reference: Reference, queue: Queue, pairs: Pairs) -> None:
    """Not later. That it is not earlier: nothing_visible_is_withheld, here and in the dead-letter queue."""
    late = [one.number for one, before in pairs if reference.is_spent(queue, before)]
    assert not late, f"dead-lettering happens at receive N+1: {late} were handed out once more"


def a_handle_belongs_to_one_receive(reference: Reference, batch: Batch) -> None:
    known = [one.number for one in batch if one.handle in reference.receipts]
    assert not known, f"a handle belongs to one receive: those of {known} were given out before"
    handles = {one.handle for one in batch}
    assert len(handles) == len(batch), "a handle belongs to one receive: two messages have the same"


def order_within_a_group(queue: Queue, pairs: Pairs) -> None:
    places = {message.number: place for place, message in enumerate(queue.messages)}
    by_group: dict[str | None, list[int]] = {}
    for one, before in pairs:
        by_group.setdefault(before.group, []).append(places[one.number])
    for group, order in by_group.items():
        assert order == sorted(order), f"order within a group: {group} came as {order}"


def a_group_in_flight_is_locked(reference: Reference, queue: Queue, pairs: Pairs) -> None:
    """Before a message all older ones of its group go out, or were received too often and moved."""
    numbers = {one.number for one, _ in pairs}
    for one, before in pairs:
        for older in queue.messages[: queue.messages.index(before)]:
            if older.group == before.group and older.number not in numbers:
                is_moved = older.due_ms <= reference.now_ms and reference.is_spent(queue, older)
                assert is_moved, (
                    f"a group in flight is locked: {one.number} overtook {older.number} in {older.group}"
                )


def nothing_visible_is_withheld(expected: Sequence[Message], batch: Batch) -> None:
    missing = {message.number for message in expected} - {one.number for one in batch}
    assert not missing, f"nothing visible is withheld: {sorted(missing)} should have been handed out"


def messages_come_in_their_order(queue: Queue, expected: Sequence[Message], batch: Batch) -> None:
    """Standard: as sent, those received three times at the back. FIFO: group by group (spec 3.10, 3.11)."""
    order, found = [message.number for message in expected], [one.number for one in batch]
    assert found == order, f"messages of {queue.name} come in their order: {found} instead of {order}"


def a_message_stays_what_it_is(message: Message, one: Delivered, arns: Mapping[str, str]) -> None:
    """Body and attributes, and the ids once they were seen."""
    source = message.dead_letter_source
    expected = {
        "MessageGroupId": message.group,
        "MessageDeduplicationId": message.deduplication_id,
        "SentTimestamp": str(message.sent_ms),
        "ApproximateFirstReceiveTimestamp": str(message.first_received_ms),
        "ApproximateReceiveCount": str(message.receives),
        "DeadLetterQueueSourceArn": None if source is None else arns[source],
    }
    found = {name: one.attributes.get(name) for name in expected}
    assert found == expected, f"a message stays what it is: {found} instead of {expected}"
    assert one.body == message.body, f"a message stays what it is: {one.body} instead of {message.body}"
    for name, known, now in (
        ("MessageId", message.message_id, one.message_id),
        ("SequenceNumber", message.sequence_number, one.attributes.get("SequenceNumber")),
    ):
        assert known in (None, now), f"a message stays what it is: {name} {now} instead of {known}"


def a_repeated_attempt_gets_the_same(expected: Sequence[Message], batch: Batch) -> None:
    handles = [message.handle for message in expected]
    assert [one.handle for one in batch] == handles, "a repeated attempt gets the same messages and handles"


def an_answer_is_as_expected(refusal: Refused | None, found: tuple[str, str] | None, what: str) -> None:
    """Above all: a handle acts only on its own receive. `found`: the error and its text, None for success."""
    if refusal is None:
        assert found is None, f"a handle acts only on its own receive: {what} was refused with {found}"
    else:
        assert found is not None, f"a handle acts only on its own receive: {what} lacks {refusal}"
        is_it = found[0] == refusal.error and refusal.words in found[1]
        assert is_it, (
            f"a handle acts only on its own receive: {what} was refused with {found} instead of {refusal}"
        )


def a_duplicate_is_answered_with_the_original(original: Message, found: tuple[str, str | None]) -> None:
    expected = (original.message_id, original.sequence_number)
    assert found == expected, f"deduplicated sends add nothing: answered {found} instead of {expected}"


def a_move_task_keeps_its_rate(expected: object, found: object) -> None:
    assert found == expected, (
        f"a move task keeps its rate: (status, moved, to move, failure) is {found} instead of {expected}"
    )


def content_id(body: str) -> str:
    """Content-based deduplication, as documented: the SHA-256 of the body."""
    return hashlib.sha256(body.encode()).hexdigest()


Found = Mapping[str, tuple[int, int, int]]


def counts_add_up(reference: Reference, found: Found) -> None:
    expected = {name: reference.counts(name) for name in found}
    assert dict(found) == expected, (
        f"counts add up: (visible, in flight, delayed) are {dict(found)} instead of {expected}"
    )
    held = sum(sum(counts) for counts in found.values())
    gone = len(reference.deleted) + len(reference.expired)
    assert held == len(reference.accepted) - gone, (
        f"counts add up: {held} are held, but {len(reference.accepted)} were accepted and {gone} went"
    )


def nothing_accepted_is_lost(reference: Reference, found: set[int]) -> None:
    """Everything accepted was deleted, expired, or handed out when all queues were emptied at the end."""
    lost = reference.accepted - reference.deleted - reference.expired - found
    assert not lost, f"nothing accepted is lost: {sorted(lost)} never came"
