"""Looking at the agenda: one appointment, a day, a patient's appointments, professionals and cabinets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import LONGEST, Appointment, Cabinet, StatusChange
from deputize_hosts.clinic.agenda.status import FREES_TIME
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.auth.service import professionals_of
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import day_bounds
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.patients.models import Patient

READ = "agenda.appointments.read"
CABINETS = "agenda.cabinets.read"


@dataclass(frozen=True, slots=True)
class Booking:
    """An appointment with everybody in it."""

    appointment: Appointment
    patient: Patient
    professional: Membership
    cabinet: Cabinet | None


def _bookings(clinic: UUID) -> Select[Appointment, Patient, Membership, Cabinet]:
    return (
        select(Appointment, Patient, Membership, Cabinet)
        .join(Patient, Patient.id == Appointment.patient_id)
        .join(Membership, Membership.id == Appointment.professional_id)
        .outerjoin(Cabinet, Cabinet.id == Appointment.cabinet_id)
        .where(Appointment.clinic_id == clinic)
    )


async def get(session: AsyncSession, actor: Caller, appointment_id: UUID) -> Booking:
    """One appointment of the clinic. Raises NotFound, also for another clinic's appointment."""
    clinic = require(actor, READ)
    row = (await session.execute(_bookings(clinic).where(Appointment.id == appointment_id))).one_or_none()
    if row is None:
        raise NotFound(actor, what="appointment" if actor.locale.startswith("en") else "cita")
    return Booking(*row)


async def of_day(
    session: AsyncSession, actor: Caller, on: date, professional_id: UUID | None = None
) -> tuple[Booking, ...]:
    """All appointments that touch a local day, cancelled ones too, by time."""
    clinic = require(actor, READ)
    start, end = day_bounds(actor, on)
    begins = (Appointment.starts_at < end, Appointment.starts_at > start - LONGEST)
    query = _bookings(clinic).where(*begins, Appointment.ends_at > start)
    if professional_id is not None:
        query = query.where(Appointment.professional_id == professional_id)
    rows = await session.execute(query.order_by(Appointment.starts_at, Membership.name, Appointment.id))
    return tuple(Booking(*row) for row in rows)


async def of_patient(session: AsyncSession, actor: Caller, patient_id: UUID, limit: int = 20) -> tuple[Booking, ...]:
    """A patient's appointments, the latest first."""
    clinic = require(actor, READ)
    query = _bookings(clinic).where(Appointment.patient_id == patient_id)
    rows = await session.execute(query.order_by(Appointment.starts_at.desc(), Appointment.id).limit(limit))
    return tuple(Booking(*row) for row in rows)


async def to_come(session: AsyncSession, actor: Caller, patient_id: UUID, now: datetime) -> tuple[Booking, ...]:
    """A patient's appointments that are not over and still stand, the next one first."""
    clinic = require(actor, READ)
    query = _bookings(clinic).where(
        Appointment.patient_id == patient_id,
        Appointment.ends_at > now,
        Appointment.status.not_in([status.value for status in FREES_TIME]),
    )
    rows = await session.execute(query.order_by(Appointment.starts_at, Appointment.id).limit(100))
    return tuple(Booking(*row) for row in rows)


async def history(session: AsyncSession, actor: Caller, appointment_id: UUID) -> tuple[StatusChange, ...]:
    """The moves of one appointment, in order."""
    clinic = require(actor, READ)
    rows = await session.scalars(
        select(StatusChange)
        .where(StatusChange.clinic_id == clinic, StatusChange.appointment_id == appointment_id)
        .order_by(StatusChange.at, StatusChange.id)
    )
    return tuple(rows)


async def professionals(session: AsyncSession, actor: Caller) -> Sequence[Membership]:
    """Who treats patients in the clinic."""
    return await professionals_of(session, require(actor, READ))


async def cabinets(session: AsyncSession, actor: Caller, *, inactive: bool = False) -> Sequence[Cabinet]:
    """The clinic's cabinets by name; those out of use only if asked for."""
    query = select(Cabinet).where(Cabinet.clinic_id == require(actor, CABINETS)).order_by(Cabinet.name)
    if not inactive:
        query = query.where(Cabinet.active.is_(True))
    return tuple(await session.scalars(query))
