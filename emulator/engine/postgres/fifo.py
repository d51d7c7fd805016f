"""FIFO queues: groups, and the claims that take from them (spec 3.11).

Whoever touches messages of a group has its row of message_group locked; rows are locked in order of ids.
Claims pass groups by that somebody else has locked: the caller tries again, patiently, if it got nothing.
"""

from collections.abc import Collection, Sequence

from emulator.domain.model import Claim, ClaimOrder, Queue
from emulator.engine.postgres import attempts, settling
from emulator.engine.postgres.rows import message_of
from emulator.engine.postgres.taking import Taking
from emulator.engine.postgres.work import Work
from emulator.engine.state.message import IN_FLIGHT, VISIBLE, Message


async def take_groups(work: Work, queue_id: int, group_ids: Collection[str]) -> list[str]:
    """Locks groups to add messages to; those that are new, which are to be refreshed afterwards."""
    rows = await work.all("take_groups", queue_id, sorted(group_ids))
    return [row[0] for row in rows if not row[1]]


def is_hidden(message: Message, now_ms: int) -> bool:
    return message.hidden != VISIBLE and message.due_ms > now_ms


class Groups(Taking):
    def __init__(
        self, work: Work, queue: Queue, orders: Sequence[ClaimOrder], targets: Collection[int]
    ) -> None:
        super().__init__(work, queue, orders, targets)
        self._now_ms = max(order.now_ms for order in orders)
        self._window = max(order.limit for order in orders)
        self._waiting: list[str] = []
        self._runs: dict[str, list[Message]] = {}
        self._served: list[str] = []
        """Groups that were looked at: they are locked."""

    async def _pick(self, order: ClaimOrder, limit: int, spent: list[Message]) -> list[Message]:
        taken: list[Message] = []
        while len(taken) < limit and (group_id := await self._next_group()) is not None:
            taken += await self._take_run(group_id, order, limit - len(taken), spent)
        return taken

    async def store(self, orders: Sequence[ClaimOrder]) -> None:
        """Writes down what was taken. `orders` are hidden all, or none of them."""
        hidden = IN_FLIGHT if orders[0].hide_ms else VISIBLE
        heads: dict[str, Message] = {}
        due_ms = {message.seq: due_ms for message, due_ms in self._received}
        for message, _ in self._received:
            heads.setdefault(message.group_id or "", message)
        if self._received:
            await self._work.all(
                "receive_sequenced",
                self._queue.id,
                [message.seq for message, _ in self._received],
                [hidden] * len(self._received),
                [due_ms for _, due_ms in self._received],
                [message.received_ms for message, _ in self._received],
                [message.place for message, _ in self._received],
                orders[0].attempt_id,
                list(heads),
                [message.seq for message in heads.values()],
                [due_ms[message.seq] for message in heads.values()],
            )
        others = [group_id for group_id in self._served if group_id not in heads]
        if others:
            await self._work.all("refresh_groups", self._queue.id, others)
        change = self._work.change(self._queue.id)
        change.in_flight += self._in_flight
        change.tally.received += len(self._received)

    async def is_contended(self) -> bool:
        """Somebody else has a group locked that is open."""
        row = await self._work.one("has_open_group", self._queue.id, self._now_ms, self._served)
        return row is not None

    async def _next_group(self) -> str | None:
        if not self._waiting and not self._no_more:
            known = self._served
            rows = await self._work.all("open_groups", self._queue.id, self._now_ms, self._wanted, known)
            self._waiting = [row[0] for row in rows]
            self._no_more = len(rows) < self._wanted
            for row in await self._work.all("runs", self._queue.id, self._waiting, self._window, 0):
                self._runs.setdefault(row[7], []).append(message_of(row))
        if not self._waiting:
            return None
        group_id = self._waiting.pop(0)
        self._served.append(group_id)
        return group_id

    async def _take_run(
        self, group_id: str, order: ClaimOrder, limit: int, spent: list[Message]
    ) -> list[Message]:
        """The oldest messages of a group, up to the first that is in flight or delayed."""
        run: list[Message] = []
        window = self._runs.pop(group_id, [])
        while window:
            for message in window:
                if is_hidden(message, self._now_ms):
                    return run
                if self._is_spent(order, message.receive_count):
                    spent.append(message)
                    continue
                run.append(message)
                if len(run) == limit:
                    return run
            if len(window) < self._window:
                return run
            rows = await self._work.all("runs", self._queue.id, [group_id], self._window, window[-1].seq)
            window = [message_of(row) for row in rows]
        return run

    async def _move(self, spent: Sequence[Message], target: int, now_ms: int) -> None:
        work, seqs = self._work, [message.seq for message in spent]
        new_groups = await take_groups(work, target, {message.group_id or "" for message in spent})
        arguments = (self._queue.id, seqs, target, await work.draw(len(spent)), self._queue.arn, now_ms)
        await work.all("dead_letter_fifo", *arguments)
        if new_groups:
            await work.all("refresh_groups", target, new_groups)


async def claim(
    work: Work, queue: Queue, orders: Sequence[ClaimOrder], targets: Collection[int], *, patient: bool
) -> tuple[list[Claim], bool]:
    """Orders that hide nothing, or have an attempt id, come alone. Whether a locked group was passed by.

    `patient`: waits for the first group that is open.
    """
    now_ms = max(order.now_ms for order in orders)
    standing = await settling.require_settled(work, queue, now_ms)
    order = orders[0]
    if order.attempt_id is not None:
        repeated = await attempts.repeat(work, queue, order)
        if repeated is not None:
            return [repeated], False
    if patient:
        await work.one("first_open_group", queue.id, now_ms)
    _, _, due_ms, _, in_flight = standing
    groups = Groups(work, queue, orders, targets)
    claims = await groups.claims(orders, due_ms, in_flight)
    await groups.store(orders)
    if order.attempt_id is not None and claims[0].deliveries:
        await attempts.remember(work, queue, order, claims[0].deliveries)
    is_empty = any(not one.deliveries and not one.over_limit for one in claims)
    return claims, is_empty and await groups.is_contended()
