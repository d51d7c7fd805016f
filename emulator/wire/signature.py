"""Who signed a request, and for which region. Signatures are read, never verified.

A signature version 4 is the same for a whole day up to its last parts, so what is read from it is remembered.
"""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

_CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/\d{8}/([^/,\s]+)/")
_ACCESS_KEY_ONLY = re.compile(r"(?:^|&)AWSAccessKeyId=([^&]+)")


class Signature(NamedTuple):
    access_key: str | None = None
    region: str | None = None


def signature_of(headers: Mapping[str, str], query: str) -> Signature:
    """From the Authorization header, or from the parameters of a presigned URL (versions 4 and 2)."""
    authorization = headers.get("authorization")
    if authorization is not None:
        return _parse(authorization.partition("SignedHeaders")[0])
    if "X-Amz-Credential=" in query:
        return _parse(unquote(query))
    found = _ACCESS_KEY_ONLY.search(query)
    return Signature(unquote(found[1])) if found else Signature()


@functools.lru_cache(maxsize=1024)
def _parse(text: str) -> Signature:
    found = _CREDENTIAL.search(text)
    return Signature(found[1], found[2]) if found else Signature()
