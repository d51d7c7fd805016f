import contextlib
import json


def test_one_bad_address_takes_no_good_one_with_it(sqs, sqs_queue, sqs_clock, sqs_kit, consumer):
    dead = sqs.create_queue(QueueName="dead")["QueueUrl"]
    redrive = {"deadLetterTargetArn": sqs_kit.queue("dead").arn, "maxReceiveCount": 3}
    sqs.set_queue_attributes(QueueUrl=sqs_queue, Attributes={"RedrivePolicy": json.dumps(redrive)})
    for address in ("Bern", "?", "Basel"):
        sqs.send_message(QueueUrl=sqs_queue, MessageBody=address)
    saved = []

    def save(address):
        if address == "?":
            raise ValueError(address)
        saved.append(address)

    for _ in range(4):
        with contextlib.suppress(ValueError):
            consumer.handle_addresses(sqs, sqs_queue, save)
        sqs_clock.advance(seconds=30)
    assert saved == ["Bern", "Basel"]
    assert sqs_kit.bodies(dead) == ["?"]
