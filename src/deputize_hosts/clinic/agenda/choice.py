"""Which professional gets an appointment when nobody asked for one."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda.models import Appointment
from deputize_hosts.clinic.agenda.status import FREES_TIME
from deputize_hosts.clinic.agenda.treatments import KINDS, Treatment
from deputize_hosts.clinic.auth.models import Role
from deputize_hosts.clinic.auth.service import professionals_of
from deputize_hosts.clinic.caller import Caller
from deputize_hosts.clinic.clock import to_local
from deputize_hosts.clinic.schedules import service as schedules
from deputize_hosts.clinic.schedules.plans import load_busy


async def choose_professional(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    treatment: Treatment,
    starts: datetime,
    ends: datetime,
) -> UUID | None:
    """One whose calendar is free then, or None.

    In order: who is at work then, whose role does such treatments, whom this patient sees most, by name.
    """
    clinic = UUID(actor.tenant)
    people = await professionals_of(session, clinic)
    busy = await load_busy(session, clinic, starts, ends, [p.id for p in people])
    free = [p for p in people if p.id not in busy]
    if not free:
        return None
    on = to_local(actor, starts).date()
    open_ = await schedules.gaps(session, actor, on, on, [p.id for p in free], now=None)
    at_work = {gap.professional_id for gap in open_ if gap.start <= starts and gap.end >= ends}
    seen = await _seen(session, clinic, patient_id)
    roles = KINDS[treatment].roles

    def rank(role: str) -> int:
        return roles.index(Role(role)) if role in roles else len(roles)

    best = min(free, key=lambda p: (p.id not in at_work, rank(p.role), -seen.get(p.id, 0), p.name, str(p.id)))
    return best.id


async def _seen(session: AsyncSession, clinic: UUID, patient_id: UUID) -> dict[UUID, int]:
    """How many appointments the patient has had with each professional."""
    rows = await session.execute(
        select(Appointment.professional_id, func.count())
        .where(
            Appointment.clinic_id == clinic,
            Appointment.patient_id == patient_id,
            Appointment.status.not_in([status.value for status in FREES_TIME]),
        )
        .group_by(Appointment.professional_id)
    )
    return {professional: count for professional, count in rows}
