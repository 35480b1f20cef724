"""Claiming a calendar's cells: the one place that decides whether two appointments may stand together.

Each active appointment owns the five-minute cells of its professional and of its cabinet. The table's
primary key lets only one of two concurrent bookings win, on SQLite and on PostgreSQL alike, whatever the
isolation level; the query before it only serves to say which appointment is in the way.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import delete, insert, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import Appointment, ClaimedCell
from deputize_hosts.clinic.agenda.status import FREES_TIME
from deputize_hosts.clinic.clock import GRID

STEP = int(GRID.total_seconds())


@dataclass(frozen=True, slots=True)
class Conflict:
    """The appointment in the way: whose time it is, and from when to when (UTC)."""

    kind: Literal["professional", "cabinet"]
    resource: UUID
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Place:
    """Where an appointment stands or wants to stand; `own` is its id if it has one."""

    clinic: UUID
    professional: UUID
    cabinet: UUID | None
    start: datetime
    end: datetime
    own: UUID | None = None


def place_of(appointment: Appointment) -> Place:
    """Where an appointment stands now."""
    a = appointment
    return Place(a.clinic_id, a.professional_id, a.cabinet_id, a.starts_at, a.ends_at, a.id)


class Taken(Exception):
    """Somebody else was quicker: a cell has another owner."""


def cells(start: datetime, end: datetime) -> range:
    """The numbers of the cells from start to end."""
    return range(int(start.timestamp()) // STEP, -(-int(end.timestamp()) // STEP))


async def find_conflict(session: AsyncSession, place: Place) -> Conflict | None:
    """The first active appointment of the professional or of the cabinet which overlaps, other than its own."""
    who = [Appointment.professional_id == place.professional]
    if place.cabinet is not None:
        who.append(Appointment.cabinet_id == place.cabinet)
    query = select(Appointment.professional_id, Appointment.starts_at, Appointment.ends_at).where(
        Appointment.clinic_id == place.clinic,
        Appointment.starts_at < place.end,
        Appointment.ends_at > place.start,
        Appointment.status.not_in([status.value for status in FREES_TIME]),
        or_(*who),
    )
    if place.own is not None:
        query = query.where(Appointment.id != place.own)
    row = (await session.execute(query.order_by(Appointment.starts_at).limit(1))).first()
    if row is None:
        return None
    if row.professional_id == place.professional or place.cabinet is None:
        return Conflict("professional", place.professional, row.starts_at, row.ends_at)
    return Conflict("cabinet", place.cabinet, row.starts_at, row.ends_at)


async def claim(session: AsyncSession, appointment: Appointment, place: Place) -> None:
    """Put the appointment in its place and make the cells its own, giving up those it had. Raises Taken.

    All in one savepoint: after Taken the transaction is as it was before.
    """
    try:
        async with session.begin_nested():
            appointment.professional_id, appointment.cabinet_id = place.professional, place.cabinet
            appointment.starts_at, appointment.ends_at = place.start, place.end
            session.add(appointment)
            await session.flush()
            await release(session, appointment.id)
            resources = sorted({place.professional, place.cabinet or place.professional})
            rows = [
                {"clinic_id": place.clinic, "resource": r, "cell": cell, "appointment_id": appointment.id}
                for r in resources
                for cell in cells(place.start, place.end)
            ]
            await session.execute(insert(ClaimedCell), rows)
    except IntegrityError as error:
        if "appointment_cells" not in str(error.orig):
            raise
        raise Taken from None


async def release(session: AsyncSession, appointment_id: UUID) -> None:
    """Give up an appointment's cells."""
    await session.execute(delete(ClaimedCell).where(ClaimedCell.appointment_id == appointment_id))
