"""Randomness as a dependency. This is the only module that draws random numbers."""

import os
import random
import struct
from collections.abc import Iterator
from typing import Protocol


class Ids(Protocol):
    def uuid(self) -> str:
        """A random (version 4) UUID in its usual spelling: message ids, request ids, task ids."""
        ...

    def secret(self) -> bytes:
        """32 bytes for a key."""
        ...


class Chance(Protocol):
    """Draws for planned misbehaviour. With a seed, the same draws in every run."""

    def random(self) -> float:
        """At least 0 and less than 1."""
        ...

    def randrange(self, stop: int, /) -> int: ...

    def uniform(self, a: float, b: float, /) -> float: ...

    def gauss(self, mu: float, sigma: float, /) -> float: ...

    def expovariate(self, rate: float, /) -> float: ...


def seeded_chance(seed: int | None) -> Chance:
    """Without a seed, the draws are different in every run."""
    return random.Random(seed)


_BATCH = 32
_ALL = sum(1 << 128 * number for number in range(_BATCH))
_RANDOM_BITS = ((1 << 128) - 1 - (0xF << 76) - (0b11 << 62)) * _ALL
_VERSION_4 = ((4 << 76) + (0b10 << 62)) * _ALL
_parts = struct.Struct("8s4s4s4s12s").iter_unpack


def _uuids(source: random.Random) -> Iterator[str]:
    """Made in batches, which costs a third: every request and every message has one."""
    while True:
        bits = source.getrandbits(128 * _BATCH) & _RANDOM_BITS | _VERSION_4
        for parts in _parts(bits.to_bytes(16 * _BATCH).hex().encode()):
            yield b"-".join(parts).decode()


class RandomIds:
    def __init__(self) -> None:
        # Seeded once from the system, then drawn without a system call for each id.
        self._uuids = _uuids(random.Random(os.urandom(32)))

    def uuid(self) -> str:
        return next(self._uuids)

    def secret(self) -> bytes:
        return os.urandom(32)


class SeededIds:
    """The same ids in every run, for runs that must repeat exactly."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._uuids = _uuids(self._random)

    def uuid(self) -> str:
        return next(self._uuids)

    def secret(self) -> bytes:
        return self._random.randbytes(32)
