"""Values of requests and answers that the protocols spell differently."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from emulator.cloudwatch.errors import InvalidParameterValue, MissingParameter

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_MS = 253_402_300_799_999


class Moment(NamedTuple):
    """A timestamp in an answer."""

    ms: int

    @property
    def iso(self) -> str:
        return date_of(self.ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def date_of(ms: int) -> datetime:
    return datetime.fromtimestamp(ms // 1000, UTC).replace(microsecond=ms % 1000 * 1000)


def double(value: float) -> str:
    """As Java writes it, and with it CloudWatch: 10000000.0 is 1.0E7."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    mantissa, exponent = f"{Decimal(repr(float(value))):E}".split("E")
    whole, _, rest = mantissa.partition(".")
    return f"{whole}.{rest.rstrip('0') or '0'}E{int(exponent)}"


def moment_ms(name: str, value: Any) -> int:
    """A timestamp of a request: a date (CBOR), seconds since the epoch (JSON), ISO 8601 (Query)."""
    if value is None:
        raise MissingParameter(name)
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        if isinstance(value, datetime):
            aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
            ms = round((aware - EPOCH).total_seconds() * 1000)
        else:
            ms = round(float(value) * 1000)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterValue(f"The parameter {name} is not a valid timestamp.") from error
    if not 0 <= ms <= MAX_MS:
        raise InvalidParameterValue(f"The parameter {name} is not a valid timestamp.")
    return ms
