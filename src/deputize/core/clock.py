"""The one clock, and ids that sort by it."""

import secrets
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """Tells the time; tests freeze it. Leases use the database's time instead."""

    def now(self) -> datetime:
        """The present moment, aware, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def new_id(now: datetime) -> str:
    """A UUIDv7 as text: 48 bits of milliseconds, then 74 random bits (RFC 9562, section 5.7)."""
    millis = int(now.timestamp() * 1000) & ((1 << 48) - 1)
    random = secrets.randbits(74)
    value = millis << 80 | 0x7 << 76 | (random >> 62) << 64 | 0b10 << 62 | random & ((1 << 62) - 1)
    return str(UUID(int=value))


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and a `Z`, as the wire and the chain want it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
