"""The case desk's pages as its people see them: accessible, as wide as the screen, and nothing complains (UI-6)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import DESK, PHONE, SHOTS, chromium_at, complaints, faults
from tests.browser.demos import CASEDESK, Demo, demo
from tests.browser.person import EN, ES, Person, Said, arrive

MLRO, CUSTOMER = "mlro@harbour.example", "customer@nordwind.example"
PAGES = ("dashboard", "onboarding", "memory", "regulatory", "standards", "audit")
UNASSISTED = {"audit"}
"""Pages on which the desk has no copilot."""
PORTAL = replace(CASEDESK, surface="portal")

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with chromium_at(chromium) as started:
        yield started


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("casedesk"), CASEDESK) as running:
        yield running


def case_pages(person: Person) -> dict[str, str]:
    """The page of one case, and the panel in which its conflicts are decided."""
    person.visit("/dashboard")
    case = person.page.locator("main a[href^='/cases/']").first.get_attribute("href")
    assert case is not None
    return {"case": case, "conflicts": f"{case}/conflicts"}


@pytest.mark.parametrize(
    ("size", "scheme", "say"), [(DESK, "light", EN), (PHONE, "dark", ES)], ids=["desk-light-en", "phone-dark-es"]
)
def test_ui_6_every_page_is_accessible_fits_and_is_quiet(
    browser: Browser, desk: Demo, size: tuple[int, int], scheme: str, say: Said, request: pytest.FixtureRequest
) -> None:
    """UI-6: the officers' pages and the customer's portal, with the launcher on each that has a surface."""
    folder = SHOTS / "casedesk" / request.node.callspec.id
    folder.mkdir(parents=True, exist_ok=True)
    found: list[str] = []
    for who, host, door, pages in (
        (MLRO, CASEDESK, "/sign-in", PAGES),
        (CUSTOMER, PORTAL, "/portal/sign-in", ("portal",)),
    ):
        person = arrive(browser, desk.url, who, say, size, scheme, host, door)
        said = complaints(person.page)
        addresses = {name: f"/{name}" for name in pages}
        if who == MLRO:
            addresses |= case_pages(person)
        for name, address in addresses.items():
            person.visit(address)
            expect(person.launcher).to_have_count(0 if name in UNASSISTED else 1)
            found += [f"{name}: {fault}" for fault in faults(person.page)]
            if not person.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                found.append(f"{name}: wider than the screen")
            person.page.screenshot(path=folder / f"{name}.png")
        found += said
        person.page.context.close()
    assert found == []
