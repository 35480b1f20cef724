"""Finding, creating, changing and archiving patients of one clinic."""

import re
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.models import Clinic
from deputize_hosts.clinic.caller import Caller, require
from deputize_hosts.clinic.errors import DuplicatePatient, InvalidValue, NotFound
from deputize_hosts.clinic.patient_timeline.service import Area, record
from deputize_hosts.clinic.patients.fields import (
    PatientData,
    birth_date_of,
    email_of,
    fold,
    name_of,
    national_id_of,
    parted,
    phone_of,
    tidy,
)
from deputize_hosts.clinic.patients.models import Patient, PatientStatus, PatientWords
from deputize_hosts.clinic.rows import utc_now

READ = "patients.read"
WRITE = "patients.write"


@dataclass(frozen=True, slots=True)
class Found:
    """One page of a search and how many there are in all."""

    items: tuple[Patient, ...]
    total: int


def _words(query: str) -> list[str]:
    """The query's words, folded; a number keeps only its digits, as phones are stored."""
    words = []
    for word in fold(tidy(query)).split():
        digits = re.sub(r"[+().\-/]", "", word)
        words.append(digits if digits.isdigit() else word)
    return words


def _like(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def folded(patient: Patient) -> str:
    """What search looks at."""
    fields = (patient.first_name, patient.last_name, patient.phone, patient.email, patient.national_id)
    return fold(" ".join(field for field in fields if field))


async def search(
    session: AsyncSession, actor: Caller, query: str = "", *, page: int = 1, size: int = 20, archived: bool = False
) -> Found:
    """Patients in whom every word of the query matches name, phone, e-mail or id; archived ones only if asked for."""
    clinic = require(actor, READ)
    wanted: list[ColumnElement[bool]] = [Patient.clinic_id == clinic]
    if not archived:
        wanted.append(Patient.status == PatientStatus.ACTIVE)
    words = _words(query)
    base = select(Patient)
    count = select(func.count()).select_from(Patient)
    if words:
        likes = [PatientWords.folded.like(_like(word), escape="\\") for word in words]
        fit = select(PatientWords.patient_id).where(PatientWords.clinic_id == clinic, *likes)
        wanted.append(Patient.id.in_(fit))
    total = await session.scalar(count.where(*wanted)) or 0
    rows = await session.scalars(
        base.where(*wanted)
        .order_by(Patient.last_name, Patient.first_name, Patient.id)
        .offset((page - 1) * size)
        .limit(size)
    )
    return Found(tuple(rows), total)


async def get(session: AsyncSession, actor: Caller, patient_id: UUID) -> Patient:
    """One patient of the clinic. Raises NotFound, also for another clinic's patient."""
    return await _one(session, actor, require(actor, READ), patient_id)


async def _one(session: AsyncSession, actor: Caller, clinic: UUID, patient_id: UUID, lock: bool = False) -> Patient:
    query = select(Patient).where(Patient.clinic_id == clinic, Patient.id == patient_id)
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    patient = await session.scalar(query)
    if patient is None:
        raise NotFound(actor, what="paciente" if not actor.locale.startswith("en") else "patient")
    return patient


async def create(session: AsyncSession, actor: Caller, data: PatientData) -> Patient:
    """A new active patient. Raises InvalidValue, DuplicatePatient."""
    clinic = require(actor, WRITE)
    patient = Patient(clinic_id=clinic, status=PatientStatus.ACTIVE)
    await _fill(session, actor, patient, data)
    await _save(session, actor, patient)
    record(session, clinic, patient.id, Area.PATIENT, "patient_created", patient.id)
    await session.flush()
    return patient


async def update(session: AsyncSession, actor: Caller, patient_id: UUID, data: PatientData) -> Patient:
    """Replace all that a person fills in. Raises NotFound, InvalidValue, DuplicatePatient."""
    patient = await _one(session, actor, require(actor, WRITE), patient_id, lock=True)
    await _fill(session, actor, patient, data)
    return await _save(session, actor, patient)


async def update_contact(
    session: AsyncSession,
    actor: Caller,
    patient_id: UUID,
    *,
    phone: str | None = None,
    email: str | None = None,
    address: str | None = None,
    do_not_contact: bool | None = None,
) -> Patient:
    """Change contact data only; None keeps a field, empty text clears it. Raises NotFound, InvalidValue."""
    patient = await _one(session, actor, require(actor, WRITE), patient_id, lock=True)
    if phone is None and email is None and address is None and do_not_contact is None:
        raise InvalidValue(actor, "phone, email, address", "diga qué hay que cambiar", "say what is to be changed")
    if phone is not None:
        patient.phone = phone_of(actor, phone, await _country(session, patient.clinic_id))
    if email is not None:
        patient.email = email_of(actor, email)
    if address is not None:
        patient.address = tidy(address)[:240] or None
    if do_not_contact is not None:
        patient.do_not_contact = do_not_contact
    return await _save(session, actor, patient)


async def set_status(session: AsyncSession, actor: Caller, patient_id: UUID, status: PatientStatus) -> Patient:
    """Archive or restore. Past and future appointments stay as they are."""
    patient = await _one(session, actor, require(actor, WRITE), patient_id, lock=True)
    if patient.status != status:
        patient.status = status
        what = "patient_archived" if status is PatientStatus.ARCHIVED else "patient_restored"
        record(session, patient.clinic_id, patient.id, Area.PATIENT, what, patient.id)
    await session.flush()
    return patient


async def _country(session: AsyncSession, clinic: UUID) -> str:
    return await session.scalar(select(Clinic.country).where(Clinic.id == clinic)) or "ES"


async def _fill(session: AsyncSession, actor: Caller, patient: Patient, data: PatientData) -> None:
    patient.first_name = name_of(actor, "first_name", data.first_name, 80)
    patient.last_name = name_of(actor, "last_name", data.last_name, 120)
    patient.phone = phone_of(actor, data.phone, await _country(session, patient.clinic_id))
    patient.email = email_of(actor, data.email)
    patient.birth_date = birth_date_of(actor, data.birth_date, _today())
    patient.national_id_kind, patient.national_id = national_id_of(actor, data.national_id_kind, data.national_id)
    patient.address = tidy(data.address)[:240] or None
    patient.notes = data.notes.strip()[:4000]
    patient.do_not_contact = data.do_not_contact


def _today() -> date:
    return utc_now().date()


async def _save(session: AsyncSession, actor: Caller, patient: Patient) -> Patient:
    """Flush the row and its search words in a savepoint, so that a refusal leaves nothing behind."""
    try:
        async with session.begin_nested():
            session.add(patient)
            await session.flush()
            words = await session.get(PatientWords, patient.id)
            if words is None:
                words = PatientWords(patient_id=patient.id, clinic_id=patient.clinic_id)
                session.add(words)
            words.folded = folded(patient)
            await session.flush()
    except IntegrityError:
        if patient.national_id is None:
            raise
        raise DuplicatePatient(actor) from None
    return patient


__all__ = [
    "Found",
    "Patient",
    "PatientData",
    "create",
    "folded",
    "get",
    "parted",
    "search",
    "set_status",
    "update",
    "update_contact",
]
