"""What a provider receives, byte for byte: no canary of any seam, on either wire (RED-2, RED-4, RED-8, TOOL-13)."""

import json
import logging
import re
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize.engine import worker
from deputize.engine.metrics import exposition
from deputize.providers.registry import create
from deputize.testing.clock import FrozenClock
from deputize_hosts.clinic.main import BASE, Built, build
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.settings import HostSettings
from tests.attacks.canary_desk import CanaryDesk, make_canary_desk
from tests.attacks.wires import Model, leaks
from tests.conftest import Fresh
from tests.databases import SqliteFiles, migrated
from tests.engine.depot import make_depot
from tests.hosts.clinic.browser import Person
from tests.hosts.clinic.people import member, planted
from tests.providers import vendor as vendors

DESK = "receptionist@demo.clinic"
KEY = "k-canary-key-0123456789"
TOKEN = re.compile(r"PATIENT_[a-z]{6}")

PATIENT = patients.PatientData(
    "Xiomara",
    "Zubizarreta Quibén",
    phone="611 987 654",
    email="xiomara.zq@correo.example",
    birth_date=date(1984, 7, 19),
    national_id_kind="dni",
    national_id="49013322T",
    address="Calle del Canario Ronco 77",
)
CANARIES = {
    "first name": "Xiomara",
    "first surname": "Zubizarreta",
    "second surname": "Quibén",
    "phone": "611987654",
    "mail": "xiomara.zq",
    "document": "49013322",
    "address": "Canario Ronco",
    "birth date": "1984-07-19",
    "phone that only the user knows": "622334455",
}
SPELLINGS = [
    "Xiomara Zubizarreta Quibén",
    "XIOMARA ZUBIZARRETA",
    "xiomara zubizarreta quiben",
    "Zubizarreta Quibén, Xiomara",
    "Quiben, Xiomara",
    "Xiomara Z\u200bubizarreta",
    "Ｘｉｏｍａｒａ Zubizarreta",
    "Quibe\u0301n",
    "+34 611 98 76 54",
    "0034611987654",
    "611.987.654",
    "XIOMARA.ZQ@Correo.Example",
    "49013322-T",
    "49.013.322 T",
]


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """The bytes do not depend on the database."""
    return sqlite_files


@pytest.fixture(params=["openai", "anthropic"])
async def model(request: pytest.FixtureRequest) -> AsyncIterator[Model]:
    """A vendor on the loopback, once for each wire."""
    async with vendors.vendor() as made:
        yield Model.on(request.param, made)


def settings(model: Model) -> Settings:
    """As an operator would point at a self-hosted model."""
    return Settings(
        enabled=True,
        provider=model.wire,
        base_url=model.base_url,
        api_key=KEY,
        model="small-1",
        allow_private_endpoint=True,
        secret_key="a vault key of the tests, long enough",
        max_actions_per_minute=1000,
        rate_limit_max=1000,
    )


async def whole(engine: AsyncEngine) -> None:
    await planted(engine)
    await migrated(engine)


class Talk:
    """The receptionist's conversation over HTTP."""

    def __init__(self, person: Person, session: str, patient: str) -> None:
        self.person, self.session, self.patient = person, session, patient

    async def post(self, path: str, body: Any, **headers: str) -> Any:
        token = self.person.client.cookies.get("csrf") or ""
        answer = await self.person.client.post(BASE + path, json=body, headers={"X-CSRF-Token": token, **headers})
        assert answer.status_code in {200, 201}, answer.text
        return answer.text

    async def say(self, words: str) -> Any:
        context = {"screen": "patient", "entities": [{"kind": "patient", "id": self.patient}]}
        return await self.post(f"/sessions/{self.session}/messages", {"content": words, "context": context})

    async def decide(self, stream: str, approve: bool, reason: str | None = None) -> Any:
        datas = [json.loads(line[5:]) for line in stream.split("\n") if line.startswith("data:")]
        call = next(data["call"] for data in reversed(datas) if "call" in data)
        body = {"approve": approve, "digest": call["approval"]["digest"], "reason": reason}
        return await self.post(f"/tool-calls/{call['id']}/decide", body, Accept="text/event-stream")


