"""A person at the served desk over real HTTP: signs in, sends forms, asks the copilot, reads streams as they come."""

import json
import re
import time
from collections.abc import Callable
from threading import Event
from typing import Any, TypeVar

import httpx2

from deputize_hosts.workorders.main import BASE
from deputize_hosts.workorders.seed.people import PASSWORD

Fact = TypeVar("Fact")
WITHIN = 60.0
"""Seconds until which a fact must have come about; nothing waits longer than it must."""


def until(ask: Callable[[], Fact | None], what: str) -> Fact:
    """The first answer that is not None; asked ten times a second. Raises AssertionError after `WITHIN` seconds."""
    ends, pace = time.monotonic() + WITHIN, Event()
    while time.monotonic() < ends:
        found = ask()
        if found is not None:
            return found
        pace.wait(0.1)
    raise AssertionError(f"{what} did not come about")


class Visitor:
    """One browser of one person at `url`."""

    def __init__(self, url: str) -> None:
        self.client = httpx2.Client(base_url=url, follow_redirects=True, timeout=30, trust_env=False)

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def answers(self, path: str = "/sign-in") -> bool:
        """Whether the address gives that page."""
        try:
            return self.client.get(path).status_code == 200
        except httpx2.TransportError:
            return False

    @property
    def token(self) -> str:
        """The CSRF token of this browser."""
        return self.client.cookies.get("csrf") or ""

    def sign_in(self, email: str, password: str = PASSWORD) -> httpx2.Response:
        """Through the form."""
        self.client.get("/sign-in")
        return self.send("/sign-in", email=email, password=password)

    def send(self, path: str, /, **fields: str) -> httpx2.Response:
        """A form, as the page sends it."""
        return self.client.post(path, data={"csrf": self.token, **fields})

    def post(self, path: str, body: Any) -> httpx2.Response:
        """JSON, as the element sends it."""
        headers = {"X-CSRF-Token": self.token, "Accept": "application/json"}
        return self.client.post(path, json=body, headers=headers)

    def report(self, title: str, description: str = "") -> str:
        """A new order from the page's form; the path of its page."""
        made = self.send("/app/orders/new", title=title, description=description, priority="medium")
        assert made.status_code == 200, made.text
        return made.url.path

    def suggestion(self, page: str) -> tuple[str, str]:
        """The path that accepts the suggestion on the order's page, and the run behind it, once they are there."""

        def ask() -> tuple[str, str] | None:
            shown = self.client.get(page).text
            accept = re.search(rf'"({page}/suggestions/[0-9a-f-]+/accept)"', shown)
            run = re.search(r'"/app/admin/agents/runs/([^"]+)"', shown)
            return (accept[1], run[1] if run else "") if accept else None

        return until(ask, "the suggestion")

    def stream(self, session: str, content: str) -> list[tuple[str, Any]]:
        """One message to the copilot; each event of its stream with its data."""
        frames: list[tuple[str, Any]] = []
        headers = {"X-CSRF-Token": self.token, "Accept": "text/event-stream"}
        path, name = f"{BASE}/sessions/{session}/messages", ""
        with self.client.stream("POST", path, json={"content": content}, headers=headers) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream"), answer.read()
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    frames.append((name, json.loads(line.removeprefix("data: "))))
        return frames
