"""The demonstration data: what others count on, and a second start that changes nothing."""

from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.agenda.board import minute_of
from deputize_hosts.clinic.agenda.claims import find_conflict, place_of
from deputize_hosts.clinic.agenda.models import Appointment, ClaimedCell
from deputize_hosts.clinic.agenda.status import FREES_TIME
from deputize_hosts.clinic.auth.models import Membership, User
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.patients.models import Patient, PatientStatus
from deputize_hosts.clinic.schedules import service as schedules
from deputize_hosts.clinic.seed.plant import plant
from tests.hosts.clinic.people import NOW, TODAY, TOMORROW, local, maria
from tests.hosts.clinic.test_booking import ELENA

ONE = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)


@ONE
async def test_there_is_one_maria_lopez_in_each_clinic_and_many_marias(
    session: AsyncSession, desk: Member, other: Member
) -> None:
    here, there = await maria(session, desk), await maria(session, other)
    assert here.full_name == there.full_name
    assert here.id != there.id
    assert here.phone
    assert here.email
    assert (await patients.search(session, desk, "maria")).total > 5


@ONE
async def test_eight_people_hold_all_roles_in_two_clinics(session: AsyncSession) -> None:
    roles = await session.scalars(select(Membership.role))
    assert Counter(roles) == {"admin": 2, "dentist": 2, "hygienist": 1, "assistant": 1, "receptionist": 2}
    assert await session.scalar(select(func.count()).select_from(User).where(User.seeded.is_(True))) == 8


@ONE
async def test_about_200_patients_some_archived(session: AsyncSession) -> None:
    statuses = Counter(await session.scalars(select(Patient.status)))
    assert statuses == {PatientStatus.ACTIVE: 190, PatientStatus.ARCHIVED: 10}


@ONE
async def test_no_seeded_appointment_overlaps_another_and_each_claims_its_cells(session: AsyncSession) -> None:
    everything = list(await session.scalars(select(Appointment)))
    assert len(everything) > 250
    for appointment in everything:
        if appointment.status not in FREES_TIME:
            assert await find_conflict(session, place_of(appointment)) is None
    claiming = set(await session.scalars(select(ClaimedCell.appointment_id)))
    assert claiming == {a.id for a in everything if a.status not in FREES_TIME}


@ONE
async def test_seeded_appointments_lie_within_open_hours(session: AsyncSession, admin: Member) -> None:
    for n in range(15):
        on = TODAY + timedelta(days=n)
        for booking in await agenda.of_day(session, admin, on):
            open_ = (await schedules.day(session, admin, on, booking.professional.id)).ranges
            start, end = (minute_of(admin, on, m) for m in (booking.appointment.starts_at, booking.appointment.ends_at))
            assert any(opens <= start and end <= closes for opens, closes in open_), (on, start, end, open_)


@ONE
@pytest.mark.parametrize(("hour", "minute"), [(10, 0), (10, 30), (12, 0), (17, 0)])
async def test_some_times_are_free_on_every_working_day(
    session: AsyncSession, desk: Member, hour: int, minute: int
) -> None:
    patient = await maria(session, desk)
    for n in range(1, 15):
        on = TODAY + timedelta(days=n)
        if (await schedules.day(session, desk, on)).ranges:
            await agenda.book(session, desk, patient.id, local(on, hour, minute), now=NOW, professional_id=ELENA)


@ONE
async def test_tomorrow_at_ten_maria_can_be_booked_with_her_usual_dentist(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    made = await agenda.book(session, desk, patient.id, local(TOMORROW, 10), now=NOW)
    booking = await agenda.get(session, desk, made.id)
    assert booking.professional.name == "Dra. Elena Ruiz"


async def test_a_second_start_changes_nothing(clinic: AsyncEngine) -> None:
    async with AsyncSession(clinic) as session, session.begin():
        before = await session.scalar(select(func.count()).select_from(Appointment))
        assert not await plant(session, NOW + timedelta(days=3))
        assert await session.scalar(select(func.count()).select_from(Appointment)) == before
