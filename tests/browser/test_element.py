"""The element in real Chromium: pictures, accessibility, keyboard, reload, safety (UI-1, UI-2, UI-6)."""

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import chromium as real
from tests.browser.chromium import DESK, PATIENCE, PHONE, ROOT, STATIC, faults

WEB = ROOT / "web"
SHOTS = real.SHOTS / "element"

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Words:
    """The words of one language by which the tests find things, and what they say to the stand-in."""

    open: str
    close: str
    message: str
    approve: str
    reject: str
    fresh: str
    withdraw: str
    hello: str
    sources: str
    retry: str
    agenda: str
    book: str
    cancel: str
    quote: str
    error: str


ES = Words(
    open="Abrir el asistente",
    close="Cerrar el asistente",
    message="Mensaje",
    approve="Aprobar",
    reject="Rechazar",
    fresh="Nueva conversación",
    withdraw="Retirar y empezar",
    hello="¿En qué te ayudo?",
    sources="Fuentes",
    retry="Reintentar",
    agenda="Dame el resumen de la agenda",
    book="Agenda una revisión a María",
    cancel="Cancela la cita",
    quote="Envía el presupuesto",
    error="Da un error",
)
EN = Words(
    open="Open the assistant",
    close="Close the assistant",
    message="Message",
    approve="Approve",
    reject="Reject",
    fresh="New conversation",
    withdraw="Withdraw and start",
    hello="How can I help?",
    sources="Sources",
    retry="Try again",
    agenda="Give me the agenda",
    book="Book a check-up for María",
    cancel="Cancel the appointment",
    quote="Send the quote",
    error="An error please",
)


class Element:
    """One page with the element, and the stand-in behind it."""

    def __init__(self, page: Page, url: str, say: Words, tag: str) -> None:
        self.page, self.url, self.say, self.tag = page, url, say, tag

    def mock(self, **options: Any) -> list[dict[str, Any]]:
        """Set options of the stand-in; the requests since the last time."""
        request = urllib.request.Request(self.url + "mock", data=json.dumps(options).encode(), method="POST")
        with urllib.request.urlopen(request) as answer:
            found: list[dict[str, Any]] = json.load(answer)
            return found

    def visit(self, query: str = "") -> None:
        self.page.goto(f"{self.url}?lang={self.tag}{query}")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def launcher(self) -> Locator:
        return self.page.get_by_role("button", name=re.compile(f"^{self.say.open}"))

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name=self.say.message)

    def open(self) -> None:
        self.launcher.click()
        expect(self.field).to_be_visible()

    def ask(self, text: str) -> None:
        self.field.fill(text)
        self.field.press("Enter")

    def focused(self) -> str:
        """Name and class of what has the focus, through shadow roots."""
        script = """() => { let a = document.activeElement;
            while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement;
            return a ? `${a.localName}.${a.className}` : ''; }"""
        return str(self.page.evaluate(script))

    def inside(self) -> bool:
        return bool(self.page.evaluate("document.activeElement?.localName === 'deputize-copilot'"))


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with real.chromium_at(chromium) as started:
        yield started


