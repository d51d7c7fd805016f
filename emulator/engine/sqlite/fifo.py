"""FIFO queues: groups, their heads and their order (spec 3.11).

Two rules explain every recorded order. In a group, messages go out in sequence order, and the run ends at the
first one that is in flight or delayed. Groups are served in the order in which their oldest message became
visible. `message_group` keeps that moment for each group, so a claim touches only groups it takes from.
"""

from typing import Any

from emulator.domain.model import Outcome, Queue, Receipt
from emulator.engine.sqlite.database import Database


def visible_run(database: Database, queue: Queue, group_id: str, limit: int, now_ms: int) -> list[Any]:
    """The oldest messages of a group up to the first that is in flight or delayed."""
    run = []
    for row in database.all("group_run", queue.id, group_id, limit):
        if row[12] > now_ms:
            break
        run.append(row)
    return run


def remove(database: Database, queue: Queue, receipt: Receipt, now_ms: int) -> Outcome:
    """Deletes by a receipt: that of the latest receive, its visibility timeout still running."""
    row = database.one("receipt", receipt.seq, queue.id)
    if row is None:
        return Outcome.GONE
    receive_count, due_ms, _, group_id = row
    if receive_count != receipt.receive_count or due_ms <= now_ms:
        return Outcome.EXPIRED
    database.run("delete_message", receipt.seq, queue.id)
    refresh_head(database, queue.id, group_id)
    return Outcome.DONE


def refresh_head(database: Database, queue_id: int, group_id: str) -> None:
    """Brings a group's row in line with its oldest message; without messages the group has no row."""
    head = database.one("group_head", queue_id, group_id)
    if head is None:
        database.run("remove_group", queue_id, group_id)
    else:
        database.run("set_group_head", *head, queue_id, group_id)
