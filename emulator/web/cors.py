"""Cross-origin headers, as AWS's front end sends them: any page may call the AWS endpoint.

Everything under `/_emulator/` is another matter, and has no such headers.
"""

from collections.abc import Mapping

from emulator.wire.messages import Header

ALLOW_METHODS = b"GET, HEAD, POST, OPTIONS"
EXPOSE = b"x-amzn-requestid, x-amzn-errortype, x-amzn-errormessage, x-amzn-query-error, x-amzn-trace-id, date"
MAX_AGE_S = b"172800"


def preflight(headers: Mapping[str, str]) -> tuple[Header, ...]:
    asked = headers.get("access-control-request-headers", "*")
    return (
        (b"access-control-allow-origin", b"*"),
        (b"access-control-allow-methods", ALLOW_METHODS),
        (b"access-control-allow-headers", asked.encode("latin-1")),
        (b"access-control-expose-headers", EXPOSE),
        (b"access-control-max-age", MAX_AGE_S),
    )


ANSWER: tuple[Header, ...] = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", EXPOSE),
)
"""On the answer to a request that has an Origin."""
