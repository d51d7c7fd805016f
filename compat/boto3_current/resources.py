"""boto3's objects: queues and messages that carry their URL and handle along."""

import json
import os
from collections.abc import Iterable
from typing import Any

import boto3
from botocore.config import Config
from botocore_day import Sqs
from botocore_day.world import REGION, name_of
from steps import UUID, by_id, equal, fresh_name, holds, matches, md5

# One attempt: a retry that succeeds would hide an answer that was wrong.
CONFIG = Config(retries={"total_max_attempts": 1}, read_timeout=30, connect_timeout=5)
EVERYTHING = {"MessageAttributeNames": ["All"], "MessageSystemAttributeNames": ["All"]}


def service() -> Any:
    """A resource is not to be shared between threads, so each step has its own."""
    return boto3.session.Session().resource(
        "sqs", endpoint_url=os.environ["SQS_ENDPOINT"], region_name=REGION, config=CONFIG
    )


def bodies(messages: Iterable[Any]) -> list[str]:
    return sorted(message.body for message in messages)


def resource_queues(_: Sqs) -> None:
    sqs, prefix = service(), fresh_name("resource")
    queues = [sqs.create_queue(QueueName=f"{prefix}-{n}") for n in range(3)]
    urls = [queue.url for queue in queues]
    equal(sqs.get_queue_by_name(QueueName=f"{prefix}-1").url, urls[1], "URL by name")
    equal([queue.url for queue in sqs.queues.filter(QueueNamePrefix=prefix)], urls, "queues with the prefix")
    found = sqs.queues.filter(QueueNamePrefix=prefix).page_size(1).limit(2)
    equal([queue.url for queue in found], urls[:2], "the first two, fetched in pages")
    holds(set(urls) <= {queue.url for queue in sqs.queues.all()}, "all queues")
    for queue in queues:
        queue.delete()
    equal(list(sqs.queues.filter(QueueNamePrefix=prefix)), [], "queues left")


def resource_queue_attributes(_: Sqs) -> None:
    queue = service().create_queue(QueueName=fresh_name("resource"), Attributes={"VisibilityTimeout": "5"})
    equal(queue.attributes["VisibilityTimeout"], "5", "attribute")
    equal(queue.attributes["QueueArn"].rsplit(":", 1)[-1], name_of(queue.url), "end of the ARN")
    queue.set_attributes(Attributes={"VisibilityTimeout": "6", "DelaySeconds": "1"})
    queue.reload()
    equal((queue.attributes["VisibilityTimeout"], queue.attributes["DelaySeconds"]), ("6", "1"), "attributes")
    queue.add_permission(Label="shop", AWSAccountIds=["111122223333"], Actions=["SendMessage"])
    queue.reload()
    (statement,) = json.loads(queue.attributes["Policy"])["Statement"]
    equal((statement["Sid"], statement["Action"]), ("shop", "SQS:SendMessage"), "statement")
    queue.remove_permission(Label="shop")
    queue.purge()


def resource_messages(_: Sqs) -> None:
    queue = service().create_queue(QueueName=fresh_name("resource"))
    attributes = {"n": {"DataType": "Number", "StringValue": "1"}}
    sent = queue.send_message(MessageBody="größer", MessageAttributes=attributes)
    matches(sent["MessageId"], UUID, "MessageId")
    (message,) = queue.receive_messages(**EVERYTHING)
    equal((message.message_id, message.queue_url), (sent["MessageId"], queue.url), "message")
    equal((message.body, message.md5_of_body), ("größer", md5("größer")), "body")
    equal(message.message_attributes, attributes, "message attributes")
    equal(message.md5_of_message_attributes, sent["MD5OfMessageAttributes"], "digest of the attributes")
    equal(message.attributes["ApproximateReceiveCount"], "1", "receive count")
    equal(message.Queue().url, queue.url, "the message's queue")
    message.delete()
    equal(queue.receive_messages(), [], "messages left")


