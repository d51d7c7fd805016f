"""Calls that surround a measurement: create a queue, fill it, count what is in it."""

import http.client
import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from bench.cases import entries
from bench.wire import body_of, headers_of

FILLERS = 4


class Failed(Exception):
    """An answer that is not right: the case that got it counts for nothing."""


class Client:
    """A connection; JSON, as every server here speaks it."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def call(self, action: str, members: Mapping[str, object]) -> str:
        body = body_of("json", action, members).encode()
        self._connection.request("POST", "/", body, headers_of("json", action))
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise Failed(f"{action}: {answer.status} {text[:200]}")
        return text

    def create_queue(self, queue: str) -> str:
        """Its URL: each server has a form of its own."""
        attributes = {"FifoQueue": "true"} if queue.endswith(".fifo") else {}
        answer = json.loads(self.call("CreateQueue", {"QueueName": queue, "Attributes": attributes}))
        url: str = answer["QueueUrl"]
        return url

    def delete_queue(self, url: str) -> None:
        self.call("DeleteQueue", {"QueueUrl": url})

    def message_count(self, url: str) -> int:
        names = ["ApproximateNumberOfMessages"]
        members = {"QueueUrl": url, "AttributeNames": names}
        found = re.search(
            r'"ApproximateNumberOfMessages": ?"(\d+)"', self.call("GetQueueAttributes", members)
        )
        if found is None:
            raise Failed("GetQueueAttributes does not count messages")
        return int(found[1])

    def send_batches(self, url: str, batches: range, *, fifo: bool) -> None:
        for batch in batches:
            members = {"QueueUrl": url, "Entries": entries(10, batch * 10 if fifo else None)}
            answer = json.loads(self.call("SendMessageBatch", members))
            if len(answer["Successful"]) != 10:
                raise Failed("a batch that fills the queue was not taken as a whole")


def fill(port: int, url: str, first: int, count: int) -> int:
    """Sends at least so many messages from several connections; returns the next number to begin with."""
    start, stop = first // 10, (first + count + 9) // 10
    fifo = url.endswith(".fifo")

    def work(filler: int) -> None:
        Client(port).send_batches(url, range(start + filler, stop, FILLERS), fifo=fifo)

    with ThreadPoolExecutor(FILLERS) as pool:
        list(pool.map(work, range(FILLERS)))
    return stop * 10
