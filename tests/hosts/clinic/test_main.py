"""The clinic with the copilot mounted: its sign-in, its CSRF check, and one booking from words to row."""

import json
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize_hosts.clinic.agenda.models import Appointment
from deputize_hosts.clinic.errors import SlotTaken
from deputize_hosts.clinic.main import BASE, Built, as_refusal, build, demo, reload_actor
from deputize_hosts.clinic.settings import HostSettings
from tests.conftest import Fresh
from tests.databases import SqliteFiles, migrated
from tests.hosts.clinic.browser import Person
from tests.hosts.clinic.people import MADRID, member, planted

DESK = "receptionist@demo.clinic"


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """One database is enough for the wiring."""
    return sqlite_files


async def whole(engine: AsyncEngine) -> None:
    """The clinic's tables and the copilot's, side by side."""
    await planted(engine)
    await migrated(engine)


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("clinic-with-copilot", whole)


@pytest.fixture
async def built(engine: AsyncEngine) -> AsyncIterator[Built]:
    settings = Settings(enabled=True, secret_key="a vault key of the tests, long enough")
    made = build(HostSettings(secret="cookies"), settings, engine=engine)
    yield made
    await made.deputy.close()


async def ask(person: Person, path: str, body: object, **headers: str) -> tuple[int, str]:
    """A POST as the element sends it."""
    token = person.client.cookies.get("csrf") or ""
    answer = await person.client.post(BASE + path, json=body, headers={"X-CSRF-Token": token, **headers})
    return answer.status_code, answer.text


async def test_the_copilot_knows_the_hosts_sign_in_and_csrf(built: Built) -> None:
    person = Person(built.app)
    assert (await person.get(f"{BASE}/sessions")).status_code == 401
    await person.sign_in(DESK)
    assert (await person.get(f"{BASE}/sessions")).status_code == 200
    without = await person.client.post(f"{BASE}/sessions", json={"surface": "clinic"})
    assert without.status_code == 403
    assert (await ask(person, "/sessions", {"surface": "clinic"}))[0] == 201
    stranger = Person(built.app, ("192.0.2.7", 1))
    stranger.client.cookies = person.client.cookies
    assert (await stranger.get(f"{BASE}/sessions")).status_code == 403
    await stranger.client.aclose()
    await person.client.aclose()


async def test_words_become_a_card_and_the_approved_card_a_row(built: Built, engine: AsyncEngine) -> None:
    person = Person(built.app)
    await person.sign_in(DESK)
    _, opened = await ask(person, "/sessions", {"surface": "clinic"})
    own = json.loads(opened)["id"]
    said = {"content": "agenda revisión a María López mañana a las 10"}
    status, stream = await ask(person, f"/sessions/{own}/messages", said, **{"Idempotency-Key": "one"})
    assert status == 200
    staged = [json.loads(line[5:]) for line in stream.split("\n") if line.startswith("data:") and '"approval"' in line]
    call = staged[-1]["call"]
    assert call["tool"] == "book_appointment"
    shown = {f["name"]: f["after"] for change in call["approval"]["preview"]["changes"] for f in change["fields"]}
    assert shown["patient_id"] == "María López Herrera"
    assert shown["professional_id"]
    async with AsyncSession(engine) as session:
        before = await session.scalar(select(func.count()).select_from(Appointment))
    decision = {"approve": True, "digest": call["approval"]["digest"]}
    status, decided = await ask(person, f"/tool-calls/{call['id']}/decide", decision, Accept="application/json")
    assert status == 200
    assert json.loads(decided)["outcome"] == "ok"
    async with AsyncSession(engine) as session:
        assert await session.scalar(select(func.count()).select_from(Appointment)) == (before or 0) + 1
        newest = await session.scalar(select(Appointment).order_by(Appointment.created_at.desc()).limit(1))
        assert newest is not None
        assert f"{newest.starts_at.astimezone(MADRID):%H:%M}" == "10:00"
    await person.client.aclose()


async def test_reloading_a_person_asks_the_clinic_anew(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session:
        desk = await member(session, DESK)
        actor = await reload_actor(session, desk.tenant, desk.id)
        assert actor is not None
        assert (actor.role, actor.time_zone, actor.grants) == ("receptionist", "Europe/Madrid", desk.grants)
        other = await member(session, "admin@teide.clinic")
        assert await reload_actor(session, other.tenant, desk.id) is None
        assert await reload_actor(session, desk.tenant, "nobody") is None


async def test_a_refusal_carries_code_words_and_alternatives(engine: AsyncEngine) -> None:
    async with AsyncSession(engine) as session:
        desk = await member(session, DESK)
    error = SlotTaken(desk, alternatives={"free": []}, who="Dra. Ruiz", start="10:00", end="10:30")
    refusal = as_refusal(error)
    assert (refusal.code, refusal.alternatives) == ("slot_taken", {"free": []})
    assert refusal.message == "Dra. Ruiz ya tiene una cita de 10:00 a 10:30."


async def test_a_switched_off_copilot_is_drawn_nowhere(engine: AsyncEngine) -> None:
    built = build(HostSettings(secret="cookies"), Settings(enabled=False), engine=engine)
    person = Person(built.app)
    await person.sign_in(DESK)
    assert "deputize-copilot" not in (await person.get("/agenda")).text
    await person.client.aclose()
    await built.deputy.close()


def test_the_demo_names_its_sign_ins() -> None:
    introduced = demo()
    assert len(introduced.sign_ins) == 8
    assert introduced.app == "deputize_hosts.clinic.main:app"
