"""Claims of standard queues: in the order of places (spec 3.10, and engine/state/standard.py)."""

from collections.abc import Collection, Sequence
from typing import Final

from emulator.domain.model import Claim, ClaimOrder, DeadLettered, Queue
from emulator.engine.postgres import fair, settling
from emulator.engine.postgres.rows import message_of
from emulator.engine.postgres.work import Work
from emulator.engine.state.fair import MAX_PASSED
from emulator.engine.state.message import IN_FLIGHT, VISIBLE, Message, delivery_of
from emulator.engine.state.standard import TO_THE_BACK

_BEYOND: Final = 2**62
_PAGE: Final = 1_000
_ROUNDS: Final = 3
"""Of looking for messages that nobody else takes at the same moment."""


class Claims:
    """Several claims of one queue, which share what they read."""

    def __init__(
        self, work: Work, queue: Queue, orders: Sequence[ClaimOrder], targets: Collection[int]
    ) -> None:
        self._work = work
        self._queue = queue
        self._targets = targets
        """Dead-letter queues that are there."""
        self._wanted = sum(order.limit for order in orders)
        self._line: list[Message] = []
        """Locked, and not looked at yet."""
        self._last_place = 0
        self._no_more = False
        self._received: list[tuple[Message, int]] = []
        """With the moment until which each is hidden."""
        self.in_flight = 0

    async def take(self, order: ClaimOrder, limit: int) -> tuple[list[Message], list[DeadLettered]]:
        spent: list[Message] = []
        taken = await self._pick(order, limit, spent)
        dead = await self._dead_letter(order, spent)
        back = [message for message in taken if message.receive_count + 1 >= TO_THE_BACK]
        for message, place in zip(back, await self._work.draw(len(back)), strict=True):
            message.place = place
        for message in taken:
            message.receive_count += 1
            message.received_ms = order.now_ms
            if message.first_received_ms is None:
                message.first_received_ms = order.now_ms
            self._received.append((message, order.now_ms + order.hide_ms if order.hide_ms else 0))
        if order.hide_ms:
            self.in_flight += len(taken)
        return taken, dead

    async def store(self) -> None:
        """Writes down what was taken."""
        received, self._received = self._received, []
        self._line, self._last_place, self._no_more = [], 0, False
        if not received:
            return
        await self._work.all(
            "receive",
            self._queue.id,
            [message.seq for message, _ in received],
            [IN_FLIGHT if due_ms else VISIBLE for _, due_ms in received],
            [due_ms for _, due_ms in received],
            [message.received_ms for message, _ in received],
            [message.place for message, _ in received],
            None,
        )
        change = self._work.change(self._queue.id)
        change.in_flight += sum(due_ms > 0 for _, due_ms in received)
        change.tally.received += len(received)

    async def _pick(self, order: ClaimOrder, limit: int, spent: list[Message]) -> list[Message]:
        noisy: list[str] = []
        if self._work.memory.of(self._queue.id).grouped:
            noisy = await fair.noisy_tenants(self._work, self._queue.id, order.now_ms)
        if noisy or order.passes_over is not None:
            return await self._pick_among(order, limit, noisy, spent)
        taken: list[Message] = []
        while len(taken) < limit and (message := await self._leave()) is not None:
            (spent if self._is_spent(order, message.receive_count) else taken).append(message)
        return taken

    async def _leave(self) -> Message | None:
        if not self._line and not self._no_more:
            rows = await self._work.all("visible", self._queue.id, self._last_place, self._wanted)
            self._line = [message_of(row) for row in rows]
            self._no_more = len(rows) < self._wanted
        if not self._line:
            return None
        message = self._line.pop(0)
        self._last_place = message.place
        return message

    def _is_spent(self, order: ClaimOrder, receive_count: int) -> bool:
        redrive = order.redrive
        return (
            redrive is not None
            and redrive.dead_letter_queue_id in self._targets
            and receive_count >= redrive.max_receive_count
        )

    async def _pick_among(
        self, order: ClaimOrder, limit: int, noisy: list[str], spent: list[Message]
    ) -> list[Message]:
        """Looks at the line first, and locks only what it takes."""
        for _ in range(_ROUNDS):
            seqs, dead = await self._choose(order, limit, noisy)
            rows = await self._work.all("visible_among", self._queue.id, [*seqs, *dead])
            found = {message.seq: message for message in map(message_of, rows)}
            if found or not (seqs or dead):
                break
        spent += [found[seq] for seq in dead if seq in found]
        return [found[seq] for seq in seqs if seq in found]

    async def _choose(self, order: ClaimOrder, limit: int, noisy: list[str]) -> tuple[list[int], list[int]]:
        """Those to take, and those that were received too often.

        Messages of quiet tenants first; then those of noisy ones, beginning with the fewest in flight.
        """
        taken: list[int] = []
        passed: list[tuple[int, str | None]] = []
        spent: list[int] = []
        passes_over, over, place = order.passes_over, 0, 0
        while True:
            rows = await self._work.all("line", self._queue.id, place, _PAGE)
            for seq, group_id, receive_count, _ in rows:
                if len(taken) == limit or max(over, len(passed)) == MAX_PASSED:
                    break
                if passes_over is not None and passes_over(seq):
                    over += 1
                elif self._is_spent(order, receive_count):
                    spent.append(seq)
                elif group_id in noisy:
                    passed.append((seq, group_id))
                else:
                    taken.append(seq)
            else:
                if len(rows) == _PAGE:
                    place = rows[-1][3]
                    continue
            break
        for tenant in noisy:
            of_tenant = [seq for seq, group_id in passed if group_id == tenant]
            taken += of_tenant[: limit - len(taken)]
        return taken, spent

    async def _dead_letter(self, order: ClaimOrder, spent: Sequence[Message]) -> list[DeadLettered]:
        if not spent or order.redrive is None:
            return []
        work, target = self._work, order.redrive.dead_letter_queue_id
        seqs = [message.seq for message in spent]
        new_seqs = await work.draw(len(spent))
        arguments = (self._queue.id, seqs, target, new_seqs, self._queue.arn, order.now_ms)
        await work.all("dead_letter", *arguments)
        if any(message.group_id is not None for message in spent):
            await fair.mark_grouped(work, target)
        work.change(self._queue.id).messages -= len(spent)
        work.change(target).messages += len(spent)
        work.notices[target] += len(spent)
        return [DeadLettered(message.message_id, target) for message in spent]


