"""Who a caller is: the account, and the unique id that messages carry as SenderId (spec 3.4)."""

import base64
import functools
import hashlib


@functools.lru_cache(maxsize=1024)
def sender_id(access_key: str) -> str:
    """Like an IAM user's: the same for the same access key, and never an account id (recorded R1)."""
    digest = hashlib.sha256(access_key.encode()).digest()
    return "AIDA" + base64.b32encode(digest).decode()[:17]


@functools.lru_cache(maxsize=1024)
def account_of(access_key: str | None) -> str | None:
    """An access key id of 12 digits is an account of its own, so that tests on one server never meet."""
    if access_key is None or len(access_key) != 12 or not (access_key.isascii() and access_key.isdigit()):
        return None
    return access_key
