"""Message system attributes: what a receiver may ask for, and the trace header that may be sent."""

import re

import pytest

from tests.contract.clients import client_of
from tests.support.answers import (
    as_binary,
    as_string,
    error_of,
    invalid,
    only,
    send,
    unknown_attribute,
)

TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
USUAL = {"ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount", "SenderId", "SentTimestamp"}


def asked(sqs, queue, *names, **members):
    """The system attributes of the one message, None if there is no such member."""
    found = sqs.receive_message(QueueUrl=queue, MessageSystemAttributeNames=list(names), **members)
    return only(found).get("Attributes")


def test_all_attributes_of_a_standard_message_are_exactly_four(sqs, queue):
    send(sqs, queue, "hello")
    assert asked(sqs, queue, "All").keys() == USUAL


def test_nothing_asked_for_is_nothing_returned(sqs, queue):
    send(sqs, queue, "hello")
    assert asked(sqs, queue) is None


@pytest.mark.parametrize("name", sorted(USUAL))
def test_only_what_is_asked_for_is_returned(sqs, queue, name):
    send(sqs, queue, "hello")
    assert asked(sqs, queue, name).keys() == {name}


@pytest.mark.parametrize(
    "name",
    [
        "SequenceNumber",
        "MessageDeduplicationId",
        "MessageGroupId",
        "AWSTraceHeader",
        "DeadLetterQueueSourceArn",
    ],
)
def test_what_the_message_does_not_have_is_left_out(sqs, queue, name):
    send(sqs, queue, "hello")
    assert asked(sqs, queue, name, VisibilityTimeout=0) is None
    assert asked(sqs, queue, name, "SenderId").keys() == {"SenderId"}


@pytest.mark.parametrize("name", ["Foobar", "all", "Policy", "senderid"])
def test_an_unknown_name_is_refused(sqs, queue, name):
    refusal = error_of(sqs.receive_message, QueueUrl=queue, MessageSystemAttributeNames=[name])
    assert refusal == unknown_attribute(name)


def test_the_deprecated_list_asks_for_the_same(sqs, queue):
    send(sqs, queue, "hello")
    message = only(sqs.receive_message(QueueUrl=queue, AttributeNames=["All"]))
    assert message["Attributes"].keys() == USUAL
    refusal = error_of(sqs.receive_message, QueueUrl=queue, AttributeNames=["Foobar"])
    assert refusal == unknown_attribute("Foobar")


def test_both_lists_together_ask_for_all_that_either_names(sqs, queue):
    # In the Query protocol both have one wire name, so the client sends only the new list.
    send(sqs, queue, "hello")
    answer = sqs.receive_message(
        QueueUrl=queue, AttributeNames=["SenderId"], MessageSystemAttributeNames=["All"]
    )
    assert only(answer)["Attributes"].keys() == USUAL


def test_times_are_whole_milliseconds(sqs, queue, clock):
    sent_ms = clock.now_ms()
    send(sqs, queue, "hello")
    clock.advance(ms=1234)
    found = asked(sqs, queue, "SentTimestamp", "ApproximateFirstReceiveTimestamp")
    assert found == {
        "SentTimestamp": str(sent_ms),
        "ApproximateFirstReceiveTimestamp": str(sent_ms + 1234),
    }


def test_the_time_of_the_first_receive_stays_and_the_count_grows(sqs, queue, clock):
    send(sqs, queue, "hello")
    first_ms = str(clock.now_ms())
    for count in ("1", "2", "3"):
        found = asked(sqs, queue, "All", VisibilityTimeout=1)
        assert found["ApproximateReceiveCount"] == count
        assert found["ApproximateFirstReceiveTimestamp"] == first_ms
        clock.advance(seconds=1)


def test_the_sender_is_the_callers_id_and_not_the_account(protocol, server):
    senders = []
    for account in ("111122223333", "111122223333", "444455556666"):
        sqs = client_of(protocol, server.url, account=account)
        queue = sqs.create_queue(QueueName=f"senders-{protocol}")["QueueUrl"]
        send(sqs, queue, "hello")
        senders.append(asked(sqs, queue, "SenderId")["SenderId"])
    assert senders[0] == senders[1] != senders[2]
    assert all(re.fullmatch("AIDA[A-Z0-9]{12,}", sender) for sender in senders)


# AWSTraceHeader


def test_a_trace_header_comes_back_as_it_was_sent(sqs, queue):
    sent = sqs.send_message(
        QueueUrl=queue, MessageBody="hello", MessageSystemAttributes={"AWSTraceHeader": as_string(TRACE)}
    )
    assert sent["MD5OfMessageSystemAttributes"] == "5ae4d5d7636402d80f4eb6d213245a88"
    assert asked(sqs, queue, "All", VisibilityTimeout=0).keys() == USUAL | {"AWSTraceHeader"}
    assert asked(sqs, queue, "AWSTraceHeader") == {"AWSTraceHeader": TRACE}


def test_a_message_without_a_trace_header_has_no_md5_of_it(sqs, queue):
    assert "MD5OfMessageSystemAttributes" not in sqs.send_message(QueueUrl=queue, MessageBody="hello")


def test_a_trace_header_does_not_change_the_md5_of_the_attributes(sqs, queue):
    sent = sqs.send_message(
        QueueUrl=queue,
        MessageBody="hello",
        MessageAttributes={"color": as_string("blue")},
        MessageSystemAttributes={"AWSTraceHeader": as_string(TRACE)},
    )
    assert sent["MD5OfMessageAttributes"] == "da1b33cc3cbfe8b1630921e78e6b9880"


def refusal_to_send(sqs, queue, **attributes):
    return error_of(sqs.send_message, QueueUrl=queue, MessageBody="hello", MessageSystemAttributes=attributes)


def test_no_other_system_attribute_can_be_sent(sqs, queue):
    refusal = refusal_to_send(sqs, queue, SenderId=as_string("me"))
    assert refusal == invalid("Message system attribute name 'SenderId' is invalid.")


@pytest.mark.parametrize(
    "attribute", [as_string("1", "Number"), as_binary(b"x"), as_string(""), {"DataType": "String"}]
)
def test_a_trace_header_is_a_string(sqs, queue, attribute):
    refusal = refusal_to_send(sqs, queue, AWSTraceHeader=attribute)
    assert (refusal.status, refusal.code) == (400, "InvalidParameterValue")
