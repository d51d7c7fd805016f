"""Fair queues: a noisy group whose messages are all gone is one like any other."""

from tests.support.answers import bodies, handles, receive, send

IN_FLIGHT = 40


def test_a_group_without_backlog_is_quiet_again(sqs, queue):
    for _ in range(IN_FLIGHT // 10):
        entries = [{"Id": str(n), "MessageBody": "noisy", "MessageGroupId": "noisy"} for n in range(10)]
        sqs.send_message_batch(QueueUrl=queue, Entries=entries)
    held = [handles(receive(sqs, queue, VisibilityTimeout=3600)) for _ in range(IN_FLIGHT // 10)]
    send(sqs, queue, "noisy", MessageGroupId="noisy")
    send(sqs, queue, "quiet", MessageGroupId="quiet")
    assert bodies(receive(sqs, queue, MaxNumberOfMessages=1, VisibilityTimeout=0)) == ["quiet"]
    for batch in held:
        entries = [{"Id": str(n), "ReceiptHandle": handle} for n, handle in enumerate(batch)]
        sqs.delete_message_batch(QueueUrl=queue, Entries=entries)
    assert bodies(receive(sqs, queue)) == ["noisy", "quiet"]
