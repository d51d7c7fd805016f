"""Who a caller is to AWS: the unique id that messages carry as SenderId (spec 3.4)."""

import base64
import functools
import hashlib


@functools.lru_cache(maxsize=1024)
def sender_id(access_key: str) -> str:
    """Like an IAM user's: the same for the same access key, and never an account id (recorded R1)."""
    digest = hashlib.sha256(access_key.encode()).digest()
    return "AIDA" + base64.b32encode(digest).decode()[:17]
