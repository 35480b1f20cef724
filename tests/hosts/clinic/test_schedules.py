"""Opening hours and free slots at the service, on SQLite and PostgreSQL."""

from datetime import date, time, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.clock import to_local
from deputize_hosts.clinic.errors import InvalidValue, NotAllowed, NotAProfessional, NotFound, OverrideOverlaps
from deputize_hosts.clinic.schedules import editing, service
from tests.hosts.clinic.people import NOW, TODAY, TOMORROW, local, maria
from tests.hosts.clinic.test_booking import DESK, ELENA, FAR, JAVIER, ROOM_1


async def free(session: AsyncSession, actor: Member, day: date, **options: object) -> list[tuple[str, str]]:
    found = await service.free_slots(session, actor, day, day, now=NOW, **options)  # type: ignore[arg-type]  # a test's shorthand
    return [(f"{to_local(actor, slot.start):%H:%M}", f"{to_local(actor, slot.end):%H:%M}") for slot in found]


async def test_free_slots_are_open_hours_minus_appointments(session: AsyncSession, desk: Member) -> None:
    assert await free(session, desk, FAR, professional_id=ELENA) == [("09:00", "14:00"), ("16:00", "20:00")]
    patient = await maria(session, desk)
    made = await agenda.book(session, desk, patient.id, local(FAR, 10), now=NOW, professional_id=ELENA)
    assert await free(session, desk, FAR, professional_id=ELENA) == [
        ("09:00", "10:00"),
        ("10:30", "14:00"),
        ("16:00", "20:00"),
    ]
    await agenda.cancel(session, desk, made.id, now=NOW)
    assert await free(session, desk, FAR, professional_id=ELENA) == [("09:00", "14:00"), ("16:00", "20:00")]


async def test_short_gaps_are_left_out(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    await agenda.book(session, desk, patient.id, local(FAR, 9, 20), now=NOW, professional_id=ELENA)
    assert ("09:00", "09:20") not in await free(session, desk, FAR, professional_id=ELENA)
    assert ("09:00", "09:20") in await free(session, desk, FAR, professional_id=ELENA, minutes=20)


async def test_a_cabinet_that_is_taken_is_not_free(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    await agenda.book(session, desk, patient.id, local(FAR, 10), now=NOW, professional_id=JAVIER, cabinet_id=ROOM_1)
    assert ("09:00", "14:00") in await free(session, desk, FAR, professional_id=ELENA)
    with_room = await free(session, desk, FAR, professional_id=ELENA, cabinet_id=ROOM_1)
    assert with_room == [("09:00", "10:00"), ("10:30", "14:00"), ("16:00", "20:00")]


async def test_nothing_is_free_in_the_past(session: AsyncSession, desk: Member) -> None:
    now = NOW + timedelta(hours=4, minutes=2)
    found = await service.free_slots(session, desk, TODAY, TODAY, now=now, minutes=5)
    assert found
    assert min(slot.start for slot in found) >= NOW + timedelta(hours=4, minutes=5)
    with pytest.raises(InvalidValue):
        await service.free_slots(session, desk, TODAY - timedelta(days=3), TODAY - timedelta(days=1), now=now)


async def test_a_time_of_day_may_be_asked_for(session: AsyncSession, desk: Member) -> None:
    assert await free(session, desk, FAR, professional_id=ELENA, after=time(17), before=time(19)) == [
        ("17:00", "19:00")
    ]


async def test_unknown_people_and_others_are_refused(session: AsyncSession, desk: Member, other: Member) -> None:
    with pytest.raises(NotAProfessional):
        await service.day(session, desk, FAR, DESK)
    with pytest.raises(NotFound):
        await service.day(session, other, FAR, ELENA)
    with pytest.raises(NotFound):
        await service.free_slots(session, other, FAR, FAR, now=NOW, cabinet_id=ROOM_1)


async def test_a_day_with_a_clock_change_keeps_its_wall_hours(session: AsyncSession, admin: Member) -> None:
    change = date(2026, 3, 29)
    await editing.add_override(session, admin, change, change, ranges=[(0, 360)], reason="Guardia")
    slots = await service.free_slots(session, admin, change, change, now=NOW, professional_id=ELENA)
    assert [(f"{to_local(admin, s.start):%H:%M}", f"{to_local(admin, s.end):%H:%M}") for s in slots] == [
        ("00:00", "06:00")
    ]
    assert slots[0].end - slots[0].start == timedelta(hours=5)


async def test_hours_are_edited_by_the_admin_only(session: AsyncSession, desk: Member, admin: Member) -> None:
    for deed in (
        editing.set_week(session, desk, None, {}),
        editing.add_override(session, desk, FAR, FAR),
        editing.remove_override(session, desk, ELENA),
    ):
        with pytest.raises(NotAllowed):
            await deed
    await editing.set_week(session, admin, None, {0: [(600, 720)]})
    assert (await service.day(session, admin, FAR)).ranges == ((600, 720),)
    await editing.set_week(session, admin, ELENA, {0: [(660, 900)]})
    assert (await service.day(session, admin, FAR, ELENA)).ranges == ((660, 720),)


@pytest.mark.parametrize("ranges", [[(600, 600)], [(700, 600)], [(0, 1445)], [(600, 700), (650, 720)], [(602, 700)]])
async def test_impossible_hours_are_refused(
    session: AsyncSession, admin: Member, ranges: list[tuple[int, int]]
) -> None:
    with pytest.raises(InvalidValue):
        await editing.set_week(session, admin, None, {0: ranges})


async def test_exceptions_of_one_calendar_do_not_overlap(session: AsyncSession, admin: Member) -> None:
    await editing.add_override(session, admin, FAR, FAR + timedelta(days=3), reason="Obras")
    with pytest.raises(OverrideOverlaps) as refused:
        await editing.add_override(session, admin, FAR + timedelta(days=3), FAR + timedelta(days=5))
    assert refused.value.alternatives["conflict"]["first_day"] == FAR.isoformat()
    await editing.add_override(session, admin, FAR, FAR, professional_id=ELENA)
    row = (await service.coming_overrides(session, admin, NOW))[-1]
    await editing.remove_override(session, admin, row.id)
    with pytest.raises(InvalidValue):
        await editing.add_override(session, admin, TOMORROW, TODAY)
