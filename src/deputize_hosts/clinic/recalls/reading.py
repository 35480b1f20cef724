"""Looking at recalls: the work list, one with its attempts, a patient's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.documents import said
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.patients.models import Patient, PatientStatus
from deputize_hosts.clinic.recalls.models import Recall, RecallAttempt
from deputize_hosts.clinic.recalls.status import TO_CALL, Priority

READ = "recalls.read"


@dataclass(frozen=True, slots=True)
class Call:
    """A recall with its patient, and the attempts where they were asked for."""

    recall: Recall
    patient: Patient
    attempts: Sequence[RecallAttempt] = ()


@dataclass(frozen=True, slots=True)
class Calls:
    """One page of the work list and how many there are in all."""

    items: tuple[Call, ...]
    total: int


def month_of(day: date) -> date:
    """The first day of its month."""
    return day.replace(day=1)


def months_later(month: date, count: int) -> date:
    """The first day of the month that many months later."""
    number = month.year * 12 + month.month - 1 + count
    return date(number // 12, number % 12 + 1, 1)


async def due(
    session: AsyncSession,
    actor: Caller,
    until: date,
    *,
    reason: str = "",
    page: int = 1,
    size: int = 20,
) -> Calls:
    """Who has to be reached and is due by the month of `until`: urgent first, then the longest overdue.

    Archived patients and those who do not want to be contacted are not in it.
    """
    wanted = [
        Recall.clinic_id == require(actor, READ),
        Recall.status.in_([status.value for status in TO_CALL]),
        Recall.due_month <= month_of(until),
        Patient.status == PatientStatus.ACTIVE,
        Patient.do_not_contact.is_(False),
    ]
    if reason:
        wanted.append(Recall.reason == reason)
    base = select(Recall, Patient).join(Patient, Patient.id == Recall.patient_id).where(*wanted)
    total = await session.scalar(select(func.count()).select_from(base.subquery())) or 0
    urgency = case((Recall.priority == Priority.HIGH, 0), (Recall.priority == Priority.NORMAL, 1), else_=2)
    rows = await session.execute(
        base.order_by(urgency, Recall.due_month, Patient.last_name, Recall.id).offset((page - 1) * size).limit(size)
    )
    return Calls(tuple(Call(*row) for row in rows), total)


async def of_patient(session: AsyncSession, actor: Caller, patient_id: UUID) -> tuple[Recall, ...]:
    """A patient's recalls, the latest month first."""
    clinic = require(actor, READ)
    query = select(Recall).where(Recall.clinic_id == clinic, Recall.patient_id == patient_id)
    return tuple(await session.scalars(query.order_by(Recall.due_month.desc(), Recall.id).limit(50)))


async def get(session: AsyncSession, actor: Caller, recall_id: UUID) -> Call:
    """One recall with its attempts. Raises NotFound, also for another clinic's."""
    clinic = require(actor, READ)
    query = select(Recall, Patient).join(Patient, Patient.id == Recall.patient_id)
    row = (await session.execute(query.where(Recall.id == recall_id, Recall.clinic_id == clinic))).one_or_none()
    if row is None:
        raise NotFound(actor, what=said(actor, "recordatorio", "recall"))
    tries = select(RecallAttempt).where(RecallAttempt.recall_id == recall_id)
    attempts = await session.scalars(tries.order_by(RecallAttempt.at, RecallAttempt.id))
    return Call(row[0], row[1], tuple(attempts))
