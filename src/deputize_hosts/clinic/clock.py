"""Clinic time: naive means local, stored is UTC, shown carries the clinic's offset."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from deputize_hosts.clinic.errors import InvalidValue
from deputize_hosts.kit.errors import Speaks

GRID = timedelta(minutes=5)
"""Appointments begin and end on this grid; it is what a claimed cell of a calendar lasts."""


class InZone(Speaks, Protocol):
    """Anybody with a language and a time zone."""

    @property
    def time_zone(self) -> str:
        """An IANA name."""
        ...


def zone_of(actor: InZone) -> ZoneInfo:
    """The clinic's zone."""
    return ZoneInfo(actor.time_zone)


def to_utc(actor: InZone, moment: datetime) -> datetime:
    """UTC of a time as people say it; naive is clinic-local. Raises InvalidValue for an hour that was skipped."""
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    local = moment.replace(tzinfo=zone_of(actor))
    utc = local.astimezone(UTC)
    if utc.astimezone(local.tzinfo).replace(tzinfo=None) != moment:
        raise InvalidValue(
            actor, "start", "esa hora no existe por el cambio de hora", "that hour is skipped by the clocks"
        )
    return utc


def to_local(actor: InZone, moment: datetime) -> datetime:
    """The same moment with the clinic's offset."""
    return moment.astimezone(zone_of(actor))


def today(actor: InZone, now: datetime) -> date:
    """The clinic's date."""
    return to_local(actor, now).date()


def day_bounds(actor: InZone, day: date) -> tuple[datetime, datetime]:
    """First and last moment of a local day, in UTC; 23 or 25 hours apart when clocks change."""
    zone = zone_of(actor)
    start = datetime.combine(day, time(), zone).astimezone(UTC)
    end = datetime.combine(day + timedelta(days=1), time(), zone).astimezone(UTC)
    return start, end


def minute_of_day(actor: InZone, day: date, minute: int) -> datetime:
    """UTC of a wall-clock minute (0 to 1440) of a local day."""
    wall = datetime.combine(day, time()) + timedelta(minutes=minute)
    return wall.replace(tzinfo=zone_of(actor)).astimezone(UTC)


def on_grid(moment: datetime) -> bool:
    """True if the moment lies on the five-minute grid."""
    return moment.timestamp() % GRID.total_seconds() == 0


def next_on_grid(moment: datetime) -> datetime:
    """The moment itself, or the next one on the grid."""
    step = int(GRID.total_seconds())
    seconds = -(-int(-(-moment.timestamp() // 1)) // step) * step
    return datetime.fromtimestamp(seconds, UTC)


def clock_text(actor: InZone, moment: datetime) -> str:
    """`10:30`, in clinic time."""
    return to_local(actor, moment).strftime("%H:%M")
