"""Booking, moving and ending appointments, with every rule that holds for them."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.choice import choose_professional
from deputize_hosts.clinic.agenda.claims import Conflict, Place, Taken, claim, find_conflict, place_of, release
from deputize_hosts.clinic.agenda.lookups import LATE, cabinet_of, locked, patient_of, professional_of, span
from deputize_hosts.clinic.agenda.models import Appointment, StatusChange
from deputize_hosts.clinic.agenda.reading import (
    Booking,
    cabinets,
    get,
    history,
    of_day,
    of_patient,
    professionals,
    to_come,
)
from deputize_hosts.clinic.agenda.refusals import cabinet_needed, illegal, nobody_free, not_movable, past, slot_taken
from deputize_hosts.clinic.agenda.status import CELLS, FREES_TIME, HIDDEN, MOVABLE, MOVES, Status
from deputize_hosts.clinic.agenda.treatments import KINDS, VOCABULARY, Treatment, treatment_of
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import to_local, today
from deputize_hosts.clinic.patient_timeline.service import Area
from deputize_hosts.clinic.patient_timeline.service import record as tell

WRITE = "agenda.appointments.write"


async def book(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    start: datetime,
    treatment: Treatment = Treatment.CHECKUP,
    *,
    now: datetime,
    professional_id: UUID | None = None,
    cabinet_id: UUID | None = None,
    minutes: int | None = None,
    note: str = "",
) -> Appointment:
    """A new appointment; naive `start` is clinic time, `minutes` None is the treatment's usual length.

    Without a professional one who is free is chosen, the patient's usual one if possible. Raises NotFound,
    PatientArchived, NotAProfessional, CabinetInactive, InvalidValue, InThePast, SlotTaken, NobodyFree.
    """
    clinic = require(actor, WRITE)
    starts, ends = span(actor, start, KINDS[treatment].minutes if minutes is None else minutes)
    patient = await patient_of(session, actor, clinic, patient_id)
    if cabinet_id is not None:
        await cabinet_of(session, actor, clinic, cabinet_id)
    if professional_id is not None:
        await professional_of(session, actor, clinic, professional_id)
    if starts < now - LATE:
        raise await past(session, actor, Place(clinic, professional_id or clinic, cabinet_id, starts, ends), now)
    if professional_id is None:
        professional_id = await choose_professional(session, actor, patient.id, treatment, starts, ends)
    if professional_id is None:
        raise await nobody_free(session, actor, Place(clinic, clinic, cabinet_id, starts, ends), now)
    appointment = Appointment(
        clinic_id=clinic,
        patient_id=patient.id,
        treatment=treatment.value,
        note=note.strip()[:2000],
        status=Status.SCHEDULED.value,
    )
    await _put(session, actor, appointment, Place(clinic, professional_id, cabinet_id, starts, ends), now)
    await _record(session, actor, appointment, None)
    return appointment


async def reschedule(
    session: AsyncSession,
    actor: Caller,
    appointment_id: UUID,
    start: datetime,
    *,
    now: datetime,
    professional_id: UUID | None = None,
    cabinet_id: UUID | None = None,
    minutes: int | None = None,
) -> Appointment:
    """Move an appointment that has not begun; None keeps professional, cabinet and length.

    Raises NotFound, NotMovable, PatientArchived, NotAProfessional, CabinetInactive, InvalidValue, InThePast, SlotTaken.
    """
    clinic = require(actor, WRITE)
    appointment = await locked(session, actor, clinic, appointment_id)
    if Status(appointment.status) not in MOVABLE:
        raise not_movable(actor, Status(appointment.status))
    old = place_of(appointment)
    starts, ends = span(actor, start, int((old.end - old.start).total_seconds() // 60) if minutes is None else minutes)
    await patient_of(session, actor, clinic, appointment.patient_id)
    if professional_id is not None:
        await professional_of(session, actor, clinic, professional_id)
    if cabinet_id is not None:
        await cabinet_of(session, actor, clinic, cabinet_id)
    new = replace(
        old, professional=professional_id or old.professional, cabinet=cabinet_id or old.cabinet, start=starts, end=ends
    )
    if starts < now - LATE and starts != old.start:
        raise await past(session, actor, new, now)
    await _put(session, actor, appointment, new, now)
    _tell(session, appointment, "moved")
    await session.flush()
    return appointment


def _tell(session: AsyncSession, appointment: Appointment, what: str) -> None:
    clinic, patient = appointment.clinic_id, appointment.patient_id
    tell(session, clinic, patient, Area.APPOINTMENT, f"appointment_{what}", appointment.id, appointment.treatment)


async def set_status(
    session: AsyncSession,
    actor: Caller,
    appointment_id: UUID,
    after: Status,
    *,
    now: datetime,
    cabinet_id: UUID | None = None,
    reason: str = "",
) -> Appointment:
    """Move along the table; `in_treatment` needs a cabinet, which may be given here.

    Raises NotFound, IllegalMove, CabinetNeeded, CabinetInactive, SlotTaken.
    """
    clinic = require(actor, WRITE)
    appointment = await locked(session, actor, clinic, appointment_id)
    before = Status(appointment.status)
    if after not in MOVES[before]:
        raise illegal(actor, before, after)
    place = place_of(appointment)
    if after in FREES_TIME:
        await release(session, appointment.id)
    elif cabinet_id is not None and cabinet_id != place.cabinet:
        await cabinet_of(session, actor, clinic, cabinet_id)
        await _put(session, actor, appointment, replace(place, cabinet=cabinet_id), now)
    if after is Status.IN_TREATMENT and appointment.cabinet_id is None:
        raise await cabinet_needed(session, actor, place)
    appointment.status = after.value
    await _record(session, actor, appointment, before, reason)
    return appointment


async def cancel(
    session: AsyncSession, actor: Caller, appointment_id: UUID, *, now: datetime, reason: str = ""
) -> Appointment:
    """Cancel; its time is free at once. Raises NotFound, IllegalMove."""
    return await set_status(session, actor, appointment_id, Status.CANCELLED, now=now, reason=reason)


async def _put(session: AsyncSession, actor: Caller, appointment: Appointment, place: Place, now: datetime) -> None:
    """Write the appointment in its place. Raises SlotTaken, also when another booking commits first."""
    conflict = await find_conflict(session, place)
    if conflict is None:
        try:
            await claim(session, appointment, place)
            return
        except Taken:
            conflict = await find_conflict(session, place)
    conflict = conflict or Conflict("professional", place.professional, place.start, place.end)
    raise await slot_taken(session, actor, conflict, place, now)


async def _record(
    session: AsyncSession, actor: Caller, appointment: Appointment, before: Status | None, reason: str = ""
) -> None:
    session.add(
        StatusChange(
            clinic_id=appointment.clinic_id,
            appointment_id=appointment.id,
            before=before.value if before else None,
            after=appointment.status,
            reason=reason.strip()[:500],
            by_user=actor.id,
        )
    )
    _tell(session, appointment, appointment.status if before else "booked")
    await session.flush()


__all__ = [
    "CELLS",
    "HIDDEN",
    "MOVES",
    "VOCABULARY",
    "Booking",
    "Status",
    "Treatment",
    "book",
    "cabinets",
    "cancel",
    "get",
    "history",
    "of_day",
    "of_patient",
    "professionals",
    "reschedule",
    "set_status",
    "to_come",
    "to_local",
    "today",
    "treatment_of",
]
