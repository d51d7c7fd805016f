"""The day's work in today's boto3, which speaks AWS JSON 1.0, and in its resources."""

import os
import sys

import boto3
from botocore_day import STEPS, Sqs
from botocore_day.wire import check_json, watch
from botocore_day.world import REGION
from resources import CONFIG, RESOURCE_STEPS
from steps import equal, run_steps

ENDPOINT = os.environ["SQS_ENDPOINT"]


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
    return run_steps("boto3_current", (*STEPS, *RESOURCE_STEPS, exception_classes), sqs, workers=6)


if __name__ == "__main__":
    sys.exit(main())
