"""The day's work in today's boto3, which speaks AWS JSON 1.0, and once through its resources."""

import os
import sys

import boto3
from botocore.config import Config
from botocore_day import STEPS, Sqs
from botocore_day.wire import check_json, watch
from botocore_day.world import REGION
from steps import equal, fresh_name, md5, run_steps

ENDPOINT = os.environ["SQS_ENDPOINT"]
# One attempt: a retry that succeeds would hide an answer that was wrong.
CONFIG = Config(retries={"total_max_attempts": 1}, read_timeout=30, connect_timeout=5)


def resources(sqs: Sqs) -> None:
    """boto3's objects around the same calls."""
    service = boto3.resource("sqs", endpoint_url=ENDPOINT, region_name=REGION, config=CONFIG)
    name = fresh_name("resource")
    queue = service.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "5"})
    equal(service.get_queue_by_name(QueueName=name).url, queue.url, "URL by name")
    equal(queue.attributes["VisibilityTimeout"], "5", "attribute")
    equal([each.url for each in service.queues.filter(QueueNamePrefix=name)], [queue.url], "queues")
    queue.send_message(MessageBody="one", MessageAttributes={"n": {"DataType": "Number", "StringValue": "1"}})
    (message,) = queue.receive_messages(MessageAttributeNames=["All"], MessageSystemAttributeNames=["All"])
    equal((message.body, message.md5_of_body), ("one", md5("one")), "message")
    equal(message.message_attributes["n"]["StringValue"], "1", "message attribute")
    equal(message.attributes["ApproximateReceiveCount"], "1", "receive count")
    message.change_visibility(VisibilityTimeout=0)
    (message,) = queue.receive_messages()
    message.delete()
    equal(queue.receive_messages(), [], "messages left")
    queue.delete()


def exception_classes(sqs: Sqs) -> None:
    """Programs catch the modelled classes; botocore picks them by the type in the JSON body."""
    classes = sqs.client.exceptions
    url = sqs.queue()
    rows = (
        (classes.QueueDoesNotExist, "QueueDoesNotExist", sqs.client.get_queue_url, {"QueueName": "nowhere"}),
        (
            classes.ReceiptHandleIsInvalid,
            "ReceiptHandleIsInvalid",
            sqs.client.delete_message,
            {"QueueUrl": url, "ReceiptHandle": "bad"},
        ),
        (
            classes.EmptyBatchRequest,
            "EmptyBatchRequest",
            sqs.client.send_message_batch,
            {"QueueUrl": url, "Entries": []},
        ),
        (
            classes.ClientError,
            "InvalidParameterValueException",
            sqs.client.receive_message,
            {"QueueUrl": url, "MaxNumberOfMessages": 11},
        ),
    )
    for expected, query_error_code, call, arguments in rows:
        try:
            call(**arguments)
        except classes.ClientError as error:
            equal(type(error), expected, "exception class")
            equal(error.response["Error"]["QueryErrorCode"], query_error_code, "QueryErrorCode")
            equal(error.response["Error"]["Type"], "Sender", "Type")
        else:
            raise AssertionError(f"{query_error_code} expected")


def main() -> int:
    client = boto3.client("sqs", endpoint_url=ENDPOINT, region_name=REGION, config=CONFIG)
    equal(client.meta.service_model.protocol, "json", "protocol of this botocore")
    watch(client, check_json)
    sqs = Sqs(client, ENDPOINT, "The specified queue does not exist.", "MessageSystemAttributeNames")
    return run_steps("boto3_current", (*STEPS, resources, exception_classes), sqs, workers=6)


if __name__ == "__main__":
    sys.exit(main())
