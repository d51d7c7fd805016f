import pytest


def test_a_mail_survives_a_crash_while_it_is_delivered(sqs, sqs_queue, sqs_clock, sqs_journal, consumer):
    sqs.send_message(QueueUrl=sqs_queue, MessageBody="hello")

    def crash(mail):
        raise SystemExit

    with pytest.raises(SystemExit):
        consumer.handle_mails(sqs, sqs_queue, crash)
    sqs_clock.advance(seconds=30)
    delivered = []
    consumer.handle_mails(sqs, sqs_queue, delivered.append)
    assert delivered == ["hello"]
    assert sqs_journal.kinds() == ["sent", "received", "returned", "received", "deleted"]
