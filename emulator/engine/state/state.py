"""All queues and what belongs to them. Plain data in one process: nothing here waits or fails half-way."""

import bisect

from emulator.domain.alarms import Alarm
from emulator.domain.model import MoveTask, Queue, QueueKey
from emulator.engine.state.changes import AlarmKey, Recorder
from emulator.engine.state.fifo import FifoBacklog
from emulator.engine.state.seqs import Seqs
from emulator.engine.state.standard import StandardBacklog
from emulator.errors import QueueDoesNotExist


class State:
    def __init__(self, recorder: Recorder, *, next_seq: int = 1, next_queue_id: int = 1) -> None:
        self.recorder = recorder
        self.seqs = Seqs(next_seq, recorder)
        self.queues: dict[QueueKey, Queue] = {}
        self.keys: dict[int, QueueKey] = {}
        self.backlogs: dict[int, StandardBacklog | FifoBacklog] = {}
        """By queue id, as `keys`."""
        self.deleted_ms: dict[QueueKey, int] = {}
        """When a queue of this name was deleted."""
        self.move_tasks: dict[str, MoveTask] = {}
        """By task id, the oldest first."""
        self.alarms: dict[AlarmKey, Alarm] = {}
        self.next_queue_id = next_queue_id
        """Never used again: old receipt handles must not fit a new queue."""
        self._in_order: list[QueueKey] = []

    def queue(self, queue_id: int) -> Queue:
        """Raises QueueDoesNotExist."""
        key = self.keys.get(queue_id)
        if key is None:
            raise QueueDoesNotExist
        return self.queues[key]

    def backlog(self, queue_id: int) -> StandardBacklog | FifoBacklog:
        """Raises QueueDoesNotExist."""
        backlog = self.backlogs.get(queue_id)
        if backlog is None:
            raise QueueDoesNotExist
        return backlog

    def add(self, queue: Queue, *, grouped: bool = False) -> None:
        self.queues[queue.key] = queue
        self.keys[queue.id] = queue.key
        bisect.insort(self._in_order, queue.key)
        if queue.is_fifo:
            self.backlogs[queue.id] = FifoBacklog(queue.id, self.recorder, self.seqs)
        else:
            self.backlogs[queue.id] = StandardBacklog(queue.id, self.recorder, self.seqs, grouped=grouped)
        self.backlogs[queue.id].diary.begin(queue.created_ms, opened=True)

    def remove(self, queue: Queue) -> None:
        del self.queues[queue.key]
        del self.keys[queue.id]
        del self.backlogs[queue.id]
        del self._in_order[bisect.bisect_left(self._in_order, queue.key)]

    def count_on_from(self, earlier: "State") -> None:
        """From now on gives only numbers that `earlier` did not give either."""
        self.seqs.begin_at(earlier.seqs.next)
        self.next_queue_id = max(self.next_queue_id, earlier.next_queue_id)

    def tell_all(self, recorder: Recorder) -> None:
        """Records everything as if it were new."""
        for queue in self.queues.values():
            recorder.queue(queue.id, queue)
            self.backlogs[queue.id].tell_all(recorder)
        for key, deleted_ms in self.deleted_ms.items():
            recorder.deleted_name(key, deleted_ms)
        for task in self.move_tasks.values():
            recorder.move_task(task.task_id, task)
        for alarm_key, alarm in self.alarms.items():
            recorder.alarm(alarm_key, alarm)
        recorder.reserved_seq(self.seqs.next)
        recorder.reserved_queue_id(self.next_queue_id)

    def all_queues(self, account: str | None, region: str | None) -> list[Queue]:
        """Of this account and region, or of any, in order of key."""
        return [self.queues[key] for key in self._in_order if is_of(key, account, region)]

    def names(self, account: str, region: str, prefix: str, after: str, limit: int) -> list[str]:
        """In order, those greater than `after` only."""
        found: list[str] = []
        first = bisect.bisect_left(self._in_order, QueueKey(account, region, max(prefix, after)))
        for index in range(first, len(self._in_order)):
            key = self._in_order[index]
            if len(found) == limit or key[:2] != (account, region) or not key.name.startswith(prefix):
                break
            if key.name > after:
                found.append(key.name)
        return found


def is_of(key: QueueKey, account: str | None, region: str | None) -> bool:
    """None stands for any."""
    return account in (None, key.account) and region in (None, key.region)
