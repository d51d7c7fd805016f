"""The values that rules need, with everything filled in that a test does not talk about."""

from contextlib import contextmanager

import pytest

from emulator.domain.model import Delivery, MessageAttributeValue, Queue, QueueKey
from emulator.errors import SqsError

ACCOUNT = "000000000000"
REGION = "us-east-1"


def key(name="orders", account=ACCOUNT, region=REGION):
    return QueueKey(account, region, name)


def queue(name="orders", **attributes):
    if name.endswith(".fifo"):
        attributes = {"FifoQueue": "true", **attributes}
    return Queue(
        id=1,
        key=key(name),
        created_ms=1_700_000_000_999,
        modified_ms=1_700_000_001_000,
        attributes=attributes,
        tags={},
    )


def string(value="blue", data_type="String"):
    return MessageAttributeValue(string_value=value, data_type=data_type)


def number(value, data_type="Number"):
    return MessageAttributeValue(string_value=value, data_type=data_type)


def binary(value=b"\x01\x02\x03", data_type="Binary"):
    return MessageAttributeValue(binary_value=value, data_type=data_type)


def delivery(**members):
    return Delivery(
        **{
            "seq": 7,
            "message_id": "11111111-1111-4111-8111-111111111111",
            "body": "hello",
            "attributes": None,
            "sender_id": "AIDASENDER",
            "sent_ms": 1_700_000_000_001,
            "first_received_ms": 1_700_000_000_002,
            "receive_count": 3,
            **members,
        }
    )


@contextmanager
def refused(error: type[SqsError], message: str | None = None):
    """The block raises exactly this error, with exactly this text if one is given."""
    with pytest.raises(error) as caught:
        yield
    assert type(caught.value) is error
    if message is not None:
        assert caught.value.message == message
