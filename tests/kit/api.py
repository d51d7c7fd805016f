"""Asks the kit's HTTP API, and SQS beside it, byte by byte."""

import itertools
import json
from typing import Any
from urllib.parse import urlencode

from tests.http.connections import Answer, ask, ask_json
from tests.support.server import TestServer

_accounts = itertools.count(700_000_000_001)
PROBLEM = "application/problem+json"


class Api:
    def __init__(self, server: TestServer) -> None:
        self.server = server
        self.url = server.url

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        **parameters: Any,
    ) -> Answer:
        """`path`: below `/_emulator/`, or from the root. `body`: bytes as they are, anything else as JSON."""
        target = path if path.startswith("/") else f"/_emulator/{path}"
        if parameters:
            target += "?" + urlencode(parameters)
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return ask(self.url, method, target, raw, headers)

    def get(self, path: str, **parameters: Any) -> Any:
        return good(self.ask("GET", path, **parameters))

    def post(self, path: str, **members: Any) -> Any:
        return good(self.ask("POST", path, members))

    def sqs(self, action: str, account: str | None = None, region: str = "us-east-1", **members: Any) -> Any:
        headers = {} if account is None else {"authorization": credential(account, region)}
        return good(ask_json(self.url, action, members, **headers))

    def queue(
        self, name: str, account: str | None = None, region: str = "us-east-1", **attributes: str
    ) -> str:
        """Makes a queue; its URL."""
        made = self.sqs("CreateQueue", account, region, QueueName=name, Attributes=attributes)
        return str(made["QueueUrl"])

    def fill(self, queue: str, *bodies: str, account: str | None = None, **members: Any) -> list[str]:
        """Sends messages; their ids."""
        return [
            self.sqs("SendMessage", account, QueueUrl=queue, MessageBody=body, **members)["MessageId"]
            for body in bodies
        ]


def credential(account: str, region: str) -> str:
    return f"AWS4-HMAC-SHA256 Credential={account}/20260101/{region}/sqs/aws4_request, SignedHeaders=host"


def fresh_account() -> str:
    return str(next(_accounts))


def good(answer: Answer) -> Any:
    assert answer.status in (200, 204), (answer.status, answer.body)
    return answer.json if answer.body else None


def refusal(answer: Answer) -> tuple[int, str]:
    """Status and text of a problem, whose shape is checked."""
    assert answer.headers["content-type"] == PROBLEM, (answer.status, answer.body)
    problem = answer.json
    assert set(problem) == {"type", "title", "status", "detail"}
    assert (problem["type"], problem["status"]) == ("about:blank", answer.status)
    assert problem["title"]
    return answer.status, problem["detail"]
