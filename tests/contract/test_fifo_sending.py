"""FIFO queues: what a message must have, and the sequence numbers they get."""

import pytest

from emulator.settings import Settings
from tests.contract.clients import client_of
from tests.contract.fifo import fifo_entries, fifo_members, send_fifo, take
from tests.support.answers import (
    Refusal,
    counts,
    error_of,
    invalid,
    invalid_value,
    missing,
    only,
    receive,
)
from tests.support.server import running_server

NO_DEDUPLICATION = (
    "The queue should either have ContentBasedDeduplication enabled or "
    "MessageDeduplicationId provided explicitly"
)
NOT_FOR_THIS_TYPE = "The request include parameter that is not valid for this queue type."
IDS = ("MessageGroupId", "MessageDeduplicationId")
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


@pytest.fixture
def queue(make_queue):
    return make_queue(fifo=True)


@pytest.fixture
def refusal(sqs, queue):
    """The error for a message with these members, None leaving one out."""

    def ask(**members):
        return error_of(sqs.send_message, QueueUrl=queue, **fifo_members("g-1", **members))

    return ask


@pytest.fixture
def batch_refusal(sqs, queue):
    """The error for a batch whose second entry has these members."""

    def ask(**members):
        entries = [*fifo_entries("g-1"), {"Id": "b", **fifo_members("g-2", **members)}]
        return error_of(sqs.send_message_batch, QueueUrl=queue, Entries=entries)

    return ask


def bad_id(value, parameter):
    reason = f"{parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length."
    return invalid_value(value, parameter, reason)


# What a message must have


def test_a_message_needs_a_group(refusal):
    assert refusal(MessageGroupId=None) == missing("MessageGroupId")


def test_a_message_needs_a_deduplication_id(refusal):
    assert refusal(MessageDeduplicationId=None) == invalid(NO_DEDUPLICATION)


def test_by_content_a_message_needs_no_deduplication_id_but_still_a_group(sqs, make_queue):
    queue = make_queue(fifo=True, ContentBasedDeduplication="true")
    sqs.send_message(QueueUrl=queue, MessageBody="hello", MessageGroupId="g")
    refusal = error_of(sqs.send_message, QueueUrl=queue, MessageBody="hello")
    assert refusal == missing("MessageGroupId")


def test_without_group_and_deduplication_id_the_group_is_missed_first(refusal):
    assert refusal(MessageGroupId=None, MessageDeduplicationId=None) == missing("MessageGroupId")


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("value", ["", " ", "x" * 129, "a b", "ä", "😀"])
def test_an_id_has_1_to_128_letters_digits_and_punctuation_marks(refusal, name, value):
    assert refusal(**{name: value}) == bad_id(value, name)


@pytest.mark.parametrize("name", IDS)
def test_control_characters_in_an_id_are_refused_and_escaped(refusal, name):
    status, code, text = refusal(**{name: "a\x01b"})
    assert (status, code) == (400, "InvalidParameterValue")
    assert "\x01" not in text
    assert text.endswith(
        f"{name} can only include alphanumeric and punctuation characters. 1 to 128 in length."
    )


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("value", ["x", "x" * 128, PUNCTUATION, "0123456789"])
def test_ids_that_are_taken_come_back(sqs, queue, name, value):
    send_fifo(sqs, queue, "g-1", **{name: value})
    assert only(receive(sqs, queue))["Attributes"][name] == value


@pytest.mark.parametrize("delay_s", [1, 2, 900, 901, -1])
def test_a_message_has_no_delay_of_its_own(refusal, delay_s):
    assert refusal(DelaySeconds=delay_s) == invalid_value(delay_s, "DelaySeconds", NOT_FOR_THIS_TYPE)


def test_a_delay_of_0_is_taken(sqs, queue):
    send_fifo(sqs, queue, "g-1", DelaySeconds=0)
    assert take(sqs, queue) == ["g-1"]


def test_an_empty_body_is_missing(refusal):
    assert refusal(MessageBody="") == missing("MessageBody")


def test_forbidden_characters_are_refused(refusal):
    assert refusal(MessageBody="a\x00")[:2] == (400, "InvalidMessageContents")


def test_the_size_is_limited(sqs, make_queue):
    queue = make_queue(fifo=True, MaximumMessageSize=1024)
    send_fifo(sqs, queue, "x" * 1024, MessageGroupId="g" * 128, MessageDeduplicationId="d" * 128)
    too_large = fifo_members("x" * 1025, MessageGroupId="g", MessageDeduplicationId="d")
    text = "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes."
    assert error_of(sqs.send_message, QueueUrl=queue, **too_large) == invalid(text)


def test_a_refused_message_is_not_sent(sqs, queue, refusal):
    refusal(DelaySeconds=5)
    assert counts(sqs, queue) == (0, 0, 0)


# Batches: one bad entry refuses them all


def test_a_batch_with_an_entry_without_a_group_is_refused_with_another_code(batch_refusal):
    assert batch_refusal(MessageGroupId=None) == invalid(
        "The request must contain the parameter MessageGroupId."
    )


