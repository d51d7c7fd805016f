"""Reset, and snapshots of the whole state."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta

from emulator.errors import InvalidSnapshot
from emulator.faults.faults import declared_faults
from emulator.web.kit.calls import Call, Parts, Visit
from emulator.web.kit.places import WAITS_OF_THE_KIT, Account, QueueName, Region, find
from emulator.web.kit.problems import Problem

SNAPSHOT_TYPE = "application/vnd.sqlite3"


class Reset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to reset: everything, or what belongs to all that is named.

    The queues that the config file declares are created anew. With an account, its clock, seed and faults go
    too, whatever the region. The server's own clock and seed stay as they are; its faults are those of its
    settings again if everything is reset.
    """

    account: Account | None = None
    region: Region | None = None
    queue: QueueName | None = None


class ResetDone(msgspec.Struct, frozen=True, kw_only=True):
    queues: Annotated[int, Meta(description="How many queues are gone; with `queue`, 1: that was emptied.")]


async def reset(visit: Visit, what: Reset) -> ResetDone:
    parts = visit.parts
    if what.queue is not None:
        return await _reset_queue(parts, what, what.queue)
    if what.account is not None:
        await parts.drop_worlds(what.account)
    elif what.region is None:
        await parts.drop_worlds(None)
        parts.worlds.server.faults = declared_faults(parts.settings, parts.worlds.server.chance)
    gone = await parts.engine.reset(account=what.account, region=what.region)
    if parts.journal is not None:
        parts.journal.forget(account=what.account, region=what.region)
    if what.account in (None, parts.settings.account) and what.region in (None, parts.settings.region):
        await parts.declare_queues()
    wake(parts, gone)  # who waits there finds no queue, or a new one
    return ResetDone(queues=len(gone))


async def _reset_queue(parts: Parts, what: Reset, name: str) -> ResetDone:
    queue = await find(parts, name, what.account, what.region)
    await parts.engine.reset_queue(queue.id)
    if parts.journal is not None:
        account, region, own_name = queue.key
        parts.journal.forget(account=account, region=region, queue=own_name)
    wake(parts, [queue.id])
    return ResetDone(queues=1)


def wake(parts: Parts, queue_ids: Iterable[int]) -> None:
    for queue_id in (*queue_ids, WAITS_OF_THE_KIT):
        parts.signals.notify_all(queue_id)


async def take_snapshot(visit: Visit) -> bytes:
    return await visit.parts.engine.snapshot()


async def restore_snapshot(visit: Visit, snapshot: bytes) -> None:
    parts = visit.parts
    waited_on = [queue.id for queue in await parts.engine.all_queues()]
    try:
        await parts.engine.restore(snapshot)
    except InvalidSnapshot as error:
        raise Problem(400, f"the body is no snapshot: {error}") from error
    if parts.journal is not None:
        parts.journal.forget()  # it is of other queues and messages
    await parts.mover.resume()
    wake(parts, waited_on)


CALLS = (
    Call(
        method="POST",
        path="/_emulator/reset",
        run=reset,
        body=Reset,
        answers=ResetDone,
        summary="Forget queues with their messages and history, and the clocks, seeds and faults of accounts",
        problems=(404,),
    ),
    Call(
        method="GET",
        path="/_emulator/snapshot",
        run=take_snapshot,
        answers=bytes,
        media_type=SNAPSHOT_TYPE,
        summary="The whole state as a data file",
    ),
    Call(
        method="PUT",
        path="/_emulator/snapshot",
        run=restore_snapshot,
        body=bytes,
        media_type=SNAPSHOT_TYPE,
        summary="Replace the whole state by that of a snapshot or a data file",
        problems=(413,),
    ),
)
