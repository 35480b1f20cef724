"""Passwords: argon2id by a kept library, checked off the event loop."""

import asyncio
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""OWASP's minimum for argon2id: a check costs tens of milliseconds of one core."""


def hash_password(password: str) -> str:
    """The encoded argon2id hash, salt and parameters included."""
    return _HASHER.hash(password)


@lru_cache(maxsize=1)
def _nobody() -> str:
    return _HASHER.hash("a password that nobody has")


def _verify(stored: str | None, password: str) -> bool:
    try:
        return _HASHER.verify(stored or _nobody(), password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


async def verify_password(stored: str | None, password: str) -> bool:
    """True if it is the password; `stored` None (no such user) takes as long as a wrong password."""
    return await asyncio.to_thread(_verify, stored, password)
