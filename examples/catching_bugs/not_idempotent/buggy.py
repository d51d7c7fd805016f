import json


def handle_orders(sqs, queue_url, charge):
    answer = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10)
    for message in answer.get("Messages", []):
        order = json.loads(message["Body"])
        charge(order["customer"], order["total"])
        sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
