"""The clinic without any copilot: its pages, in both languages, with their rules."""

import re
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize_hosts.clinic.host import create_host_app
from deputize_hosts.clinic.pages.render import CopilotTag
from tests.conftest import Fresh
from tests.databases import SqliteFiles
from tests.hosts.clinic.browser import Person, links, query_of, text_of
from tests.hosts.clinic.people import NOW, TODAY, TOMORROW, planted

DESK = "receptionist@demo.clinic"


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Pages ask nothing of the database that the services' tests have not asked of both."""
    return sqlite_files


@pytest.fixture
async def engine(fresh: Fresh) -> AsyncEngine:
    return await fresh("clinic", planted)


@pytest.fixture
def app(engine: AsyncEngine) -> FastAPI:
    return create_host_app(engine, "a secret of the tests", clock=lambda: NOW)


@pytest.fixture
async def person(app: FastAPI) -> AsyncIterator[Person]:
    someone = Person(app)
    async with someone.client:
        yield someone


@pytest.fixture
async def desk(person: Person) -> Person:
    assert (await person.sign_in(DESK)).status_code == 200
    return person


async def test_without_a_sign_in_every_page_leads_to_it_and_back(person: Person) -> None:
    answer = await person.get(f"/agenda?day={TOMORROW}")
    assert answer.url.path == "/sign-in"
    answer = await person.send("/sign-in", email=DESK, password="clinica-demo-2026", next=f"/agenda?day={TOMORROW}")
    assert str(answer.url).endswith(f"/agenda?day={TOMORROW}")


async def test_a_wrong_password_and_an_unknown_address_answer_alike(person: Person) -> None:
    answers = [await person.sign_in(DESK, "wrong"), await person.sign_in("nobody@demo.clinic", "wrong")]
    assert [a.status_code for a in answers] == [422, 422]
    assert len({re.sub(r'value="[^"]*"', "", text_of(a)) for a in answers}) == 1
    assert "no son correctos" in text_of(answers[0])


async def test_a_seeded_sign_in_is_refused_off_loopback(app: FastAPI, desk: Person) -> None:
    stranger = Person(app, ("192.0.2.7", 40000))
    assert (await stranger.sign_in(DESK)).status_code == 403
    assert (await desk.get("/agenda", headers={"X-Forwarded-For": "192.0.2.7"})).status_code == 403
    stranger.client.cookies = desk.client.cookies
    assert (await stranger.get("/agenda")).status_code == 403
    await stranger.client.aclose()


