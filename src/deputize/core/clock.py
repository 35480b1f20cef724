"""The one clock, and ids that sort by it."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
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


def ahead_of_utc() -> timedelta:
    """How far this machine's own zone is ahead of UTC now."""
    return datetime.now().astimezone().utcoffset() or timedelta(0)


@dataclass(slots=True)
class _Last:
    """The newest id of this process, so that ids of one millisecond still sort in the order of their making."""

    millis: int = 0
    tail: int = 0


_last = _Last()
_lock = Lock()


def new_id(now: datetime) -> str:
    """A UUIDv7 as text: 48 bits of milliseconds, then 74 bits that are random or one more than the last.

    Ids that a process makes within one millisecond increase (RFC 9562, section 6.2, method 2).
    """
    millis = int(now.timestamp() * 1000) & ((1 << 48) - 1)
    with _lock:
        if millis == _last.millis:
            _last.tail = (_last.tail + 1 + secrets.randbits(32)) & ((1 << 74) - 1)
        else:
            _last.millis, _last.tail = millis, secrets.randbits(73)
        tail = _last.tail
    value = millis << 80 | 0x7 << 76 | (tail >> 62) << 64 | 0b10 << 62 | tail & ((1 << 62) - 1)
    return str(UUID(int=value))


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and a `Z`, as the wire and the chain want it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
