"""Keys, drafts and orders, with everything filled in that a test does not talk about."""

import itertools

import msgspec

from emulator.domain.fifo import deduplication_key
from emulator.domain.model import ClaimOrder, Draft, QueueKey, Receipt, Redrive

NOW_MS = 1_000_000
SECOND_MS = 1_000
MINUTE_MS = 60_000
DAY_MS = 86_400_000
RETENTION_MS = 4 * DAY_MS
_numbers = itertools.count(1)


def key(name="orders", account="000000000000", region="us-east-1"):
    return QueueKey(account, region, name)


def draft(body="hello", *, sent_ms=NOW_MS, delay_ms=0, group=None, dedup=None, **members):
    """A message sent at NOW_MS. With a group it is one for a FIFO queue, with an id of its own."""
    number = next(_numbers)
    if group is not None:
        dedup = dedup or f"dedup-{number}"
        members.setdefault("deduplication_id", dedup)
        members.setdefault("deduplication_key", deduplication_key(None, group, dedup))
    return Draft(
        **{
            "message_id": f"00000000-0000-4000-8000-{number:012}",
            "body": body,
            "sent_ms": sent_ms,
            "due_ms": sent_ms + delay_ms,
            "sender_id": "AIDASENDER",
            "group_id": group,
            **members,
        }
    )


def order(*, limit=10, hide_ms=30 * SECOND_MS, now_ms=NOW_MS, **members):
    return ClaimOrder(limit=limit, hide_ms=hide_ms, now_ms=now_ms, **members)


def redrive_to(queue, max_receive_count=1):
    return Redrive(queue.id, max_receive_count)


def receipt(queue, delivery):
    return Receipt(queue.id, delivery.seq, delivery.receive_count)


def bodies(claim):
    return [delivery.body for delivery in claim.deliveries]


def with_attributes(queue, **attributes):
    return msgspec.structs.replace(queue, attributes={**queue.attributes, **attributes})
