"""Editing weekly hours and exceptions, of the clinic and of each professional."""

from collections.abc import Mapping, Sequence
from datetime import date
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.models import Clinic
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import GRID
from deputize_hosts.clinic.errors import InvalidValue, NotFound, OverrideOverlaps
from deputize_hosts.clinic.schedules.hours import Range, merge
from deputize_hosts.clinic.schedules.models import Override, OverrideHours, WeeklyHours
from deputize_hosts.clinic.schedules.service import professional_of

WRITE = "schedules.hours.write"


def check_ranges(actor: Caller, ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Ranges within a day, on the grid, without overlap. Raises InvalidValue."""
    step = int(GRID.total_seconds() // 60)
    right = all(0 <= a < b <= 1440 and a % step == 0 and b % step == 0 for a, b in ranges)
    if not right or sum(b - a for a, b in ranges) != sum(b - a for a, b in merge(ranges)):
        raise InvalidValue(
            actor,
            "hours",
            "los tramos van de menos a más, cada 5 minutos y sin solaparse",
            "ranges go forward, in steps of 5 minutes, without overlap",
        )
    return merge(ranges)


async def set_week(
    session: AsyncSession, actor: Caller, professional_id: UUID | None, week: Mapping[int, Sequence[Range]]
) -> None:
    """Replace the weekly hours of the clinic or of a professional. Raises InvalidValue, NotFound."""
    clinic = require(actor, WRITE)
    if professional_id is not None:
        await professional_of(session, actor, clinic, professional_id)
    checked = {weekday: check_ranges(actor, ranges) for weekday, ranges in week.items() if 0 <= weekday <= 6}
    mine = WeeklyHours.professional_id == professional_id
    await session.execute(delete(WeeklyHours).where(WeeklyHours.clinic_id == clinic, mine))
    session.add_all(
        WeeklyHours(clinic_id=clinic, professional_id=professional_id, weekday=weekday, opens=a, closes=b)
        for weekday, ranges in checked.items()
        for a, b in ranges
    )
    await session.flush()


async def add_override(
    session: AsyncSession,
    actor: Caller,
    first: date,
    last: date,
    *,
    professional_id: UUID | None = None,
    ranges: Sequence[Range] = (),
    reason: str = "",
) -> Override:
    """An exception; without ranges it is closed. Raises InvalidValue, OverrideOverlaps, NotFound."""
    clinic = require(actor, WRITE)
    if professional_id is not None:
        await professional_of(session, actor, clinic, professional_id)
    if last < first:
        raise InvalidValue(actor, "last_day", "no puede ser antes del primero", "cannot be before the first")
    hours = check_ranges(actor, ranges)
    await session.execute(select(Clinic.id).where(Clinic.id == clinic).with_for_update())
    other = await session.scalar(
        select(Override).where(
            Override.clinic_id == clinic,
            Override.professional_id == professional_id,
            Override.first_day <= last,
            Override.last_day >= first,
        )
    )
    if other is not None:
        near = {"first_day": other.first_day.isoformat(), "last_day": other.last_day.isoformat()}
        raise OverrideOverlaps(actor, alternatives={"conflict": near}, first=other.first_day, last=other.last_day)
    row = Override(
        clinic_id=clinic,
        professional_id=professional_id,
        first_day=first,
        last_day=last,
        closed=not hours,
        reason=reason.strip()[:120],
    )
    session.add(row)
    await session.flush()
    session.add_all(OverrideHours(override_id=row.id, clinic_id=clinic, opens=a, closes=b) for a, b in hours)
    await session.flush()
    return row


async def remove_override(session: AsyncSession, actor: Caller, override_id: UUID) -> None:
    """Forget an exception. Raises NotFound."""
    clinic = require(actor, WRITE)
    row = await session.scalar(select(Override).where(Override.id == override_id, Override.clinic_id == clinic))
    if row is None:
        raise NotFound(actor, what="exception" if actor.locale.startswith("en") else "excepción")
    await session.execute(delete(OverrideHours).where(OverrideHours.override_id == row.id))
    await session.delete(row)
    await session.flush()
