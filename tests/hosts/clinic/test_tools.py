"""The copilot's tools wrap the services: what they return, how they are marked, what they cannot skip."""

import json
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from deputize import Actor, Context, Tool
from deputize_hosts.clinic.agenda import tools as agenda
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.catalog import tools as catalog
from deputize_hosts.clinic.errors import InvalidValue, NotFound
from deputize_hosts.clinic.patients import tools as patients
from deputize_hosts.clinic.schedules import tools as schedules
from tests.hosts.clinic.people import NOW, TOMORROW, maria, member

TABLE = {
    "search_patients": ("read", ("patients.read",)),
    "get_patient": ("read", ("patients.read",)),
    "create_patient": ("write", ("patients.write",)),
    "update_patient": ("write", ("patients.write",)),
    "get_day_overview": ("read", ("agenda.appointments.read",)),
    "get_appointment": ("read", ("agenda.appointments.read",)),
    "list_professionals": ("read", ("agenda.appointments.read",)),
    "list_cabinets": ("read", ("agenda.cabinets.read",)),
    "book_appointment": ("write", ("agenda.appointments.write",)),
    "reschedule_appointment": ("write", ("agenda.appointments.write",)),
    "update_appointment_status": ("write", ("agenda.appointments.write",)),
    "cancel_appointment": ("destructive", ("agenda.appointments.write",)),
    "get_availability": ("read", ("schedules.availability.read",)),
    "find_free_slots": ("read", ("schedules.availability.read", "agenda.appointments.read")),
}
EVERY = [*patients.TOOLS.tools, *agenda.TOOLS.tools, *schedules.TOOLS.tools]


@pytest.fixture
def databases(sqlite_files: Any) -> Any:
    """These tests ask nothing of the database that the services' tests have not asked of both."""
    return sqlite_files


async def use(session: AsyncSession, who: Member, tool: Tool, **args: Any) -> Any:
    """Call the handler as the door does: validated arguments, plain data back."""
    actor = Actor(who.id, who.tenant, grants=who.grants, locale=who.locale, time_zone=who.time_zone)
    result = await tool.handler(Context(session, actor, NOW), tool.args.model_validate_json(_json(args)))
    return result.model_dump(mode="json")


def _json(args: dict[str, Any]) -> str:
    return json.dumps({name: str(value) if not isinstance(value, int) else value for name, value in args.items()})


def test_the_tools_are_those_of_the_domain() -> None:
    assert {t.name: (t.effect, t.permissions) for t in EVERY} == TABLE
    for one in EVERY:
        assert one.description
        assert set(one.title) == {"es", "en"}
        assert set(one.say) == {"es", "en"}
        assert all(len(sentences) >= 2 for sentences in one.say.values())


async def test_find_a_patient_and_book_her_tomorrow(session: AsyncSession, desk: Member) -> None:
    """The seed's own example: "agenda revisión a María mañana 10:00"."""
    found = await use(session, desk, patients.search_patients, query="maria lopez")
    assert found["total"] == 1
    made = await use(
        session,
        desk,
        agenda.book_appointment,
        patient=found["items"][0]["id"],
        start=f"{TOMORROW}T10:00",
        treatment="revisión",
    )
    assert made["start"] == f"{TOMORROW}T10:00:00+01:00"
    assert made["treatment"] == "checkup"
    assert made["professional"] == "Dra. Elena Ruiz"
    assert made["allowed_statuses"] == ["confirmed", "checked_in", "cancelled", "no_show"]
    card = await use(session, desk, agenda.get_appointment, appointment=made["id"])
    assert card == made


@pytest.mark.parametrize("word", ["revisión", "REVISION", "check-up", "checkup", "Check up"])
async def test_people_s_words_for_a_treatment_are_understood(word: str) -> None:
    args = agenda.Book.model_validate({"patient": "0" * 32, "start": "2026-03-05T10:00", "treatment": word})
    assert args.treatment == "checkup"


async def test_an_unknown_treatment_is_refused() -> None:
    with pytest.raises(ValueError, match="treatment"):
        agenda.Book.model_validate({"patient": "0" * 32, "start": "2026-03-05T10:00", "treatment": "masaje"})


async def test_lists_hold_ten_and_say_how_many_there_are(session: AsyncSession, admin: Member) -> None:
    found = await use(session, admin, patients.search_patients, query="a")
    assert len(found["items"]) == 10
    assert found["total"] > 100
    second = await use(session, admin, patients.search_patients, query="a", page=2)
    assert not {p["id"] for p in found["items"]} & {p["id"] for p in second["items"]}
    day = await use(session, admin, agenda.get_day_overview)
    assert day["day"] == "2026-03-04"
    assert len(day["items"]) == 10
    assert (
        day["total"] == sum(day["by_status"].values()) == sum(share["appointments"] for share in day["by_professional"])
    )
    assert day["total"] > 10
    free = await use(session, admin, schedules.find_free_slots, slot_minutes=15)
    assert len(free["items"]) == 10
    assert free["total"] > 10


