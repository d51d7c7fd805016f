"""Randomness as a dependency. This is the only module that draws random numbers."""

import os
import random
from typing import Protocol


class Ids(Protocol):
    def uuid(self) -> str:
        """A random (version 4) UUID in its usual spelling: message ids, request ids, task ids."""
        ...

    def secret(self) -> bytes:
        """32 bytes for a key."""
        ...


_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


def _uuid4(bits: int) -> str:
    text = f"{bits:032x}"
    variant = _VARIANTS[text[16]]
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"


class RandomIds:
    def __init__(self) -> None:
        # Seeded once from the system, then drawn without a system call for each id.
        self._random = random.Random(os.urandom(32))

    def uuid(self) -> str:
        return _uuid4(self._random.getrandbits(128))

    def secret(self) -> bytes:
        return os.urandom(32)


class SeededIds:
    """The same ids in every run, for runs that must repeat exactly."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def uuid(self) -> str:
        return _uuid4(self._random.getrandbits(128))

    def secret(self) -> bytes:
        return self._random.randbytes(32)
