import json

versions = {}  # in a real program, a column of the same table


def handle_updates(sqs, queue_url, statuses):
    answer = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10)
    for message in answer.get("Messages", []):
        update = json.loads(message["Body"])
        if update["version"] > versions.get(update["order"], 0):
            statuses[update["order"]] = update["status"]
            versions[update["order"]] = update["version"]
        sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
