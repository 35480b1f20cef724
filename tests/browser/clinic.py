"""The clinic as a person meets it: the demo in a process of its own, and somebody at a real browser."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from playwright.sync_api import Browser, Locator, Page, expect

from deputize_hosts.clinic.seed.clinics import PASSWORD
from tests.browser.chromium import DESK

BASE = "/api/v1/copilot"
DEPUTIZE = Path(sys.executable).parent / "deputize"
MADRID = ZoneInfo("Europe/Madrid")
FOREIGN = re.compile(r"(?:AI|AGENT|COPILOT|CLINIC|OPENAI|ANTHROPIC|DEPUTIZE|DATABASE)_")
DAYS = {
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
}

expect.set_options(timeout=20_000)
"""A busy machine may take seconds for a step; nothing here waits longer than it must."""

CALL = """async ({method, path, body}) => {
    const token = document.cookie.match(/(?:^|; )csrf=([^;]*)/);
    const headers = {'Content-Type': 'application/json', 'X-CSRF-Token': token ? decodeURIComponent(token[1]) : ''};
    const answer = await fetch(path, {method, headers, body: body === null ? undefined : JSON.stringify(body)});
    const text = await answer.text();
    return [answer.status, text.startsWith('{') ? JSON.parse(text) : text];
}"""
"""A request of the page itself, under its cookies and its CSRF header."""


@dataclass(frozen=True)
class Said:
    """The words of one language by which things are found on the screen."""

    tag: str
    open: str
    message: str
    approve: str
    reject: str
    confirm_reject: str
    fresh: str
    withdraw: str
    hello: str
    tomorrow: str


ES = Said(
    tag="es",
    open="Abrir el asistente",
    message="Mensaje",
    approve="Aprobar",
    reject="Rechazar",
    confirm_reject="Rechazar el cambio",
    fresh="Nueva conversación",
    withdraw="Retirar y empezar",
    hello="¿En qué te ayudo?",
    tomorrow="mañana",
)
EN = Said(
    tag="en",
    open="Open the assistant",
    message="Message",
    approve="Approve",
    reject="Reject",
    confirm_reject="Reject the change",
    fresh="New conversation",
    withdraw="Withdraw and start",
    hello="How can I help?",
    tomorrow="tomorrow",
)


@dataclass
class Demo:
    """`deputize demo clinic` in a child process on a free port; `kill` is SIGKILL, `start` goes on with its data."""

    folder: Path
    port: int = 0
    process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Return once it listens and has said so. Raises where it ended instead."""
        ours = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
        command = [str(DEPUTIZE), "demo", "clinic", "--port", str(self.port), "--folder", str(self.folder)]
        self.process = subprocess.Popen(
            command, env={**ours, "AI_RATE_LIMIT_MAX": "1000"}, cwd=self.folder, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
            if "Ctrl-C" in line:
                return
        raise RuntimeError(f"the demo ended with {self.process.wait()}")

    def kill(self) -> None:
        """SIGKILL: no farewell, nothing flushed."""
        self._end(subprocess.Popen.kill)

    def stop(self) -> None:
        """As Ctrl-C would end it."""
        self._end(subprocess.Popen.terminate)

    def _end(self, how: Any) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        how(self.process)
        self.process.wait(timeout=30)
        self.process.stdout.close()


@contextmanager
def demo(folder: Path) -> Iterator[Demo]:
    """A running demo on fresh data."""
    made = Demo(folder)
    made.start()
    yield made
    made.stop()


@dataclass
class Person:
    """One signed-in person at one page."""

    page: Page
    url: str
    say: Said

    def visit(self, path: str) -> None:
        self.page.goto(self.url + path)

    def sign_in(self, email: str) -> None:
        """Through the form, and into this person's language."""
        self.visit("/sign-in")
        self.page.locator("input[name=email]").fill(email)
        self.page.locator("input[name=password]").fill(PASSWORD)
        self.page.locator("main form button").click()
        expect(self.page.locator("header.top .menu a").first).to_be_visible()
        language = self.page.locator(f"button[name=language][value={self.say.tag}]")
        if language.count():
            language.click()
        expect(self.page.locator(f"html[lang={self.say.tag}]")).to_be_attached()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def launcher(self) -> Locator:
        return self.page.get_by_role("button", name=re.compile(f"^{self.say.open}"))

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name=self.say.message)

    @property
    def card(self) -> Locator:
        """The open approval card."""
        return self.page.locator("deputize-approval-card section.card")

    @property
    def answer(self) -> Locator:
        """The words of the newest answer."""
        return self.page.locator("deputize-message-list li.assistant .prose").last

    @property
    def tools(self) -> Locator:
        """The cards of what was looked up or done."""
        return self.page.locator("deputize-tool-card")

    def open(self) -> None:
        self.launcher.click()
        expect(self.field).to_be_visible()

    def reopen(self) -> None:
        """Reload; a drawer comes back open, a phone's sheet may not."""
        self.page.reload()
        expect(self.launcher.or_(self.field).first).to_be_visible()
        if not self.field.is_visible():
            self.open()

    def ask(self, text: str) -> None:
        self.field.fill(text)
        self.field.press("Enter")

    def propose(self, text: str) -> None:
        """Ask for a change and wait for its card."""
        self.ask(text)
        expect(self.button(self.say.approve)).to_be_enabled()

    def reject(self) -> None:
        self.button(self.say.reject).click()
        self.button(self.say.confirm_reject).click()

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON (or text) of a request that the page makes."""
        status, answer = self.page.evaluate(CALL, {"method": method, "path": path, "body": body})
        return status, answer

    def waiting(self) -> Any:
        """The one change that waits for this person."""
        status, answer = self.call("GET", f"{BASE}/approvals")
        assert (status, answer["total"]) == (200, 1), answer
        return answer["items"][0]

    def start_afresh(self) -> None:
        """Withdraw what is open and begin a new conversation, without the screen."""
        for run in self.call("GET", f"{BASE}/runs")[1]["items"]:
            if run["status"] in {"running", "awaiting_approval"}:
                assert self.call("POST", f"{BASE}/runs/{run['id']}/cancel", {})[0] == 200
        assert self.call("POST", f"{BASE}/sessions", {"surface": "clinic"})[0] == 201

    def agenda(self, day: date) -> list[str]:
        """The lines of that day's agenda, as read on the page."""
        tab = self.page.context.new_page()
        tab.goto(f"{self.url}/agenda?day={day.isoformat()}")
        lines = [" ".join(line.split()) for line in tab.locator(".board li.block").all_inner_texts()]
        tab.close()
        return lines