async def test_the_cookie_is_signed_http_only_and_lax(person: Person) -> None:
    await person.get("/sign-in")
    person.client.follow_redirects = False
    answer = await person.send("/sign-in", email=DESK, password="clinica-demo-2026")
    cookie = next(c for c in answer.headers.get_list("set-cookie") if c.startswith("clinic="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    genuine = cookie.split(";")[0].removeprefix("clinic=")
    person.client.cookies.clear()
    for value, status in ((genuine, 200), (genuine[:-3] + "abc", 303), ("x" + genuine, 303)):
        answer = await person.get("/agenda", headers={"Cookie": f"clinic={value}"})
        assert answer.status_code == status


@pytest.mark.parametrize("path", ["/patients/new", "/agenda/new", "/language", "/sign-out"])
async def test_a_form_without_its_token_is_refused(desk: Person, path: str) -> None:
    for token in ("", "x" * 40):
        answer = await desk.client.post(path, data={"csrf": token, "first_name": "A", "last_name": "B"})
        assert answer.status_code == 403
    other = await desk.client.post(path, data={}, headers={"X-CSRF-Token": "nonsense"})
    assert other.status_code == 403


async def test_a_token_of_another_sign_in_is_refused(app: FastAPI, desk: Person) -> None:
    other = Person(app)
    await other.sign_in("admin@teide.clinic")
    token, ticket = other.client.cookies["csrf"], desk.client.cookies["clinic"]
    desk.client.cookies.clear()
    fields = {"csrf": token, "first_name": "A", "last_name": "B"}
    answer = await desk.client.post("/patients/new", data=fields, headers={"Cookie": f"clinic={ticket}; csrf={token}"})
    assert answer.status_code == 403
    await other.client.aclose()


async def test_the_day_shows_appointments_gaps_and_both_views(desk: Person) -> None:
    board = await desk.get("/agenda")
    assert "Miércoles, 4 de marzo de 2026" in text_of(board)
    for name in ("Dra. Elena Ruiz", "Dr. Javier Molina", "Lucía Prieto"):
        assert name in text_of(board)
    assert links(board, "/appointments/")
    gap = query_of(links(board, f"/agenda/new?day={TODAY}&time=")[0])
    assert gap["professional"]
    cabinets = text_of(await desk.get("/agenda?by=cabinet"))
    assert "Gabinete 4 (rayos X)" in cabinets
    assert "Cerrado" in text_of(await desk.get("/agenda?day=2026-03-08"))


async def test_book_move_confirm_and_cancel_by_hand(desk: Person) -> None:
    found = await desk.get("/agenda/new", params={"q": "maria lopez", "day": str(TOMORROW), "time": "10:00"})
    chosen = query_of(links(found, "/agenda/new?patient=")[0])
    assert chosen["time"] == "10:00"
    fields = {"patient": chosen["patient"], "day": str(TOMORROW), "time": "10:00", "treatment": "checkup"}
    booked = await desk.send("/agenda/new", **fields)
    assert booked.url.path.startswith("/appointments/")
    assert "Cita guardada." in text_of(booked)
    assert "Jueves, 5 de marzo de 2026, 10:00–10:30" in text_of(booked)
    here = booked.url.path
    assert "Cita guardada." not in text_of(await desk.get(here))
    moved = await desk.send(f"{here}/reschedule", day=str(TOMORROW), time="10:30")
    assert "10:30–11:00" in text_of(moved)
    confirmed = await desk.send(f"{here}/status", status="confirmed")
    assert "Confirmada" in text_of(confirmed)
    refused = await desk.send(f"{here}/status", status="completed")
    assert refused.status_code == 409
    assert "Permitido" in text_of(refused)
    gone = await desk.send(f"{here}/cancel", reason="Está enferma")
    assert "Anulada" in text_of(gone)
    assert "Está enferma" in text_of(gone)


async def test_a_taken_slot_offers_free_ones_as_links(desk: Person) -> None:
    found = await desk.get("/agenda/new", params={"q": "maria lopez"})
    patient = query_of(links(found, "/agenda/new?patient=")[0])["patient"]
    elena = re.search(
        r'<option value="([^"]+)"[^>]*>Dra. Elena Ruiz', (await desk.get(f"/agenda/new?patient={patient}")).text
    )
    assert elena
    fields = {"patient": patient, "day": str(TOMORROW), "time": "10:00", "professional": elena[1]}
    assert (await desk.send("/agenda/new", **fields)).status_code == 200
    taken = await desk.send("/agenda/new", **fields)
    assert taken.status_code == 409
    assert "Dra. Elena Ruiz ya tiene una cita de 10:00 a 10:30." in text_of(taken)
    free = query_of(links(taken, f"/agenda/new?patient={patient}&treatment=")[0])
    assert (free["day"], free["time"]) == (str(TOMORROW), "10:30")


async def test_patients_are_found_made_edited_and_archived(desk: Person) -> None:
    listed = await desk.get("/patients", params={"q": "LOPEZ maria"})
    assert "1 paciente" in text_of(listed)
    wrong = await desk.send("/patients/new", first_name="Ana", last_name="Soto", national_id="12345678A")
    assert wrong.status_code == 422
    assert 'value="Ana"' in wrong.text
    made = await desk.send("/patients/new", first_name="Ana", last_name="Soto", phone="600 111 222", notes="<b>x</b>")
    assert "+34 600 11 12 22" in text_of(made)
    assert "&lt;b&gt;x" in made.text
    here = made.url.path
    edited = await desk.send(f"{here}/edit", first_name="Ana", last_name="Soto Vega", email="ana@example.com")
    assert "Ana Soto Vega" in text_of(edited)
    archived = await desk.send(f"{here}/archive")
    assert "Archivado" in text_of(archived)
    assert "0 pacientes" in text_of(await desk.get("/patients", params={"q": "soto vega"}))
    assert "1 paciente" in text_of(await desk.get("/patients", params={"q": "soto vega", "archived": "true"}))


async def test_only_the_admin_edits_hours(app: FastAPI, desk: Person) -> None:
    fields = {"whose": "", "first_day": "2026-05-01", "hours": "", "reason": "Fiesta"}
    assert (await desk.send("/schedules/exceptions", **fields)).status_code == 403
    assert "Añadir una excepción" not in text_of(await desk.get("/schedules"))
    admin = Person(app)
    await admin.sign_in("admin@demo.clinic")
    added = await admin.send("/schedules/exceptions", **fields)
    assert "Viernes, 1 de mayo de 2026" in text_of(added)
    assert (await admin.send("/schedules/exceptions", **fields)).status_code == 409
    assert "Cerrado: Fiesta" in text_of(await desk.get("/agenda?day=2026-05-01"))
    removal = re.search(r'action="(/schedules/exceptions/[^"]+/remove)', added.text.split("1 de mayo")[1])
    assert removal
    assert "1 de mayo" not in text_of(await admin.send(removal[1]))
    week = await admin.send("/schedules/week", **{"whose": "", "day-0": "10:00-12:00"})
    assert "10:00–12:00" in text_of(week)
    assert (await admin.send("/schedules/week", **{"whose": "", "day-0": "ten to noon"})).status_code == 422
    await admin.client.aclose()


async def test_another_clinics_records_are_not_found(app: FastAPI, desk: Person) -> None:
    other = Person(app)
    await other.sign_in("admin@teide.clinic")
    theirs = links(await other.get("/patients", params={"q": "maria lopez"}), "/patients/")
    page = next(url for url in theirs if "new" not in url)
    assert (await other.get(page)).status_code == 200
    refused, unknown = await desk.get(page), await desk.get("/patients/00000000-0000-4000-8000-000000000000")
    assert (refused.status_code, unknown.status_code) == (404, 404)
    assert text_of(refused) == text_of(unknown)
    await other.client.aclose()


PAGES = ["/agenda", "/agenda?by=cabinet", "/agenda/new", "/patients", "/patients/new", "/schedules", "/nowhere"]


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_speaks_english_in_full(desk: Person, path: str) -> None:
    await desk.send("/language", language="en", next="/agenda")
    answer = await desk.get(path)
    assert '<html lang="en">' in answer.text
    said = re.sub(
        r"Gabinete \d( \(rayos X\))?|Fiesta local|Congreso|Formación del equipo por la tarde|Español",
        "",
        text_of(answer),
    )
    for word in ("Paciente", "Cita", "Guardar", "Cerrado", "Lunes", "Profesional", "Libre", "Buscar", "Confirmada"):
        assert word not in said


async def test_the_language_is_the_persons_own(app: FastAPI, desk: Person) -> None:
    await desk.send("/language", language="en", next="/agenda")
    elsewhere = Person(app)
    assert '<html lang="en">' in (await elsewhere.sign_in(DESK)).text
    await elsewhere.client.aclose()


async def test_no_page_sends_a_reader_off_site(person: Person) -> None:
    for target in ("//evil.example", "https://evil.example", "/\\evil.example"):
        await person.get("/sign-in")
        answer = await person.send("/sign-in", email=DESK, password="clinica-demo-2026", next=target)
        assert answer.url.host == "localhost"
        await person.send("/sign-out")


async def test_without_a_copilot_nothing_of_it_is_on_the_page(desk: Person) -> None:
    assert "deputize-copilot" not in (await desk.get("/agenda")).text


async def test_with_a_copilot_every_page_tells_its_screen(engine: AsyncEngine) -> None:
    app = create_host_app(engine, "s", copilot=CopilotTag("/api/v1/copilot", "clinic"), clock=lambda: NOW)
    person = Person(app)
    await person.sign_in(DESK)
    found = await person.get("/patients", params={"q": "maria lopez"})
    card = next(url for url in links(found, "/patients/") if "new" not in url)
    answer = await person.get(card)
    assert '<script type="module" src="/api/v1/copilot/static/deputize.js"></script>' in answer.text
    told = re.search(r'screen="([^"]+)"', answer.text)
    assert told
    assert told[1].replace("&#34;", '"') == (
        '{"screen": "patient", "entities": [{"kind": "patient", "id": "' + card.split("/")[-1] + '"}]}'
    )
    assert 'csrf-cookie="csrf" csrf-header="X-CSRF-Token"' in answer.text
    await person.client.aclose()


async def test_answers_carry_a_strict_policy_and_nothing_remote(desk: Person) -> None:
    answer = await desk.get("/agenda")
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', answer.text)


async def test_the_admin_adds_cabinets_and_takes_them_out_of_use(app: FastAPI, desk: Person) -> None:
    assert (await desk.get("/cabinets")).status_code == 403
    assert (await desk.send("/cabinets", name="Gabinete 5")).status_code == 403
    admin = Person(app)
    await admin.sign_in("admin@demo.clinic")
    added = await admin.send("/cabinets", name=" Gabinete  5 ")
    assert "Gabinete 5 En uso" in text_of(added)
    twice = await admin.send("/cabinets", name="Gabinete 5")
    assert twice.status_code == 409
    doors = dict(zip(("1", "2", "3", "4", "5"), re.findall(r'action="(/cabinets/[^"]+)"', added.text), strict=True))
    busy = await admin.send(doors["1"], active="")
    assert busy.status_code == 409
    assert "citas pendientes" in text_of(busy)
    assert "Gabinete 5 Fuera de servicio" in text_of(await admin.send(doors["5"], active=""))
    assert "Gabinete 5" not in text_of(await desk.get("/agenda?by=cabinet"))
    assert "Gabinete 5 En uso" in text_of(await admin.send(doors["5"], active="1"))
    await admin.client.aclose()


async def test_the_admin_changes_the_clinics_name_and_its_shortest_slot(app: FastAPI, desk: Person) -> None:
    """Everybody sees them; what was typed stays on the page where it is refused."""
    seen = await desk.get("/settings")
    assert "Clínica Dental Alameda" in text_of(seen)
    assert '<form method="post" action="/settings"' not in seen.text
    assert (await desk.send("/settings", name="Mine", slot="15")).status_code == 403
    admin = Person(app)
    await admin.sign_in("admin@demo.clinic")
    for fields, why in (
        ({"name": " ", "slot": "15"}, "hace falta"),
        ({"name": "Alameda", "slot": "0"}, "entre 5 y 240 minutos"),
        ({"name": "Alameda", "slot": "soon"}, "tiene que ser un número"),
    ):
        refused = await admin.send("/settings", **fields)
        assert refused.status_code == 422
        assert why in text_of(refused)
        assert f'value="{fields["slot"]}"' in refused.text
    saved = await admin.send("/settings", name=" Clínica  Alameda ", slot="20")
    assert "Ajustes guardados." in text_of(saved)
    after = text_of(await desk.get("/settings"))
    assert "Clínica Alameda" in after
    assert "20 min" in after
    await admin.client.aclose()
