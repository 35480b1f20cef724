"""Somebody at a real browser: signs in, talks to the copilot, sees its card, and asks the server what is so."""

import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.chromium import DESK, PATIENCE
from tests.browser.demos import CLINIC, Host

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
class Person:
    """One signed-in person at one page."""

    page: Page
    url: str
    say: Said
    host: Host = CLINIC

    def visit(self, path: str) -> None:
        self.page.goto(self.url + path)

    def sign_in(self, email: str, door: str = "/sign-in") -> None:
        """Through the form, and into this person's language."""
        self.visit(door)
        self.page.locator("input[name=email]").fill(email)
        self.page.locator("input[name=password]").fill(self.host.password)
        self.page.locator("main form button").click()
        expect(self.page.locator("header.top .who strong")).to_be_visible()
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
        status, answer = self.call("GET", f"{self.host.base}/approvals")
        assert (status, answer["total"]) == (200, 1), answer
        return answer["items"][0]

    def start_afresh(self) -> None:
        """Withdraw what is open and begin a new conversation, without the screen."""
        for run in self.call("GET", f"{self.host.base}/runs")[1]["items"]:
            if run["status"] in {"running", "awaiting_approval"}:
                assert self.call("POST", f"{self.host.base}/runs/{run['id']}/cancel", {})[0] == 200
        assert self.call("POST", f"{self.host.base}/sessions", {"surface": self.host.surface})[0] == 201


def arrive(
    browser: Browser,
    url: str,
    email: str,
    say: Said = ES,
    size: tuple[int, int] = DESK,
    scheme: Any = "light",
    host: Host = CLINIC,
    door: str = "/sign-in",
) -> Person:
    """Somebody signs in on a browser of their own and stands at an empty conversation."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, locale=say.tag, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    person = Person(page, url, say, host)
    person.sign_in(email, door)
    person.start_afresh()
    page.reload()
    expect(person.launcher).to_be_visible()
    return person
