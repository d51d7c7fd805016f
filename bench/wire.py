"""Requests as SDKs send them: those of a current boto3 (JSON), and of one from before 2023 (Query)."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

ACCOUNT = "000000000000"
MESSAGE = (
    '{"order":"2f1c9a","customer":47110815,"items":[{"sku":"A-100","n":2},{"sku":"B-200","n":1}],"paid":true}'
)
"""About 100 bytes, and JSON in JSON as most messages are."""
PROTOCOLS = ("json", "query")
ENTRY_NAMES = {
    "SendMessageBatch": "SendMessageBatchRequestEntry",
    "DeleteMessageBatch": "DeleteMessageBatchRequestEntry",
}

_AGENT = (
    "Boto3/1.42.1 md/Botocore#1.42.1 ua/2.1 os/linux#6.8.0 md/arch#x86_64 lang/python#3.12.8 "
    "md/pyimpl#CPython m/b,E,e,N,Z cfg/retry-mode#standard Botocore/1.42.1"
)
_SIGNED = "content-type;host;x-amz-date;x-amz-target;x-amzn-query-mode"
_COMMON = {
    "Accept-Encoding": "identity",
    "User-Agent": _AGENT,
    "X-Amz-Date": "20260601T120000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260601/us-east-1/sqs/aws4_request, "
    f"SignedHeaders={_SIGNED}, Signature=c8fd1fdc04b94414e98eabb2276bbf79562ee0ec3a42d076b1994248c7799c5a",
    "amz-sdk-invocation-id": "ce73b0d4-5dcb-4ed3-bffa-7f1ca018cb02",
    "amz-sdk-request": "attempt=1; max=5",
}
Members = Mapping[str, Any]


def queue_url(port: int, queue: str) -> str:
    return f"http://127.0.0.1:{port}/{ACCOUNT}/{queue}"


def path_of(protocol: str, url: str) -> str:
    """JSON goes to the root, Query to the path of the queue."""
    return "/" if protocol == "json" else urlsplit(url).path


def headers_of(protocol: str, action: str) -> dict[str, str]:
    if protocol == "json":
        return {
            "X-Amz-Target": f"AmazonSQS.{action}",
            "Content-Type": "application/x-amz-json-1.0",
            "x-amzn-query-mode": "true",
            **_COMMON,
        }
    return {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8", **_COMMON}


def body_of(protocol: str, action: str, members: Members) -> str:
    if protocol == "json":
        return json.dumps(members)
    fields = {"Action": action, "Version": "2012-11-05", **_flat(action, members)}
    return "&".join(f"{name}={quote(str(value), safe='-_.~')}" for name, value in fields.items())


def head_of(protocol: str, action: str, port: int, url: str) -> str:
    """The request up to the number that follows Content-Length."""
    lines = [f"POST {path_of(protocol, url)} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    lines += [f"{name}: {value}" for name, value in headers_of(protocol, action).items()]
    return "\r\n".join([*lines, "Content-Length: "])


def request_of(protocol: str, action: str, members: Members, port: int, url: str) -> str:
    body = body_of(protocol, action, members)
    return f"{head_of(protocol, action, port, url)}{len(body.encode())}\r\n\r\n{body}"


def _flat(action: str, members: Members) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in members.items():
        if name == "Entries":
            for number, entry in enumerate(value, 1):
                flat |= {f"{ENTRY_NAMES[action]}.{number}.{key}": item for key, item in entry.items()}
        else:
            flat[name] = value
    return flat
