"""Dead-letter queues."""

import json

from steps import equal, fresh_name, members

from botocore_day.world import Sqs, refused


def policy_for(arn: str, times: int | str) -> str:
    return json.dumps({"maxReceiveCount": times, "deadLetterTargetArn": arn})


def redrive_at_receive_n_plus_one(sqs: Sqs) -> None:
    """With a maximum of two a message is delivered twice; the third receive moves it and finds nothing."""
    dead = sqs.queue("dead")
    url = sqs.queue("source", VisibilityTimeout="0", RedrivePolicy=policy_for(sqs.arn(dead), "2"))
    canonical = f'{{"deadLetterTargetArn":"{sqs.arn(dead)}","maxReceiveCount":2}}'
    equal(sqs.attributes(url, "RedrivePolicy")["RedrivePolicy"], canonical, "policy as read back")
    named = {"color": {"DataType": "String", "StringValue": "blue"}}
    sent = sqs.send(url, "doomed", MessageAttributes=named)
    received = [sqs.one(url), sqs.one(url)]
    equal([m["Attributes"]["ApproximateReceiveCount"] for m in received], ["1", "2"], "receive counts")
    equal(sqs.receive(dead), [], "messages in the dead-letter queue before the third receive")
    equal(sqs.receive(url), [], "messages of the third receive")
    moved = sqs.one(dead)
    equal((moved["MessageId"], moved["Body"]), (sent["MessageId"], "doomed"), "moved message")
    equal(moved["MessageAttributes"], named, "attributes of the moved message")
    equal(moved["Attributes"]["ApproximateReceiveCount"], "3", "ApproximateReceiveCount goes on")
    equal(moved["Attributes"]["DeadLetterQueueSourceArn"], sqs.arn(url), "DeadLetterQueueSourceArn")
    equal(moved["Attributes"]["SentTimestamp"], received[0]["Attributes"]["SentTimestamp"], "SentTimestamp")
    equal(set(sqs.attributes(url, "ApproximateNumberOfMessages").values()), {"0"}, "messages left")


def list_dead_letter_source_queues(sqs: Sqs) -> None:
    dead = sqs.queue("dead")
    members(sqs.client.list_dead_letter_source_queues(QueueUrl=dead))
    policy = policy_for(sqs.arn(dead), 5)
    sources = sorted(sqs.queue("source", RedrivePolicy=policy) for _ in range(3))
    answer = sqs.client.list_dead_letter_source_queues(QueueUrl=dead)
    members(answer, "queueUrls")
    equal(sorted(answer["queueUrls"]), sources, "source queues")
    first = sqs.client.list_dead_letter_source_queues(QueueUrl=dead, MaxResults=2)
    members(first, "NextToken", "queueUrls")
    rest = sqs.client.list_dead_letter_source_queues(
        QueueUrl=dead, MaxResults=2, NextToken=first["NextToken"]
    )
    members(rest, "queueUrls")
    equal(sorted(first["queueUrls"] + rest["queueUrls"]), sources, "source queues of both pages")
    sqs.client.set_queue_attributes(QueueUrl=sources[0], Attributes={"RedrivePolicy": ""})
    left = sqs.client.list_dead_letter_source_queues(QueueUrl=dead)
    equal(sorted(left["queueUrls"]), sources[1:], "source queues after one policy was removed")


def redrive_policies_refused(sqs: Sqs) -> None:
    url = sqs.queue()
    arn = sqs.arn(url)
    policies = (
        policy_for(f"{arn}-{fresh_name('missing')}", 3),
        policy_for("no-arn", 3),
        policy_for(arn, 0),
        policy_for(arn, 1001),
        policy_for(arn, "many"),
        json.dumps({"deadLetterTargetArn": arn}),
        json.dumps({"maxReceiveCount": 3}),
        "no json",
    )
    for text in policies:
        arguments = {"QueueUrl": url, "Attributes": {"RedrivePolicy": text}}
        refused(sqs.client.set_queue_attributes, "InvalidParameterValue", 400, None, **arguments)
    equal(set(sqs.attributes(url)) & {"RedrivePolicy"}, set(), "policies set by refused calls")
