"""What must hold however often the server was killed. Each check has a name, and a failure begins with it."""

import math
from collections import Counter, defaultdict
from itertools import pairwise

from tests.crash.ledger import Ledger, Receive, Received, Sent

MARGIN_S = 0.05
"""The clients' clock and the server's may differ by so much."""
SHOWN = 5


def check_all(ledger: Ledger) -> None:
    for check in CHECKS:
        check(ledger)


def nothing_unexpected_is_answered(ledger: Ledger) -> None:
    _none_of(ledger.surprises, "nothing unexpected is answered or logged")


def nothing_acknowledged_is_lost(ledger: Ledger) -> None:
    """At the end all queues were emptied, so each message must have been seen by somebody who deleted it."""
    asked = {delete.name for delete in ledger.deletes}
    _none_of(sorted(ledger.acknowledged.keys() - asked), "nothing acknowledged is lost")


def nothing_deleted_comes_back(ledger: Ledger) -> None:
    deleted_s: dict[str, float] = {}
    for delete in ledger.deletes:
        if delete.answered_s is not None:
            deleted_s[delete.name] = min(delete.answered_s, deleted_s.get(delete.name, delete.answered_s))
    back = [
        one.name
        for receive, one in ledger.deliveries()
        if receive.started_s > deleted_s.get(one.name, receive.started_s)
    ]
    _none_of(back, "nothing deleted comes back")


def a_group_keeps_its_order(ledger: Ledger) -> None:
    """Before a message goes out, all older ones of its group do so in the same answer, or are deleted."""
    first_asked_s: dict[str, float] = {}
    for delete in ledger.deletes:
        first_asked_s[delete.name] = min(delete.asked_s, first_asked_s.get(delete.name, delete.asked_s))
    groups: dict[str, dict[int, str]] = defaultdict(dict)
    for name, sent in ledger.sent.items():
        if sent.group is not None:
            groups[sent.group][sent.number] = name
    all_asked_s = {group: _all_asked_s(names, first_asked_s) for group, names in groups.items()}
    overtaken = []
    for receive in ledger.receives:
        earlier: set[str] = set()
        first: dict[str, int] = {}
        for one in receive.messages:
            sent = ledger.sent.get(one.name)
            if sent is not None and sent.group is not None:
                start = first.setdefault(sent.group, sent.number)
                is_clear = all_asked_s[sent.group][start] <= receive.answered_s
                for number in range(start if is_clear else 0, sent.number):
                    older = groups[sent.group][number]
                    asked_s = first_asked_s.get(older)
                    if older not in earlier and (asked_s is None or asked_s > receive.answered_s):
                        overtaken.append(f"{one.name} overtook {older}")
                earlier.add(one.name)
    _none_of(overtaken, "a group keeps its order")


def a_message_stays_what_it_is(ledger: Ledger) -> None:
    changed = []
    for _, one in ledger.deliveries():
        sent = ledger.sent.get(one.name)
        if sent is None:
            changed.append(f"{one.body[:40]!r} was never sent")
        elif (one.body, one.kind, one.group) != (sent.body, sent.kind, sent.group):
            changed.append(f"{one.name} came as {one.body[:40]!r}, {one.kind}, {one.group}")
    _none_of(changed, "a message stays what it is")


def a_repeated_fifo_send_adds_nothing(ledger: Ledger) -> None:
    """FIFO sends without an answer are repeated with their deduplication ids until they have one."""
    known = {
        name: {(answer.message_id, answer.sequence_number)}
        for name, answer in ledger.acknowledged.items()
        if ledger.sent[name].group is not None
    }
    for _, one in ledger.deliveries():
        if one.group is not None:
            known.setdefault(one.name, set()).add((one.message_id, one.sequence_number))
    doubled = [f"{name} is {sorted(ids)}" for name, ids in known.items() if len(ids) > 1]
    _none_of(doubled, "a repeated FIFO send adds nothing")


