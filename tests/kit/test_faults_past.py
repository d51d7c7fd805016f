from emulator.domain.model import Counts, Queue, QueueKey
from emulator.faults import past
from emulator.faults.past import Past


def queue(number=1, account="000000000000"):
    key = QueueKey(account, "us-east-1", f"{number}")
    return Queue(id=number, key=key, created_ms=0, modified_ms=0, attributes={}, tags={})


def test_what_is_remembered_is_bounded(monkeypatch):
    for limit in ("MAX_DUPLICATED", "MAX_DELETED", "MAX_QUEUES", "MAX_ENTRIES"):
        monkeypatch.setattr(past, limit, 3)
    memory = Past()
    for number in range(10):
        memory.duplicated(queue(), f"{number}")
        memory.queue_deleted(queue(number), now_ms=number)
        memory.queue_changed(queue(1000 + number), now_ms=number)
        memory.counted(queue(2000), Counts(number, 0, 0), now_ms=number)
    assert [number for number in range(10) if memory.was_duplicated(queue(), f"{number}")] == [7, 8, 9]
    assert [key.name for key in memory.deleted] == ["7", "8", "9"]
    changed = [1000 + number for number in range(10)]
    known = [one for one in changed if memory.queue_at(queue(one, "1"), -1, 99).key.account != "1"]
    assert known == [1007, 1008, 1009]
    assert memory.counts_since(queue(2000), -1, 99) == Counts(7, 0, 0)
    memory.clear()
    assert not memory.deleted
    assert not memory.was_duplicated(queue(), "9")


def test_messages_of_accounts_with_equal_seeds_are_told_apart():
    memory = Past()
    memory.duplicated(queue(account="111111111111"), "id")
    assert not memory.was_duplicated(queue(account="222222222222"), "id")


def test_a_queue_that_is_deleted_takes_its_past_along():
    memory = Past()
    memory.queue_changed(queue(), now_ms=5)
    memory.counted(queue(), Counts(1, 0, 0), now_ms=5)
    memory.queue_deleted(queue(), now_ms=6)
    other = queue(account="222222222222")
    assert memory.queue_at(other, 0, 9) is other
    assert memory.counts_since(queue(), 0, 9) is None
