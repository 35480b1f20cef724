"""What is open and what is free."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import Cabinet
from deputize_hosts.clinic.auth.models import Clinic, Membership
from deputize_hosts.clinic.auth.service import professionals_of
from deputize_hosts.clinic.caller import Caller, holds, require
from deputize_hosts.clinic.clock import day_bounds, minute_of_day, next_on_grid, to_local, today
from deputize_hosts.clinic.errors import InvalidValue, NotAProfessional, NotFound
from deputize_hosts.clinic.schedules.hours import Day, Gap, Plan, Range, intersect, merge, resolve, subtract
from deputize_hosts.clinic.schedules.models import Override, OverrideHours
from deputize_hosts.clinic.schedules.plans import load_busy, load_plans

READ = "schedules.availability.read"
AGENDA = "agenda.appointments.read"
LONGEST = 62
"""How many days one search may span."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A proposal: this professional is free then (UTC)."""

    professional_id: UUID
    professional: str
    start: datetime
    end: datetime


async def slot_minutes(session: AsyncSession, actor: Caller) -> int:
    """The clinic's usual slot length."""
    return await session.scalar(select(Clinic.slot_minutes).where(Clinic.id == UUID(actor.tenant))) or 30


async def day(session: AsyncSession, actor: Caller, on: date, professional_id: UUID | None = None) -> Day:
    """The resolved hours of one day, of the clinic or of one professional. Raises NotFound, NotAProfessional."""
    clinic = require(actor, READ)
    if professional_id is not None:
        await professional_of(session, actor, clinic, professional_id)
    plans = await load_plans(session, clinic, on, on)
    return _resolved(plans, on, professional_id)


async def days(
    session: AsyncSession, actor: Caller, on: date, professionals: Sequence[UUID]
) -> Mapping[UUID | None, Day]:
    """The resolved hours of one day: the clinic's under None, and each professional's."""
    plans = await load_plans(session, require(actor, READ), on, on)
    return {owner: _resolved(plans, on, owner) for owner in (None, *professionals)}


def _resolved(plans: Mapping[UUID | None, Plan], on: date, professional_id: UUID | None) -> Day:
    clinic = plans.get(None, Plan())
    return resolve(on, clinic) if professional_id is None else resolve(on, clinic, plans.get(professional_id, Plan()))


async def professional_of(session: AsyncSession, actor: Caller, clinic: UUID, professional_id: UUID) -> Membership:
    """A professional of the clinic. Raises NotFound, NotAProfessional."""
    found = await session.scalar(
        select(Membership).where(
            Membership.id == professional_id, Membership.clinic_id == clinic, Membership.active.is_(True)
        )
    )
    if found is None:
        raise NotFound(actor, what="professional" if actor.locale.startswith("en") else "profesional")
    if not found.is_professional:
        raise NotAProfessional(actor)
    return found


def _utc(actor: Caller, on: date, ranges: Sequence[Range]) -> tuple[tuple[datetime, datetime], ...]:
    return merge((minute_of_day(actor, on, a), minute_of_day(actor, on, b)) for a, b in ranges)


async def gaps(
    session: AsyncSession,
    actor: Caller,
    first: date,
    last: date,
    professionals: Sequence[UUID],
    *,
    now: datetime | None,
    cabinet_id: UUID | None = None,
    between: Range = (0, 1440),
    exclude: UUID | None = None,
) -> tuple[Gap, ...]:
    """Open ranges minus active appointments, by professional and time; with `now`, nothing that is past.

    For the clinic's own modules: the caller has already asked for the permission.
    """
    clinic = UUID(actor.tenant)
    plans = await load_plans(session, clinic, first, last)
    start, end = day_bounds(actor, first)[0], day_bounds(actor, last)[1]
    resources = {*professionals, *([cabinet_id] if cabinet_id else [])}
    busy = await load_busy(session, clinic, start, end, resources, exclude)
    blocked = busy.get(cabinet_id, ()) if cabinet_id else ()
    since = next_on_grid(now) if now else start
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    found = []
    for professional in professionals:
        ranges = [
            piece
            for on in days
            for piece in _utc(actor, on, intersect(_resolved(plans, on, professional).ranges, [between]))
        ]
        free = subtract(intersect(merge(ranges), [(since, end)]), (*busy.get(professional, ()), *blocked))
        found += [Gap(professional, a, b) for a, b in free]
    return tuple(sorted(found, key=lambda gap: gap.start))


