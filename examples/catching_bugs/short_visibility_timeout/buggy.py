def handle_films(sqs, queue_url, convert):
    answer = sqs.receive_message(QueueUrl=queue_url)
    for message in answer.get("Messages", []):
        for scene in message["Body"].split(","):
            convert(scene)
        sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
