"""Rows become frozen values here, and values become parameters."""

from typing import Any

import msgspec

from emulator.domain.model import Delivery, MessageAttributes, Queue, QueueKey

_attributes = msgspec.json.Decoder(MessageAttributes)
_texts = msgspec.json.Decoder(dict[str, str])
_encoder = msgspec.json.Encoder()


def queue_of(row: Any) -> Queue:
    """From find_queue: id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags, …"""
    return Queue(
        id=row[0],
        key=QueueKey(row[1], row[2], row[3]),
        created_ms=row[4],
        modified_ms=row[5],
        purged_ms=row[6],
        attributes=_texts.decode(row[7]),
        tags=_texts.decode(row[8]),
        deduplication_scope=row[9],
    )


def texts(values: dict[str, str]) -> str:
    return _encoder.encode(values).decode()


def attributes_blob(attributes: MessageAttributes | None) -> bytes | None:
    return _encoder.encode(attributes) if attributes else None


def dead_letter_arn(attributes: dict[str, str]) -> str | None:
    policy = attributes.get("RedrivePolicy")
    if policy is None:
        return None
    arn: str = msgspec.json.decode(policy)["deadLetterTargetArn"]
    return arn


def delivery_of(row: Any, now_ms: int) -> Delivery:
    """From visible or group_run, as it stood before this receive."""
    return Delivery(
        seq=row[0],
        message_id=row[1],
        body=row[2],
        attributes=None if row[3] is None else _attributes.decode(row[3]),
        sender_id=row[4],
        sent_ms=row[5],
        first_received_ms=now_ms if row[6] is None else row[6],
        receive_count=row[7] + 1,
        trace_header=row[8],
        group_id=row[9],
        deduplication_id=row[10],
        dead_letter_source_arn=row[11],
    )