async def free_slots(
    session: AsyncSession,
    actor: Caller,
    first: date,
    last: date,
    *,
    now: datetime,
    minutes: int | None = None,
    professional_id: UUID | None = None,
    cabinet_id: UUID | None = None,
    after: time | None = None,
    before: time | None = None,
) -> tuple[Slot, ...]:
    """Free ranges of at least `minutes`, in order of time, none in the past; `after` and `before` are local times.

    Raises InvalidValue, NotFound, NotAProfessional.
    """
    clinic = require(actor, READ, AGENDA)
    first = max(first, today(actor, now))
    if last < first or (last - first).days >= LONGEST:
        raise InvalidValue(
            actor, "day", f"de hoy en adelante y hasta {LONGEST} días", f"from today, {LONGEST} days at most"
        )
    wanted = await slot_minutes(session, actor) if minutes is None else minutes
    if not 5 <= wanted <= 720:
        raise InvalidValue(actor, "slot_minutes", "entre 5 y 720", "between 5 and 720")
    if professional_id is not None:
        names = {professional_id: (await professional_of(session, actor, clinic, professional_id)).name}
    else:
        names = {p.id: p.name for p in await professionals_of(session, clinic)}
    if cabinet_id is not None:
        await check_cabinet(session, actor, cabinet_id)
    window = (after.hour * 60 + after.minute if after else 0, before.hour * 60 + before.minute if before else 1440)
    found = await gaps(session, actor, first, last, [*names], now=now, cabinet_id=cabinet_id, between=window)
    length = timedelta(minutes=wanted)
    return tuple(
        Slot(gap.professional_id, names[gap.professional_id], gap.start, gap.end)
        for gap in found
        if gap.end - gap.start >= length
    )


async def check_cabinet(session: AsyncSession, actor: Caller, cabinet_id: UUID) -> Cabinet:
    """The clinic's cabinet. Raises NotFound."""
    cabinet = await session.scalar(
        select(Cabinet).where(Cabinet.id == cabinet_id, Cabinet.clinic_id == UUID(actor.tenant))
    )
    if cabinet is None:
        raise NotFound(actor, what="cabinet" if actor.locale.startswith("en") else "gabinete")
    return cabinet


async def nearest(
    session: AsyncSession,
    actor: Caller,
    wanted: datetime,
    minutes: int,
    professionals: Mapping[UUID, str],
    *,
    now: datetime,
    cabinet_id: UUID | None = None,
    exclude: UUID | None = None,
    limit: int = 3,
) -> tuple[Slot, ...]:
    """The free slots closest to a wanted time, from two days before to a fortnight after; none without READ."""
    if not holds(actor.grants, READ):
        return ()
    on = max(to_local(actor, wanted).date(), today(actor, now))
    first = max(on - timedelta(days=2), today(actor, now))
    found = await gaps(
        session,
        actor,
        first,
        on + timedelta(days=14),
        [*professionals],
        now=now,
        cabinet_id=cabinet_id,
        exclude=exclude,
    )
    slots = [
        Slot(gap.professional_id, professionals[gap.professional_id], *place)
        for gap in found
        if (place := gap.nearest(wanted, minutes)) is not None
    ]
    return tuple(sorted(slots, key=lambda s: (abs(s.start - wanted), s.start, s.professional))[:limit])


async def coming_overrides(session: AsyncSession, actor: Caller, now: datetime) -> tuple[Override, ...]:
    """Exceptions that are not over yet, by day."""
    clinic = require(actor, READ)
    rows = await session.scalars(
        select(Override)
        .where(Override.clinic_id == clinic, Override.last_day >= today(actor, now))
        .order_by(Override.first_day, Override.id)
    )
    return tuple(rows)


async def override_ranges(session: AsyncSession, actor: Caller, override_id: UUID) -> tuple[Range, ...]:
    """The hours of an exception, by time; none when it is closed."""
    rows = await session.scalars(
        select(OverrideHours).where(
            OverrideHours.override_id == override_id, OverrideHours.clinic_id == require(actor, READ)
        )
    )
    return merge((row.opens, row.closes) for row in rows)


__all__ = [
    "Slot",
    "check_cabinet",
    "coming_overrides",
    "day",
    "days",
    "free_slots",
    "gaps",
    "minute_of_day",
    "nearest",
    "override_ranges",
    "slot_minutes",
    "to_local",
    "today",
]
