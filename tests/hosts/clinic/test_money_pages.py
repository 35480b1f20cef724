"""The clinic's pages of quotes, invoices, payments, recalls and reports, by hand and in both languages."""

import re
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from deputize_hosts.clinic.host import create_host_app
from tests.conftest import Fresh
from tests.databases import SqliteFiles, migrated
from tests.hosts.clinic.browser import Person, links, text_of
from tests.hosts.clinic.people import NOW, planted

DESK = "receptionist@demo.clinic"


@pytest.fixture
def databases(sqlite_files: SqliteFiles) -> SqliteFiles:
    """Pages ask nothing of the database that the services' tests have not asked of both."""
    return sqlite_files


async def whole(engine: AsyncEngine) -> None:
    """The clinic's tables and the copilot's: sending a quote queues a mail."""
    await planted(engine)
    await migrated(engine)


@pytest.fixture
async def app(fresh: Fresh) -> FastAPI:
    return create_host_app(await fresh("clinic-with-copilot", whole), "a secret of the tests", clock=lambda: NOW)


@pytest.fixture
async def desk(app: FastAPI) -> AsyncIterator[Person]:
    someone = Person(app)
    async with someone.client:
        await someone.sign_in(DESK)
        yield someone


async def card(person: Person, name: str) -> str:
    """Path of the one patient of that name."""
    found = await person.get("/patients", params={"q": name})
    return next(url for url in links(found, "/patients/") if len(url) > 40)


async def test_every_page_opens_in_both_languages(desk: Person) -> None:
    pages = [
        "/recalls",
        "/budgets",
        "/invoices",
        "/invoices?overdue=true",
        "/payments",
        "/reports",
        "/settings",
        "/catalog",
    ]
    pages.append(await card(desk, "maria lopez"))
    for language in ("en", "es"):
        await desk.send("/language", language=language)
        for page in pages:
            answer = await desk.get(page)
            assert answer.status_code == 200, page
            for row in ("/budgets/", "/invoices/", "/payments/", "/recalls/"):
                for url in [u for u in links(answer, row) if "new" not in u][:2]:
                    assert (await desk.get(url)).status_code == 200, url


async def test_the_patient_s_card_shows_everything(desk: Person) -> None:
    shown = text_of(await desk.get(await card(desk, "Ramón Castillo")))
    for words in ("Citas", "Presupuestos", "Facturas", "Cobros", "Cuenta", "Recordatorios", "Línea de tiempo"):
        assert words in shown
    assert "Pagada en parte" in shown
    assert "Vencida" in shown
    assert "255,00" in shown


async def test_quote_lines_sending_accepting_invoicing_and_paying(desk: Person) -> None:
    own = (await card(desk, "maria lopez")).rsplit("/", 1)[1]
    made = await desk.send("/budgets/new", patient=own)
    quote = made.url.path
    item = re.search(r'<option value="([0-9a-f-]{36})"[^>]*>Corona', made.text)
    assert item
    lined = await desk.send(f"{quote}/lines", item=item[1], quantity="2", discount="10")
    assert "702,00" in text_of(lined)
    wrong = await desk.send(f"{quote}/lines", item=item[1], quantity="x")
    assert wrong.status_code == 422
    sent = await desk.send(f"{quote}/send")
    assert "Presupuesto enviado." in text_of(sent)
    again = await desk.send(f"{quote}/send")
    assert again.status_code == 409
    assert "Permitido" in text_of(again)
    accepted = await desk.send(f"{quote}/status", status="accepted")
    assert "Aceptado" in text_of(accepted)
    bill = await desk.send("/invoices/new", patient=own, budget=quote.rsplit("/", 1)[1])
    invoice = bill.url.path
    issued = await desk.send(f"{invoice}/issue")
    assert re.search(r"F2026-\d{4}", text_of(issued))
    form = await desk.get("/payments/new", params={"patient": own, "invoice": invoice.rsplit("/", 1)[1]})
    assert 'value="702,00"' in form.text
    field = f"for-{invoice.rsplit('/', 1)[1]}"
    too_much = await desk.send("/payments/new", patient=own, amount="800", method="card", **{field: "800"})
    assert too_much.status_code == 409
    assert "Como mucho 702,00" in text_of(too_much)
    paid = await desk.send("/payments/new", patient=own, amount="800", method="card", **{field: "702"})
    assert "98,00" in text_of(paid)
    assert "Pagada" in text_of(await desk.get(invoice))
    back = await desk.send(f"{paid.url.path}/refund", amount="100", reason="Se equivocó")
    assert "Devolución registrada." in text_of(back)
    assert "Pagada en parte" in text_of(await desk.get(invoice))


async def test_recalls_are_made_logged_snoozed_and_done(desk: Person) -> None:
    own = (await card(desk, "maria lopez")).rsplit("/", 1)[1]
    made = await desk.send("/recalls/new", patient=own, reason="checkup", priority="high")
    here = made.url.path
    assert "marzo de 2027" in text_of(made)
    again = await desk.send("/recalls/new", patient=own, reason="checkup", priority="low", due_month="2026-05-20")
    assert again.url.path == here
    assert "Ya había uno activo" in text_of(again)
    assert "Buzón de voz" in text_of(await desk.send(f"{here}/attempt", channel="phone", outcome="voicemail"))
    assert "julio de 2026" in text_of(await desk.send(f"{here}/snooze", months="2"))
    assert (await desk.send(f"{here}/snooze", months="99")).status_code == 422
    await desk.send(f"{here}/complete")
    over = await desk.send(f"{here}/attempt", channel="phone", outcome="no_answer")
    assert over.status_code == 409
    assert "Hecho" in text_of(over)


async def test_reports_show_each_part_only_to_whoever_may_see_it(app: FastAPI, desk: Person) -> None:
    shown = await desk.get("/reports")
    assert "Facturado por mes" in text_of(shown)
    assert "Deuda por antigüedad" not in text_of(shown)
    assert shown.text.count("<svg") > 10
    admin = Person(app)
    await admin.sign_in("admin@demo.clinic")
    assert "Deuda por antigüedad" in text_of(await admin.get("/reports"))
    assistant = Person(app)
    await assistant.sign_in("assistant@demo.clinic")
    assert "Facturado por mes" not in text_of(await assistant.get("/reports"))
    assert (await desk.get("/reports?first=2026-03-05&last=2026-03-01")).status_code == 422
    for one in (admin, assistant):
        await one.client.aclose()


async def test_the_catalogue_is_the_admin_s_to_change(app: FastAPI, desk: Person) -> None:
    fields = {"code": "nue", "name_es": "Nuevo", "category": "other", "price": "1.250,50", "minutes": "20"}
    assert (await desk.send("/catalog", **fields)).status_code == 403
    admin = Person(app)
    await admin.sign_in("admin@demo.clinic")
    assert "1.250,50" in text_of(await admin.send("/catalog", **fields))
    assert (await admin.send("/catalog", **fields)).status_code == 409
    await admin.client.aclose()


async def test_another_clinic_s_documents_are_not_found(app: FastAPI, desk: Person) -> None:
    shown = await desk.get("/invoices")
    own = next(url for url in links(shown, "/invoices/") if len(url) > 40)
    other = Person(app)
    await other.sign_in("receptionist@teide.clinic")
    assert (await other.get(own)).status_code == 404
    assert (await other.send(f"{own}/cancel")).status_code == 404
    await other.client.aclose()