def nothing_is_doubled(ledger: Ledger) -> None:
    """While the queues were emptied, each message was in one queue, once."""
    drained = Counter(one.name for receive, one in ledger.deliveries() if receive.in_drain)
    _none_of([name for name, count in drained.items() if count > 1], "nothing is doubled")


def what_is_in_flight_stays_hidden(ledger: Ledger) -> None:
    seen = []
    for name, receives in _by_start(ledger).items():
        for (before, _), (after, _) in pairwise(receives):
            if after.answered_s < before.started_s + before.hidden_s - MARGIN_S:
                early_s = before.started_s + before.hidden_s - after.answered_s
                seen.append(f"{name} came back {early_s:.3f} s early")
    _none_of(seen, "what is in flight stays hidden")


def receives_are_counted(ledger: Ledger) -> None:
    last: dict[str, int] = {}
    miscounted = []
    for receive, one in sorted(ledger.deliveries(), key=lambda pair: pair[0].started_s):
        if one.receives <= last.get(one.message_id, 0):
            miscounted.append(f"{one.name} received as number {one.receives} twice, last by {receive.queue}")
        last[one.message_id] = one.receives
    _none_of(miscounted, "receives are counted")


def numbers_are_never_used_again(ledger: Ledger) -> None:
    """A handle holds the number of its message, and so does a sequence number."""
    owners: dict[str, set[str]] = defaultdict(set)
    for _, one in ledger.deliveries():
        owners[one.handle].add(one.name)
        if one.sequence_number is not None:
            owners[one.sequence_number].add(one.name)
    for name, answer in ledger.acknowledged.items():
        if answer.sequence_number is not None:
            owners[answer.sequence_number].add(name)
    shared = [f"{sorted(names)} share {text[:40]}" for text, names in owners.items() if len(names) > 1]
    _none_of(shared, "numbers are never used again")


def sequence_numbers_rise(ledger: Ledger) -> None:
    groups: dict[str, list[tuple[Sent, str, str]]] = defaultdict(list)
    for name, answer in ledger.acknowledged.items():
        sent = ledger.sent[name]
        if sent.group is not None and answer.sequence_number is not None:
            groups[sent.group].append((sent, name, answer.sequence_number))
    falling = [
        f"{later[1]} has {later[2]} after {earlier[2]}"
        for messages in groups.values()
        for earlier, later in pairwise(sorted(messages, key=lambda one: one[0].number))
        if later[2] <= earlier[2]
    ]
    _none_of(falling, "sequence numbers rise")


def move_tasks_end(ledger: Ledger) -> None:
    going_on = [status for status in ledger.tasks_ended if status not in ("COMPLETED", "FAILED")]
    _none_of(going_on, "move tasks end")


def _all_asked_s(names: dict[int, str], first_asked_s: dict[str, float]) -> list[float]:
    """For each number of a group, when the last of the deletes of all older ones was asked for."""
    found, latest_s = [], 0.0
    for number in range(len(names)):
        found.append(latest_s)
        latest_s = max(latest_s, first_asked_s.get(names[number], math.inf))
    return found


CHECKS = (
    nothing_unexpected_is_answered,
    a_message_stays_what_it_is,
    nothing_deleted_comes_back,
    a_repeated_fifo_send_adds_nothing,
    a_group_keeps_its_order,
    what_is_in_flight_stays_hidden,
    receives_are_counted,
    numbers_are_never_used_again,
    sequence_numbers_rise,
    move_tasks_end,
    nothing_is_doubled,
    nothing_acknowledged_is_lost,
)


def _by_start(ledger: Ledger) -> dict[str, list[tuple[Receive, Received]]]:
    found: dict[str, list[tuple[Receive, Received]]] = defaultdict(list)
    for receive, one in sorted(ledger.deliveries(), key=lambda pair: pair[0].started_s):
        found[one.name].append((receive, one))
    return found


def _none_of(wrong: list[str], name: str) -> None:
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    assert not wrong, f"{name}: {'; '.join(wrong[:SHOWN])}{more}"
