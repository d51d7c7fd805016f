"""What the steps are given: the client, what is particular to its protocol, and short forms of calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError
from steps import equal, fresh_name, holds

REGION = "us-east-1"


@dataclass(frozen=True)
class Sqs:
    client: Any
    endpoint: str
    # The one text in which AWS's protocols differ.
    missing_queue_text: str
    # Older models know only the deprecated member for asking for system attributes.
    system_attributes_member: str

    def queue(self, word: str = "day", **attributes: str) -> str:
        answer = self.client.create_queue(QueueName=fresh_name(word), Attributes=attributes)
        return str(answer["QueueUrl"])

    def attributes(self, url: str, *names: str) -> dict[str, str]:
        return dict(
            self.client.get_queue_attributes(QueueUrl=url, AttributeNames=names or ["All"])["Attributes"]
        )

    def arn(self, url: str) -> str:
        return self.attributes(url, "QueueArn")["QueueArn"]

    def send(self, url: str, body: str = "hello", **more: Any) -> Mapping[str, Any]:
        return dict(self.client.send_message(QueueUrl=url, MessageBody=body, **more))

    def receive(self, url: str, **more: Any) -> list[dict[str, Any]]:
        """Messages with everything they have; an empty answer must have no member Messages at all."""
        more = {self.system_attributes_member: ["All"], "MessageAttributeNames": ["All"]} | more
        answer = self.client.receive_message(QueueUrl=url, **more)
        equal(
            sorted(set(answer) - {"ResponseMetadata"}),
            ["Messages"] if answer.get("Messages") else [],
            "members",
        )
        return list(answer.get("Messages", []))

    def one(self, url: str, **more: Any) -> dict[str, Any]:
        messages = self.receive(url, **more)
        equal(len(messages), 1, "number of messages")
        return messages[0]


def name_of(url: str) -> str:
    return url.rsplit("/", 1)[-1]


def refused(call: Any, code: str, status: int, message: str | None, **arguments: Any) -> None:
    """The call fails with this code, this status and, where AWS's words are known, these words."""
    try:
        answer = call(**arguments)
    except ClientError as error:
        equal(error.response["Error"]["Code"], code, "code")
        equal(error.response["ResponseMetadata"]["HTTPStatusCode"], status, f"status of {code}")
        holds(error.response["Error"]["Message"], "an error without a text")
        if message is not None:
            equal(error.response["Error"]["Message"], message, "text")
        return
    raise AssertionError(f"{code} expected, but the call succeeded: {answer!r}")
