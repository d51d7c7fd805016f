"""A server under comparison: making a call's queues on it, and putting values for the words in arguments."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from calls import Call
from shapes import Shape, error_shape, shape_of
from steps import fresh_name, holds

REGION = "us-east-1"
START_SECONDS = 30


class Server:
    def __init__(self, endpoint: str) -> None:
        # One attempt: a retry that succeeds would hide an answer that was wrong.
        config = Config(retries={"total_max_attempts": 1}, read_timeout=30)
        self.client = boto3.client("sqs", endpoint_url=endpoint, region_name=REGION, config=config)

    def shape(self, call: Call) -> Shape:
        words = self.prepare(call)
        for method, arguments in call.before:
            try:
                self.remember(words, getattr(self.client, method)(**filled(arguments, words)))
            except ClientError as error:
                return {"before": method} | error_shape(error.response)
        return shape_of(getattr(self.client, call.method), filled(call.arguments, words))

    def prepare(self, call: Call) -> dict[str, str]:
        suffix = ".fifo" if call.attributes.get("FifoQueue") == "true" else ""
        base = fresh_name("shape")
        url = self.create(f"{base}-a{suffix}", call.attributes)
        dead_url = self.create(f"{base}-b{suffix}", call.attributes)
        account = url.split("/")[-2]
        missing = f"{base}-missing{suffix}"
        arn = f"arn:aws:sqs:{REGION}:{account}:"
        return {
            "$url": url,
            "$dead_url": dead_url,
            "$missing_url": url.rsplit("/", 1)[0] + "/" + missing,
            "$arn": f"{arn}{base}-a{suffix}",
            "$dead_arn": f"{arn}{base}-b{suffix}",
            "$missing_arn": arn + missing,
            "$account": account,
            "$name": f"{base}-a{suffix}",
            "$prefix": base,
        }

    def create(self, name: str, attributes: Mapping[str, str]) -> str:
        return str(self.client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])

    def remember(self, words: dict[str, str], answer: Mapping[str, Any]) -> None:
        for message in answer.get("Messages", []):
            words["$handle"] = message["ReceiptHandle"]
        for word, member in (("$token", "NextToken"), ("$task", "TaskHandle")):
            if member in answer:
                words[word] = answer[member]


def filled(value: Any, words: Mapping[str, str]) -> Any:
    """The value with each word replaced."""
    if isinstance(value, dict):
        return {name: filled(child, words) for name, child in value.items()}
    if isinstance(value, list):
        return [filled(child, words) for child in value]
    if isinstance(value, str):
        for word, meaning in words.items():
            value = value.replace(word, meaning)
        holds("$" not in value, f"no value for a word in {value!r}")
    return value


@contextmanager
def moto_server() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        endpoint = f"http://127.0.0.1:{port}"
        wait_until_it_answers(process, f"{endpoint}/moto-api/data.json")
        yield endpoint
    finally:
        process.terminate()
        process.wait(10)


def wait_until_it_answers(process: "subprocess.Popen[bytes]", url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"moto's server did not start (exit code {process.poll()})")
