"""Two bookings at once: one wins, on both databases, for the professional and for the cabinet."""

import asyncio
from uuid import UUID

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.agenda import claims
from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.agenda.claims import Taken
from deputize_hosts.clinic.agenda.models import Appointment, ClaimedCell
from deputize_hosts.clinic.errors import SlotTaken
from tests.hosts.clinic.people import NOW, local, maria, member
from tests.hosts.clinic.test_booking import ELENA, FAR, JAVIER, ROOM_1

PAIRS = {
    "same professional, no cabinet": ((ELENA, None), (ELENA, None)),
    "same cabinet, two professionals": ((ELENA, ROOM_1), (JAVIER, ROOM_1)),
}


async def attempt(engine: AsyncEngine, where: tuple[UUID, UUID | None], minute: int, barrier: asyncio.Barrier) -> bool:
    async with AsyncSession(engine) as session:
        actor = await member(session, "receptionist@demo.clinic")
        patient = (await maria(session, actor)).id
        await session.rollback()
        await barrier.wait()
        try:
            async with session.begin():
                await agenda.book(
                    session,
                    actor,
                    patient,
                    local(FAR, 10, minute),
                    now=NOW,
                    professional_id=where[0],
                    cabinet_id=where[1],
                )
        except SlotTaken:
            return False
        return True


@pytest.mark.parametrize("pair", PAIRS)
async def test_of_eight_bookings_at_once_one_wins(clinic: AsyncEngine, pair: str) -> None:
    barrier = asyncio.Barrier(8)
    wanted = [PAIRS[pair][n % 2] for n in range(8)]
    won = await asyncio.gather(*(attempt(clinic, where, 5 * (n % 3), barrier) for n, where in enumerate(wanted)))
    assert won.count(True) == 1
    async with AsyncSession(clinic) as session:
        day = select(func.count()).select_from(Appointment).where(Appointment.starts_at >= local(FAR, 0).astimezone())
        assert await session.scalar(day) == 1


@pytest.mark.parametrize("pair", PAIRS)
async def test_the_database_itself_refuses_the_second_even_if_the_check_saw_nothing(
    clinic: AsyncEngine, pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check before is courtesy; the key of the claimed cells decides."""
    first, second = PAIRS[pair]

    async def blind(session: AsyncSession, place: claims.Place) -> None:
        return None

    async with AsyncSession(clinic) as session:
        actor = await member(session, "receptionist@demo.clinic")
        patient = await maria(session, actor)
        made = await agenda.book(
            session, actor, patient.id, local(FAR, 10), now=NOW, professional_id=first[0], cabinet_id=first[1]
        )
        before = await session.scalar(select(func.count()).select_from(ClaimedCell))
        late = Appointment(
            clinic_id=made.clinic_id, patient_id=patient.id, treatment="checkup", status="scheduled", note=""
        )
        place = claims.Place(made.clinic_id, second[0], second[1], made.starts_at, made.ends_at)
        with pytest.raises(Taken):
            await claims.claim(session, late, place)
        assert await session.scalar(select(func.count()).select_from(ClaimedCell)) == before
        monkeypatch.setattr(agenda, "find_conflict", blind)
        with pytest.raises(SlotTaken) as refused:
            await agenda.book(
                session, actor, patient.id, local(FAR, 10), now=NOW, professional_id=second[0], cabinet_id=second[1]
            )
        assert refused.value.alternatives["free"]


async def test_a_move_that_loses_the_race_leaves_nothing_behind(
    clinic: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def blind(session: AsyncSession, place: claims.Place) -> None:
        return None

    async with AsyncSession(clinic) as session:
        actor = await member(session, "receptionist@demo.clinic")
        patient = await maria(session, actor)
        here = await agenda.book(session, actor, patient.id, local(FAR, 10), now=NOW, professional_id=ELENA)
        there = await agenda.book(session, actor, patient.id, local(FAR, 12), now=NOW, professional_id=ELENA)
        own, was = here.id, here.starts_at
        monkeypatch.setattr(agenda, "find_conflict", blind)
        with pytest.raises(SlotTaken):
            await agenda.reschedule(session, actor, own, there.starts_at, now=NOW)
        await session.commit()
        again = await session.get(Appointment, own, populate_existing=True)
        assert again is not None
        assert again.starts_at == was
        kept = select(func.count()).select_from(ClaimedCell).where(ClaimedCell.appointment_id == own)
        assert await session.scalar(kept) == 6
