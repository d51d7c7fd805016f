"""Talks HTTP byte by byte, so that tests can do what no client library would."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit
from xml.etree import ElementTree

JSON_TYPE = "application/x-amz-json-1.0"
FORM_TYPE = "application/x-www-form-urlencoded"
VERSION = "2012-11-05"
PATIENCE_S = 10


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def xml(self) -> ElementTree.Element:
        """Without namespaces."""
        root = ElementTree.fromstring(self.body)
        for node in root.iter():
            node.tag = node.tag.rpartition("}")[2]
        return root

    @property
    def code(self) -> str | None:
        """The Query code of an error in either protocol."""
        if "x-amzn-query-error" in self.headers:
            return self.headers["x-amzn-query-error"].partition(";")[0]
        if self.headers["content-type"] == "application/json":
            return str(self.json["Error"]["Code"])
        return self.xml.findtext("Error/Code")

    @property
    def message(self) -> str | None:
        if self.headers["content-type"] == "text/xml":
            return self.xml.findtext("Error/Message")
        return str(self.json["message"])


class Connection:
    """One socket. Requests can be written in pieces; answers are read one at a time."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self.host = address.netloc
        self.socket = socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S)
        self._file = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read_answer(self, *, has_body: bool = True) -> Answer:
        """Raises ConnectionError at the end of the stream. Interim answers (1xx) are answers too."""
        line = self._file.readline()
        if not line:
            raise ConnectionError("the server closed the connection")
        status = int(line.split(None, 2)[1])
        headers = {}
        while (line := self._file.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        if not has_body or status < 200:
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Answer(status, headers, self._read_chunks())
        return Answer(status, headers, self._file.read(int(headers.get("content-length", "0"))))

    def is_closed_by_server(self) -> bool:
        """Waits for the end of the stream."""
        try:
            return self._file.read(1) == b""
        except ConnectionError:
            return True

    def request(
        self,
        method: str = "POST",
        target: str = "/",
        body: bytes = b"",
        headers: dict[str, str] | None = None,
    ) -> Answer:
        self.send(request_bytes(self.host, method, target, body, headers))
        return self.read_answer(has_body=method != "HEAD")

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def _read_chunks(self) -> bytes:
        body = b""
        while (size := int(self._file.readline(), 16)) > 0:
            body += self._file.read(size)
            self._file.readline()
        self._file.readline()
        return body


def request_bytes(
    host: str, method: str, target: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> bytes:
    """A Content-Length is added unless the headers say how long the body is."""
    given = {"Host": host, **(headers or {})}
    names = {name.lower() for name in given}
    if (body or method == "POST") and not names & {"content-length", "transfer-encoding"}:
        given["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


@contextmanager
def connection(url: str) -> Iterator[Connection]:
    opened = Connection(url)
    try:
        yield opened
    finally:
        opened.close()


def ask(
    url: str,
    method: str = "POST",
    target: str = "/",
    body: bytes = b"",
    headers: dict[str, str] | None = None,
) -> Answer:
    """One request on a connection of its own."""
    with connection(url) as opened:
        return opened.request(method, target, body, headers)


def json_headers(operation: str, **more: str) -> dict[str, str]:
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return {"Content-Type": JSON_TYPE, "X-Amz-Target": f"AmazonSQS.{operation}", **named}


def ask_json(url: str, operation: str, body: Any = None, *, path: str = "/", **headers: str) -> Answer:
    """`body`: bytes as they are, anything else as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
    return ask(url, "POST", path, raw, json_headers(operation, **headers))


def form_of(operation: str, fields: dict[str, Any] | str = "") -> str:
    """`fields`: text as it is, anything else percent-encoded."""
    text = fields if isinstance(fields, str) else urlencode(fields)
    return f"Action={operation}&Version={VERSION}&{text}"


def ask_query(
    url: str,
    operation: str,
    fields: dict[str, Any] | str = "",
    *,
    path: str = "/",
    method: str = "POST",
    **headers: str,
) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    text = form_of(operation, fields)
    if method == "GET":
        return ask(url, "GET", f"{path}?{text}", headers=named)
    return ask(url, method, path, text.encode(), {"Content-Type": FORM_TYPE, **named})
