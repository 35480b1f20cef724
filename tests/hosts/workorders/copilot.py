"""The desk with the copilot mounted, over a scripted model or the embedded one: a person who talks to it over HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize import Settings
from deputize.core.provider import ModelRequest
from deputize.redaction.spans import Span
from deputize.testing.clock import FrozenClock
from deputize.testing.scripted import ScriptedProvider
from deputize_hosts.workorders.main import BASE, Built, build
from deputize_hosts.workorders.orders.models import WorkOrder
from deputize_hosts.workorders.settings import HostSettings
from tests.hosts.workorders.browser import Person
from tests.hosts.workorders.people import NOW

KEY = "a vault key of the tests, long enough"
ADMIN_BASE = "/api/v1/admin"


class NothingFound:
    """An entity detector that is there and finds nobody, so that prose is not withheld (RED-6)."""

    def find(self, text: str, language: str) -> list[Span]:
        """Nothing."""
        return []


@dataclass
class Stream:
    """What one answer told, frame by frame."""

    status: int
    frames: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def events(self) -> list[str]:
        """Names of the durable events, in order."""
        return [name for name, _ in self.frames if name not in ("token", "ping")]

    @property
    def results(self) -> list[dict[str, Any]]:
        """Payloads of `tool_result`."""
        return [data for name, data in self.frames if name == "tool_result"]

    @property
    def card(self) -> dict[str, Any]:
        """The call that waits for its person."""
        return next(data["call"] for name, data in reversed(self.frames) if name == "tool_approval_required")

    @property
    def said(self) -> str:
        """The text of the answer."""
        texts: dict[str, str] = {}
        for name, data in self.frames:
            if name == "token":
                texts[data["message"]] = texts.get(data["message"], "")[: data["at"]] + data["text"]
        return "".join(texts.values())

    @property
    def code(self) -> str:
        """The error's code where there was no stream."""
        return str(self.body["error"]["code"])


def read_stream(answer: httpx2.Response) -> Stream:
    """Frames of a stream, or the body of a refusal."""
    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
        return Stream(answer.status_code, body=answer.json())
    frames = []
    for block in answer.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "event" in lines:
            frames.append((lines["event"], json.loads(lines["data"])))
    return Stream(answer.status_code, frames)


class Talker(Person):
    """A signed-in person in conversation with the copilot."""

    session = ""

    async def post(self, path: str, body: Any = None, base: str = BASE, **headers: str) -> httpx2.Response:
        """As the element sends it."""
        token = {"X-CSRF-Token": self.client.cookies.get("csrf") or ""}
        return await self.client.post(base + path, json={} if body is None else body, headers={**token, **headers})

    async def open(self) -> str:
        """A new conversation."""
        answer = await self.post("/sessions", {"surface": "desk"})
        assert answer.status_code == 201, answer.text
        self.session = str(answer.json()["id"])
        return self.session

    async def say(self, content: str, context: Any = None, **headers: str) -> Stream:
        """One message, read to the end of its stream."""
        if not self.session:
            await self.open()
        body = {"content": content, **({"context": context} if context else {})}
        return read_stream(await self.post(f"/sessions/{self.session}/messages", body, **headers))

    async def decide(self, call: dict[str, Any], approve: bool = True, **more: Any) -> httpx2.Response:
        """Yes or no to a card."""
        body = {"approve": approve, "digest": call["approval"]["digest"], **more}
        return await self.post(f"/tool-calls/{call['id']}/decide", body, Accept="application/json")

    async def patch(self, path: str, body: Any, base: str) -> httpx2.Response:
        """A change of settings."""
        token = {"X-CSRF-Token": self.client.cookies.get("csrf") or ""}
        return await self.client.patch(base + path, json=body, headers=token)


@dataclass
class Mounted:
    """The application, its database, and the script of its model."""

    built: Built
    engine: AsyncEngine
    provider: ScriptedProvider
    clock: FrozenClock
    people: dict[str, Talker] = field(default_factory=dict)

    async def person(self, email: str) -> Talker:
        """Somebody who has signed in."""
        if email not in self.people:
            self.people[email] = Talker(self.built.app)
            assert (await self.people[email].sign_in(email)).url.path == "/app/orders"
        return self.people[email]

    async def order(self, title: str) -> WorkOrder:
        """The order whose title begins so, as it is now."""
        async with AsyncSession(self.engine) as session:
            return (await session.scalars(select(WorkOrder).where(WorkOrder.title.startswith(title)))).one()

    @property
    def offered(self) -> set[str]:
        """Names of the tools in the last request to the model."""
        return {tool.name for tool in self.provider.requests[-1].tools}

    def told(self) -> str:
        """Everything that ever went to the model, as text."""
        return "\n".join(_text(request) for request in self.provider.requests)


def _text(request: ModelRequest) -> str:
    return f"{request.system}\n{request.situation}\n{request.messages}\n{request.tools}"


@asynccontextmanager
async def mounted(engine: AsyncEngine, *, scripted: bool = True, **settings: Any) -> AsyncIterator[Mounted]:
    """The desk on `engine` with a scripted model, or with the embedded one."""
    provider, clock = ScriptedProvider(), FrozenClock(NOW)
    replaced: dict[str, Any] = {"detectors": [NothingFound()]}
    if scripted:
        replaced["providers"] = {"scripted": provider}
    plenty = {"max_actions_per_minute": 1000, "rate_limit_max": 1000}
    given = Settings(enabled=True, secret_key=KEY, **{**plenty, **settings})
    built = build(HostSettings(secret="cookies"), given, engine=engine, clock=clock, **replaced)
    made = Mounted(built, engine, provider, clock)
    yield made
    for one in made.people.values():
        await one.client.aclose()
    await built.deputy.close()
