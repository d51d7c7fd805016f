import json

charged = set()  # in a real program, a table of the database


def handle_orders(sqs, queue_url, charge):
    answer = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10)
    for message in answer.get("Messages", []):
        order = json.loads(message["Body"])
        if order["id"] not in charged:
            charge(order["customer"], order["total"])
            charged.add(order["id"])
        sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
