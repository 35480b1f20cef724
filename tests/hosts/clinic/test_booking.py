"""The agenda's invariants, at the service, on SQLite and PostgreSQL."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.agenda.models import Appointment, Cabinet, ClaimedCell, StatusChange
from deputize_hosts.clinic.agenda.status import FREES_TIME, MOVABLE, MOVES, Status
from deputize_hosts.clinic.agenda.treatments import Treatment
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.errors import (
    CabinetInactive,
    CabinetNeeded,
    IllegalMove,
    InThePast,
    InvalidValue,
    NobodyFree,
    NotAllowed,
    NotAProfessional,
    NotFound,
    NotMovable,
    PatientArchived,
    SlotTaken,
)
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.patients.models import PatientStatus
from deputize_hosts.clinic.seed.clinics import seed_id
from tests.hosts.clinic.people import NOW, TOMORROW, local, maria, member

ELENA = seed_id("alameda", "member", "dentist@demo.clinic")
JAVIER = seed_id("alameda", "member", "dentist2@demo.clinic")
DESK = seed_id("alameda", "member", "receptionist@demo.clinic")
ROOM_1 = seed_id("alameda", "cabinet", "Gabinete 1")
ROOM_4 = seed_id("alameda", "cabinet", "Gabinete 4 (rayos X)")
FAR = TOMORROW + timedelta(days=60)
"""A day without seeded appointments."""


async def booked(
    session: AsyncSession,
    desk: Member,
    hour: int = 10,
    *,
    professional_id: UUID = ELENA,
    cabinet_id: UUID | None = None,
) -> Appointment:
    patient = await maria(session, desk)
    return await agenda.book(
        session, desk, patient.id, local(FAR, hour), now=NOW, professional_id=professional_id, cabinet_id=cabinet_id
    )


async def cells(session: AsyncSession, appointment: Appointment) -> int:
    query = select(func.count()).select_from(ClaimedCell).where(ClaimedCell.appointment_id == appointment.id)
    return await session.scalar(query) or 0


async def test_naive_time_is_clinic_time_and_the_treatment_gives_the_length(
    session: AsyncSession, desk: Member
) -> None:
    patient = await maria(session, desk)
    made = await agenda.book(
        session, desk, patient.id, local(TOMORROW, 10), Treatment.HYGIENE, now=NOW, professional_id=ELENA
    )
    assert made.starts_at.isoformat() == "2026-03-05T09:00:00+00:00"
    assert made.ends_at - made.starts_at == timedelta(minutes=45)
    assert made.status == Status.SCHEDULED
    history = await agenda.history(session, desk, made.id)
    assert [(move.before, move.after, move.by_user) for move in history] == [(None, "scheduled", desk.id)]


async def test_an_overlap_of_the_professional_is_refused_with_the_slot_and_free_ones(
    session: AsyncSession, desk: Member
) -> None:
    await booked(session, desk)
    patient = await maria(session, desk)
    with pytest.raises(SlotTaken) as refused:
        await agenda.book(
            session, desk, patient.id, local(FAR, 10, 15), now=NOW, professional_id=ELENA, cabinet_id=ROOM_4
        )
    near = refused.value.alternatives
    assert near["conflict"]["kind"] == "professional"
    assert near["conflict"]["name"] == "Dra. Elena Ruiz"
    assert near["conflict"]["start"].startswith(f"{FAR}T10:00")
    assert [slot["start"][11:16] for slot in near["free"][:2]] == ["10:30", "09:30"]
    assert {slot["professional_id"] for slot in near["free"]} == {str(ELENA)}
    assert near["other_professionals"][0]["start"].startswith(f"{FAR}T10:15")
    assert "10:00" in refused.value.message


async def test_an_overlap_of_the_cabinet_is_refused(session: AsyncSession, desk: Member) -> None:
    await booked(session, desk, cabinet_id=ROOM_1)
    with pytest.raises(SlotTaken) as refused:
        await booked(session, desk, professional_id=JAVIER, cabinet_id=ROOM_1)
    assert refused.value.alternatives["conflict"]["kind"] == "cabinet"
    assert refused.value.alternatives["conflict"]["name"] == "Gabinete 1"


async def test_an_appointment_without_a_cabinet_conflicts_too(session: AsyncSession, desk: Member) -> None:
    """Fault 4 of the known implementation: bookings without a cabinet never conflicted."""
    await booked(session, desk)
    with pytest.raises(SlotTaken):
        await booked(session, desk)


async def test_touching_appointments_do_not_conflict(session: AsyncSession, desk: Member) -> None:
    first = await booked(session, desk, cabinet_id=ROOM_1)
    patient = await maria(session, desk)
    await agenda.book(session, desk, patient.id, first.ends_at, now=NOW, professional_id=ELENA, cabinet_id=ROOM_1)


@pytest.mark.parametrize("ending", sorted(FREES_TIME))
async def test_cancelled_and_missed_appointments_free_their_time(
    session: AsyncSession, desk: Member, ending: Status
) -> None:
    first = await booked(session, desk, cabinet_id=ROOM_1)
    await agenda.set_status(session, desk, first.id, ending, now=NOW)
    assert await cells(session, first) == 0
    second = await booked(session, desk, cabinet_id=ROOM_1)
    assert second.id != first.id


async def test_another_clinics_rows_answer_as_unknown_ones(session: AsyncSession, desk: Member, other: Member) -> None:
    """Fault 3 of the known implementation: another clinic's patient could be booked and read back."""
    mine, theirs = await maria(session, desk), await maria(session, other)
    appointment = await booked(session, desk)
    messages = []
    for patient_id in (theirs.id, uuid4()):
        with pytest.raises(NotFound) as refused:
            await agenda.book(session, desk, patient_id, local(FAR, 12), now=NOW)
        messages.append((refused.value.message, refused.value.alternatives))
    assert messages[0] == messages[1]
    nauzet = seed_id("teide", "member", "admin@teide.clinic")
    with pytest.raises(NotFound):
        await agenda.book(session, desk, mine.id, local(FAR, 12), now=NOW, professional_id=nauzet)
    with pytest.raises(NotFound):
        await agenda.book(
            session, desk, mine.id, local(FAR, 12), now=NOW, cabinet_id=seed_id("teide", "cabinet", "Sala Sur")
        )
    for deed in (agenda.get(session, other, appointment.id), agenda.cancel(session, other, appointment.id, now=NOW)):
        with pytest.raises(NotFound):
            await deed
    with pytest.raises(NotFound):
        await agenda.reschedule(session, other, appointment.id, local(FAR, 13), now=NOW)


