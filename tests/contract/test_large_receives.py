"""What a receive returns is limited by the number of messages, not by their size."""

from tests.support.answers import bodies, receive, send

MAX_BYTES = 1_048_576


def test_ten_messages_of_a_mebibyte_come_in_one_receive(sqs, queue):
    for letter in "abcdefghij":
        send(sqs, queue, letter * MAX_BYTES)
    received = bodies(receive(sqs, queue))
    assert [(text[0], len(text)) for text in received] == [(letter, MAX_BYTES) for letter in "abcdefghij"]
