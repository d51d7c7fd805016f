"""CloudWatch of a server whose clock stands still, asked in each of its protocols."""

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import boto3
import pytest
from botocore.config import Config

from tests.http.connections import ask
from tests.support.server import TestServer, running_server

MINUTE_S = 60
HOUR_S = 3600


@pytest.fixture
def server() -> Iterator[TestServer]:
    """One for each test: they move its clock for hours."""
    with running_server() as server:
        yield server


def client(service: str, server: TestServer, account: str = "test", region: str = "us-east-1") -> Any:
    return boto3.client(
        service,
        endpoint_url=server.url,
        region_name=region,
        aws_access_key_id=account,
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture
def sqs(server: TestServer) -> Any:
    return client("sqs", server)


@pytest.fixture
def cloudwatch(server: TestServer) -> Any:
    return client("cloudwatch", server)


@pytest.fixture
def orders(sqs: Any) -> str:
    return str(sqs.create_queue(QueueName="orders")["QueueUrl"])


def now_s(server: TestServer) -> float:
    return server.clock.now_ms() / 1000


def of(queue: str) -> list[dict[str, str]]:
    return [{"Name": "QueueName", "Value": queue}]


def in_json(server: TestServer, action: str, **members: Any) -> tuple[int, Any, dict[str, str]]:
    """Status, decoded body and headers."""
    headers = {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": f"GraniteServiceVersion20100801.{action}",
    }
    answer = ask(server.url, "POST", "/", json.dumps(members).encode(), headers)
    return answer.status, json.loads(answer.body), answer.headers


def in_query(server: TestServer, fields: str) -> tuple[int, ElementTree.Element]:
    """Status and the root element, without the namespace in the names."""
    answer = ask(
        server.url,
        "POST",
        "/",
        f"Version=2010-08-01&{fields}".encode(),
        {"content-type": "application/x-www-form-urlencoded"},
    )
    return answer.status, ElementTree.fromstring(
        answer.body.replace(b' xmlns="http://monitoring', b' x="http')
    )
