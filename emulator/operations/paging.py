"""Pages of names. A token is opaque text that says what was listed and after which name to go on."""

import base64

import msgspec

from emulator.domain import limits
from emulator.domain.ranges import require_max_results
from emulator.errors import InvalidParameterValue


class Page:
    """Reads MaxResults and NextToken of a listing; `scope` is what the token belongs to (prefix, queue)."""

    def __init__(self, scope: str, max_results: int | None, next_token: str | None) -> None:
        self._scope = scope
        self._max_results = require_max_results(max_results)
        self.after = _after(scope, next_token) if next_token else ""

    @property
    def limit(self) -> int:
        """One more than the page holds, to see whether something follows."""
        return (self._max_results or limits.MAX_LIST_RESULTS) + 1

    def cut(self, names: list[str]) -> tuple[list[str], str | None]:
        """The names of this page and the token of the next one. No MaxResults, no token (spec 2.13)."""
        page = names[: self.limit - 1]
        if self._max_results is None or len(page) == len(names):
            return page, None
        return page, base64.b64encode(msgspec.json.encode(_Token(self._scope, page[-1]))).decode()


class _Token(msgspec.Struct, frozen=True):
    scope: str
    after: str


def _after(scope: str, text: str) -> str:
    try:
        token = msgspec.json.decode(base64.b64decode(text, validate=True), type=_Token)
    except (ValueError, msgspec.DecodeError, RecursionError):
        token = _Token("", "")
    if not token.after or token.scope != scope:
        raise InvalidParameterValue("Invalid or expired next token.")
    return token.after
