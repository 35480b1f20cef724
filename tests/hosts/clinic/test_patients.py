"""Patients at the service, on SQLite and PostgreSQL."""

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.errors import DuplicatePatient, InvalidValue, NotAllowed, NotFound
from deputize_hosts.clinic.patients import service
from deputize_hosts.clinic.patients.models import Patient, PatientStatus
from deputize_hosts.clinic.patients.service import PatientData
from tests.hosts.clinic.people import maria, member

ANA = PatientData("Ana", "Núñez Peña", phone="600 111 222", email="Ana@Example.com", national_id="12345678-z")


async def found(session: AsyncSession, actor: Member, query: str, **options: bool) -> list[str]:
    return [patient.full_name for patient in (await service.search(session, actor, query, **options)).items]


@pytest.mark.parametrize(
    "query",
    ["nunez pena", "PEÑA Ana", "ana núñ", "600 111 222", "+34600111222", "600-111-222", "ana@example.com", "12345678Z"],
)
async def test_every_word_must_match_some_field_without_accents_and_case(
    session: AsyncSession, desk: Member, query: str
) -> None:
    await service.create(session, desk, ANA)
    assert await found(session, desk, query) == ["Ana Núñez Peña"]
    assert await found(session, desk, f"{query} zzz") == []


@pytest.mark.parametrize("query", ["%", "_", "\\", "an%ez"])
async def test_wildcards_are_ordinary_letters(session: AsyncSession, desk: Member, query: str) -> None:
    assert await found(session, desk, query) == []


async def test_fields_are_kept_in_one_form(session: AsyncSession, desk: Member) -> None:
    made = await service.create(session, desk, replace(ANA, first_name="  Ana \u0301 "))
    assert (made.phone, made.email) == ("+34600111222", "ana@example.com")
    assert (made.national_id_kind, made.national_id) == ("dni", "12345678Z")


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("first_name", {"first_name": "  "}),
        ("last_name", {"last_name": "x" * 121}),
        ("phone", {"phone": "12"}),
        ("email", {"email": "ana@"}),
        ("national_id", {"national_id": "12345678A"}),
        ("national_id", {"national_id_kind": "nie", "national_id": "X1234567A"}),
        ("national_id", {"national_id_kind": "passport", "national_id": "1"}),
        ("birth_date", {"birth_date": date(2999, 1, 1)}),
    ],
)
async def test_impossible_values_name_the_field_never_the_value(
    session: AsyncSession, desk: Member, field: str, change: dict[str, object]
) -> None:
    with pytest.raises(InvalidValue) as refused:
        await service.create(session, desk, replace(ANA, **change))  # type: ignore[arg-type]  # one field of its own type
    assert refused.value.field == field
    assert str(next(iter(change.values()))).strip() not in refused.value.message or field in {"first_name"}


async def test_a_document_belongs_to_one_patient_of_a_clinic(
    session: AsyncSession, desk: Member, other: Member
) -> None:
    made = await service.create(session, desk, ANA)
    with pytest.raises(DuplicatePatient):
        await service.create(session, desk, replace(ANA, first_name="Otra"))
    assert await found(session, desk, "otra nunez") == []
    there = await service.create(session, other, ANA)
    assert there.id != made.id


async def test_archived_patients_are_hidden_from_search(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    await service.set_status(session, desk, patient.id, PatientStatus.ARCHIVED)
    assert await found(session, desk, "maria lopez") == []
    assert await found(session, desk, "maria lopez", archived=True) == ["María López Herrera"]
    await service.set_status(session, desk, patient.id, PatientStatus.ACTIVE)
    assert await found(session, desk, "maria lopez") == ["María López Herrera"]


async def test_contact_data_changes_alone_and_is_found_at_once(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    was = (patient.email, patient.address)
    await service.update_contact(session, desk, patient.id, phone="+44 20 7946 0958")
    assert patient.phone == "+442079460958"
    assert (patient.email, patient.address) == was
    assert await found(session, desk, "442079460958") == ["María López Herrera"]
    await service.update_contact(session, desk, patient.id, email="", do_not_contact=True)
    assert patient.email is None
    assert patient.do_not_contact is True
    with pytest.raises(InvalidValue):
        await service.update_contact(session, desk, patient.id)


async def test_another_clinics_patient_does_not_exist(session: AsyncSession, desk: Member, other: Member) -> None:
    theirs = await maria(session, other)
    for deed in (
        service.get(session, desk, theirs.id),
        service.update(session, desk, theirs.id, ANA),
        service.update_contact(session, desk, theirs.id, phone=""),
        service.set_status(session, desk, theirs.id, PatientStatus.ARCHIVED),
    ):
        with pytest.raises(NotFound):
            await deed


async def test_a_hygienist_reads_but_does_not_write(session: AsyncSession, desk: Member) -> None:
    hygienist = await member(session, "hygienist@demo.clinic")
    patient = await maria(session, hygienist)
    for deed in (
        service.create(session, hygienist, ANA),
        service.update_contact(session, hygienist, patient.id, phone=""),
    ):
        with pytest.raises(NotAllowed):
            await deed


async def test_pages_do_not_overlap_and_the_total_counts_all(session: AsyncSession, desk: Member) -> None:
    everybody = await service.search(session, desk, size=1000)
    active = select(Patient.id).where(Patient.status == "active", Patient.clinic_id == everybody.items[0].clinic_id)
    assert {p.id for p in everybody.items} == set(await session.scalars(active))
    pages = [await service.search(session, desk, page=n, size=50) for n in (1, 2, 3, 4)]
    assert [p.id for page in pages for p in page.items] == [p.id for p in everybody.items]
    assert {page.total for page in pages} == {everybody.total}
