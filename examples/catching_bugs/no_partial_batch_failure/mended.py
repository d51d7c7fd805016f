import logging


def handle_addresses(sqs, queue_url, save):
    messages = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10).get("Messages", [])
    done = []
    for number, message in enumerate(messages):
        try:
            save(message["Body"])
        except ValueError:
            logging.exception("message %s stays in the queue", message["MessageId"])
        else:
            done.append({"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]})
    if done:
        sqs.delete_message_batch(QueueUrl=queue_url, Entries=done)
