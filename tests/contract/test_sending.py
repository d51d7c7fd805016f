"""SendMessage on standard queues: bodies, sizes and ids."""

import hashlib
import re

import pytest

from tests.support.answers import (
    Refusal,
    as_binary,
    as_string,
    bodies,
    content,
    error_of,
    invalid,
    invalid_value,
    missing,
    only,
    receive,
    send,
)

MAX_BYTES = 1_048_576
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
BAD_CHARACTERS = Refusal(
    400,
    "InvalidMessageContents",
    "Invalid characters found. Valid unicode characters are "
    "#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF",
)


def refusal_to_send(sqs, queue, body="hello", **members):
    return error_of(sqs.send_message, QueueUrl=queue, MessageBody=body, **members)


def too_large(maximum_bytes):
    return invalid(
        f"One or more parameters are invalid. Reason: Message must be shorter than {maximum_bytes} bytes."
    )


def bad_group_id(value):
    reason = "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."
    return invalid_value(value, "MessageGroupId", reason)


def test_a_message_is_answered_with_its_id_and_md5(sqs, queue):
    answer = content(sqs.send_message(QueueUrl=queue, MessageBody="hello"))
    assert UUID.fullmatch(answer.pop("MessageId"))
    assert answer == {"MD5OfMessageBody": "5d41402abc4b2a76b9719d911017c592"}


def test_a_message_is_received_with_the_same_id_and_md5(sqs, queue):
    sent = sqs.send_message(QueueUrl=queue, MessageBody="hello")
    message = only(sqs.receive_message(QueueUrl=queue))
    assert message.keys() == {"MessageId", "ReceiptHandle", "MD5OfBody", "Body"}
    assert message["MessageId"] == sent["MessageId"]
    assert (message["Body"], message["MD5OfBody"]) == ("hello", sent["MD5OfMessageBody"])


def test_every_message_has_an_id_of_its_own(sqs, queue):
    assert len(set(send(sqs, queue, "same", "same", "same"))) == 3


def test_the_md5_is_that_of_the_bytes_in_utf8(sqs, queue):
    sent = sqs.send_message(QueueUrl=queue, MessageBody="Grüße 😀")
    assert sent["MD5OfMessageBody"] == "0a04968a90b7dd01f77c7f2f348a2f7e"


@pytest.mark.parametrize(
    "body",
    [
        " ",
        "  leading and trailing  ",
        "\t\n\r",
        "one\r\ntwo\rthree\nfour",
        "<a href='x'>&amp;\"]]></a>",
        '"&quot;&quot;\r',
        "%41+b=c&d",
        '{"json": "\\u0041"}',
        "\ud7ff\ue000\ufffd",
        "\U00010000\U0010ffff",
        "\x7f\x85\u2028",
        "Grüße 😀",
    ],
)
def test_a_body_comes_back_as_it_was_sent(sqs, queue, body):
    send(sqs, queue, body)
    message = only(sqs.receive_message(QueueUrl=queue))
    assert message["Body"] == body
    assert message["MD5OfBody"] == hashlib.md5(body.encode()).hexdigest()


@pytest.mark.parametrize(
    "character", ["\x00", "\x08", "\x0b", "\x0c", "\x0e", "\x13", "\x1f", "\ufffe", "\uffff"]
)
def test_characters_that_no_xml_document_can_carry_are_refused(sqs, queue, character):
    assert refusal_to_send(sqs, queue, f"a{character}b") == BAD_CHARACTERS
    assert bodies(receive(sqs, queue)) == []


def test_an_empty_body_is_missing(sqs, queue):
    assert refusal_to_send(sqs, queue, "") == missing("MessageBody")


def test_a_body_of_one_byte_is_enough(sqs, queue):
    send(sqs, queue, "x")
    assert bodies(receive(sqs, queue)) == ["x"]


# Sizes


def test_a_message_may_have_exactly_a_mebibyte(sqs, queue):
    send(sqs, queue, "x" * MAX_BYTES)
    assert len(only(receive(sqs, queue))["Body"]) == MAX_BYTES