def resource_visibility(_: Sqs) -> None:
    sqs = service()
    queue = sqs.create_queue(QueueName=fresh_name("resource"))
    queue.send_message(MessageBody="one")
    (first,) = queue.receive_messages()
    equal(queue.receive_messages(), [], "messages while hidden")
    first.change_visibility(VisibilityTimeout=0)
    (second,) = queue.receive_messages(VisibilityTimeout=60, **EVERYTHING)
    equal(second.attributes["ApproximateReceiveCount"], "2", "receive count")
    sqs.Message(queue.url, second.receipt_handle).change_visibility(VisibilityTimeout=0)
    (third,) = queue.receive_messages()
    queue.Message(third.receipt_handle).delete()
    equal(queue.receive_messages(), [], "messages left")


def resource_batches(_: Sqs) -> None:
    queue = service().create_queue(QueueName=fresh_name("resource"))
    answer = queue.send_messages(Entries=[{"Id": body, "MessageBody": body} for body in "abc"])
    equal(sorted(by_id(answer["Successful"])), ["a", "b", "c"], "ids")
    messages = queue.receive_messages(MaxNumberOfMessages=10, WaitTimeSeconds=1)
    equal(bodies(messages), ["a", "b", "c"], "bodies")
    entries = [{"Id": message.body, "ReceiptHandle": message.receipt_handle} for message in messages]
    free = [entry | {"VisibilityTimeout": 0} for entry in entries]
    answer = queue.change_message_visibility_batch(Entries=free)
    equal(sorted(by_id(answer["Successful"])), ["a", "b", "c"], "ids set free")
    equal(bodies(queue.receive_messages(MaxNumberOfMessages=10)), ["a", "b", "c"], "bodies set free")
    entries.append({"Id": "bad", "ReceiptHandle": "bad"})
    answer = queue.delete_messages(Entries=entries)
    equal(sorted(by_id(answer["Successful"])), ["a", "b", "c"], "ids deleted")
    equal(by_id(answer["Failed"])["bad"]["Code"], "ReceiptHandleIsInvalid", "code")
    queue.reload()
    equal(queue.attributes["ApproximateNumberOfMessagesNotVisible"], "0", "messages left")


def resource_dead_letters(_: Sqs) -> None:
    sqs = service()
    dead = sqs.create_queue(QueueName=fresh_name("dead"))
    policy = {"deadLetterTargetArn": dead.attributes["QueueArn"], "maxReceiveCount": 1}
    attributes = {"RedrivePolicy": json.dumps(policy), "VisibilityTimeout": "0"}
    source = sqs.create_queue(QueueName=fresh_name("source"), Attributes=attributes)
    equal([queue.url for queue in dead.dead_letter_source_queues.all()], [source.url], "source queues")
    source.send_message(MessageBody="doomed")
    equal(bodies(source.receive_messages()), ["doomed"], "the first receive")
    equal(source.receive_messages(), [], "the second receive")
    (moved,) = dead.receive_messages(**EVERYTHING)
    arn = source.attributes["QueueArn"]
    equal(moved.attributes["DeadLetterQueueSourceArn"], arn, "DeadLetterQueueSourceArn")
    moved.delete()


def resource_fifo(_: Sqs) -> None:
    attributes = {"FifoQueue": "true", "ContentBasedDeduplication": "true"}
    queue = service().create_queue(QueueName=f"{fresh_name('resource')}.fifo", Attributes=attributes)
    sent = [queue.send_message(MessageBody=body, MessageGroupId=body[0]) for body in ("a1", "a2", "b1", "a1")]
    numbers = [answer["SequenceNumber"] for answer in sent]
    equal(sorted(numbers[:3]), numbers[:3], "sequence numbers")
    equal(sent[3]["MessageId"], sent[0]["MessageId"], "id of the duplicate")
    (first,) = queue.receive_messages(**EVERYTHING)
    equal((first.body, first.attributes["SequenceNumber"]), ("a1", numbers[0]), "first message")
    equal(bodies(queue.receive_messages(MaxNumberOfMessages=10)), ["b1"], "while group a is locked")
    first.delete()
    equal(bodies(queue.receive_messages(MaxNumberOfMessages=10)), ["a2"], "once group a is free")


RESOURCE_STEPS = (
    resource_queues,
    resource_queue_attributes,
    resource_messages,
    resource_visibility,
    resource_batches,
    resource_dead_letters,
    resource_fifo,
)
