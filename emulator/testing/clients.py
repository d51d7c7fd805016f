"""boto3 clients of a running emulator. boto3 is imported here only, when the first one is asked for."""

import functools
import importlib
from typing import Any

DEFAULT_ACCOUNT = "000000000000"
REGION = "us-east-1"


class Boto3Missing(ImportError):
    def __init__(self) -> None:
        super().__init__("boto3 clients need boto3, which is not installed: pip install boto3")


def boto3_client(service: str, url: str, account: str | None, region: str | None, options: Any) -> Any:
    """A client that does not retry, so that a planned error reaches the caller. `options` go first."""
    given: dict[str, Any] = {
        "endpoint_url": url,
        "region_name": region or REGION,
        "aws_access_key_id": account or DEFAULT_ACCOUNT,
        "aws_secret_access_key": "test",
        **options,
    }
    return _session().client(service, **({"config": _no_retries()} | given))


@functools.cache
def _session() -> Any:
    """One for all clients: the first one reads the service model, which takes a tenth of a second."""
    try:
        boto3 = importlib.import_module("boto3")
    except ImportError as error:
        raise Boto3Missing from error
    botocore = importlib.import_module("botocore.session")
    # AWS_PROFILE of the developer's shell may name a profile that does not exist here.
    no_profile = {"profile": (None, None, None, None)}
    return boto3.Session(botocore_session=botocore.Session(session_vars=no_profile))


@functools.cache
def _no_retries() -> Any:
    config = importlib.import_module("botocore.config")
    return config.Config(
        retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=30, max_pool_connections=50
    )