def arrive(
    browser: Browser,
    url: str,
    email: str,
    say: Said = ES,
    size: tuple[int, int] = DESK,
    scheme: Any = "light",
) -> Person:
    """Somebody signs in on a browser of their own and stands at an empty conversation."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, locale=say.tag, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    person = Person(page, url, say)
    person.sign_in(email)
    person.start_afresh()
    page.reload()
    expect(person.launcher).to_be_visible()
    return person


def today() -> date:
    """The clinic's day."""
    return datetime.now(MADRID).date()


def next_open(say: Said) -> tuple[str, date]:
    """Tomorrow and its word, or where the clinic's tomorrow has no afternoon the Monday after it."""
    tomorrow = today() + timedelta(days=1)
    if tomorrow.weekday() < 5:
        return say.tomorrow, tomorrow
    return named(say, tomorrow + timedelta(days=7 - tomorrow.weekday()))


def later(say: Said, days: int = 2) -> tuple[str, date]:
    """A working day some days ahead (less than a week) by its name."""
    day = today() + timedelta(days=days)
    while day.weekday() > 4 or day == next_open(say)[1]:
        day += timedelta(days=1)
    return named(say, day)


def named(say: Said, day: date) -> tuple[str, date]:
    """`el jueves`, `on Thursday`."""
    return f"{'el' if say.tag == 'es' else 'on'} {DAYS[say.tag][day.weekday()]}", day
