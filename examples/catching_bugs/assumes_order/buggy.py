import json


def handle_updates(sqs, queue_url, statuses):
    answer = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10)
    for message in answer.get("Messages", []):
        update = json.loads(message["Body"])
        statuses[update["order"]] = update["status"]
        sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
