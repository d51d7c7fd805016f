"""Several claims of one queue in a transaction, which share what they read; subclasses say what is taken."""

from collections.abc import Collection, Sequence
from typing import Final

from emulator.domain.model import Claim, ClaimOrder, DeadLettered, Queue
from emulator.engine.postgres.work import Work
from emulator.engine.state.message import Message, delivery_of

_BEYOND: Final = 2**62


class Taking:
    def __init__(
        self, work: Work, queue: Queue, orders: Sequence[ClaimOrder], targets: Collection[int]
    ) -> None:
        """`targets`: dead-letter queues that are there."""
        self._work = work
        self._queue = queue
        self._targets = targets
        self._wanted = sum(order.limit for order in orders)
        self._no_more = False
        """Nothing is left that could be read."""
        self._received: list[tuple[Message, int]] = []
        """Not stored yet, with the moment until which each is hidden."""
        self._in_flight = 0

    async def claims(self, orders: Sequence[ClaimOrder], due_ms: int | None, in_flight: int) -> list[Claim]:
        """One for each order. `due_ms`: when the next hidden message of the queue becomes visible."""
        claims: list[Claim] = []
        next_due_ms = _BEYOND if due_ms is None else due_ms
        for order in orders:
            room = order.in_flight_limit - in_flight - self._in_flight
            if room <= 0:
                claims.append(Claim(over_limit=True, next_due_ms=_known(next_due_ms)))
                continue
            taken, dead = await self._take(order, min(order.limit, room))
            if taken and order.hide_ms:
                next_due_ms = min(next_due_ms, order.now_ms + order.hide_ms)
            claims.append(
                Claim(
                    deliveries=tuple(delivery_of(message) for message in taken),
                    dead_lettered=tuple(dead),
                    next_due_ms=None if taken else _known(next_due_ms),
                )
            )
        return claims

    async def _take(self, order: ClaimOrder, limit: int) -> tuple[list[Message], list[DeadLettered]]:
        spent: list[Message] = []
        taken = await self._pick(order, limit, spent)
        dead = await self._dead_letter(order, spent)
        for message in taken:
            message.receive_count += 1
            message.received_ms = order.now_ms
            if message.first_received_ms is None:
                message.first_received_ms = order.now_ms
            self._received.append((message, order.now_ms + order.hide_ms))
        if order.hide_ms:
            self._in_flight += len(taken)
        return taken, dead

    async def _pick(self, order: ClaimOrder, limit: int, spent: list[Message]) -> list[Message]:
        """Messages, locked. Adds to `spent` those that were received too often."""
        raise NotImplementedError

    def _is_spent(self, order: ClaimOrder, receive_count: int) -> bool:
        redrive = order.redrive
        return (
            redrive is not None
            and redrive.dead_letter_queue_id in self._targets
            and receive_count >= redrive.max_receive_count
        )

    async def _dead_letter(self, order: ClaimOrder, spent: Sequence[Message]) -> list[DeadLettered]:
        if not spent or order.redrive is None:
            return []
        target = order.redrive.dead_letter_queue_id
        await self._move(spent, target, order.now_ms)
        self._work.change(self._queue.id).messages -= len(spent)
        self._work.change(target).messages += len(spent)
        self._work.notices[target] += len(spent)
        return [DeadLettered(message.message_id, target) for message in spent]

    async def _move(self, spent: Sequence[Message], target: int, now_ms: int) -> None:
        """To the dead-letter queue of this id."""
        raise NotImplementedError


def _known(due_ms: int) -> int | None:
    return None if due_ms == _BEYOND else due_ms
