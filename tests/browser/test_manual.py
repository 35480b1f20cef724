"""The pictures of the clinic's manual, taken from the screens that it describes, in both languages (UI-6)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import SHOTS, chromium_at
from tests.browser.clinic import later
from tests.browser.demos import Demo, demo
from tests.browser.person import EN, ES, Person, Said, arrive

pytestmark = [pytest.mark.browser, pytest.mark.long]
SIZE = (1120, 720)
MARIA = "María López Herrera"
ASKED = {
    "es": ("agéndale revisión {day} a las 10", "Resumen del día", "Llenar un hueco"),
    "en": ("book her a check-up {day} at 12", "Daily briefing", "Fill a gap"),
}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("manual")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with chromium_at(chromium) as started:
        yield started


def picture(person: Person, name: str) -> None:
    folder = SHOTS / "manual" / person.say.tag
    folder.mkdir(parents=True, exist_ok=True)
    person.page.screenshot(path=folder / f"{name}.png")


def first(person: Person, listing: str, words: str = "") -> str:
    """The address of the first record in a list that has those words."""
    person.visit(listing)
    link = person.page.locator("main tbody tr", has_text=words).locator("a").first
    return str(link.get_attribute("href"))


@pytest.mark.parametrize("say", [ES, EN], ids=["es", "en"])
def test_reception_is_photographed_page_by_page(browser: Browser, clinic: Demo, say: Said) -> None:
    person = arrive(browser, clinic.url, "receptionist@demo.clinic", say, SIZE)
    word, day = later(say)
    person.visit(f"/agenda?day={day.isoformat()}")
    picture(person, "agenda")
    person.page.locator(".board li.gap a").first.click()
    person.page.locator("input[name=q]").fill("María López")
    person.page.locator("main form button").first.click()
    person.page.locator("ul.hits a").first.click()
    picture(person, "booking")
    card = first(person, "/patients?q=María López Herrera")
    person.visit(card)
    picture(person, "patient")
    person.visit("/recalls")
    picture(person, "recalls")
    person.visit(first(person, "/recalls", "Consuelo Vidal"))
    picture(person, "recall")
    person.visit(first(person, "/budgets", MARIA))
    picture(person, "quote")
    person.visit(f"/payments/new?patient={card.rpartition('/')[2]}")
    picture(person, "payment")
    person.visit("/reports")
    picture(person, "reports")
    _with_the_assistant(person, card, word, day.isoformat())
    person.page.context.close()


def _with_the_assistant(person: Person, card: str, word: str, day: str) -> None:
    booking, briefing, gap = ASKED[person.say.tag]
    person.visit(card)
    person.open()
    expect(person.page.locator("deputize-composer")).to_contain_text(re.compile("Esta página|This page"))
    picture(person, "assistant")
    person.propose(booking.format(day=word))
    picture(person, "proposal")
    person.button(person.say.approve).click()
    expect(person.page.locator("main")).to_contain_text(re.compile("1[02]:00"))
    expect(person.answer).to_be_visible()
    picture(person, "approved")
    person.start_afresh()
    person.visit(f"/agenda?day={day}")
    person.reopen() if not person.field.is_visible() else None
    person.button(briefing).click()
    expect(person.answer.locator("h3, h4, h5").nth(1)).to_be_visible()
    picture(person, "briefing")
    person.start_afresh()
    person.visit("/recalls")
    person.button(gap).click()
    expect(person.answer).to_contain_text("Consuelo Vidal")
    picture(person, "gap")


@pytest.mark.parametrize("say", [ES, EN], ids=["es", "en"])
def test_administration_is_photographed_page_by_page(browser: Browser, clinic: Demo, say: Said) -> None:
    person = arrive(browser, clinic.url, "admin@demo.clinic", say, SIZE)
    for path, name in (
        ("/settings", "settings"),
        ("/schedules", "schedules"),
        ("/catalog", "catalog"),
        ("/cabinets", "cabinets"),
        ("/copilot/approvals", "approvals"),
        ("/copilot/runs", "runs"),
        ("/copilot/usage", "usage"),
        ("/copilot/audit", "audit"),
        ("/copilot/settings", "assistant-settings"),
    ):
        person.visit(path)
        person.page.wait_for_load_state("networkidle")
        expect(person.page.locator("main")).to_be_visible()
        picture(person, name)
    person.page.context.close()
