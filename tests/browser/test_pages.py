"""The pages of the copilot in the clinic: real server, real Chromium, both languages, phone and desk (UI-4, UI-6)."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from deputize.core.checkpoint import logs_of
from deputize.core.pack import open_pack, verify_pack
from deputize.store import keyfile
from tests.browser.chromium import DESK, PATIENCE, PHONE, SHOTS, chromium_at, faults
from tests.browser.clinic import agenda, later
from tests.browser.demos import Demo, demo
from tests.browser.person import EN, ES, Person, Said, arrive

RECEPTION, ADMIN = "receptionist@demo.clinic", "admin@demo.clinic"
PAGES = ("approvals", "runs", "usage", "audit", "settings")

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Told:
    """The words of one language by which things are found on the pages."""

    verify: str
    well: str
    sign: str
    signed: str
    export: str
    executed: str
    exactly: str
    entry: str
    kind: str
    back: str
    hide: str
    warning: str
    save: str
    saved: str
    undo: str
    edit: str
    see: str
    changed: str
    by_day: str
    recorded: str


SPANISH = Told(
    verify="Verificar",
    well="Todo en orden.",
    sign="Firmar ahora",
    signed="Firmada hasta la entrada",
    export="Exportar",
    executed="Ejecutado",
    exactly="Se ejecutó exactamente lo que se mostró.",
    entry="Entrada",
    kind="Tipo",
    back="← Volver a la lista",
    hide="Ocultar los datos personales al modelo",
    warning="la ocultación es obligatoria",
    save="Guardar",
    saved="Guardado.",
    undo="Deshacer",
    edit="Editar",
    see="Ver el resultado",
    changed="cambiado",
    by_day="Uso por día",
    recorded="queda registrado",
)
ENGLISH = Told(
    verify="Verify",
    well="All is well.",
    sign="Sign now",
    signed="Signed through entry",
    export="Export",
    executed="Executed",
    exactly="Exactly what was shown was executed.",
    entry="Entry",
    kind="Kind",
    back="← Back to the list",
    hide="Hide personal data from the model",
    warning="hiding is mandatory",
    save="Save",
    saved="Saved.",
    undo="Undo",
    edit="Edit",
    see="See the result",
    changed="changed",
    by_day="Use by day",
    recorded="is recorded",
)


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with chromium_at(chromium) as started:
        yield started


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Demo]:
    """A demo in which the receptionist has asked, had one change made and left another waiting."""
    with demo(tmp_path_factory.mktemp("pages")) as running:
        desk = arrive(browser, running.url, RECEPTION)
        desk.open()
        desk.ask("pacientes que se llamen María")
        expect(desk.page.locator("deputize-message-list .sources")).to_be_visible()
        desk.propose(f"agenda revisión a María López {later(ES)[0]} a las 10")
        desk.button(ES.approve).click()
        expect(desk.page.locator("deputize-message-list .prose").last).to_contain_text("programada")
        expect(desk.button("Detener")).to_have_count(0)
        desk.propose(f"agenda revisión a María López {later(ES, 3)[0]} a las 12")
        assert desk.waiting()
        desk.page.context.close()
        yield running


@pytest.fixture
def admin(browser: Browser, clinic: Demo) -> Iterator[Person]:
    """The admin at the agenda; an error of the page's scripts fails the test."""
    person = come(browser, clinic, ADMIN)
    failures: list[str] = []
    person.page.on("pageerror", lambda error: failures.append(str(error)))
    yield person
    person.page.context.close()
    assert failures == []