@pytest.fixture
async def talk(fresh: Fresh, model: Model) -> AsyncIterator[Talk]:
    """The real clinic over the real adapter, with one patient more."""
    engine = await fresh("clinic-with-copilot", whole)
    async with AsyncSession(engine) as session, session.begin():
        made = await patients.create(session, await member(session, DESK), PATIENT)
        ident = str(made.id)
    built: Built = build(HostSettings(secret="cookies"), settings(model), engine=engine)
    person = Person(built.app)
    await person.sign_in(DESK)
    opened = await person.client.post(
        f"{BASE}/sessions",
        json={"surface": "clinic"},
        headers={"X-CSRF-Token": person.client.cookies.get("csrf") or ""},
    )
    yield Talk(person, opened.json()["id"], ident)
    await person.client.aclose()
    await built.deputy.close()


def the_patient(request: str) -> str:
    """The newest token of a patient in what the vendor was sent."""
    found: list[str] = TOKEN.findall(request)
    return found[-1]


LOUD = ("", "deputize", "openai", "anthropic", "httpx2", "httpcore2", "uvicorn", "aiosqlite", "asyncpg", "sqlalchemy")


def listen(caplog: pytest.LogCaptureFixture) -> None:
    """Everything at its loudest, the database's driver and the statements included (RED-8)."""
    for name in (*LOUD, "sqlalchemy.engine", "sqlalchemy.engine.Engine", "sqlalchemy.pool"):
        caplog.set_level(logging.DEBUG, logger=name)


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Everything that any logger said, tracebacks included."""
    formatter = logging.Formatter("%(name)s %(message)s")
    return "\n".join(formatter.format(record) for record in caplog.records)


async def test_red_2_no_byte_of_the_clinics_patients_reaches_the_vendor(
    talk: Talk, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    """User text in many spellings, screen, results, ids, arguments, reasons and the model's own words in history."""
    listen(caplog)
    ids = {**CANARIES, "id": talk.patient, "id without dashes": talk.patient.replace("-", "")}
    model.calls("search_patients", lambda request: {"query": the_patient(request)})
    model.calls("get_patient", lambda request: {"patient": the_patient(request)})
    model.says("Es la paciente. Otra forma de llamarla: Xiomara Zubizarreta.")
    shown = await talk.say("Busca a " + "; ".join(SPELLINGS))
    assert "Zubizarreta Quibén" in shown

    model.calls(
        "update_patient",
        lambda request: {
            "patient": the_patient(request),
            "phone": re.findall(r"PHONE_[a-z]{6}", request)[-1],
        },
    )
    staged = await talk.say("cámbiale el teléfono a 622 33 44 55")
    assert "622 33 44 55" in staged or "622334455" in staged
    model.says("Entendido.")
    reason = f"No, {SPELLINGS[3]} lo da mal; {SPELLINGS[9]} sigue siendo el suyo"
    await talk.decide(staged, False, reason)

    wrong = "Xiomara Zubizarreta a las 10"
    model.calls("book_appointment", lambda request: {"patient": the_patient(request), "start": wrong})
    model.says("¿Qué día?")
    assert '"invalid"' in await talk.say("agéndale revisión a las 10")
    model.fails(400)
    refused = await talk.say("¿y el teléfono de Quibén?")
    assert '"type": "error"' in refused or "event: error" in refused

    received = model.received()
    assert len(received) == 8
    for number, request in enumerate(received):
        assert leaks(ids, request) == set(), number
    assert leaks(ids, logged(caplog)) == set()
    assert KEY not in logged(caplog)
    assert "bad request" not in refused


@pytest.fixture
async def desk(fresh: Fresh, model: Model) -> AsyncIterator[CanaryDesk]:
    """The desk of the engine's tests with tools whose every seam holds somebody's name."""
    made = await make_canary_desk(await fresh(), settings(model))
    yield made
    await made.deputy.close()


def on_screen(request: str) -> str:
    """The token of the record that the page shows."""
    found = re.search(r'"id\\*": *\\*"(PERSON_[a-z]{6})', request)
    assert found is not None
    return found[1]