@pytest.fixture
def url() -> Iterator[str]:
    assert (STATIC / "deputize.js").is_file(), "build the element first: npm run build --prefix web"
    server = subprocess.Popen(["node", "dev/mock-server.mjs", "0"], cwd=WEB, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield f"http://127.0.0.1:{server.stdout.readline().split()[-1]}/"
    server.terminate()
    server.wait()
    server.stdout.close()


def opened(browser: Browser, url: str, say: Words, size: tuple[int, int] = DESK, scheme: Any = "light") -> Element:
    """A page of its own; an error in the console of the page fails the test that closes it."""
    tag = "es" if say is ES else "en"
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, locale=tag, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    element = Element(page, url, say, tag)
    element.mock(delay=2)
    element.visit()
    return element


@pytest.fixture
def desk(browser: Browser, url: str) -> Iterator[Element]:
    element = opened(browser, url, ES)
    failures: list[str] = []
    element.page.on("pageerror", lambda error: failures.append(str(error)))
    yield element
    element.page.context.close()
    assert failures == []


@pytest.mark.parametrize(
    ("size", "scheme", "say"),
    [(DESK, "light", ES), (DESK, "dark", EN), (PHONE, "light", EN), (PHONE, "dark", ES)],
    ids=["desk-light-es", "desk-dark-en", "phone-light-en", "phone-dark-es"],
)
def test_ui_6_every_state_is_accessible_and_photographed(
    browser: Browser, url: str, size: tuple[int, int], scheme: str, say: Words, request: pytest.FixtureRequest
) -> None:
    """UI-6: WCAG 2.2 AA in dark and light, both languages, phone and desktop; nothing wider than the screen."""
    one = opened(browser, url, say, size, scheme)
    folder = SHOTS / request.node.callspec.id
    folder.mkdir(parents=True, exist_ok=True)

    def look(name: str) -> None:
        assert faults(one.page) == [], name
        assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        one.page.screenshot(path=folder / f"{name}.png")

    def anew() -> None:
        one.button(say.fresh).click()
        if one.button(say.withdraw).is_visible():
            one.button(say.withdraw).click()
        expect(one.page.get_by_text(say.hello)).to_be_visible()

    expect(one.launcher).to_be_visible()
    look("1-launcher")
    one.open()
    look("2-empty")
    one.ask(say.agenda)
    expect(one.page.get_by_text(say.sources)).to_be_visible()
    look("3-answer")
    anew()
    one.ask(say.book)
    expect(one.button(say.approve)).to_be_enabled()
    look("4-card")
    one.button(say.reject).click()
    look("5-reject")
    anew()
    one.ask(say.cancel)
    expect(one.button(say.approve)).to_be_disabled()
    look("6-destructive")
    anew()
    one.mock(banner=True, languageModel=False)
    one.ask(say.quote)
    one.page.locator("#to-to").fill("x@example.com")
    one.button(say.approve).click()
    expect(one.page.get_by_role("alert")).to_be_visible()
    look("7-mismatch")
    anew()
    one.ask(say.error)
    expect(one.button(say.retry)).to_be_visible()
    look("8-error")
    one.page.context.close()


def test_ui_1_nothing_is_drawn_where_the_copilot_is_off(desk: Element) -> None:
    """UI-1, AUTO-7: drawn only for `chat`; switched off, the element draws nothing."""
    desk.mock(enabled=False)
    with desk.page.expect_response(re.compile("/api/me")):
        desk.visit()
    expect(desk.page.locator("deputize-copilot")).to_be_attached()
    assert desk.page.evaluate("document.querySelector('deputize-copilot').shadowRoot.childElementCount") == 0
    desk.page.keyboard.press("Control+k")
    assert desk.page.locator("dialog").count() == 0


def test_ui_1_the_keyboard_opens_and_closes_and_focus_comes_back(desk: Element) -> None:
    """UI-1, UI-6: Ctrl+K toggles, Escape closes, focus returns to where it was."""
    expect(desk.launcher).to_be_visible()
    desk.page.evaluate("document.querySelector('h1').tabIndex = 0, document.querySelector('h1').focus()")
    desk.page.keyboard.press("Control+k")
    expect(desk.field).to_be_focused()
    desk.page.keyboard.press("Escape")
    expect(desk.field).to_be_hidden()
    assert desk.page.evaluate("document.activeElement.localName") == "h1"
    desk.page.keyboard.press("Control+k")
    desk.page.keyboard.press("Control+k")
    expect(desk.launcher).to_be_visible()


def test_ui_6_all_can_be_done_with_the_keyboard_alone(desk: Element) -> None:
    """UI-6, UI-2: ask, reach the card, approve, and keep a place for the focus afterwards."""
    expect(desk.launcher).to_be_visible()
    desk.page.keyboard.press("Control+k")
    expect(desk.field).to_be_focused()
    desk.page.keyboard.type(ES.book)
    desk.page.keyboard.press("Enter")
    expect(desk.button(ES.approve)).to_be_enabled()
    for _ in range(12):
        desk.page.keyboard.press("Shift+Tab")
        if "primary" in desk.focused():
            break
    expect(desk.button(ES.approve)).to_be_focused()
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_text("tiene cita").first).to_be_visible()
    assert desk.inside()


def test_ui_6_on_a_phone_the_focus_stays_in_the_sheet(browser: Browser, url: str) -> None:
    """UI-1, UI-6: the full-height sheet is modal."""
    one = opened(browser, url, EN, PHONE)
    one.open()
    box = one.page.locator("dialog").bounding_box()
    assert box == {"x": 0, "y": 0, "width": PHONE[0], "height": PHONE[1]}
    reached = set()
    for _ in range(20):
        one.page.keyboard.press("Tab")
        reached.add(one.page.evaluate("document.activeElement?.localName"))
    assert reached <= {"deputize-copilot", "body"}
    one.page.keyboard.press("Escape")
    expect(one.launcher).to_be_focused()
    one.page.context.close()


def test_ui_1_a_reload_keeps_conversation_and_pending_card(desk: Element) -> None:
    """UI-1: survives a reload, pending approval included; the approved write is told to the page."""
    desk.open()
    desk.ask(ES.book)
    expect(desk.button(ES.approve)).to_be_enabled()
    desk.page.reload()
    expect(desk.page.get_by_text("Busco a María").first).to_be_visible()
    desk.button(ES.approve).click()
    expect(desk.page.get_by_text("tiene cita").first).to_be_visible()
    changes = desk.page.evaluate("window.changes")
    assert changes == [{"entities": [{"kind": "appointment", "id": "0190a1b2-0000-7000-8000-0000000000c1"}]}]


def test_ui_1_a_reload_in_the_middle_of_an_answer_goes_on_with_it(desk: Element) -> None:
    desk.open()
    desk.mock(delay=25)
    desk.ask(ES.agenda)
    expect(desk.page.get_by_text("Hoy hay").first).to_be_visible()
    desk.page.reload()
    expect(desk.page.get_by_text("confirmar las citas que faltan").first).to_be_visible()
    expect(desk.page.get_by_text(ES.sources)).to_be_visible()