def test_a_batch_with_an_entry_without_a_deduplication_id_is_refused(batch_refusal):
    assert batch_refusal(MessageDeduplicationId=None) == invalid(NO_DEDUPLICATION)


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("value", ["", "x" * 129, "a b"])
def test_a_batch_with_an_entry_with_a_bad_id_is_refused(batch_refusal, name, value):
    assert batch_refusal(**{name: value}) == bad_id(value, name)


def test_a_batch_with_an_entry_with_a_delay_is_refused(batch_refusal):
    assert batch_refusal(DelaySeconds=2) == invalid_value(2, "DelaySeconds", NOT_FOR_THIS_TYPE)


def test_a_batch_with_an_entry_without_a_body_is_refused(batch_refusal):
    assert batch_refusal(MessageBody="") == missing("SendMessageBatchRequestEntry.2.MessageBody")


def test_a_batch_with_an_entry_with_forbidden_characters_is_refused(batch_refusal):
    assert batch_refusal(MessageBody="\x00")[:2] == (400, "InvalidMessageContents")


def test_a_batch_with_an_entry_that_is_too_large_is_refused(sqs, make_queue):
    queue = make_queue(fifo=True, MaximumMessageSize=1024)
    entries = [*fifo_entries("g-1"), {"Id": "b", **fifo_members("g-2", MessageBody="x" * 1025)}]
    refusal = error_of(sqs.send_message_batch, QueueUrl=queue, Entries=entries)
    assert refusal[:2] == (400, "InvalidParameterValue")
    assert "Message must be shorter than 1024 bytes." in refusal.message


def test_a_batch_of_more_than_a_mebibyte_is_refused(sqs, queue):
    entries = fifo_entries("g-1", "g-2", MessageBody="x" * 524_289)
    text = "Batch requests cannot be longer than 1048576 bytes. You have sent 1048578 bytes."
    expected = Refusal(400, "AWS.SimpleQueueService.BatchRequestTooLong", text)
    assert error_of(sqs.send_message_batch, QueueUrl=queue, Entries=entries) == expected


@pytest.mark.parametrize(
    "members",
    [
        {"MessageGroupId": None},
        {"MessageDeduplicationId": None},
        {"MessageGroupId": "a b"},
        {"DelaySeconds": 2},
        {"MessageBody": ""},
        {"MessageBody": "\x00"},
    ],
)
def test_of_a_refused_batch_nothing_is_sent(sqs, queue, batch_refusal, members):
    batch_refusal(**members)
    assert counts(sqs, queue) == (0, 0, 0)


def test_a_batch_takes_delays_of_0(sqs, queue):
    sqs.send_message_batch(QueueUrl=queue, Entries=fifo_entries("g-1", "g-2", DelaySeconds=0))
    assert take(sqs, queue) == ["g-1", "g-2"]


# Sequence numbers


def test_a_sequence_number_has_20_digits(sqs, queue):
    (answer,) = send_fifo(sqs, queue, "g-1")
    number = answer["SequenceNumber"]
    assert (len(number), number.isdecimal(), number[:3]) == (20, True, "188")


def test_sequence_numbers_rise_over_groups_and_batches(sqs, queue):
    answers = send_fifo(sqs, queue, "g1-m1", "g2-m1", "g1-m2")
    answers += sqs.send_message_batch(QueueUrl=queue, Entries=fifo_entries("g2-m2", "g1-m3"))["Successful"]
    answers += send_fifo(sqs, queue, "g1-m4")
    numbers = [answer["SequenceNumber"] for answer in answers]
    assert numbers == sorted(set(numbers))


def test_a_message_is_received_with_its_sequence_number_every_time(sqs, queue):
    (answer,) = send_fifo(sqs, queue, "g-1")
    for _ in range(2):
        message = only(receive(sqs, queue, VisibilityTimeout=0))
        assert message["Attributes"]["SequenceNumber"] == answer["SequenceNumber"]


def test_a_fifo_message_has_three_attributes_more(sqs, queue):
    send_fifo(sqs, queue, "g-1")
    found = only(receive(sqs, queue))["Attributes"]
    common = {"SenderId", "SentTimestamp", "ApproximateReceiveCount", "ApproximateFirstReceiveTimestamp"}
    assert set(found) - common == {"SequenceNumber", "MessageDeduplicationId", "MessageGroupId"}


def test_sequence_numbers_rise_over_a_purge(sqs, queue):
    (before,) = send_fifo(sqs, queue, "g-1")
    sqs.purge_queue(QueueUrl=queue)
    (after,) = send_fifo(sqs, queue, "g-1")
    assert after["SequenceNumber"] > before["SequenceNumber"]


def test_sequence_numbers_rise_over_a_restart(protocol, tmp_path):
    settings, numbers = Settings(data=str(tmp_path / "data")), []
    for text in ("g-1", "g-2", "g-3"):
        with running_server(settings) as server:
            sqs = client_of(protocol, server.url)
            sqs.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})
            numbers += [answer["SequenceNumber"] for answer in send_fifo(sqs, "q.fifo", text)]
    assert numbers == sorted(set(numbers))
    assert {len(number) for number in numbers} == {20}