async def test_red_2_no_seam_of_a_tool_reaches_the_vendor(
    desk: CanaryDesk, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    """Descriptions, enums, dictionary keys, free results, errors, alternatives, tracebacks, titles, reasons, labels."""
    listen(caplog)
    model.calls("look_around", {})
    model.calls("look_around", {"what": "Nicanora Espliego"})
    model.calls("run_into_a_rule", {})
    model.calls("break_down", {})
    model.calls("write_down", lambda request: {"person": on_screen(request), "title": "call back"})
    staged = await desk.say("who is who?")
    assert staged.outcomes()[:4] == ["ok", "invalid", "refused", "failed"]
    model.says("As you like.")
    await desk.decide(staged, False, f"{desk.name('reason')} said no")
    model.calls("write_down", lambda request: {"person": on_screen(request), "title": "again"})
    model.says("Written.")
    again = await desk.say("then write it down for them")
    done = await desk.decide(again, True)
    assert done.outcomes() == ["ok"]

    received = model.received()
    assert len(received) == 8
    for number, request in enumerate(received):
        assert leaks(desk.canaries, request) == set(), number
    assert leaks(desk.canaries, logged(caplog)) == set()
    assert "break_down failed" in logged(caplog)
    assert KEY not in logged(caplog)


async def test_red_2_no_word_of_guards_cards_or_the_model_itself_goes_out_again(
    desk: CanaryDesk, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    """Guards' refusals and failures, arguments that the person wrote, names that only the model wrote."""
    listen(caplog)
    own = desk.name("the model's own words")
    surname = desk.name("a surname in the model's own words").split()[1]
    model.calls("look_behind", {})
    model.calls("look_under", {})
    model.calls("look_around", {"what": desk.name("the model's own arguments")})
    model.calls("write_down", lambda request: {"person": on_screen(request), "title": "call back"})
    staged = await desk.say("who may?")
    assert staged.outcomes() == ["refused", "refused", "invalid"]
    model.says(f"Done. {own} could have, la señora {surname.upper()} too, +34 699 112 233 is somebody's.")
    edited = await desk.edit(staged, f"call {desk.name('edited argument')}")
    assert edited.outcomes()[-1] == "ok"
    assert own in edited.text
    model.says("Bye.")
    await desk.say("thanks")

    received = model.received()
    assert len(received) == 6
    for number, request in enumerate(received):
        assert leaks({**desk.canaries, "phone": "699112233"}, request) == set(), number
    assert leaks(desk.canaries, logged(caplog)) == set()
    assert "the guard of look_under failed" in logged(caplog)
    assert leaks(desk.canaries, (await exposition(desk.deputy.wiring)).decode()) == set()


async def test_red_2_no_fact_of_an_automation_reaches_the_vendor(
    fresh: Fresh, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    """AUTO-2: personal facts, and the id of the record that the event is about, stay here."""
    listen(caplog)
    provider = create(model.wire, base_url=model.base_url, api_key=KEY, default_model="small-1", allow_private=True)
    depot = await make_depot(await fresh(), FrozenClock(), provider=provider)
    canaries = {"owner": "Restituta Calahorrano", "subject": "tk-canary-0001"}
    await depot.ticket(canaries["subject"], "the pipe broke", owner=canaries["owner"])
    model.says(json.dumps({"summary": "short", "suggested_priority": "high"}))
    assert await worker.drain(depot.w) == 1
    (request,) = model.received()
    assert "the pipe broke" in request
    assert leaks(canaries, request) == set()
    assert leaks(canaries, logged(caplog)) == set()
    await depot.deputy.close()


@pytest.mark.parametrize("shape", ["{}", '{{"a": {{"{}": 1}}}}', 'x {{"a": "{{\\"b\\": \\"{}\\"}}"}}'])
def test_the_scanner_notices_every_canary_in_every_spelling(shape: str) -> None:
    """The scanner itself: accents, case, separators, JSON escapes and nesting hide nothing."""
    for words in (" ".join(CANARIES.values()), " ".join(CANARIES.values()).upper(), "Zubizarreta Quibe\\u0301n"):
        expected = set(CANARIES) if "611987654" in words else {"first surname", "second surname"}
        assert leaks(CANARIES, shape.format(words)) == expected
    assert leaks(CANARIES, shape.format("+34 611-98 76.54")) == {"phone"}
    assert leaks(CANARIES, shape.format("PATIENT_kovabi")) == set()
