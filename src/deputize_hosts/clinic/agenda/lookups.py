"""The rows that an appointment names, each checked to be of this clinic and fit for it."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import LONGEST, Appointment, Cabinet
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.auth.service import professionals_of
from deputize_hosts.clinic.caller import Caller
from deputize_hosts.clinic.clock import on_grid, to_local, to_utc
from deputize_hosts.clinic.errors import CabinetInactive, InvalidValue, NotAProfessional, NotFound, PatientArchived
from deputize_hosts.clinic.patients.models import Patient, PatientStatus

LATE = timedelta(minutes=15)
"""How long after its start an appointment can still be written down, for whoever has just walked in."""


def _what(actor: Caller, es: str, en: str) -> str:
    return en if actor.locale.startswith("en") else es


def span(actor: Caller, start: datetime, minutes: int) -> tuple[datetime, datetime]:
    """UTC start and end. Raises InvalidValue off the five-minute grid, for no length and for over half a day."""
    most = LONGEST // timedelta(minutes=1)
    if not 5 <= minutes <= most or minutes % 5:
        raise InvalidValue(actor, "minutes", f"entre 5 y {most}, de 5 en 5", f"between 5 and {most}, in steps of 5")
    starts = to_utc(actor, start)
    if not on_grid(starts):
        floor = datetime.fromtimestamp(starts.timestamp() // 300 * 300, starts.tzinfo)
        near = [to_local(actor, floor).isoformat(), to_local(actor, floor + timedelta(minutes=5)).isoformat()]
        es, en = "las citas empiezan cada 5 minutos", "appointments start every 5 minutes"
        raise InvalidValue(actor, "start", es, en, alternatives={"start": near})
    return starts, starts + timedelta(minutes=minutes)


async def patient_of(session: AsyncSession, actor: Caller, clinic: UUID, patient_id: UUID) -> Patient:
    """A patient who can be booked, locked against being archived meanwhile. Raises NotFound, PatientArchived."""
    query = select(Patient).where(Patient.id == patient_id, Patient.clinic_id == clinic)
    patient = await session.scalar(query.with_for_update(read=True))
    if patient is None:
        raise NotFound(actor, what=_what(actor, "paciente", "patient"))
    if patient.status == PatientStatus.ARCHIVED:
        raise PatientArchived(actor)
    return patient


async def professional_of(session: AsyncSession, actor: Caller, clinic: UUID, professional_id: UUID) -> Membership:
    """A member who treats patients. Raises NotFound, NotAProfessional."""
    query = select(Membership).where(Membership.id == professional_id, Membership.clinic_id == clinic)
    member = await session.scalar(query)
    if member is None:
        raise NotFound(actor, what=_what(actor, "profesional", "professional"))
    if not (member.is_professional and member.active):
        people = await professionals_of(session, clinic)
        others = [{"id": str(person.id), "name": person.name} for person in people]
        raise NotAProfessional(actor, alternatives={"professionals": others})
    return member


async def cabinet_of(session: AsyncSession, actor: Caller, clinic: UUID, cabinet_id: UUID) -> Cabinet:
    """A cabinet in use. Raises NotFound, CabinetInactive."""
    cabinet = await session.scalar(select(Cabinet).where(Cabinet.id == cabinet_id, Cabinet.clinic_id == clinic))
    if cabinet is None:
        raise NotFound(actor, what=_what(actor, "gabinete", "cabinet"))
    if not cabinet.active:
        others = [{"id": str(room.id), "name": room.name} for room in await active_cabinets(session, clinic)]
        raise CabinetInactive(actor, alternatives={"cabinets": others}, cabinet=cabinet.name)
    return cabinet


async def active_cabinets(session: AsyncSession, clinic: UUID) -> tuple[Cabinet, ...]:
    """Cabinets in use, by name."""
    query = select(Cabinet).where(Cabinet.clinic_id == clinic, Cabinet.active.is_(True)).order_by(Cabinet.name)
    return tuple(await session.scalars(query))


async def locked(session: AsyncSession, actor: Caller, clinic: UUID, appointment_id: UUID) -> Appointment:
    """The appointment as it is now, locked until the transaction ends. Raises NotFound."""
    query = select(Appointment).where(Appointment.id == appointment_id, Appointment.clinic_id == clinic)
    appointment = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if appointment is None:
        raise NotFound(actor, what=_what(actor, "cita", "appointment"))
    return appointment