def come(
    browser: Browser, clinic: Demo, email: str, say: Said = ES, size: tuple[int, int] = DESK, scheme: str = "light"
) -> Person:
    """Somebody signs in; what waits for them is left as it is."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        locale=say.tag,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    person = Person(page, clinic.url, say)
    person.sign_in(email)
    return person


def ready(page: Page, element: str) -> None:
    """The element has loaded and drawn what it shows."""
    expect(page.locator(f"{element} .page[aria-busy=false]")).to_be_attached()
    expect(page.locator(f"{element} [role=status]", has_text=re.compile("Cargando|Loading"))).to_have_count(0)


@pytest.mark.parametrize(
    ("size", "scheme", "say", "told"),
    [
        (DESK, "light", ES, SPANISH),
        (DESK, "dark", EN, ENGLISH),
        (PHONE, "light", EN, ENGLISH),
        (PHONE, "dark", ES, SPANISH),
    ],
    ids=["desk-light-es", "desk-dark-en", "phone-light-en", "phone-dark-es"],
)
def test_ui_6_every_page_is_accessible_and_photographed(
    browser: Browser,
    clinic: Demo,
    size: tuple[int, int],
    scheme: str,
    say: Said,
    told: Told,
    request: pytest.FixtureRequest,
) -> None:
    """UI-4, UI-6: WCAG 2.2 AA in dark and light, both languages, phone and desk; nothing wider than the screen."""
    admin = come(browser, clinic, ADMIN, say, size, scheme)
    desk = come(browser, clinic, RECEPTION, say, size, scheme)
    folder = SHOTS / "pages" / request.node.callspec.id
    folder.mkdir(parents=True, exist_ok=True)

    def look(page: Page, name: str) -> None:
        assert faults(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        page.screenshot(path=folder / f"{name}.png", full_page=True)

    desk.visit("/copilot")
    ready(desk.page, "deputize-history")
    expect(desk.card).to_be_visible()
    look(desk.page, "1-talk")
    desk.visit("/copilot/approvals")
    expect(desk.page.locator("deputize-approvals section.card")).to_be_visible()
    look(desk.page, "2-approvals")
    desk.button(told.edit).click()
    expect(desk.button(told.see)).to_be_visible()
    look(desk.page, "3-edit")
    for number, name in enumerate(PAGES[1:], start=4):
        admin.visit(f"/copilot/{name}")
        ready(admin.page, f"deputize-{name}")
        look(admin.page, f"{number}-{name}")
    admin.page.get_by_label(told.hide).uncheck()
    expect(admin.page.get_by_role("alert")).to_contain_text(told.warning)
    look(admin.page, "8-settings-warning")
    admin.visit("/copilot/runs")
    admin.page.locator("deputize-runs tbody .link").first.click()
    expect(admin.page.locator("deputize-runs .talk li").first).to_be_visible()
    look(admin.page, "9-run")
    admin.visit("/copilot/audit")
    executed(admin, told)
    look(admin.page, "10-entry")
    for person in (admin, desk):
        person.page.context.close()


def executed(admin: Person, told: Told) -> None:
    """Open the entry of the change that was made."""
    admin.page.get_by_label(told.kind, exact=True).select_option("tool_executed")
    rows = admin.page.locator("deputize-audit tbody tr", has_text="book_appointment")
    rows.first.locator(".link").click()
    expect(admin.page.locator("deputize-audit h2[tabindex]")).to_be_focused()


def test_aud_4_the_chain_is_verified_signed_and_exported(admin: Person, clinic: Demo, tmp_path: Path) -> None:
    """AUD-4, AUD-6: the verdict is told, the signature is made, and the pack verifies with the deployment's key."""
    admin.visit("/copilot/audit")
    admin.button(SPANISH.sign).click()
    expect(admin.page.get_by_text(re.compile(SPANISH.signed))).to_be_visible()
    admin.button(SPANISH.verify).click()
    expect(admin.page.get_by_text(SPANISH.well)).to_be_visible()
    expect(admin.button(SPANISH.verify)).to_be_visible()
    with admin.page.expect_download() as waiting:
        admin.button(SPANISH.export).click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert zipfile.is_zipfile(path)
    pack = open_pack(path)
    trusted = [keyfile.files_beside(clinic.folder / "keys" / "checkpoint.key").trusted(pack.tenant)]
    assert logs_of(pack.tenant, trusted) == trusted
    verdict = verify_pack(pack, trusted)
    assert verdict.ok
    assert verdict.anchored == pack.count


def test_aud_2_shown_against_executed(admin: Person) -> None:
    """AUD-2: an executed change shows its card, its digests and the steps of its call; links go on by keyboard."""
    admin.visit("/copilot/audit")
    executed(admin, SPANISH)
    page = admin.page
    expect(page.get_by_text(SPANISH.exactly)).to_be_visible()
    expect(page.locator("deputize-audit .frozen")).to_contain_text("María López Herrera")
    page.locator("deputize-audit .steps .link").first.press("Enter")
    expect(page.locator("deputize-audit h2[tabindex]")).to_be_focused()
    admin.button(SPANISH.back).press("Enter")
    expect(page.locator("deputize-audit table")).to_be_visible()


