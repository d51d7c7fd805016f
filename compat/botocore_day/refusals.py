"""Requests that AWS refuses: code, HTTP status and, where it is known, the text."""

from typing import Any

from steps import equal, fresh_name

from botocore_day.world import Sqs, refused

NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
BAD_VALUE = "InvalidParameterValue"
FORBIDDEN = "InvalidMessageContents"


def missing_queue(sqs: Sqs) -> None:
    """Found out before anything else is looked at, and the one text that differs between the protocols."""
    handle: dict[str, Any] = {"ReceiptHandle": "bad"}
    entry = {"Id": "a", "ReceiptHandle": "bad"}
    calls: dict[str, dict[str, Any]] = {
        "change_message_visibility": handle | {"VisibilityTimeout": 1},
        "change_message_visibility_batch": {"Entries": [entry | {"VisibilityTimeout": 1}]},
        "delete_message": handle,
        "delete_message_batch": {"Entries": [entry]},
        "delete_queue": {},
        "get_queue_attributes": {"AttributeNames": ["All"]},
        "list_dead_letter_source_queues": {},
        "list_queue_tags": {},
        "purge_queue": {},
        "receive_message": {},
        "send_message": {"MessageBody": "x"},
        "send_message_batch": {"Entries": [{"Id": "a", "MessageBody": "x"}]},
        "set_queue_attributes": {"Attributes": {"VisibilityTimeout": "1"}},
        "tag_queue": {"Tags": {"a": "b"}},
        "untag_queue": {"TagKeys": ["a"]},
    }
    url = sqs.queue() + fresh_name("-missing")
    for method, arguments in calls.items():
        refused(getattr(sqs.client, method), NO_QUEUE, 400, sqs.missing_queue_text, QueueUrl=url, **arguments)


def bad_receipt_handles(sqs: Sqs) -> None:
    url, other = sqs.queue(), sqs.queue()
    sqs.send(other)
    foreign = sqs.one(other)["ReceiptHandle"]
    for handle in ("bad", foreign):
        text = f'The input receipt handle "{handle}" is not a valid receipt handle.'
        arguments: dict[str, Any] = {"QueueUrl": url, "ReceiptHandle": handle}
        refused(sqs.client.delete_message, "ReceiptHandleIsInvalid", 404, text, **arguments)
        arguments["VisibilityTimeout"] = 1
        refused(sqs.client.change_message_visibility, "ReceiptHandleIsInvalid", 404, text, **arguments)


def attribute(value: str, data_type: str = "String") -> dict[str, Any]:
    return {"DataType": data_type, "StringValue": value}


def messages_refused(sqs: Sqs) -> None:
    url = sqs.queue()
    group = "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."
    rows: tuple[tuple[dict[str, Any], str, str | None], ...] = (
        ({"MessageBody": ""}, "MissingParameter", "The request must contain the parameter MessageBody."),
        ({"MessageBody": "a\x08"}, FORBIDDEN, None),
        ({"MessageBody": "\uffff"}, FORBIDDEN, None),
        (
            {"MessageBody": "x" * 1_048_577},
            BAD_VALUE,
            "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.",
        ),
        (
            {"DelaySeconds": 901},
            BAD_VALUE,
            "Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.",
        ),
        (
            {"MessageGroupId": "a b"},
            BAD_VALUE,
            f"Value a b for parameter MessageGroupId is invalid. Reason: {group}",
        ),
        (
            {"MessageDeduplicationId": "x"},
            BAD_VALUE,
            "Value x for parameter MessageDeduplicationId is invalid. "
            "Reason: The request include parameter that is not valid for this queue type.",
        ),
        (
            {"MessageAttributes": {"a": attribute("")}},
            BAD_VALUE,
            "Message (user) attribute 'a' must contain a non-empty value of type 'String'.",
        ),
        ({"MessageAttributes": {"a": attribute("\x02")}}, BAD_VALUE, None),
        ({"MessageAttributes": {"a": attribute("x", "Text")}}, BAD_VALUE, None),
        ({"MessageAttributes": {"a": attribute("x", "Number")}}, BAD_VALUE, None),
        ({"MessageAttributes": {"AWS.a": attribute("x")}}, BAD_VALUE, None),
        ({"MessageAttributes": {"a.": attribute("x")}}, BAD_VALUE, None),
        ({"MessageAttributes": {"a!": attribute("x")}}, BAD_VALUE, None),
        ({"MessageAttributes": {f"a{n}": attribute("x") for n in range(11)}}, BAD_VALUE, None),
    )
    for arguments, code, text in rows:
        refused(
            sqs.client.send_message, code, 400, text, **({"QueueUrl": url, "MessageBody": "x"} | arguments)
        )
    equal(sqs.receive(url), [], "messages of refused sends")


