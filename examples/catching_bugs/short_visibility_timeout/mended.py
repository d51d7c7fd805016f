def handle_films(sqs, queue_url, convert):
    answer = sqs.receive_message(QueueUrl=queue_url)
    for message in answer.get("Messages", []):
        handle = message["ReceiptHandle"]
        for scene in message["Body"].split(","):
            # A heartbeat: as long as work goes on, nobody else gets the message.
            sqs.change_message_visibility(QueueUrl=queue_url, ReceiptHandle=handle, VisibilityTimeout=60)
            convert(scene)
        sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=handle)
