import json


def test_an_order_that_comes_twice_is_charged_once(sqs, sqs_queue, sqs_clock, sqs_faults, consumer):
    sqs_faults.add("duplicate", times=1)
    order = {"id": "A-1", "customer": "ann", "total": 20}
    sqs.send_message(QueueUrl=sqs_queue, MessageBody=json.dumps(order))
    charges = []
    for _ in range(3):
        consumer.handle_orders(sqs, sqs_queue, lambda *charge: charges.append(charge))
        sqs_clock.advance(seconds=60)
    assert charges == [("ann", 20)]