async def test_an_archived_patient_is_not_booked(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    await patients.set_status(session, desk, patient.id, PatientStatus.ARCHIVED)
    with pytest.raises(PatientArchived):
        await agenda.book(session, desk, patient.id, local(FAR, 10), now=NOW)


async def test_only_professionals_treat_and_the_others_are_named(session: AsyncSession, desk: Member) -> None:
    with pytest.raises(NotAProfessional) as refused:
        await booked(session, desk, professional_id=DESK)
    assert {p["name"] for p in refused.value.alternatives["professionals"]} == {
        "Dra. Elena Ruiz",
        "Dr. Javier Molina",
        "Lucía Prieto",
    }


async def test_a_cabinet_out_of_use_is_refused(session: AsyncSession, desk: Member) -> None:
    room = await session.get(Cabinet, ROOM_4)
    assert room is not None
    room.active = False
    with pytest.raises(CabinetInactive) as refused:
        await booked(session, desk, cabinet_id=ROOM_4)
    assert len(refused.value.alternatives["cabinets"]) == 3


@pytest.mark.parametrize("minutes", [0, -30, 7, 721])
async def test_an_appointment_ends_after_it_starts_on_the_grid(
    session: AsyncSession, desk: Member, minutes: int
) -> None:
    patient = await maria(session, desk)
    with pytest.raises(InvalidValue):
        await agenda.book(session, desk, patient.id, local(FAR, 10), now=NOW, minutes=minutes)


async def test_a_start_off_the_grid_names_the_two_beside_it(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    with pytest.raises(InvalidValue) as refused:
        await agenda.book(session, desk, patient.id, local(FAR, 10, 2), now=NOW)
    assert [start[11:16] for start in refused.value.alternatives["start"]] == ["10:00", "10:05"]


async def test_an_hour_that_the_clocks_skip_is_refused(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    skipped = local(TOMORROW.replace(day=29), 2, 30)
    with pytest.raises(InvalidValue):
        await agenda.book(session, desk, patient.id, skipped, now=NOW)


@pytest.mark.parametrize("before", list(Status))
async def test_the_status_table_holds_and_each_refusal_names_the_allowed_moves(
    session: AsyncSession, desk: Member, before: Status
) -> None:
    appointment = await booked(session, desk, cabinet_id=ROOM_1)
    for after in Status:
        appointment.status = before.value
        await session.flush()
        if after in MOVES[before]:
            moved = await agenda.set_status(session, desk, appointment.id, after, now=NOW)
            assert moved.status == after
        else:
            with pytest.raises(IllegalMove) as refused:
                await agenda.set_status(session, desk, appointment.id, after, now=NOW)
            assert refused.value.alternatives["allowed"] == [status.value for status in MOVES[before]]


async def test_treatment_needs_a_cabinet_and_the_free_ones_are_named(session: AsyncSession, desk: Member) -> None:
    appointment = await booked(session, desk)
    await booked(session, desk, professional_id=JAVIER, cabinet_id=ROOM_1)
    await agenda.set_status(session, desk, appointment.id, Status.CHECKED_IN, now=NOW)
    with pytest.raises(CabinetNeeded) as refused:
        await agenda.set_status(session, desk, appointment.id, Status.IN_TREATMENT, now=NOW)
    rooms = [room["name"] for room in refused.value.alternatives["cabinets"]]
    assert rooms == ["Gabinete 2", "Gabinete 3", "Gabinete 4 (rayos X)"]
    with pytest.raises(SlotTaken):
        await agenda.set_status(session, desk, appointment.id, Status.IN_TREATMENT, now=NOW, cabinet_id=ROOM_1)
    await agenda.set_status(session, desk, appointment.id, Status.IN_TREATMENT, now=NOW, cabinet_id=ROOM_4)
    assert appointment.cabinet_id == ROOM_4
    assert await cells(session, appointment) == 12


async def test_rescheduling_moves_the_claim_and_frees_the_old_time(session: AsyncSession, desk: Member) -> None:
    appointment = await booked(session, desk, cabinet_id=ROOM_1)
    await agenda.reschedule(session, desk, appointment.id, local(FAR, 10, 15), now=NOW)
    assert await cells(session, appointment) == 12
    with pytest.raises(SlotTaken):
        await booked(session, desk, hour=10)
    await agenda.reschedule(session, desk, appointment.id, local(FAR, 18), now=NOW, professional_id=JAVIER, minutes=60)
    assert appointment.professional_id == JAVIER
    assert appointment.ends_at - appointment.starts_at == timedelta(minutes=60)
    await booked(session, desk, hour=10, cabinet_id=ROOM_1)


async def test_a_refused_move_leaves_the_appointment_where_it_was(session: AsyncSession, desk: Member) -> None:
    appointment = await booked(session, desk)
    await booked(session, desk, hour=12)
    was = appointment.starts_at
    with pytest.raises(SlotTaken):
        await agenda.reschedule(session, desk, appointment.id, local(FAR, 12), now=NOW)
    await session.flush()
    await session.refresh(appointment)
    assert appointment.starts_at == was
    assert await cells(session, appointment) == 6


@pytest.mark.parametrize("status", sorted(set(Status) - MOVABLE))
async def test_what_has_begun_is_not_moved(session: AsyncSession, desk: Member, status: Status) -> None:
    appointment = await booked(session, desk)
    appointment.status = status.value
    with pytest.raises(NotMovable):
        await agenda.reschedule(session, desk, appointment.id, local(FAR, 12), now=NOW)


async def test_without_a_professional_one_who_is_free_is_chosen(session: AsyncSession, desk: Member) -> None:
    """The usual one first, then another dentist, then whoever is left; nobody is an error with free slots."""
    patient = await maria(session, desk)

    async def book(treatment: Treatment = Treatment.CHECKUP) -> UUID:
        made = await agenda.book(session, desk, patient.id, local(FAR, 10), treatment, now=NOW)
        return made.professional_id

    lucia = seed_id("alameda", "member", "hygienist@demo.clinic")
    assert FAR.weekday() == 0
    assert [await book(), await book(), await book()] == [ELENA, JAVIER, lucia]
    with pytest.raises(NobodyFree) as refused:
        await book()
    assert refused.value.alternatives["free"]


async def test_a_cleaning_goes_to_the_hygienist(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    made = await agenda.book(session, desk, patient.id, local(FAR, 10), Treatment.HYGIENE, now=NOW)
    assert made.professional_id == seed_id("alameda", "member", "hygienist@demo.clinic")


async def test_the_service_asks_for_the_permission(session: AsyncSession, desk: Member) -> None:
    """TOOL-3: the rule is in the service, so neither a route nor a tool can forget it."""
    nobody = await member(session, "receptionist@demo.clinic")
    object.__setattr__(nobody, "grants", frozenset({"agenda.appointments.read", "patients.*"}))
    appointment = await booked(session, desk)
    patient = await maria(session, desk)
    for deed in (
        agenda.book(session, nobody, patient.id, local(FAR, 12), now=NOW),
        agenda.cancel(session, nobody, appointment.id, now=NOW),
        agenda.reschedule(session, nobody, appointment.id, local(FAR, 12), now=NOW),
        agenda.cabinets(session, nobody),
    ):
        with pytest.raises(NotAllowed):
            await deed


async def test_the_history_only_grows(session: AsyncSession, desk: Member) -> None:
    appointment = await booked(session, desk)
    await agenda.set_status(session, desk, appointment.id, Status.CONFIRMED, now=NOW)
    await agenda.cancel(session, desk, appointment.id, now=NOW, reason="Está enferma")
    query = select(StatusChange).where(StatusChange.appointment_id == appointment.id)
    moves = {(move.before, move.after, move.reason) for move in await session.scalars(query)}
    assert moves == {
        (None, "scheduled", ""),
        ("scheduled", "confirmed", ""),
        ("confirmed", "cancelled", "Está enferma"),
    }


async def test_what_is_over_is_refused_with_what_is_still_free(session: AsyncSession, desk: Member) -> None:
    """Nobody is booked or moved into the past; whoever has just walked in can still be written down."""
    patient = await maria(session, desk)
    late, walked_in = NOW - timedelta(minutes=20), NOW - timedelta(minutes=15)
    for who in (None, ELENA):
        with pytest.raises(InThePast) as refused:
            await agenda.book(session, desk, patient.id, late, now=NOW, professional_id=who, minutes=15)
        free = refused.value.alternatives["free"]
        assert free
        assert all(datetime.fromisoformat(slot["start"]) >= NOW for slot in free)
        assert who is None or {slot["professional_id"] for slot in free} == {str(ELENA)}
    made = await agenda.book(session, desk, patient.id, walked_in, now=NOW, professional_id=ELENA, minutes=10)
    kept = await agenda.reschedule(session, desk, made.id, walked_in, now=NOW + timedelta(hours=1), cabinet_id=ROOM_4)
    assert kept.cabinet_id == ROOM_4
    moved = await booked(session, desk)
    with pytest.raises(InThePast):
        await agenda.reschedule(session, desk, moved.id, NOW - timedelta(days=1), now=NOW)
