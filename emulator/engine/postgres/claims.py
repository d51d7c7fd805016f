"""Claims of a node: which of them may share a transaction."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from emulator.domain.model import Claim, ClaimOrder, Queue
from emulator.engine.postgres import fast, fifo, standard
from emulator.engine.postgres.node import Node
from emulator.engine.postgres.work import Work

_PATIENT_ROUNDS: Final = 10


class Ask(msgspec.Struct, frozen=True, gc=False):
    queue: Queue
    order: ClaimOrder


async def claim(node: Node, queue: Queue, order: ClaimOrder) -> Claim:
    ask = Ask(queue, order)
    if order.hide_ms == 0 or order.attempt_id is not None:
        found, contended = await _alone(node, ask, patient=False)
    else:
        found, contended = await node.together(
            "claim", queue.id, ask, lambda asks: _claim_together(node, asks), order.limit
        )
    for _ in range(_PATIENT_ROUNDS):
        if not contended or found.deliveries:
            break
        # Somebody else has the groups locked that are open, perhaps only to add a message.
        moved = found.dead_lettered
        found, contended = await _alone(node, ask, patient=True)
        if moved:
            found = msgspec.structs.replace(found, dead_lettered=moved + found.dead_lettered)
    return found


async def _claim_together(node: Node, asks: Sequence[Ask]) -> Sequence[Any]:
    claims = await fast.claim(node, asks[-1].queue, [ask.order for ask in asks])
    if claims is not None:
        return [(one, False) for one in claims]
    return await node.run(_claim_all, asks, _locks(asks))


async def _alone(node: Node, ask: Ask, *, patient: bool) -> tuple[Claim, bool]:
    (found,) = await node.do(lambda work: _claim_all(work, [ask], patient=patient), shared=_locks([ask]))
    return found


def _locks(asks: Sequence[Ask]) -> set[int]:
    targets = {ask.order.redrive.dead_letter_queue_id for ask in asks if ask.order.redrive is not None}
    return {asks[0].queue.id} | targets


async def _claim_all(work: Work, asks: Sequence[Ask], *, patient: bool = False) -> list[tuple[Claim, bool]]:
    """With each claim, whether it makes sense to try again."""
    queue, orders = asks[-1].queue, [ask.order for ask in asks]
    targets = _locks(asks) - {queue.id}
    there = {target for target in targets if await work.one("is_there", target) is not None}
    if not queue.is_fifo:
        return [(one, False) for one in await standard.claim(work, queue, orders, there)]
    claims, contended = await fifo.claim(work, queue, orders, there, patient=patient)
    return [(one, contended and not one.deliveries and not one.over_limit) for one in claims]
