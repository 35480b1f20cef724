"""The queries behind a calendar: plans of the clinic and its professionals, and the times that are taken."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import LONGEST, Appointment
from deputize_hosts.clinic.agenda.status import FREES_TIME
from deputize_hosts.clinic.schedules.hours import Closing, Plan, Range, merge
from deputize_hosts.clinic.schedules.models import Override, OverrideHours, WeeklyHours

Busy = Mapping[UUID, tuple[tuple[datetime, datetime], ...]]
"""Taken times (UTC) by professional and by cabinet."""


async def load_plans(session: AsyncSession, clinic: UUID, first: date, last: date) -> Mapping[UUID | None, Plan]:
    """Plans by professional, and the clinic's own under None, with the exceptions that touch the days."""
    weekly: dict[UUID | None, dict[int, tuple[Range, ...]]] = {None: {}}
    for row in await session.scalars(select(WeeklyHours).where(WeeklyHours.clinic_id == clinic)):
        days = weekly.setdefault(row.professional_id, {})
        days[row.weekday] = merge((*days.get(row.weekday, ()), (row.opens, row.closes)))
    overrides = list(
        await session.scalars(
            select(Override)
            .where(Override.clinic_id == clinic, Override.last_day >= first, Override.first_day <= last)
            .order_by(Override.first_day)
        )
    )
    ranges: dict[UUID, tuple[Range, ...]] = {}
    if overrides:
        rows = await session.scalars(
            select(OverrideHours).where(OverrideHours.override_id.in_([o.id for o in overrides]))
        )
        for hours in rows:
            ranges[hours.override_id] = (*ranges.get(hours.override_id, ()), (hours.opens, hours.closes))
    exceptions: dict[UUID | None, tuple[Closing, ...]] = {}
    for one in overrides:
        closing = Closing(one.first_day, one.last_day, () if one.closed else ranges.get(one.id, ()), one.reason)
        exceptions[one.professional_id] = (*exceptions.get(one.professional_id, ()), closing)
    owners = {*weekly, *exceptions}
    return {owner: Plan(weekly.get(owner, {}), exceptions.get(owner, ())) for owner in owners}


async def load_busy(
    session: AsyncSession,
    clinic: UUID,
    start: datetime,
    end: datetime,
    resources: Collection[UUID],
    exclude: UUID | None = None,
) -> Busy:
    """Times of active appointments of these professionals and cabinets, without those of `exclude`."""
    query = select(
        Appointment.professional_id, Appointment.cabinet_id, Appointment.starts_at, Appointment.ends_at
    ).where(
        Appointment.clinic_id == clinic,
        Appointment.starts_at < end,
        Appointment.starts_at > start - LONGEST,
        Appointment.ends_at > start,
        Appointment.status.not_in([status.value for status in FREES_TIME]),
        or_(Appointment.professional_id.in_(resources), Appointment.cabinet_id.in_(resources)),
    )
    if exclude is not None:
        query = query.where(Appointment.id != exclude)
    busy: dict[UUID, tuple[tuple[datetime, datetime], ...]] = {}
    for professional, cabinet, starts, ends in await session.execute(query):
        for resource in (professional, cabinet):
            if resource is not None and resource in resources:
                busy[resource] = (*busy.get(resource, ()), (starts, ends))
    return busy
