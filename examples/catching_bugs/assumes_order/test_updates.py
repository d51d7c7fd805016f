import json

STEPS = ["placed", "paid", "packed", "shipped", "delivered"]


def test_the_last_update_counts_in_whatever_order_they_come(sqs, sqs_queue, sqs_kit, consumer):
    sqs_kit.seed(3)
    sqs_kit.faults.add("reorder")
    for version, status in enumerate(STEPS, start=1):
        update = {"order": "A-1", "version": version, "status": status}
        sqs.send_message(QueueUrl=sqs_queue, MessageBody=json.dumps(update))
    statuses = {}
    while sqs_kit.bodies(sqs_queue):
        consumer.handle_updates(sqs, sqs_queue, statuses)
    assert statuses == {"A-1": "delivered"}
