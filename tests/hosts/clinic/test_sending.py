"""A quote is sent from words to a real mail, and a host's subscriber that fails changes nothing (OPS-6, APPR-5)."""

import json
from collections.abc import AsyncIterator, Mapping
from datetime import date
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize_hosts.clinic.budget.models import Budget
from deputize_hosts.clinic.main import Built, build
from deputize_hosts.clinic.settings import HostSettings
from tests.conftest import Fresh
from tests.databases import SqliteFiles
from tests.hosts.clinic.browser import Person
from tests.hosts.clinic.people import maria, member
from tests.hosts.clinic.test_main import ask, whole

DESK = "receptionist@demo.clinic"
TOLD: list[str] = []


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """One database is enough for the wiring."""
    return sqlite_files


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("clinic-with-copilot", whole)


async def failing(name: str, details: Mapping[str, Any]) -> None:
    """The host's own subscriber; it always fails."""
    TOLD.append(name)
    raise RuntimeError("the host's fault")


@pytest.fixture
async def built(engine: AsyncEngine) -> AsyncIterator[Built]:
    TOLD.clear()
    settings = Settings(enabled=True, secret_key="a vault key of the tests, long enough")
    made = build(HostSettings(secret="cookies"), settings, engine=engine, on_event=failing)
    yield made
    await made.deputy.close()


async def test_a_quote_on_the_screen_is_sent_by_words_and_an_approval(built: Built, engine: AsyncEngine) -> None:
    async with AsyncSession(engine, expire_on_commit=False) as session:
        desk = await member(session, DESK)
        patient = await maria(session, desk)
        wanted = select(Budget).where(Budget.patient_id == patient.id, Budget.status == "draft")
        quote = (await session.scalars(wanted)).one()
        quote.valid_until = date(2099, 1, 1)
        await session.commit()
    person = Person(built.app)
    await person.sign_in(DESK)
    screen = {"screen": "budget", "entities": [{"kind": "budget", "id": str(quote.id)}]}
    _, opened = await ask(person, "/sessions", {"surface": "clinic"})
    own = json.loads(opened)["id"]
    said = {"content": "envía este presupuesto", "context": screen}
    status, stream = await ask(person, f"/sessions/{own}/messages", said, **{"Idempotency-Key": "one"})
    assert status == 200
    staged = [json.loads(line[5:]) for line in stream.split("\n") if line.startswith("data:") and '"approval"' in line]
    assert staged, stream[-300:]
    call = staged[-1]["call"]
    assert call["tool"] == "send_budget"
    preview = call["approval"]["preview"]
    mail = {field["name"]: field["after"] for field in preview["outgoing"][0]["fields"]}
    assert mail["to"] == patient.email
    assert quote.code in mail["subject"]
    shown = {field["name"]: field["after"] for field in preview["changes"][0]["fields"]}
    assert (shown["patient_id"], shown["status"]) == (patient.full_name, "Enviado")
    decision = {
        "approve": True,
        "digest": call["approval"]["digest"],
        "typed": {"confirm": preview["friction"]["confirm"]},
    }
    status, decided = await ask(person, f"/tool-calls/{call['id']}/decide", decision, Accept="application/json")
    assert (status, json.loads(decided)["outcome"]) == (200, "ok")
    async with AsyncSession(engine) as session:
        assert (await session.get_one(Budget, quote.id)).status == "sent"
    again, second = await ask(person, f"/tool-calls/{call['id']}/decide", decision, Accept="application/json")
    assert (again, json.loads(second)["outcome"]) == (200, "ok")
    assert "session_started" in TOLD
    assert any("tool" in name for name in TOLD)
    await person.client.aclose()
