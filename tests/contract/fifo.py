"""Short ways to use a FIFO queue: "g1-m2" is the body of a message of group g1, and its deduplication id."""

import json
from typing import Any

from tests.support.answers import Answer, bodies, receive


def fifo_members(text: str, **members: object) -> dict[str, Any]:
    """Body, group id and deduplication id; a member given as None is left out."""
    group = text.partition("-")[0]
    all_members = {
        "MessageBody": text,
        "MessageGroupId": group,
        "MessageDeduplicationId": text,
        **members,
    }
    return {name: value for name, value in all_members.items() if value is not None}


def send_fifo(sqs: Any, queue: str, *texts: str, **members: object) -> list[Answer]:
    """Sends each text as a message of its own; returns the answers."""
    return [sqs.send_message(QueueUrl=queue, **fifo_members(text, **members)) for text in texts]


def fifo_entries(*texts: str, **members: object) -> list[dict[str, Any]]:
    """Entries of a SendMessageBatch with the ids 0, 1, 2 …"""
    return [{"Id": str(number), **fifo_members(text, **members)} for number, text in enumerate(texts)]


def take(sqs: Any, queue: str, count: int = 10, **members: object) -> list[str]:
    """The bodies of one receive."""
    return bodies(receive(sqs, queue, MaxNumberOfMessages=count, **members))


def policy_to(arn: str, count: int = 1) -> str:
    return json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": count}, separators=(",", ":"))