def batches_refused(sqs: Sqs) -> None:
    url = sqs.queue()
    queue_service = "AWS.SimpleQueueService."
    shared: dict[str, dict[str, Any]] = {
        "send_message_batch": {"MessageBody": "x"},
        "delete_message_batch": {"ReceiptHandle": "bad"},
        "change_message_visibility_batch": {"ReceiptHandle": "bad", "VisibilityTimeout": 0},
    }
    bad_id = (
        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
        "It can be at most 80 letters long."
    )
    many = "Maximum number of entries per request are 10. You have sent 11."
    for method, entry in shared.items():
        name = "".join(word.capitalize() for word in method.split("_")) + "RequestEntry"
        none = f"There should be at least one {name} in the request."
        rows: tuple[tuple[list[str], str, str], ...] = (
            ([], "EmptyBatchRequest", none),
            ([f"n{n}" for n in range(11)], "TooManyEntriesInBatchRequest", many),
            (["a:b"], "InvalidBatchEntryId", bad_id),
            ([""], "InvalidBatchEntryId", bad_id),
            (["x" * 81], "InvalidBatchEntryId", bad_id),
            (["a", "b", "c", "b", "a"], "BatchEntryIdsNotDistinct", "Id b repeated."),
        )
        for ids, code, text in rows:
            entries = [{"Id": each} | entry for each in ids]
            call = getattr(sqs.client, method)
            refused(call, queue_service + code, 400, text, QueueUrl=url, Entries=entries)
    long = [{"Id": each, "MessageBody": "x" * 600_000} for each in ("a", "b")]
    text = "Batch requests cannot be longer than 1048576 bytes. You have sent 1200000 bytes."
    code = queue_service + "BatchRequestTooLong"
    refused(sqs.client.send_message_batch, code, 400, text, QueueUrl=url, Entries=long)
    equal(sqs.receive(url), [], "messages of refused batches")


def receives_refused(sqs: Sqs) -> None:
    url = sqs.queue()
    number = "for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."
    wait = "for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."
    hide = "for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided."
    rows = (
        ("MaxNumberOfMessages", 0, number),
        ("MaxNumberOfMessages", 11, number),
        ("WaitTimeSeconds", -1, wait),
        ("WaitTimeSeconds", 21, wait),
        ("VisibilityTimeout", 43201, hide),
    )
    for name, value, text in rows:
        arguments = {"QueueUrl": url, name: value}
        refused(sqs.client.receive_message, BAD_VALUE, 400, f"Value {value} {text}", **arguments)


def queue_attributes_refused(sqs: Sqs) -> None:
    """The same values are refused when a queue is made and when it is changed; nothing is kept of them."""
    url = sqs.queue()
    rows = (
        ("VisibilityTimeout", "43201"),
        ("VisibilityTimeout", "soon"),
        ("DelaySeconds", "901"),
        ("MaximumMessageSize", "1023"),
        ("MaximumMessageSize", "1048577"),
        ("MessageRetentionPeriod", "59"),
        ("ReceiveMessageWaitTimeSeconds", "21"),
    )
    for name, value in rows:
        given = {"Attributes": {name: value}}
        text = f"Invalid value for the parameter {name}."
        refused(sqs.client.set_queue_attributes, "InvalidAttributeValue", 400, text, QueueUrl=url, **given)
        fresh = fresh_name("refused")
        refused(sqs.client.create_queue, "InvalidAttributeValue", 400, text, QueueName=fresh, **given)
        refused(sqs.client.get_queue_url, NO_QUEUE, 400, sqs.missing_queue_text, QueueName=fresh)
    for name in ("Foobar", "FifoQueue"):
        given = {"Attributes": {name: "false"}}
        text = f"Unknown Attribute {name}."
        refused(sqs.client.set_queue_attributes, "InvalidAttributeName", 400, text, QueueUrl=url, **given)
        fresh = fresh_name("refused")
        refused(sqs.client.create_queue, "InvalidAttributeName", 400, text, QueueName=fresh, **given)


def queue_names_refused(sqs: Sqs) -> None:
    for name in ("with/slash", "with space", "with.dot", "x" * 81, "plain.fifo"):
        refused(sqs.client.create_queue, BAD_VALUE, 400, None, QueueName=name)
