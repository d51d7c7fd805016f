"""Claims of standard queues: in the order of places (spec 3.10, and engine/state/standard.py)."""

from collections.abc import Collection, Sequence
from typing import Final

from emulator.domain.model import Claim, ClaimOrder, DeadLettered, Queue
from emulator.engine.postgres import fair, settling
from emulator.engine.postgres.rows import message_of
from emulator.engine.postgres.taking import Taking
from emulator.engine.postgres.work import Work
from emulator.engine.state.fair import MAX_PASSED
from emulator.engine.state.message import IN_FLIGHT, VISIBLE, Message
from emulator.engine.state.standard import TO_THE_BACK

_PAGE: Final = 1_000
_ROUNDS: Final = 3
"""Of looking for messages that nobody else takes at the same moment."""


class Line(Taking):
    def __init__(
        self, work: Work, queue: Queue, orders: Sequence[ClaimOrder], targets: Collection[int]
    ) -> None:
        super().__init__(work, queue, orders, targets)
        self._line: list[Message] = []
        """Locked, and not looked at yet."""
        self._last_place = 0

    async def store(self) -> None:
        """Writes down what was taken."""
        received, self._received = self._received, []
        self._line, self._last_place, self._no_more = [], 0, False
        if not received:
            return
        is_hidden = [due_ms > (message.received_ms or 0) for message, due_ms in received]
        await self._work.all(
            "receive",
            self._queue.id,
            [message.seq for message, _ in received],
            [IN_FLIGHT if hidden else VISIBLE for hidden in is_hidden],
            [due_ms if hidden else 0 for (_, due_ms), hidden in zip(received, is_hidden, strict=True)],
            [message.received_ms for message, _ in received],
            [message.place for message, _ in received],
            None,
        )
        change = self._work.change(self._queue.id)
        change.in_flight += sum(is_hidden)
        change.tally.received += len(received)

    async def _take(self, order: ClaimOrder, limit: int) -> tuple[list[Message], list[DeadLettered]]:
        if self._work.memory.of(self._queue.id).grouped or order.passes_over is not None:
            await self.store()  # it looks at the line anew
        taken, dead = await super()._take(order, limit)
        back = [message for message in taken if message.receive_count >= TO_THE_BACK]
        for message, place in zip(back, await self._work.draw(len(back)), strict=True):
            message.place = place
        return taken, dead

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

    async def _move(self, spent: Sequence[Message], target: int, now_ms: int) -> None:
        work, seqs = self._work, [message.seq for message in spent]
        arguments = (self._queue.id, seqs, target, await work.draw(len(spent)), self._queue.arn, now_ms)
        await work.all("dead_letter", *arguments)
        if any(message.group_id is not None for message in spent):
            await fair.mark_grouped(work, target)


async def claim(
    work: Work, queue: Queue, orders: Sequence[ClaimOrder], targets: Collection[int]
) -> list[Claim]:
    """Orders that hide nothing come alone."""
    now_ms = max(order.now_ms for order in orders)
    _, _, due_ms, _, in_flight = await settling.require_settled(work, queue, now_ms)
    line = Line(work, queue, orders, targets)
    claims = await line.claims(orders, due_ms, in_flight)
    await line.store()
    return claims
