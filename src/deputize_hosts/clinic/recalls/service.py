"""Creating recalls, logging attempts, snoozing and ending them, with every rule that holds."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import to_local, today
from deputize_hosts.clinic.documents import patient_of, said
from deputize_hosts.clinic.errors import InvalidValue, NotFound
from deputize_hosts.clinic.money_errors import ContactRefused, RecallOver
from deputize_hosts.clinic.patient_timeline.service import Area, record
from deputize_hosts.clinic.recalls.models import Recall, RecallAttempt
from deputize_hosts.clinic.recalls.reading import Call, Calls, due, get, month_of, months_later, of_patient
from deputize_hosts.clinic.recalls.status import (
    ACTIVE,
    AFTER,
    MONTHS,
    STATUSES,
    TERMINAL,
    Means,
    Outcome,
    Priority,
    Reason,
    Status,
)

WRITE = "recalls.write"


async def create(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    reason: Reason,
    *,
    now: datetime,
    due_month: date | None = None,
    priority: Priority | None = None,
    note: str = "",
) -> tuple[Recall, bool]:
    """A new recall and True; where the patient has an active one for the reason that one is updated, and False.

    Any day of `due_month` will do; left out it follows from the reason. Raises NotFound, PatientArchived,
    InvalidValue for a month that is past.
    """
    clinic = require(actor, WRITE)
    patient = await patient_of(session, actor, clinic, patient_id)
    this = month_of(today(actor, now))
    if due_month is not None and month_of(due_month) < this:
        raise InvalidValue(actor, "due_month", "ya ha pasado", "is past")
    month = month_of(due_month) if due_month else None
    for _ in range(2):
        known = await _active(session, clinic, patient.id, reason)
        if known is not None:
            return await _renew(session, known, month, priority, note), False
        recall = Recall(
            clinic_id=clinic,
            patient_id=patient.id,
            reason=reason.value,
            due_month=month or months_later(this, MONTHS[reason]),
            priority=(priority or Priority.NORMAL).value,
            status=Status.PENDING.value,
            note=note.strip()[:1000],
        )
        try:
            async with session.begin_nested():
                session.add(recall)
                await session.flush()
        except IntegrityError:
            continue  # somebody else made it in the meantime: theirs is updated
        record(session, clinic, patient.id, Area.RECALL, "recall_created", recall.id, reason.value)
        await session.flush()
        return recall, True
    raise InvalidValue(actor, "reason", "inténtelo otra vez", "try again")


async def _active(session: AsyncSession, clinic: UUID, patient: UUID, reason: Reason) -> Recall | None:
    query = select(Recall).where(
        Recall.clinic_id == clinic,
        Recall.patient_id == patient,
        Recall.reason == reason.value,
        Recall.status.in_([status.value for status in ACTIVE]),
    )
    found: Recall | None = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    return found


async def _renew(
    session: AsyncSession, recall: Recall, month: date | None, priority: Priority | None, note: str
) -> Recall:
    if month is not None:
        recall.due_month = month
    if priority is not None:
        recall.priority = priority.value
    if note.strip():
        recall.note = note.strip()[:1000]
    record(session, recall.clinic_id, recall.patient_id, Area.RECALL, "recall_updated", recall.id, recall.reason)
    await session.flush()
    return recall


async def attempt(
    session: AsyncSession, actor: Caller, recall_id: UUID, means: Means, outcome: Outcome, *, note: str = ""
) -> Recall:
    """Log a try to reach the patient; the outcome moves the recall. Raises NotFound, RecallOver, ContactRefused."""
    clinic = require(actor, WRITE)
    recall = await _open(session, actor, clinic, recall_id)
    patient = await patient_of(session, actor, clinic, recall.patient_id, archived=True)
    if patient.do_not_contact:
        raise ContactRefused(actor)
    session.add(
        RecallAttempt(
            clinic_id=clinic,
            recall_id=recall.id,
            channel=means.value,
            outcome=outcome.value,
            note=note.strip()[:1000],
            by_user=actor.id,
        )
    )
    recall.status = AFTER[outcome].value
    record(session, clinic, recall.patient_id, Area.RECALL, "recall_attempt", recall.id, outcome.value)
    await session.flush()
    return recall


async def snooze(session: AsyncSession, actor: Caller, recall_id: UUID, months: int) -> Recall:
    """Put off by 1 to 24 months; it is pending again. Raises NotFound, RecallOver, InvalidValue."""
    clinic = require(actor, WRITE)
    recall = await _open(session, actor, clinic, recall_id)
    if not 1 <= months <= 24:
        raise InvalidValue(actor, "months", "entre 1 y 24", "between 1 and 24")
    recall.due_month = months_later(recall.due_month, months)
    recall.status = Status.PENDING.value
    record(session, clinic, recall.patient_id, Area.RECALL, "recall_snoozed", recall.id, recall.reason)
    await session.flush()
    return recall


async def complete(session: AsyncSession, actor: Caller, recall_id: UUID) -> Recall:
    """The patient has come. Raises NotFound, RecallOver."""
    return await _end(session, actor, recall_id, Status.DONE)


async def cancel(session: AsyncSession, actor: Caller, recall_id: UUID) -> Recall:
    """It is not needed any more. Raises NotFound, RecallOver."""
    return await _end(session, actor, recall_id, Status.CANCELLED)


async def _end(session: AsyncSession, actor: Caller, recall_id: UUID, status: Status) -> Recall:
    clinic = require(actor, WRITE)
    recall = await _open(session, actor, clinic, recall_id)
    recall.status = status.value
    record(session, clinic, recall.patient_id, Area.RECALL, f"recall_{status.value}", recall.id, recall.reason)
    await session.flush()
    return recall


async def _open(session: AsyncSession, actor: Caller, clinic: UUID, recall_id: UUID) -> Recall:
    """The recall as it is now, locked, not ended. Raises NotFound, RecallOver."""
    query = select(Recall).where(Recall.id == recall_id, Recall.clinic_id == clinic)
    recall = await session.scalar(query.with_for_update().execution_options(populate_existing=True))
    if recall is None:
        raise NotFound(actor, what=said(actor, "recordatorio", "recall"))
    if Status(recall.status) in TERMINAL:
        names = STATUSES[Status(recall.status)]
        raise RecallOver(actor, status_es=names["es"], status_en=names["en"])
    return recall


__all__ = [
    "Call",
    "Calls",
    "Means",
    "Outcome",
    "Priority",
    "Reason",
    "Status",
    "attempt",
    "cancel",
    "complete",
    "create",
    "due",
    "get",
    "month_of",
    "of_patient",
    "snooze",
    "to_local",
    "today",
]
