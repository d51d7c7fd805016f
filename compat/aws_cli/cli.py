"""The real aws executable: what it prints, what it complains of and its exit code."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from steps import equal, fresh_name, holds

BIN = Path(sys.executable).parent
EXECUTABLE = BIN / ("aws.cmd" if os.name == "nt" else "aws")
REGION = "us-east-1"
# What version 1 of the CLI ends with when the service refuses a request.
REFUSED = 255


@dataclass(frozen=True)
class Cli:
    endpoint: str
    client: Any
    """For what only prepares a step: each command of the CLI takes most of a second of a processor."""
    service: str = "sqs"

    def start(self, command: str, *arguments: str) -> "subprocess.Popen[str]":
        line = [
            str(EXECUTABLE),
            "--endpoint-url",
            self.endpoint,
            "--output",
            "json",
            self.service,
            command,
            *arguments,
        ]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def says(self, command: str, *arguments: str) -> Any:
        """The JSON that the command prints; None if it prints nothing, as for an answer without members."""
        return finished(self.start(command, *arguments))

    def refuses(self, code: str, text: str, command: str, *arguments: str) -> None:
        """The command ends as the CLI does when the service refuses, and quotes the service."""
        process = self.start(command, *arguments)
        printed, complaint = process.communicate(timeout=120)
        operation = "".join(word.capitalize() for word in command.split("-"))
        expected = f"An error occurred ({code}) when calling the {operation} operation: {text}"
        # Newer versions of the CLI put a line with their own name before it, or the error's fields after it.
        holds(expected in complaint, f"expected {expected!r} in {complaint!r}")
        equal((process.returncode, printed), (REFUSED, ""), "exit code and output")

    def queue(self, **attributes: str) -> str:
        answer = self.client.create_queue(QueueName=fresh_name("cli"), Attributes=attributes)
        return str(answer["QueueUrl"])

    def send(self, url: str, *bodies: str) -> None:
        for body in bodies:
            self.client.send_message(QueueUrl=url, MessageBody=body)

    def receive(self, url: str) -> list[dict[str, Any]]:
        answer = self.client.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
        )
        return list(answer.get("Messages", []))


def cli_for(endpoint: str) -> Cli:
    return Cli(endpoint, boto3.client("sqs", endpoint_url=endpoint, region_name=REGION))


def finished(process: "subprocess.Popen[str]") -> Any:
    printed, complaint = process.communicate(timeout=120)
    equal((process.returncode, complaint), (0, ""), "exit code and complaints")
    return json.loads(printed) if printed else None
