"""In real Chromium the disclaimer stands on all seven surfaces, in both languages, word for word (UI-5)."""

import asyncio
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, expect, sync_playwright
from sqlalchemy import URL

from deputize import Settings
from deputize.core.toolset import DISCLAIMERS
from deputize_hosts.casedesk.main import build
from deputize_hosts.casedesk.seed.firms import PASSWORD
from deputize_hosts.casedesk.settings import HostSettings
from tests.databases import SqliteFiles, connect
from tests.hosts.casedesk.people import CUSTOMER, MLRO, NORDWIND, planted

pytestmark = pytest.mark.browser
FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
PAGES = {
    "case": f"/cases/{NORDWIND}",
    "dashboard": "/dashboard",
    "memory": "/memory",
    "regulatory": "/regulatory",
    "standards": "/standards",
    "onboarding": "/onboarding",
    "portal": "/portal",
}
OPEN = re.compile("^(Open the assistant|Abrir el asistente)")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The case desk on a loopback port of its own, in a thread of its own."""
    files = SqliteFiles(tmp_path_factory.mktemp("disclaimers"))

    async def fill() -> URL:
        return await files.fresh("casedesk", planted)

    with ThreadPoolExecutor(1) as aside:  # Playwright has a loop of its own in this thread
        engine = connect(aside.submit(lambda: asyncio.run(fill())).result())
    settings = Settings(enabled=True, secret_key="a vault key of the tests, long enough")
    app = build(HostSettings(secret="cookies"), settings, engine=engine).app
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    started = threading.Event()
    whole = server.startup

    async def startup(*args: object, **more: object) -> None:
        await whole(*args, **more)  # type: ignore[arg-type]  # uvicorn's own arguments
        started.set()

    server.startup = startup  # type: ignore[method-assign]  # tells when the port is open
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(30)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(chromium), chromium_sandbox=False, args=FLAGS)
        yield launched
        launched.close()


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("portal", [False, True], ids=["desk", "portal"])
def test_ui_5_the_disclaimer_is_visible_on_every_surface(
    browser: Browser, served: str, language: str, portal: bool
) -> None:
    context = browser.new_context(locale=language, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(served + ("/portal/sign-in" if portal else "/sign-in"))
    page.fill("#email", CUSTOMER if portal else MLRO)
    page.fill("#password", PASSWORD)
    page.click("main button")
    page.wait_for_url(re.compile("/(portal|dashboard)$"))
    if page.locator("html").get_attribute("lang") != language:
        page.locator(".languages button").click()
    for surface, url in PAGES.items():
        if (surface == "portal") is not portal:
            continue
        page.goto(served + url)
        page.get_by_role("button", name=OPEN).click()
        wording = DISCLAIMERS["portal" if portal else "officer"][language]
        expect(page.get_by_text(wording, exact=True)).to_be_visible()
        expect(page.get_by_text(wording, exact=True)).to_be_in_viewport()
    context.close()
