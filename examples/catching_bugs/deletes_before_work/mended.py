def handle_mails(sqs, queue_url, deliver):
    answer = sqs.receive_message(QueueUrl=queue_url)
    for message in answer.get("Messages", []):
        deliver(message["Body"])
        sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
