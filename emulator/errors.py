"""Every error SQS answers with, once: JSON type, Query code, status and text.

The codecs read these declarations; nothing else builds an error response. Sources: spec sections 1.4
and 1.5 (botocore's model, the public Smithy model) and the recorded answers.
"""

from typing import ClassVar

MODELLED = "com.amazonaws.sqs#"
UNMODELLED = "com.amazon.coral.service#"


class SqsError(Exception):
    """An error with an AWS answer. Raise a subclass; `message` may be given for this one case."""

    json_type: ClassVar[str]
    query_code: ClassVar[str]
    status: ClassVar[int] = 400
    message: str = ""

    def __init__(self, message: str | None = None, *, query_message: str | None = None) -> None:
        super().__init__(message or self.message)
        if message is not None:
            self.message = message
        self._query_message = query_message

    @property
    def query_message(self) -> str:
        """The text in the Query protocol, which departs from JSON's for one error only."""
        return self._query_message or self.message

    @property
    def sender_fault(self) -> bool:
        return self.status < 500


# Modelled errors (spec 1.4)


class BatchEntryIdsNotDistinct(SqsError):
    json_type = MODELLED + "BatchEntryIdsNotDistinct"
    query_code = "AWS.SimpleQueueService.BatchEntryIdsNotDistinct"


class BatchRequestTooLong(SqsError):
    json_type = MODELLED + "BatchRequestTooLong"
    query_code = "AWS.SimpleQueueService.BatchRequestTooLong"


class EmptyBatchRequest(SqsError):
    json_type = MODELLED + "EmptyBatchRequest"
    query_code = "AWS.SimpleQueueService.EmptyBatchRequest"


class InvalidAttributeName(SqsError):
    json_type = MODELLED + "InvalidAttributeName"
    query_code = "InvalidAttributeName"


class InvalidAttributeValue(SqsError):
    json_type = MODELLED + "InvalidAttributeValue"
    query_code = "InvalidAttributeValue"


class InvalidBatchEntryId(SqsError):
    json_type = MODELLED + "InvalidBatchEntryId"
    query_code = "AWS.SimpleQueueService.InvalidBatchEntryId"
    message = (
        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
        "It can be at most 80 letters long."
    )


class InvalidMessageContents(SqsError):
    json_type = MODELLED + "InvalidMessageContents"
    query_code = "InvalidMessageContents"
    message = (
        "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | "
        "#xE000 to #xFFFD | #x10000 to #x10FFFF"
    )


class OverLimit(SqsError):
    json_type = MODELLED + "OverLimit"
    query_code = "OverLimit"
    status = 403


class PurgeQueueInProgress(SqsError):
    json_type = MODELLED + "PurgeQueueInProgress"
    query_code = "AWS.SimpleQueueService.PurgeQueueInProgress"
    status = 403


class QueueDeletedRecently(SqsError):
    json_type = MODELLED + "QueueDeletedRecently"
    query_code = "AWS.SimpleQueueService.QueueDeletedRecently"
    message = (
        "You must wait 60 seconds after deleting a queue before you can create another with the same name."
    )


class QueueDoesNotExist(SqsError):
    json_type = MODELLED + "QueueDoesNotExist"
    query_code = "AWS.SimpleQueueService.NonExistentQueue"
    message = "The specified queue does not exist."

    def __init__(self) -> None:
        # Recorded: the one text that differs between the protocols (spec 1.3).
        super().__init__(query_message="The specified queue does not exist for this wsdl version.")


class QueueNameExists(SqsError):
    json_type = MODELLED + "QueueNameExists"
    query_code = "QueueAlreadyExists"


class ReceiptHandleIsInvalid(SqsError):
    # The model says 404, the recorded answers (E1 rows 39 and 40) say 400; the parity tests decide.
    json_type = MODELLED + "ReceiptHandleIsInvalid"
    query_code = "ReceiptHandleIsInvalid"
    status = 404

    def __init__(self, handle: str) -> None:
        super().__init__(f'The input receipt handle "{handle}" is not a valid receipt handle.')


class RequestThrottled(SqsError):
    json_type = MODELLED + "RequestThrottled"
    query_code = "RequestThrottled"
    status = 403
    message = "Request is throttled."


class ResourceNotFoundException(SqsError):
    json_type = MODELLED + "ResourceNotFoundException"
    query_code = "ResourceNotFoundException"
    status = 404


class TooManyEntriesInBatchRequest(SqsError):
    json_type = MODELLED + "TooManyEntriesInBatchRequest"
    query_code = "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"


class UnsupportedOperation(SqsError):
    json_type = MODELLED + "UnsupportedOperation"
    query_code = "AWS.SimpleQueueService.UnsupportedOperation"


# Errors outside the model (spec 1.5)


class InvalidParameterValue(SqsError):
    json_type = UNMODELLED + "InvalidParameterValueException"
    query_code = "InvalidParameterValue"


class MissingParameter(SqsError):
    json_type = UNMODELLED + "MissingRequiredParameterException"
    query_code = "MissingParameter"

    def __init__(self, parameter: str) -> None:
        """`parameter` in Query spelling, which both protocols use."""
        super().__init__(f"The request must contain the parameter {parameter}.")


class InvalidAction(SqsError):
    json_type = UNMODELLED + "UnknownOperationException"
    query_code = "InvalidAction"

    def __init__(self, action: str) -> None:
        super().__init__(f"The action {action} is not valid for this endpoint.")


class UnknownOperation(SqsError):
    """A Query request that names no action: 404 with a bare XML element (recorded, E1 row 54)."""

    json_type = UNMODELLED + "UnknownOperationException"
    query_code = "InvalidAction"
    status = 404


class MalformedInput(SqsError):
    json_type = UNMODELLED + "SerializationException"
    query_code = "MalformedInput"


class RequestEntityTooLarge(SqsError):
    """The HTTP body exceeds the server's limit; AWS's front end answers 413 as well."""

    json_type = UNMODELLED + "RequestEntityTooLargeException"
    query_code = "RequestEntityTooLarge"
    status = 413


class InternalFailure(SqsError):
    json_type = UNMODELLED + "InternalFailure"
    query_code = "InternalFailure"
    status = 500
    message = "We encountered an internal error. Please try again."


class ServiceUnavailable(SqsError):
    json_type = UNMODELLED + "ServiceUnavailable"
    query_code = "ServiceUnavailable"
    status = 503
    message = "The service is temporarily unable to handle the request."


# Not an answer of SQS: what an engine says to the test kit


class InvalidSnapshot(Exception):
    """These bytes are no snapshot that this version can restore; the text says why."""
