"""Every host on phone and desk, in both languages, dark and light: a message becomes a card (UI-1, UI-2, UI-6)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import DESK, PHONE, SHOTS, chromium_at, complaints, faults
from tests.browser.clinic import later
from tests.browser.demos import CASEDESK, CLINIC, WORKORDERS, Demo, Host, demo
from tests.browser.person import EN, ES, Person, Said, arrive

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

pytestmark = pytest.mark.browser

IN_SIGHT = """button => {
    const box = button.getBoundingClientRect();
    let top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    while (top?.shadowRoot) {
        const inner = top.shadowRoot.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        if (!inner || inner === top) break;
        top = inner;
    }
    return button.contains(top);
}"""
"""Whether nothing lies over the middle of a button."""
MOVED = """panel => [scrollX, scrollY, panel.shadowRoot.querySelector('dialog').scrollTop,
    visualViewport.offsetTop, visualViewport.offsetLeft]"""
WIDER = """panel => [...panel.shadowRoot.querySelectorAll('dialog > *')]
    .filter(part => part.scrollWidth > part.clientWidth).map(part => part.className || part.localName)"""


@dataclass(frozen=True)
class Scene:
    """Who asks for which change on which page of a host, and a name that its card must show."""

    host: Host
    who: str
    find: str
    """An address; or one whose first link in the page's content leads to the scene."""
    link: bool
    words: Callable[[Said], str]
    shown: str
    absent: tuple[str, ...] = ()
    """Captions of what nobody asked to change."""


def _booking(say: Said) -> str:
    return f"agéndale revisión {later(say)[0]} a las 10" if say is ES else f"book her a check-up {later(say)[0]} at 10"


SCENES = {
    "clinic": Scene(
        CLINIC, "receptionist@demo.clinic", "/patients?q=María López Herrera", True, _booking, "María López Herrera"
    ),
    "workorders": Scene(
        WORKORDERS,
        "priya@northgate.example",
        "/app/orders",
        False,
        lambda say: "pon la orden 1036 en urgente" if say is ES else "set order 1036 to urgent",
        "Boiler in block B",
        ("Título", "Title"),
    ),
    "casedesk": Scene(
        CASEDESK,
        "officer@harbour.example",
        "/dashboard",
        True,
        lambda say: (
            "anota que el extracto está en camino" if say is ES else "note that the register extract is on its way"
        ),
        "KYB-2026-",
    ),
}


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with chromium_at(chromium) as started:
        yield started


@pytest.fixture(scope="module", params=SCENES)
def scene(request: pytest.FixtureRequest) -> Scene:
    return SCENES[request.param]


@pytest.fixture(scope="module")
def served(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One process for each host, for all of its pictures."""
    with demo(tmp_path_factory.mktemp(scene.host.name), scene.host) as running:
        yield running


def go(person: Person, scene: Scene) -> None:
    """To the page of the scene."""
    person.visit(scene.find)
    if scene.link:
        href = person.page.locator("main a[href*='-']").first.get_attribute("href")
        assert href is not None
        person.visit(href)
    expect(person.launcher).to_be_visible()


@pytest.mark.parametrize("say", [ES, EN], ids=["es", "en"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_ui_6_a_message_becomes_a_card_that_can_be_decided(
    browser: Browser, served: Demo, scene: Scene, size: tuple[int, int], say: Said, request: pytest.FixtureRequest
) -> None:
    """UI-1, UI-2, UI-6: WCAG 2.2 AA of drawer and page in dark and light; the card is shown from its head and its
    buttons are in sight; the page under it stays where it was; the drawer is a full-height sheet on the phone;
    nothing is wider than the screen, and nothing complains."""
    person = arrive(browser, served.url, scene.who, say, size, host=scene.host)
    page = person.page
    said = complaints(page)
    go(person, scene)
    page.evaluate("scrollTo(0, 40)")
    folder = SHOTS / "matrix"
    folder.mkdir(parents=True, exist_ok=True)
    panel = page.locator("deputize-copilot")
    before = panel.evaluate(MOVED)
    person.open()
    person.propose(scene.words(say))
    expect(person.card).to_contain_text(scene.shown)
    for caption in scene.absent:
        expect(person.card).not_to_contain_text(caption)
    for button in (person.button(say.approve), person.button(say.reject)):
        expect(button).to_be_in_viewport(ratio=1)
        assert button.evaluate(IN_SIGHT)
    expect(person.card.locator("#title")).to_be_in_viewport(ratio=1)
    assert panel.evaluate(MOVED) == before
    assert panel.evaluate(WIDER) == []
    if size == PHONE:
        sheet = page.locator("deputize-copilot dialog").bounding_box()
        assert sheet == {"x": 0, "y": 0, "width": PHONE[0], "height": PHONE[1]}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("scrollTo(0, 0)")
    found: list[str] = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found.extend(f"{scheme}: {fault}" for fault in faults(page))
        page.screenshot(path=folder / f"{request.node.callspec.id}-{scheme}.png")
    person.reject()
    expect(person.button(say.approve)).to_have_count(0)
    expect(person.field).to_be_enabled()
    page.context.close()
    assert found == []
    assert said == []


def test_ui_6_the_frame_of_a_card_follows_the_page_and_its_words_stay(
    browser: Browser, served: Demo, scene: Scene
) -> None:
    """UI-6, APPR-2: after a change of language the buttons and labels speak the new one; the host's wording, the
    digest and the time left are those that were staged and will be recorded, and it can be decided."""
    person = arrive(browser, served.url, scene.who, ES, host=scene.host)
    go(person, scene)
    person.open()
    person.propose(scene.words(ES))
    before = person.waiting()["approval"]
    title = before["preview"]["title"]
    expect(person.card.locator("#title")).to_have_text(title)
    person.page.locator("button[name=language][value=en]").evaluate("button => button.click()")
    expect(person.page.locator("html[lang=en]")).to_be_attached()
    expect(person.button(EN.approve)).to_be_enabled()
    expect(person.card).to_contain_text("Needs your approval")
    expect(person.card).to_contain_text(re.compile(r"Expires in \d+:\d\d"))
    expect(person.card.locator("#title")).to_have_text(title)
    expect(person.button(ES.approve)).to_have_count(0)
    assert person.waiting()["approval"] == before
    english = Person(person.page, person.url, EN, scene.host)
    english.reject()
    expect(english.button(EN.approve)).to_have_count(0)
    person.page.context.close()