def test_ui_2_a_second_tab_sees_the_card_and_its_decision(desk: Element) -> None:
    """RUN-10: one conversation per actor and surface, whatever the tab."""
    desk.open()
    desk.ask(ES.book)
    expect(desk.button(ES.approve)).to_be_enabled()
    tab = Element(desk.page.context.new_page(), desk.url, ES, "es")
    tab.visit()
    tab.launcher.click()
    tab.button(ES.approve).click()
    expect(tab.page.get_by_text("tiene cita").first).to_be_visible()
    desk.page.bring_to_front()
    expect(desk.page.get_by_text("tiene cita").first).to_be_visible()
    expect(desk.button(ES.approve)).to_have_count(0)


def test_ui_1_markdown_of_the_model_is_harmless(desk: Element) -> None:
    """UI-1: escaped, no remote images; nothing outside loopback is asked for."""
    asked: list[str] = []
    desk.page.on("request", lambda request: asked.append(request.url))
    desk.open()
    desk.ask("peligro")
    expect(desk.page.get_by_role("link", name="fuera")).to_be_visible()
    assert desk.page.evaluate("window.hacked") is None
    assert desk.page.locator("deputize-message-list img").count() == 0
    assert desk.page.get_by_role("link", name="mal").count() == 0
    assert [one for one in asked if not one.startswith(desk.url)] == []


def test_ui_6_an_answer_is_announced_in_pieces_and_not_by_token(desk: Element) -> None:
    """UI-6: the polite live region hears the whole answer once."""
    desk.open()
    desk.ask(ES.agenda)
    expect(desk.page.get_by_text(ES.sources)).to_be_visible()
    heard = desk.page.locator("[aria-live=polite][role=log] p").all_text_contents()
    assert 1 <= len(heard) <= 5
    assert "8 citas" in " ".join(heard)
    assert "confirmar las citas que faltan" in heard[-1]


def test_api_4_csrf_header_key_and_sign_in(desk: Element) -> None:
    """API-4: CSRF header on each POST, a key on each message; a 401 without refresh asks the page to sign in."""
    desk.open()
    desk.mock()
    desk.ask(ES.agenda)
    expect(desk.page.get_by_text(ES.sources)).to_be_visible()
    posts = [one for one in desk.mock() if one["method"] == "POST"]
    assert len(posts) == 2
    assert {one["headers"]["x-csrf-token"] for one in posts} == {"mock-csrf"}
    assert posts[1]["headers"]["idempotency-key"]
    assert json.loads(posts[1]["body"])["context"]["entities"] == [{"kind": "patient", "id": "a"}]
    desk.mock(unauthorized=1)
    desk.ask(ES.agenda)
    expect(desk.button(ES.retry).first).to_be_visible()
    assert desk.page.evaluate("window.signins") == 1


def test_ui_1_the_context_of_the_page_can_be_taken_away(desk: Element) -> None:
    desk.open()
    desk.button("No usar el contexto de esta página").click()
    desk.mock()
    desk.ask(ES.agenda)
    expect(desk.page.get_by_text(ES.sources)).to_be_visible()
    sent = [json.loads(one["body"]) for one in desk.mock() if one["method"] == "POST"]
    assert all("context" not in body for body in sent)


def test_ui_1_stop_ends_the_answer_and_the_field_is_free_again(desk: Element) -> None:
    desk.open()
    desk.ask("lento")
    expect(desk.page.get_by_text("Palabra").first).to_be_visible()
    desk.button("Detener").click()
    expect(desk.page.get_by_text("Detenido.")).to_be_visible()
    desk.field.fill("hola")
    expect(desk.button("Enviar")).to_be_enabled()


def test_ui_4_as_a_page_it_fills_its_container(browser: Browser, url: str) -> None:
    """UI-4: `mode="page"` has no launcher and no dialog."""
    one = opened(browser, url, ES)
    one.visit("&mode=page")
    one.ask(ES.agenda)
    expect(one.page.get_by_text(ES.sources)).to_be_visible()
    assert one.page.locator("dialog, .launcher").count() == 0
    box = one.page.locator("deputize-copilot .page").bounding_box()
    assert box is not None
    assert box["width"] == DESK[0]
    assert faults(one.page) == []
    SHOTS.mkdir(parents=True, exist_ok=True)
    one.page.screenshot(path=SHOTS / "page.png")
    one.page.context.close()


def test_ui_6_text_reflows_at_320_pixels(browser: Browser, url: str) -> None:
    """UI-6: WCAG 1.4.10, the width of 400 % zoom."""
    one = opened(browser, url, EN, (320, 640))
    one.open()
    one.ask(EN.quote)
    expect(one.button(EN.approve)).to_be_visible()
    wide = one.page.evaluate(
        """() => { const panel = document.querySelector('deputize-copilot');
        const list = panel.shadowRoot.querySelector('deputize-message-list');
        const scroll = list.shadowRoot.querySelector('.scroll'); return scroll.scrollWidth - scroll.clientWidth; }"""
    )
    assert wide <= 0
    one.page.context.close()