async def claim(
    work: Work, queue: Queue, orders: Sequence[ClaimOrder], targets: Collection[int]
) -> list[Claim]:
    """Orders that hide nothing come alone."""
    now_ms = max(order.now_ms for order in orders)
    _, _, due_ms, _, in_flight = await settling.require_settled(work, queue, now_ms)
    is_fair = work.memory.of(queue.id).grouped
    taking = Claims(work, queue, orders, targets)
    claims: list[Claim] = []
    next_due_ms = _BEYOND if due_ms is None else due_ms
    for order in orders:
        room = order.in_flight_limit - in_flight - taking.in_flight
        if room <= 0:
            claims.append(Claim(over_limit=True, next_due_ms=_known(next_due_ms)))
            continue
        taken, dead = await taking.take(order, min(order.limit, room))
        if is_fair or order.passes_over is not None:
            await taking.store()  # the next one looks at the line anew
        if taken and order.hide_ms:
            next_due_ms = min(next_due_ms, order.now_ms + order.hide_ms)
        claims.append(
            Claim(
                deliveries=tuple(delivery_of(message) for message in taken),
                dead_lettered=tuple(dead),
                next_due_ms=None if taken else _known(next_due_ms),
            )
        )
    await taking.store()
    return claims


def _known(due_ms: int) -> int | None:
    return None if due_ms == _BEYOND else due_ms
