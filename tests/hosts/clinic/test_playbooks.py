"""Playbooks: prompt recipes over registered tools, offered by page and permission, each working end to end (UI-3)."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize_hosts.clinic.agenda.models import Appointment
from deputize_hosts.clinic.main import BASE, Built, build
from deputize_hosts.clinic.settings import HostSettings
from tests.conftest import Fresh
from tests.databases import SqliteFiles
from tests.hosts.clinic.browser import Person
from tests.hosts.clinic.people import NOW, maria, member
from tests.hosts.clinic.test_main import ask, whole

DESK, HYGIENIST = "receptionist@demo.clinic", "hygienist@demo.clinic"


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """One database is enough for the wiring."""
    return sqlite_files


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("clinic-with-copilot", whole)


@pytest.fixture
async def built(engine: AsyncEngine) -> AsyncIterator[Built]:
    settings = Settings(enabled=True, secret_key="a vault key of the tests, long enough")
    made = build(HostSettings(secret="cookies"), settings, engine=engine, clock=lambda: NOW)
    yield made
    await made.deputy.close()


@dataclass
class Desk:
    """A signed-in person with one conversation."""

    person: Person
    session: str
    said: int = 0

    async def say(self, text: str, screen: dict[str, Any] | None = None) -> tuple[list[str], str, list[Any]]:
        """Tools called, the answer's words, and what was staged."""
        self.said += 1
        body = {"content": text, **({"context": screen} if screen else {})}
        key = {"Idempotency-Key": str(self.said)}
        status, stream = await ask(self.person, f"/sessions/{self.session}/messages", body, **key)
        assert status == 200, stream
        events = [json.loads(line[5:]) for line in stream.split("\n") if line.startswith("data:")]
        called = [event["tool"] for event in events if "args" in event]
        words = ""
        for event in events:
            if "at" in event and "text" in event:
                words = words[: event["at"]] + event["text"]
        assert not [event for event in events if event.get("outcome", "ok") != "ok"], stream
        return called, words, [event["call"] for event in events if "call" in event]

    async def chips(self, screen: str, language: str) -> dict[str, str]:
        """Prompts by label of the chips that the page offers this person."""
        answer = await self.person.get(f"{BASE}/suggestions?surface=clinic&screen={screen}&lang={language}")
        assert answer.status_code == 200, answer.text
        return {one["label"]: one["prompt"] for one in answer.json()["items"]}


async def arrive(built: Built, email: str) -> Desk:
    person = Person(built.app)
    await person.sign_in(email)
    _, opened = await ask(person, "/sessions", {"surface": "clinic"})
    return Desk(person, json.loads(opened)["id"])


@pytest.mark.parametrize(
    ("label", "language", "slots"), [("Resumen del día", "es", "huecos"), ("Daily briefing", "en", "slots")]
)
async def test_the_daily_briefing_reads_the_day_and_its_gaps(
    built: Built, label: str, language: str, slots: str
) -> None:
    desk = await arrive(built, DESK)
    prompt = (await desk.chips("agenda", language))[label]
    called, words, staged = await desk.say(prompt)
    assert (called, staged) == (["get_day_overview", "find_free_slots"], [])
    assert words.count("### ") == 2
    assert slots in words
    await desk.person.client.aclose()


@pytest.mark.parametrize(
    ("label", "language", "quote"),
    [("Preparar la visita", "es", "borrador"), ("Prepare the visit", "en", "draft")],
)
async def test_preparing_a_visit_shows_the_person_of_the_screen(
    built: Built, engine: AsyncEngine, label: str, language: str, quote: str
) -> None:
    """RUN-13: nothing is named in the prompt; the screen's appointment and patient are meant."""
    async with AsyncSession(engine, expire_on_commit=False) as session:
        patient = await maria(session, await member(session, DESK))
        visit = (await session.scalars(select(Appointment).where(Appointment.patient_id == patient.id))).first()
        assert visit is not None
    screen = {
        "screen": "appointment",
        "entities": [{"kind": "appointment", "id": str(visit.id)}, {"kind": "patient", "id": str(patient.id)}],
    }
    desk = await arrive(built, HYGIENIST)
    prompt = (await desk.chips("appointment", language))[label]
    called, words, staged = await desk.say(prompt, screen)
    assert called == ["get_appointment", "get_patient", "get_patient_timeline", "list_budgets"]
    assert staged == []
    assert patient.full_name in words
    assert quote in words
    await desk.person.client.aclose()


@pytest.mark.parametrize(
    ("label", "language", "wish"),
    [
        ("Llenar un hueco", "es", "agenda higiene a Consuelo Vidal mañana a las 12 con la doctora Ruiz"),
        ("Fill a gap", "en", "book Consuelo Vidal a cleaning tomorrow at 12 with Dr Ruiz"),
    ],
)
async def test_filling_a_gap_names_whom_to_call_and_books_only_when_told(
    built: Built, label: str, language: str, wish: str
) -> None:
    desk = await arrive(built, DESK)
    prompt = (await desk.chips("recalls", language))[label]
    called, words, staged = await desk.say(prompt)
    assert [name for name in called if name != "list_professionals"] == ["find_free_slots", "list_due_recalls"]
    assert "Consuelo Vidal Peña" in words
    assert staged == []
    called, _, staged = await desk.say(wish)
    assert called[-1] == "book_appointment"
    shown = {f["name"]: f["after"] for f in staged[-1]["approval"]["preview"]["changes"][0]["fields"]}
    assert (shown["patient_id"], shown["professional_id"]) == ("Consuelo Vidal Peña", "Dra. Elena Ruiz")
    reasons = staged[-1]["approval"]["preview"]["hidden"]
    assert "Se anota en la línea de tiempo" in reasons
    await desk.person.client.aclose()


async def test_a_chip_is_offered_only_where_all_its_permissions_are_held(built: Built) -> None:
    """UI-3: by page and by permission; nobody is offered what they could not do."""
    desk, hygienist = await arrive(built, DESK), await arrive(built, HYGIENIST)
    assert "Enviar el presupuesto" in await desk.chips("budget", "es")
    assert "Enviar el presupuesto" not in await hygienist.chips("budget", "es")
    assert "Resumen del día" in await hygienist.chips("agenda", "es")
    assert "Resumen del día" not in await hygienist.chips("patient", "es")
    for one in (desk, hygienist):
        await one.person.client.aclose()
