"""The desk end to end in real Chromium: an order, its suggestion, acceptance, run and entry (AUTO-2, UI-4)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import DESK, PATIENCE, PHONE, SHOTS, chromium_at, faults
from tests.browser.workorders import running, sign_in

ADMIN, USER = "dispatch@northgate.example", "priya@northgate.example"
ENTRIES = "async run => (await (await fetch('/api/v1/admin/audit?run=' + run)).json()).items"
PAGES = {
    "orders": "/app/orders",
    "all": "/app/orders/all",
    "attention": "/app/attention",
    "users": "/app/admin/users",
    "agents": "/app/admin/agents",
    "runs": "/app/admin/agents/runs",
    "events": "/app/admin/agents/events",
    "new": "/app/orders/new",
    "copilot": "/app/copilot",
}

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One desk for the file, on data of its own."""
    with running(tmp_path_factory.mktemp("workorders")) as address:
        yield address


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with chromium_at(chromium) as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A browser of its own; an error of the page's scripts fails the test."""
    context = browser.new_context(viewport={"width": DESK[0], "height": DESK[1]})
    opened = context.new_page()
    failures: list[str] = []
    opened.on("pageerror", lambda error: failures.append(str(error)))
    yield opened
    context.close()
    assert failures == []


def until_suggested(page: Page) -> None:
    """The page shows the suggestion by itself, once the worker has been here."""
    expect(page.get_by_role("button", name=re.compile("^Set to"))).to_be_visible(timeout=PATIENCE)


def test_an_order_its_suggestion_its_run_and_its_entry(page: Page, url: str) -> None:
    sign_in(page, url, ADMIN)
    page.get_by_role("link", name="New order").click()
    page.get_by_label("Title").fill("Gas leak in the boiler room")
    page.get_by_label("Description").fill("It smells strongly by the door.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Gas leak in the boiler room")
    until_suggested(page)
    order = page.url
    page.goto(f"{url}/app/attention")
    expect(page.locator("main table")).to_contain_text("Gas leak in the boiler room")
    page.goto(order)
    run = page.get_by_role("link", name="The run behind it").get_attribute("href")
    page.get_by_role("button", name="Set to “Urgent”").click()
    expect(page.locator(".flash")).to_contain_text("Accepted: priority set.")
    expect(page.locator(".head .tag").first).to_have_text("Urgent")
    assert run is not None
    page.goto(url + run)
    expect(page.locator("[data-calls]")).to_contain_text("triage_propose")
    expect(page.locator("[data-messages]")).to_contain_text("Gas leak in the boiler room")
    entries = page.evaluate(ENTRIES, run.rsplit("/", 1)[1])
    assert {"automation_proposed", "transcript_viewed"} <= {entry["kind"] for entry in entries}


def test_the_policy_is_set_and_the_agent_stopped_by_hand(page: Page, url: str) -> None:
    sign_in(page, url, ADMIN)
    page.goto(f"{url}/app/admin/agents")
    expect(page.locator("[data-state]")).to_have_text("Running")
    page.get_by_label("Working hours").fill("whenever")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Please check: Working hours")
    page.get_by_label("Working hours").fill("mon-sun 00:00-23:59")
    page.get_by_label("Always flag from").select_option("high")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    expect(page.locator("[data-history]")).to_contain_text("Always flag from: High")
    page.get_by_role("button", name="Stop everything").click()
    expect(page.locator("[data-state]")).to_have_text("Stopped for the whole organisation")
    page.get_by_role("button", name="Let it run again").click()
    expect(page.locator("[data-state]")).to_have_text("Running")


def test_the_switch_of_a_person(page: Page, url: str) -> None:
    sign_in(page, url, ADMIN)
    page.goto(f"{url}/app/admin/users")
    row = page.get_by_role("row", name=re.compile("Tom Okafor"))
    row.get_by_role("button", name=re.compile("Switch off")).click()
    expect(row.get_by_role("button", name=re.compile("Switch on"))).to_be_visible()
    row.get_by_role("button", name=re.compile("Switch on")).click()
    expect(row.get_by_role("button", name=re.compile("Switch off"))).to_be_visible()


def test_words_become_a_card_and_the_card_a_change(page: Page, url: str) -> None:
    """COP-7: the drawer by keyboard, the server's preview, approval, and the page true again."""
    sign_in(page, url, USER)
    expect(page.get_by_role("button", name=re.compile("^Open the assistant"))).to_be_visible()
    page.keyboard.press("Control+k")
    field = page.get_by_role("textbox", name="Message")
    field.fill("set order 1036 to urgent")
    field.press("Enter")
    card = page.locator("deputize-approval-card section.card")
    expect(card).to_contain_text("Boiler in block B cuts out every hour")
    expect(card).to_contain_text("Urgent")
    page.get_by_role("button", name="Approve", exact=True).click()
    row = page.locator("main tr", has_text="Boiler in block B")
    expect(row).to_contain_text("Urgent")


@pytest.mark.parametrize(("name", "size"), [("desktop", DESK), ("phone", PHONE)], ids=["desktop", "phone"])
def test_pages_are_accessible_and_fit(page: Page, url: str, name: str, size: tuple[int, int]) -> None:
    """UI-6: no finding of axe-core, nothing wider than the screen; the pictures are kept."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    sign_in(page, url, ADMIN)
    found = {}
    for title, path in PAGES.items():
        page.goto(url + path)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=SHOTS / "workorders" / f"{title}-{name}.png")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), title
        found[title] = faults(page)
    assert found == {title: [] for title in PAGES}