async def test_only_my_own_appointments(session: AsyncSession) -> None:
    elena = await member(session, "dentist@demo.clinic")
    day = await use(session, elena, agenda.get_day_overview, mine=True)
    assert [share["name"] for share in day["by_professional"]] == ["Dra. Elena Ruiz"]


async def test_a_patient_s_appointments_on_a_day_and_all_that_are_to_come(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    assert (await use(session, desk, agenda.get_day_overview, patient=patient.id))["items"] == []
    made = await use(session, desk, agenda.book_appointment, patient=patient.id, start=f"{TOMORROW}T10:00")
    coming = await use(session, desk, agenda.get_day_overview, patient=patient.id)
    assert (coming["day"], [item["id"] for item in coming["items"]]) == (None, [made["id"]])
    tomorrow = await use(session, desk, agenda.get_day_overview, patient=patient.id, day=TOMORROW)
    assert [item["id"] for item in tomorrow["items"]] == [made["id"]]
    await use(session, desk, agenda.cancel_appointment, appointment=made["id"])
    assert (await use(session, desk, agenda.get_day_overview, patient=patient.id))["items"] == []


async def test_an_appointment_goes_through_its_life(session: AsyncSession, desk: Member) -> None:
    patient = await maria(session, desk)
    made = await use(session, desk, agenda.book_appointment, patient=patient.id, start=f"{TOMORROW}T10:00")
    room = (await use(session, desk, agenda.list_cabinets))["items"][3]["id"]
    moved = await use(session, desk, agenda.reschedule_appointment, appointment=made["id"], start=f"{TOMORROW}T10:30")
    assert moved["start"] == f"{TOMORROW}T10:30:00+01:00"
    for status in ("confirmed", "checked_in"):
        await use(session, desk, agenda.update_appointment_status, appointment=made["id"], status=status)
    begun = await use(
        session, desk, agenda.update_appointment_status, appointment=made["id"], status="in_treatment", cabinet=room
    )
    assert begun["cabinet"] == "Gabinete 4 (rayos X)"
    gone = await use(session, desk, agenda.cancel_appointment, appointment=made["id"], reason="Se encuentra mal")
    assert gone["status"] == "cancelled"
    assert gone["allowed_statuses"] == []


def test_cancelling_is_not_hidden_in_the_write_of_a_status() -> None:
    with pytest.raises(ValueError, match="status"):
        agenda.Move.model_validate({"appointment": "0" * 32, "status": "cancelled"})


async def test_patients_are_created_and_changed(session: AsyncSession, desk: Member) -> None:
    made = await use(
        session, desk, patients.create_patient, first_name="Ana", last_name="Pérez Soto", phone="600 111 222"
    )
    await use(session, desk, patients.update_patient, patient=made["id"], email="Ana@Example.com")
    card = await use(session, desk, patients.get_patient, patient=made["id"])
    assert (card["phone"], card["email"], card["status"]) == ("+34600111222", "ana@example.com", "active")


async def test_another_clinics_ids_answer_as_unknown(session: AsyncSession, desk: Member, other: Member) -> None:
    theirs = await maria(session, other)
    with pytest.raises(NotFound):
        await use(session, desk, patients.get_patient, patient=theirs.id)
    with pytest.raises(NotFound):
        await use(session, desk, agenda.book_appointment, patient=theirs.id, start=f"{TOMORROW}T10:00")


async def test_hours_and_people(session: AsyncSession, desk: Member) -> None:
    hours = await use(session, desk, schedules.get_availability, day=TOMORROW)
    assert [(r["opens"][11:16], r["closes"][11:16]) for r in hours["ranges"]] == [
        ("09:00", "14:00"),
        ("16:00", "20:00"),
    ]
    people = await use(session, desk, agenda.list_professionals)
    assert [p["name"] for p in people["items"]] == ["Dr. Javier Molina", "Dra. Elena Ruiz", "Lucía Prieto"]


async def test_a_name_that_is_known_in_one_piece_is_taken_apart(session: AsyncSession, desk: Member) -> None:
    """RED-3: behind one placeholder first and last names are one value, so one argument may hold them both."""
    for whole, last in (("Nuria Campos Vega", "Campos Vega"), ("María José Gómez Vidal", "Gómez Vidal")):
        made = await use(session, desk, patients.create_patient, first_name=whole)
        card = await use(session, desk, patients.get_patient, patient=made["id"])
        assert (card["first_name"], card["last_name"]) == (whole.removesuffix(f" {last}"), last)
    with pytest.raises(InvalidValue):
        await use(session, desk, patients.create_patient, first_name="Nuria")


async def test_the_catalogue_is_found_by_other_words_for_a_treatment(session: AsyncSession, desk: Member) -> None:
    for word in ("limpieza", "cleaning", "higiene"):
        found = await use(session, desk, catalog.list_catalog_items, query=word)
        assert [item["code"] for item in found["items"]] == ["HIG"]
        assert found["items"][0]["currency"] == "EUR"
