"""What CloudWatch refuses with. Shapes, codes and statuses are those of its service model."""


class CloudWatchError(Exception):
    """`shape`: its name in JSON and CBOR; `code`: in the Query protocol, and in x-amzn-query-error.

    Without a message there is no member for it, as in AWS's own ResourceNotFound.
    """

    shape = "InternalServiceFault"
    code = "InternalServiceError"
    status = 400
    message_member = "message"

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    @property
    def is_senders(self) -> bool:
        return self.status < 500


class InternalServiceFault(CloudWatchError):
    status = 500
    message_member = "Message"


class InvalidParameterValue(CloudWatchError):
    shape, code = "InvalidParameterValueException", "InvalidParameterValue"


class InvalidParameterCombination(CloudWatchError):
    shape, code = "InvalidParameterCombinationException", "InvalidParameterCombination"


class MissingParameter(CloudWatchError):
    shape, code = "MissingRequiredParameterException", "MissingParameter"

    def __init__(self, name: str) -> None:
        super().__init__(f"The parameter {name} is required.")


class InvalidNextToken(CloudWatchError):
    shape = code = "InvalidNextToken"

    def __init__(self) -> None:
        super().__init__("Invalid nextToken")


class InvalidFormat(CloudWatchError):
    shape, code = "InvalidFormatFault", "InvalidFormat"


class ResourceNotFound(CloudWatchError):
    shape = code = "ResourceNotFound"
    status = 404


class ValidationError(CloudWatchError):
    shape, code = "ValidationException", "ValidationError"


class InvalidAction(CloudWatchError):
    shape, code = "UnknownOperationException", "InvalidAction"

    def __init__(self, action: str) -> None:
        super().__init__(f"Could not find operation {action} for version 2010-08-01")


class SerializationError(CloudWatchError):
    shape, code = "SerializationException", "MalformedInput"
