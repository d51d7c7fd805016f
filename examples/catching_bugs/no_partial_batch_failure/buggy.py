def handle_addresses(sqs, queue_url, save):
    messages = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10).get("Messages", [])
    if messages:
        for message in messages:
            save(message["Body"])
        done = [{"Id": str(n), "ReceiptHandle": m["ReceiptHandle"]} for n, m in enumerate(messages)]
        sqs.delete_message_batch(QueueUrl=queue_url, Entries=done)