def test_a_message_of_one_byte_more_is_refused(sqs, queue):
    assert refusal_to_send(sqs, queue, "x" * (MAX_BYTES + 1)) == too_large(MAX_BYTES)


def test_the_limit_is_that_of_the_queue(sqs, make_queue):
    queue = make_queue(MaximumMessageSize=1024)
    send(sqs, queue, "x" * 1024)
    assert refusal_to_send(sqs, queue, "x" * 1025) == too_large(1024)


def test_the_limit_can_be_changed_for_later_messages(sqs, queue):
    send(sqs, queue, "x" * 1025)
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"MaximumMessageSize": "1024"})
    assert refusal_to_send(sqs, queue, "x" * 1025) == too_large(1024)
    assert bodies(receive(sqs, queue)) == ["x" * 1025]


def test_bytes_count_and_not_characters(sqs, make_queue):
    queue = make_queue(MaximumMessageSize=1024)
    send(sqs, queue, "ü" * 512)
    assert refusal_to_send(sqs, queue, "ü" * 512 + "x") == too_large(1024)


@pytest.mark.parametrize(
    ("attribute", "size_bytes"),
    [
        (as_string("blue"), len("colorStringblue")),
        (as_string("grün"), len("colorStringgruen")),
        (as_string("12", "Number.int"), len("colorNumber.int12")),
        (as_binary(b"\x00\x01\x02"), len("colorBinary") + 3),
    ],
)
def test_message_attributes_count_with_name_type_and_value(sqs, make_queue, attribute, size_bytes):
    queue = make_queue(MaximumMessageSize=1024)
    attributes = {"color": attribute}
    send(sqs, queue, "x" * (1024 - size_bytes), MessageAttributes=attributes)
    refusal = refusal_to_send(sqs, queue, "x" * (1025 - size_bytes), MessageAttributes=attributes)
    assert refusal == too_large(1024)


def test_system_attributes_and_group_ids_do_not_count(sqs, make_queue):
    queue = make_queue(MaximumMessageSize=1024)
    trace = {"AWSTraceHeader": as_string("Root=1-5759e988-bd862e3fe1be46a994272793")}
    send(sqs, queue, "x" * 1024, MessageSystemAttributes=trace, MessageGroupId="g")


# Group and deduplication ids


@pytest.mark.parametrize("group", ["g", "x" * 128, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"])
def test_a_standard_queue_takes_a_group_id_and_gives_it_back(sqs, queue, group):
    sent = sqs.send_message(QueueUrl=queue, MessageBody="hello", MessageGroupId=group)
    assert "SequenceNumber" not in sent
    attributes = only(receive(sqs, queue))["Attributes"]
    assert attributes["MessageGroupId"] == group
    assert not {"SequenceNumber", "MessageDeduplicationId"} & attributes.keys()


@pytest.mark.parametrize("group", ["", "x" * 129, "a b", "ä", " "])
def test_a_group_id_has_1_to_128_letters_digits_and_punctuation_marks(sqs, queue, group):
    assert refusal_to_send(sqs, queue, MessageGroupId=group) == bad_group_id(group)


def test_groups_do_not_lock_a_standard_queue(sqs, queue):
    send(sqs, queue, "1", "2", MessageGroupId="g")
    assert bodies(sqs.receive_message(QueueUrl=queue)) == ["1"]
    assert bodies(sqs.receive_message(QueueUrl=queue)) == ["2"]


def test_a_deduplication_id_is_not_for_standard_queues(sqs, queue):
    reason = "The request include parameter that is not valid for this queue type."
    refusal = refusal_to_send(sqs, queue, MessageDeduplicationId="d")
    assert refusal == invalid_value("d", "MessageDeduplicationId", reason)


def test_the_queue_is_looked_for_first(sqs, queue, protocol):
    refusal = refusal_to_send(sqs, f"{queue}-not", "", DelaySeconds=-1)
    assert refusal.code == "AWS.SimpleQueueService.NonExistentQueue"
