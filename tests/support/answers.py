"""What tests say about answers: bodies, attributes and refusals, in short."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from botocore.exceptions import ClientError

Answer = dict[str, Any]


class Refusal(NamedTuple):
    """An error as a client sees it."""

    status: int
    code: str
    message: str


def error_of(call: Callable[..., Any], **members: object) -> Refusal:
    """The error that a call with these members is answered with."""
    with pytest.raises(ClientError) as caught:
        call(**members)
    return refusal_of(caught.value)


def refusal_of(error: ClientError) -> Refusal:
    answer = error.response
    return Refusal(
        answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"], answer["Error"]["Message"]
    )


def invalid(message: str) -> Refusal:
    return Refusal(400, "InvalidParameterValue", message)


def invalid_value(value: object, parameter: str, reason: str) -> Refusal:
    return invalid(f"Value {value} for parameter {parameter} is invalid. Reason: {reason}")


def missing(parameter: str) -> Refusal:
    return Refusal(400, "MissingParameter", f"The request must contain the parameter {parameter}.")


def no_such_queue(protocol: str) -> Refusal:
    """The one text that differs between the protocols."""
    text = "The specified queue does not exist"
    message = f"{text} for this wsdl version." if protocol == "query" else f"{text}."
    return Refusal(400, "AWS.SimpleQueueService.NonExistentQueue", message)


def bad_handle(handle: str) -> Refusal:
    return Refusal(
        404, "ReceiptHandleIsInvalid", f'The input receipt handle "{handle}" is not a valid receipt handle.'
    )


def unknown_attribute(name: str) -> Refusal:
    return Refusal(400, "InvalidAttributeName", f"Unknown Attribute {name}.")


def content(answer: Answer) -> Answer:
    """An answer without what the client adds to it."""
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def bodies(answer: Answer) -> list[str]:
    return [message["Body"] for message in answer.get("Messages", [])]


def handles(answer: Answer) -> list[str]:
    return [message["ReceiptHandle"] for message in answer.get("Messages", [])]


def only(answer: Answer) -> Answer:
    """The one message of a receive."""
    (message,) = answer["Messages"]
    found: Answer = message
    return found


def send(sqs: Any, queue: str, *texts: str, **members: object) -> list[str]:
    """Sends each text as a message of its own; returns the message ids."""
    return [sqs.send_message(QueueUrl=queue, MessageBody=text, **members)["MessageId"] for text in texts]


def receive(sqs: Any, queue: str, **members: object) -> Answer:
    """Up to ten messages, with all their system attributes."""
    asked = {"MaxNumberOfMessages": 10, "MessageSystemAttributeNames": ["All"], **members}
    found: Answer = sqs.receive_message(QueueUrl=queue, **asked)
    return found


def queue_attributes(sqs: Any, queue: str, *names: str) -> dict[str, str]:
    answer = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=list(names or ["All"]))
    found: dict[str, str] = answer.get("Attributes", {})
    return found


def counts(sqs: Any, queue: str) -> tuple[int, int, int]:
    """Visible, in flight, delayed."""
    found = queue_attributes(sqs, queue)
    start = "ApproximateNumberOfMessages"
    return int(found[start]), int(found[f"{start}NotVisible"]), int(found[f"{start}Delayed"])


def as_string(value: str, data_type: str = "String") -> dict[str, str]:
    """A message attribute that holds text."""
    return {"StringValue": value, "DataType": data_type}


def as_binary(value: bytes, data_type: str = "Binary") -> dict[str, object]:
    return {"BinaryValue": value, "DataType": data_type}


def entries(*texts: str, **members: object) -> list[dict[str, object]]:
    """Entries of a SendMessageBatch with the ids 0, 1, 2 …"""
    return [{"Id": str(number), "MessageBody": text, **members} for number, text in enumerate(texts)]