def test_api_2_looking_at_anothers_run_is_an_entry(admin: Person) -> None:
    """UI-4, API-2: the supervisor's view of another's run stands in the chain, and a link leads to the run."""
    admin.visit("/copilot/runs")
    admin.page.locator("deputize-runs tbody .link").first.click()
    expect(admin.page.locator("deputize-runs .talk")).to_be_visible()
    admin.visit("/copilot/audit")
    admin.page.get_by_label(SPANISH.kind, exact=True).select_option("transcript_viewed")
    admin.page.locator("deputize-audit tbody .link").first.click()
    admin.page.locator("deputize-audit dl.facts a").first.click()
    expect(admin.page).to_have_url(re.compile(r"/copilot/runs\?run=[0-9a-f-]{36}$"))
    expect(admin.page.locator("deputize-runs .talk")).to_be_visible()


def test_bud_5_limits_are_set_and_cleared(admin: Person) -> None:
    """BUD-5: a limit is saved, survives a reload and can be cleared; nothing else is sent."""
    admin.visit("/copilot/settings")
    field = admin.page.locator("deputize-settings #dollars")
    field.fill("12.50")
    admin.button(SPANISH.save).click()
    expect(admin.page.get_by_text(SPANISH.saved)).to_be_visible()
    assert admin.call("GET", "/api/v1/copilot/settings")[1]["monthlyCostLimitCents"] == 1250
    admin.page.reload()
    expect(field).to_have_value("12.50")
    admin.page.locator("deputize-settings .limit button").first.click()
    admin.button(SPANISH.save).click()
    expect(admin.page.get_by_text(SPANISH.saved)).to_be_visible()
    assert admin.call("GET", "/api/v1/copilot/settings")[1]["monthlyCostLimitCents"] is None


def test_appr_7_a_proposal_is_edited_on_its_card(browser: Browser, clinic: Demo) -> None:
    """APPR-7: the person's figure makes a new card, what is refused stands at its field, approving works."""
    desk = arrive(browser, clinic.url, "assistant@demo.clinic")
    desk.open()
    word, day = later(ES, 4)
    desk.propose(f"agenda revisión a María López {word} a las 12")
    before = desk.waiting()["approval"]["digest"]
    desk.button(SPANISH.edit).click()
    start = desk.page.locator("deputize-argument-editor #f-start")
    expect(start).to_be_focused()
    expect(start).to_have_value(f"{day.isoformat()}T12:00")
    expect(desk.button(SPANISH.see)).to_be_disabled()
    minutes = desk.page.locator("deputize-argument-editor #f-minutes")
    minutes.fill("900")
    desk.button(SPANISH.see).click()
    expect(desk.page.get_by_role("alert")).to_be_visible()
    expect(minutes).to_have_attribute("aria-invalid", "true")
    assert desk.waiting()["approval"]["digest"] == before
    minutes.fill("20")
    expect(desk.page.get_by_text(SPANISH.changed, exact=True)).to_be_visible()
    desk.button(SPANISH.see).click()
    expect(desk.card).to_contain_text(re.compile(rf"{day.day} \w+ {day.year}, 12:20"))
    assert desk.waiting()["approval"]["digest"] != before
    desk.button(ES.approve).click()
    expect(desk.answer).to_contain_text("Hecho")
    assert [line for line in agenda(desk, day) if line.startswith("12:00") and "María López Herrera" in line]
    desk.page.context.close()


def test_ui_4_pages_are_shown_by_permission(browser: Browser, clinic: Demo) -> None:
    """UI-4: who only chats sees neither audit nor settings, in the menu or by address."""
    desk = come(browser, clinic, RECEPTION)
    desk.visit("/copilot")
    tabs = desk.page.locator(".subtabs a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert tabs == ["/copilot", "/copilot/approvals", "/copilot/runs", "/copilot/usage"]
    for hidden in ("audit", "settings"):
        answer = desk.page.goto(f"{clinic.url}/copilot/{hidden}")
        assert answer is not None
        assert answer.status == 403
    desk.page.context.close()
