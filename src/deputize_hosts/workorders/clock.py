"""The organisation's time: stored is UTC, shown and counted in the organisation's zone."""

from datetime import UTC, date, datetime, time
from typing import Protocol
from zoneinfo import ZoneInfo


class InZone(Protocol):
    """Anybody with a time zone."""

    @property
    def time_zone(self) -> str:
        """An IANA name."""
        ...


def to_local(actor: InZone, moment: datetime) -> datetime:
    """The same moment with the organisation's offset."""
    return moment.astimezone(ZoneInfo(actor.time_zone))


def today(actor: InZone, now: datetime) -> date:
    """The organisation's date."""
    return to_local(actor, now).date()


def day_begins(actor: InZone, day: date) -> datetime:
    """The first moment of a local day, in UTC."""
    return datetime.combine(day, time(), ZoneInfo(actor.time_zone)).astimezone(UTC)
