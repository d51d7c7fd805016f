"""The real aws executable: what it prints, what it complains of and its exit code."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steps import equal, fresh_name, holds

EXECUTABLE = Path(sys.executable).parent / ("aws.cmd" if os.name == "nt" else "aws")
# What version 1 of the CLI ends with when the service refuses a request.
REFUSED = 255


@dataclass(frozen=True)
class Cli:
    endpoint: str

    def start(self, command: str, *arguments: str) -> "subprocess.Popen[str]":
        line = [
            str(EXECUTABLE),
            "--endpoint-url",
            self.endpoint,
            "--output",
            "json",
            "sqs",
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
        printed, complaint = process.communicate(timeout=60)
        operation = "".join(word.capitalize() for word in command.split("-"))
        expected = f"An error occurred ({code}) when calling the {operation} operation: {text}"
        # Newer versions of the CLI put a line with their own name before it, or the error's fields after it.
        holds(expected in complaint, f"expected {expected!r} in {complaint!r}")
        equal((process.returncode, printed), (REFUSED, ""), "exit code and output")

    def queue(self, *more: str) -> str:
        answer = self.says("create-queue", "--queue-name", fresh_name("cli"), *more)
        equal(list(answer), ["QueueUrl"], "members")
        return str(answer["QueueUrl"])

    def receive(self, url: str, *more: str) -> list[dict[str, Any]]:
        answer = self.says("receive-message", "--queue-url", url, *more)
        equal(list(answer or {}), ["Messages"] if answer else [], "members")
        return list(answer["Messages"]) if answer else []


def finished(process: "subprocess.Popen[str]") -> Any:
    printed, complaint = process.communicate(timeout=60)
    equal((process.returncode, complaint), (0, ""), "exit code and complaints")
    return json.loads(printed) if printed else None
