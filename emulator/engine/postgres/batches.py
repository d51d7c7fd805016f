"""Requests that share transactions with others of their kind: the short way first, then the longer one."""

from collections.abc import Sequence
from typing import Any

from emulator.domain.model import Accepted, Draft, Outcome, Queue, Receipt, VisibilityChange
from emulator.engine.postgres import fast, receipts, sending
from emulator.engine.postgres.node import Node
from emulator.engine.postgres.receipts import Deletion, Hiding


async def append(node: Node, queue_id: int, drafts: Sequence[Draft]) -> Sequence[Accepted]:
    async def run(requests: Sequence[Sequence[Draft]]) -> Sequence[Any]:
        accepted = await fast.append(node, queue_id, requests)
        if accepted is not None:
            return accepted
        return await node.run(lambda work, some: sending.append(work, queue_id, some), requests, [queue_id])

    accepted: Sequence[Accepted] = await node.together("append", queue_id, drafts, run, len(drafts))
    return accepted


async def delete(node: Node, queue: Queue, held: Sequence[Receipt], now_ms: int) -> Sequence[Outcome]:
    async def run(requests: Sequence[Deletion]) -> Sequence[Any]:
        outcomes = await fast.delete(node, queue, requests)
        if outcomes is not None:
            return outcomes
        return await node.run(lambda work, some: receipts.delete(work, queue, some), requests, [queue.id])

    outcomes: Sequence[Outcome] = await node.together(
        "delete", queue.id, Deletion(held, now_ms), run, len(held)
    )
    return outcomes


async def set_visibility(
    node: Node, queue: Queue, changes: Sequence[VisibilityChange], now_ms: int
) -> Sequence[Outcome]:
    async def run(requests: Sequence[Hiding]) -> Sequence[Any]:
        return await node.run(
            lambda work, some: receipts.set_visibility(work, queue, some), requests, [queue.id]
        )

    outcomes: Sequence[Outcome] = await node.together(
        "hide", queue.id, Hiding(changes, now_ms), run, len(changes)
    )
    return outcomes
