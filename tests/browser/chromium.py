"""Real Chromium for the browser tests: how it starts, the sizes looked at, axe-core, and what complains."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, Response, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
STATIC = ROOT / "src" / "deputize" / "surfaces" / "http" / "static"
SHOTS = Path(__file__).resolve().parent / "screenshots"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
DESK, PHONE = (1280, 800), (390, 844)

PATIENCE = 60_000
"""Milliseconds until which a step must have happened: a busy machine needs tens of seconds, a quiet one none."""

expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium_at(program: Path) -> Iterator[Browser]:
    """A browser that asks nobody for anything."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, chromium_sandbox=False, args=FLAGS)
        yield chromium
        chromium.close()


def faults(page: Page) -> list[str]:
    """What axe-core finds on the page and inside its elements, one line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)["violations"]
    return [f"{fault['id']}: {node['target']} {node['failureSummary']}" for fault in found for node in fault["nodes"]]


def complaints(page: Page) -> list[str]:
    """What the page's scripts and its requests will have complained of; filled as it happens."""
    found: list[str] = []

    def answered(response: Response) -> None:
        if response.status >= 400:
            found.append(f"{response.status} {response.request.method} {response.url}")

    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda said: found.append(said.text) if said.type in {"error", "warning"} else None)
    page.on("response", answered)
    return found
