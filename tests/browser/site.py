"""A server, what is on it, and where its pages are."""

import json
from typing import Any

import boto3
from botocore.config import Config

from tests.http.connections import ask
from tests.support.server import TestServer

ACCOUNT = "000000000000"
REGION = "us-east-1"


class Site:
    def __init__(self, server: TestServer) -> None:
        self.server = server
        self.clock = server.clock
        self.sqs = boto3.client(
            "sqs",
            endpoint_url=server.url,
            region_name=REGION,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key="test",
            config=Config(retries={"total_max_attempts": 1}),
        )

    def plan(self, fault: dict[str, Any]) -> None:
        """One of the faults of docs/faults.md."""
        body = json.dumps(fault).encode()
        answer = ask(self.server.url, "POST", "/_emulator/faults", body)
        assert answer.status == 200, answer.body

    def url(self, path: str = "") -> str:
        """Of a page: `""` is the overview, anything else stands below `/_emulator/console/`."""
        return f"{self.server.url}/_emulator/" + (f"console/{path}" if path else "")

    def queue_page(self, name: str) -> str:
        return self.url(f"queues/{REGION}/{ACCOUNT}/{name}")

    def message_page(self, message_id: str) -> str:
        return self.url(f"messages/{message_id}?account={ACCOUNT}&region={REGION}")

    def create(self, name: str, **attributes: str) -> str:
        """Its URL."""
        if name.endswith(".fifo"):
            attributes = {"FifoQueue": "true", **attributes}
        return str(self.sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])

    def create_with_dlq(self, name: str, max_receive_count: int = 1) -> tuple[str, str]:
        dead = self.create(f"{name}-dlq")
        arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}-dlq"
        policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": max_receive_count})
        return self.create(name, RedrivePolicy=policy), dead

    def send(self, url: str, *bodies: str, **members: Any) -> list[str]:
        """Message ids."""
        return [
            self.sqs.send_message(QueueUrl=url, MessageBody=body, **members)["MessageId"] for body in bodies
        ]

    def fill(self, url: str, count: int) -> None:
        """Sends that many messages, ten at a time."""
        for start in range(0, count, 10):
            entries = [
                {"Id": str(number), "MessageBody": f'{{"order": {number}}}'}
                for number in range(start, min(start + 10, count))
            ]
            self.sqs.send_message_batch(QueueUrl=url, Entries=entries)

    def receive(self, url: str, **members: Any) -> list[dict[str, Any]]:
        return list(self.sqs.receive_message(QueueUrl=url, **members).get("Messages", []))
