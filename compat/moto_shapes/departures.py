"""Where moto departs from AWS, so that our answer rightly differs. The only differences that are allowed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Departure:
    differences: frozenset[str]
    """Exactly these lines; one more or one less fails the run."""
    reason: str
    spec: str
    """Section of this project's notes on how Amazon SQS behaves."""


DEPARTURES: dict[str, Departure] = {}
