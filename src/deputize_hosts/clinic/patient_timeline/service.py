"""Adding events to a patient's timeline, and reading it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.clock import to_local
from deputize_hosts.clinic.errors import NotFound
from deputize_hosts.clinic.patient_timeline.models import Area, TimelineEvent
from deputize_hosts.clinic.patient_timeline.titles import TITLES, title
from deputize_hosts.clinic.patients.models import Patient

READ = "patient_timeline.read"


@dataclass(frozen=True, slots=True)
class Page:
    """Some events, the newest first, and how many there are."""

    items: tuple[TimelineEvent, ...]
    total: int


def record(
    session: AsyncSession,
    clinic: UUID,
    patient_id: UUID,
    area: Area,
    what: str,
    source_id: UUID | None = None,
    detail: str = "",
) -> None:
    """Add an event with the change it tells of, in the same transaction. For the modules' services only."""
    assert what in TITLES
    session.add(
        TimelineEvent(
            clinic_id=clinic,
            patient_id=patient_id,
            category=area.value,
            what=what,
            detail=detail[:60],
            source_id=source_id,
        )
    )


async def of_patient(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    *,
    area: str = "",
    since: datetime | None = None,
    page: int = 1,
    size: int = 10,
) -> Page:
    """What happened to a patient, the newest first. Raises NotFound, also for another clinic's patient."""
    clinic = require(actor, READ)
    if await session.scalar(select(Patient.id).where(Patient.id == patient_id, Patient.clinic_id == clinic)) is None:
        raise NotFound(actor, what="patient" if actor.locale.startswith("en") else "paciente")
    wanted = [TimelineEvent.clinic_id == clinic, TimelineEvent.patient_id == patient_id]
    if area:
        wanted.append(TimelineEvent.category == area)
    if since is not None:
        wanted.append(TimelineEvent.at >= since)
    total = await session.scalar(select(func.count()).select_from(TimelineEvent).where(*wanted)) or 0
    rows = await session.scalars(
        select(TimelineEvent)
        .where(*wanted)
        .order_by(TimelineEvent.at.desc(), TimelineEvent.id)
        .offset((page - 1) * size)
        .limit(size)
    )
    return Page(tuple(rows), total)


__all__ = [
    "Area",
    "Page",
    "of_patient",
    "record",
    "title",
    "to_local",
]
