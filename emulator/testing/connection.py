"""One HTTP call to a running emulator, and what can go wrong with it."""

import http.client
from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from emulator import __version__

T = TypeVar("T")
Members = Mapping[str, object]
PATIENCE_S = 30.0
"""How long a call may take, in real seconds, beside the time it was asked to wait."""
_CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


class KitError(Exception):
    """The emulator refused a call; the text is its own. `status` and `title` are those of the answer."""

    def __init__(self, detail: str, *, status: int | None = None, title: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.title = title


class NotReached(KitError):
    """Nothing that speaks as the emulator does answers at the URL."""


class WaitedInVain(KitError):
    """What was waited for did not happen within the timeout."""


class Problem(msgspec.Struct, frozen=True):
    """An error in the shape of RFC 9457."""

    title: str = ""
    detail: str = ""


class AwsError(msgspec.Struct, frozen=True):
    code: str = msgspec.field(name="__type", default="")
    message: str = ""


class Connection:
    """Opens a TCP connection for each call: calls may come from any thread, and nothing is left to close."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in _CONNECTIONS or not parts.hostname or port == -1 or parts.query:
            raise NotReached(f"{url!r} is not a URL such as http://127.0.0.1:9324")
        self.url = url.rstrip("/")
        self._path = parts.path.rstrip("/")
        self._connect = _CONNECTIONS[parts.scheme]
        self._host, self._port = parts.hostname, port

    def get(self, path: str, answer: type[T], query: Members) -> T:
        return self._decoded(self.call("GET", path, query=query), answer)

    def post(self, path: str, answer: type[T], members: Members, *, wait_s: float = 0) -> T:
        return self._decoded(self.call("POST", path, body=members, wait_s=wait_s), answer)

    def put(self, path: str, answer: type[T], members: Members) -> T:
        return self._decoded(self.call("PUT", path, body=members), answer)

    def delete(self, path: str, answer: type[T], query: Members) -> T:
        return self._decoded(self.call("DELETE", path, query=query), answer)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Members | None = None,
        body: object = None,
        wait_s: float = 0,
    ) -> bytes:
        """The body of a good answer. Members and parameters that are None are left out."""
        headers = {"content-type": "application/json", "user-agent": f"sqs-emulator-kit/{__version__}"}
        sent: bytes | None = None
        if isinstance(body, bytes):
            sent, headers["content-type"] = body, "application/vnd.sqlite3"
        elif body is not None:
            sent = msgspec.json.encode(_given(body) if isinstance(body, Mapping) else body)
        asked = urlencode({name: _text(value) for name, value in _given(query or {}).items()})
        status, answer = self.exchange(
            method, f"/_emulator/{path}" + (f"?{asked}" if asked else ""), sent, headers, wait_s=wait_s
        )
        if status >= 300:
            raise self._refusal(status, answer)
        return answer

    def sqs(self, action: str, members: Members, *, account: str, region: str) -> bytes:
        """The answer to one SQS call in AWS JSON. Raises KitError with AWS's code and words."""
        headers = {
            "content-type": "application/x-amz-json-1.0",
            "x-amz-target": f"AmazonSQS.{action}",
            "authorization": f"AWS4-HMAC-SHA256 Credential={account}/20260101/{region}/sqs/aws4_request",
        }
        status, answer = self.exchange("POST", "/", msgspec.json.encode(_given(members)), headers)
        if status >= 300:
            error = _read(answer, AwsError)
            code = error.code.rpartition("#")[2] if error is not None else ""
            raise KitError(f"{code}: {error.message}" if error and code else _strange(self.url, status))
        return answer

    def exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], *, wait_s: float = 0
    ) -> tuple[int, bytes]:
        connection = self._connect(self._host, self._port, timeout=wait_s + PATIENCE_S)
        try:
            connection.request(method, self._path + path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise NotReached(f"no sqs-emulator answers at {self.url}: {reason}") from error
        finally:
            connection.close()

    def _decoded(self, answer: bytes, into: type[T]) -> T:
        found = _read(answer, into)
        if found is None:
            raise NotReached(f"{self.url} answers as no sqs-emulator of version {__version__} does")
        return found

    def _refusal(self, status: int, answer: bytes) -> KitError:
        problem = _read(answer, Problem)
        if problem is None or not (problem.detail or problem.title):
            return NotReached(_strange(self.url, status), status=status)
        kind = WaitedInVain if status == 408 else KitError
        return kind(problem.detail or problem.title, status=status, title=problem.title)


def _read(answer: bytes, into: type[T]) -> T | None:
    try:
        return msgspec.json.decode(answer, type=into)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _strange(url: str, status: int) -> str:
    return (
        f"{url} answers with status {status} and no reason: "
        "it is no sqs-emulator, or one that was started with --no-admin"
    )


def _given(members: Members) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
